"""Turns a decision that `tune` reached into what orders: a tuned revision, or an engine's weights.

Nothing here decides. What was not promoted by its evidence is refused, and no option changes that.
"""
