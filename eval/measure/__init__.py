"""The report on recordings: how good, how sure, at what cost, and what lost the rest.

Every figure is computed in ``eval.measures``; here arms are read, figures gathered and printed.
"""
