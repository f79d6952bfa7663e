"""Refuses a claim that recording again could have made: a difference under the noise floor.

The floor itself is `eval.recording.noise`'s.
"""

from __future__ import annotations

from eval.recording.noise import Noise


class UnderTheNoise(ValueError):
    """A difference that two recordings of one and the same arm could show."""


def above_the_noise(difference: float, noise: Noise) -> float:
    """The difference itself; UnderTheNoise where it may be luck."""
    if under(difference, noise):
        raise UnderTheNoise(
            f"a difference of {difference:+.4f} lies under the noise floor {noise.floor:.4f} of "
            f"{len(noise.means)} recordings over {noise.queries} queries; "
            "record more queries to claim it"
        )
    return difference


def under(difference: float, noise: Noise) -> bool:
    """Whether a difference is no larger than the floor. An arm that answers alike has none."""
    return noise.floor > 0 and abs(difference) <= noise.floor
