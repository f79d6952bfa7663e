"""Labels name a document by source and key; records of one source that share a key are refused."""

from dataclasses import replace

import pytest

from esra.domain.hit import RecordId
from eval.evidence import Ledger
from eval.tune.tables import KeysMeet
from eval.tune.verdict import reach
from eval.tune.work import CODES
from tests.replay.random_traces import random_trace
from tests.tune.planted import case_of, run


def doubled(one):
    """The trace with its first found row once more, under another relation."""
    place, answer = next((n, a) for n, a in enumerate(one.answers) if a.result)
    hit = answer.result[0]
    twin = replace(hit, id=RecordId(hit.id.source, "elsewhere", hit.id.key))
    answers = list(one.answers)
    answers[place] = replace(answer, result=(*answer.result, twin))
    return replace(one, answers=tuple(answers))


def share(case, folder):
    reach(case, Ledger(folder / "l"), folder / "promoted", folder / "c.json")


def bonus(case, folder):
    run(case, ["bonus"], folder)


@pytest.mark.parametrize("tuned", [share, bonus])
def test_one_judgement_is_never_counted_for_two_records(tmp_path, tuned):
    """One right document shown twice would make an nDCG beyond 1, and whatever number brings both
    of its records up would be promoted; or the command would end in a traceback.
    """
    traces = [replace(random_trace(seed), query=f"q{seed}") for seed in range(3)]
    found = [one for one in traces if any(answer.result for answer in one.answers)]
    judgements = {one.query: {("a", "k"): 1} for one in found}
    case = case_of(([*found[:-1], doubled(found[-1])], judgements, found[0].numbers))
    with pytest.raises(KeysMeet, match="names source and key alone"):
        tuned(case, tmp_path)
    assert CODES[KeysMeet] == 3
