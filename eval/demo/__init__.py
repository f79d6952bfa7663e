"""A small recorded trace that ships: what a first picture and the notebooks start from.

``load`` reads it in a moment, with no database and no model. ``python -m eval.demo`` makes it
again (``eval.demo.build``).
"""

from eval.demo.shipped import FOLDER, case, load

__all__ = ["FOLDER", "case", "load"]
