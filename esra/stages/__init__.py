"""Verbs: one file a stage. No stage imports another; ``pipeline.py`` puts them in order."""
