"""A labelled data set made from the documentation of the scientific packages that are installed.

Start at `build`. What the labels are and are not stands in datasets/pydocs/CARD.md.
"""

from eval.pydocs.builder import Built, build
from eval.pydocs.manifest import PydocsError

__all__ = ["Built", "PydocsError", "build"]
