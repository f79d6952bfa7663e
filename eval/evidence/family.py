"""Claims that are made in one promotion: which of them stand together (RULINGS 40).

Every opening of a run over several capabilities is kept in the ledger under one family. Once all of
them are tested, Holm's correction is taken over the family; so each is the same whether it is asked
for again with the others or by itself. What was not opened made no claim and is not counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256

from eval.evidence.decision import Beside, Decision
from eval.evidence.holm import Claim, together
from eval.evidence.ledger import Ledger
from eval.evidence.outcome import Outcome

FAMILY, CAPABILITY = "family", "capability"


def family_of(members: Iterable[tuple[str, str]]) -> str:
    """The name of a promotion of (capability, recording), in any order; "" for one alone."""
    named = sorted(f"{capability}\0{recording}" for capability, recording in members)
    return sha256("\n".join(named).encode()).hexdigest()[:16] if len(named) > 1 else ""


def inputs_of(capability: str, family: str) -> dict[str, str]:
    """What an opening keeps of this beside its fingerprints."""
    return {CAPABILITY: capability, FAMILY: family} if family else {CAPABILITY: capability}


def stand(decision: Decision, ledger: Ledger) -> Decision:
    """The decision beside the others of its family, all of which are tested.

    A promoted one that does not stand beside them is promoted no more.
    """
    opening = decision.opening
    family = "" if opening is None else opening.inputs.get(FAMILY, "")
    if opening is None or not family:
        return decision
    claims = {
        record["inputs"][CAPABILITY]: _claim(record["verdict"])
        for record in ledger.read().records
        if record["inputs"].get(FAMILY) == family
    }
    own = opening.inputs[CAPABILITY]
    # Of a capability that was opened twice in a family this very opening is the claim.
    standing = together({**claims, own: _claim(opening.verdict)})[own]
    found = Beside(claims=len(claims), p=standing.adjusted)
    if decision.outcome is not Outcome.PROMOTED or len(claims) < 2:
        return replace(decision, beside=found)
    told = decision.why.removesuffix(".")
    if standing.promoted:
        return replace(decision, beside=found, why=f"{told}; {standing.why}.")
    return replace(
        decision,
        beside=found,
        outcome=Outcome.FALLS_BESIDE_OTHERS,
        why=f"{told.replace('promoted: ', '', 1)}, but {standing.why}.",
    )


def _claim(verdict: object) -> Claim:
    assert isinstance(verdict, dict)
    return Claim(p=verdict["p"], level=verdict["level"])
