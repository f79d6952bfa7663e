"""Draws folds that keep every group whole, balanced over strata where these are known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from eval.evidence.scores import Scores

FOLDS = 5


def fold_draws(scores: Scores, draws: int, rng: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    """Yields `draws` times the fold of each query [Q]; min(5, groups) folds; needs two groups."""
    # scikit-learn takes a second to import and only this function needs it.
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    folds = min(FOLDS, scores.group_count)
    strata = _strata(scores, folds)
    kind = GroupKFold if strata is None else StratifiedGroupKFold
    for seed in rng.integers(2**32, size=draws):
        fold = np.empty(len(scores.codes), dtype=np.intp)
        splitter = kind(n_splits=folds, shuffle=True, random_state=int(seed))
        for number, (_, held_out) in enumerate(splitter.split(scores.values, strata, scores.codes)):
            fold[held_out] = number
        yield fold


def _strata(scores: Scores, folds: int) -> NDArray[np.intp] | None:
    """Codes of the strata, or None where one of them cannot reach every fold."""
    if scores.strata is None:
        return None
    _, codes, counts = np.unique(
        np.array(scores.strata, dtype=object), return_inverse=True, return_counts=True
    )
    return codes.reshape(-1) if len(counts) > 1 and counts.min() >= folds else None
