"""English words that carry no content of their own in a question.

Used only to choose a plan's content words; an engine's own stop list still decides what it
indexes. A prompt made of nothing else keeps all its words ("The Who").
"""

STOP = frozenset(
    """
    a about above after again against all also am an and any are aren as at be because been before
    being below between both but by can cannot could couldn d did didn do does doesn doing don down
    during each few for from further had hadn has hasn have haven having he her here hers herself
    him himself his how i if in into is isn it its itself just let ll m me might more most must my
    myself no nor not now of off on once only or other ought our ours ourselves out over own please
    re s same shall she should shouldn so some such t than that the their theirs them themselves
    then there these they this those through to too under until up us ve very was wasn we were
    weren what when where which while who whom why will with won would wouldn you your yours
    yourself yourselves
    """.split()
)
