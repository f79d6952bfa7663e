"""What a verdict is asked on: recordings, labels, and the numbers that are in force."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from esra.domain.capability import Scoring
from eval import publish
from eval.replay import Recorded
from eval.table import Judgements, Share, weights_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a verdict is asked on.

    today: the semantic share in force, in thousandths and exact, so not always a whole number
    data and recording: fingerprints; groups and strata: of every query, by id
    explore: open nothing and promote nothing
    notes: what was tolerated in the data; doubts: those that weaken any claim on it
    degraded: queries whose source or model failed
    numbers: those in force, own: the catalog's; None: the recorded ones
    asked: the numbers that are tuned, none for the share alone
    mixed: queries are mixed over the sources as callers mix them, by traffic or by declaration
    tags: of every query that has some, by id; texts: what queries say, by id
    unasked: judged queries that were left out by their number
    """

    capability: str
    recordings: Sequence[Recorded]
    judgements: Judgements
    groups: Mapping[str, str]
    strata: Mapping[str, str]
    today: Share
    models: Mapping[str, str]
    data: str
    recording: str
    explore: bool = False
    advice: str = ""
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    degraded: int = 0
    k: int = 10
    single: bool = False
    numbers: Scoring | None = None
    own: Scoring | None = None
    asked: tuple[str, ...] = ()
    mixed: bool = False
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    unasked: int = 0

    @property
    def share(self) -> float:
        """Today's semantic share, 0..1."""
        return float(Fraction(self.today, 1000))

    def weights(self, thousandths: Share) -> tuple[float, float]:
        """The two rerank weights of a share; today's are the very ones that are in force."""
        if self.numbers is not None and thousandths == self.today:
            return self.numbers.semantic_weight, self.numbers.lexical_weight
        return weights_of(thousandths)

    @property
    def against(self) -> dict[str, object]:
        """The tunables that a claim is measured against, as a tuned file would say them."""
        if self.numbers is None or self.own is None:
            semantic, lexical = self.weights(self.today)
            return {"semantic_weight": semantic, "lexical_weight": lexical}
        return publish.tunables_of(self.numbers, self.own)


def share_of(semantic: float, lexical: float) -> Share:
    """The semantic share of two weights in thousandths, exact: of 2 and 1 it is 2000/3.

    Only their ratio orders (RULINGS 1). Weights are what a person wrote, not the nearest double.
    """
    own, other = Fraction(str(semantic)), Fraction(str(lexical))
    share = 1000 * own / (own + other)
    return int(share) if share.denominator == 1 else share
