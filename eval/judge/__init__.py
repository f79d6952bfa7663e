"""Which pairs to judge next, so that a comparison of two arms is settled soonest.

Start at ``outlook``. Judgements drawn this way are not a random sample: they stand in a file of
their own, and no unweighted mean ever reads it.
"""
