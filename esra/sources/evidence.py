"""How much each source's own words speak for a question: source evidence (RULINGS 47). Pure.

Query likelihood (Ponte and Croft, *A language modeling approach to information retrieval*, SIGIR
1998), a source taken as one long document, smoothed as Jelinek and Mercer do: of a source's
running words a share p is the question's word; ``1 - SMOOTHING`` of that and ``SMOOTHING`` of the
mean share over the sources compared make the chance of the word there. The best source has 1, any
other exp((L - L of the best) / sqrt(n)), L being the sum of the logarithms over the n words: the
root lies between the whole likelihood, which for a long question leaves all but one source at 0,
and its mean per word, which hardly tells near sources apart.

Words are the unstemmed ones of ``sources.relation.words``. A source is compared with those it is
asked together with and with no other, so that nothing of a source outside a caller's scope shows.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from esra.sources.question import content_words
from esra.sources.relation import words

SMOOTHING = 0.3
# Read of a relation: so many rows, so many characters of a title and of a text. That bounds a large
# one to some 20 MB; on labelled sets such a sample orders results as well as all the rows do.
ROWS, WIDEST = 20_000, 1_000
# Words kept of a source, the most frequent; one that is left out counts as not there.
MOST_WORDS = 50_000

# Names the numbers behind a piece of evidence. The last part is raised when the same rows would
# give other statistics, or the same statistics other evidence.
RECIPE = f"query likelihood;smoothing {SMOOTHING};{ROWS} x {WIDEST};{MOST_WORDS} words;1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """A source's words: how many records were read, how many running words they hold, and how
    often each of them stands there.
    """

    records: int = 0
    running: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def share(self, word: str) -> float:
        """Which part of the running words this one is, 0..1."""
        return self.counts.get(word, 0) / self.running if self.running else 0.0


def statistics(texts: Iterable[str]) -> Statistics:
    """The statistics of records, each given as one text."""
    counts: Counter[str] = Counter()
    records = 0
    for text in texts:
        counts.update(words(text))
        records += 1
    return Statistics(records=records, running=counts.total(), counts=_most(counts))


def together(parts: Iterable[Statistics]) -> Statistics:
    """The statistics of several relations as one source's."""
    given = tuple(parts)
    counts: Counter[str] = Counter()
    for part in given:
        counts.update(part.counts)
    return Statistics(
        records=sum(part.records for part in given),
        running=sum(part.running for part in given),
        counts=_most(counts),
    )


def evidence(prompt: str, sources: Mapping[str, Statistics]) -> dict[str, float]:
    """By source, 0..1, the best 1.0. All of them 1.0 where no source holds a word of the prompt."""
    content = content_words(prompt)
    asked = [word for word in content if any(own.share(word) for own in sources.values())]
    if not asked:
        return dict.fromkeys(sources, 1.0)
    usual = [_mean_share(word, sources) for word in asked]
    likely = {id: _likelihood(own, asked, usual) for id, own in sources.items()}
    best, root = max(likely.values()), math.sqrt(len(asked))
    return {id: math.exp((value - best) / root) for id, value in likely.items()}


def evidence_of(
    known: Mapping[str, Statistics], prompt: str, sources: Iterable[str]
) -> dict[str, float]:
    """The evidence of ``sources`` among each other; of those without statistics there is none."""
    return evidence(prompt, {id: known[id] for id in sources if id in known})


def _mean_share(word: str, sources: Mapping[str, Statistics]) -> float:
    # fsum, so that the order in which the sources are named changes no bit.
    return math.fsum(own.share(word) for own in sources.values()) / len(sources)


def _likelihood(own: Statistics, asked: Sequence[str], usual: Sequence[float]) -> float:
    return math.fsum(
        math.log((1 - SMOOTHING) * own.share(word) + SMOOTHING * mean)
        for word, mean in zip(asked, usual, strict=True)
    )


def _most(counts: Counter[str]) -> dict[str, int]:
    """The most frequent, equal ones in the words' own order, so that a kept set is one set."""
    kept = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return dict(kept[:MOST_WORDS])
