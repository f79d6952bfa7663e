"""The body of a claim for a semantic share, as `publish.promote` takes it."""

from collections.abc import Mapping

from esra import scoring


def claim_of(
    capability: str, share: int, models: Mapping[str, str], data: str
) -> dict[str, object]:
    """``share`` in thousandths."""
    semantic, lexical = scoring.weights(share)
    return {
        "capability": capability,
        "tunables": {"semantic_weight": semantic, "lexical_weight": lexical},
        "models": dict(models),
        "data": data,
    }
