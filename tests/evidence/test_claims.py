"""Several claims, guardrails and segments, against numbers worked by hand."""

import numpy as np
import pytest
from scipy import stats

from eval.evidence.classic import bootstrap, classic
from eval.evidence.holm import Claim, Guardrail, holm, segment_guardrails, together
from eval.evidence.segments import segment_changes


@pytest.mark.req("W38")
def test_holm_by_hand():
    """Else of twenty capabilities one would be promoted by luck."""
    # Sorted .01 .02 .03 .2: 4 x .01, 3 x .02, max(2 x .03, .06), 1 x .2.
    found = holm({"c": 0.03, "a": 0.01, "d": 0.2, "b": 0.02})
    assert found == pytest.approx({"c": 0.06, "a": 0.04, "d": 0.2, "b": 0.06})
    assert list(found) == ["c", "a", "d", "b"]
    assert holm({"a": 0.6, "b": 0.7}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}
    with pytest.raises(ValueError, match=r"0\.\.1"):
        holm({"a": 1.5})


@pytest.mark.req("W38")
def test_holm_keeps_the_family_under_its_level_and_finds_no_less_than_bonferroni():
    """Else "Holm" would be a name for something else."""
    rng = np.random.default_rng(3)
    false = 0
    for _ in range(2_000):
        p = dict(enumerate(rng.uniform(size=5)))
        adjusted = holm({str(name): value for name, value in p.items()})
        false += min(adjusted.values()) <= 0.05
        assert all(adjusted[str(name)] <= min(1, 5 * value) + 1e-12 for name, value in p.items())
    # 5 % of 2,000 is 100; the 99.9 % quantile of that binomial is 131.
    assert false <= stats.binom.ppf(0.999, 2_000, 0.05)


@pytest.mark.req("W38")
def test_a_second_opening_counts_twice_and_a_guardrail_needs_no_correction():
    """Else asking again would be free, or a tenth guardrail would make the first one weaker."""
    good = Guardrail(name="de", held=True, said="de +0.01")
    bad = Guardrail(name="fr", held=False, said="fr -0.05")
    standing = together(
        {
            "a": Claim(p=0.004, guardrails=(good,) * 9),
            "b": Claim(p=0.004, level=0.0125),
            "c": Claim(p=0.0001, guardrails=(good, bad)),
        }
    )
    # c .0001 x 3; a .004 x 2; b .004 counts as .008, x 1.
    assert {name: one.adjusted for name, one in standing.items()} == pytest.approx(
        {"a": 0.008, "b": 0.008, "c": 0.0003}
    )
    assert {name: one.promoted for name, one in standing.items()} == {
        "a": True, "b": True, "c": False,
    }  # fmt: skip
    assert "fr -0.05" in standing["c"].why
    # Alone b is shown; beside a better and a worse claim it may not be.
    assert together({"b": Claim(p=0.02, level=0.0125)})["b"].promoted is False


@pytest.mark.req("W48")
def test_a_segment_blocks_only_where_its_loss_is_large_and_sure_and_it_is_no_handful():
    """Else a few queries could stop every change, or a whole language could be lost."""
    lost = {f"l{i:02}": (0.5, 0.4) for i in range(30)}
    handful = {f"h{i:02}": (0.5, 0.4) for i in range(29)}
    little = {f"s{i:02}": (0.5, 0.495) for i in range(30)}
    unsure = {f"u{i:02}": (0.5, 0.8 if i % 2 else 0.15) for i in range(30)}
    won = {f"w{i:02}": (0.5, 0.6) for i in range(30)}
    all_of_them = lost | handful | little | unsure | won
    kinds = {"l": "lost", "h": "handful", "s": "little", "u": "unsure", "w": "won"}
    found = segment_changes(
        {query: before for query, (before, _) in all_of_them.items()},
        {query: after for query, (_, after) in all_of_them.items()},
        {query: query for query in all_of_them},
        {query: (f"is:{kinds[query[0]]}",) for query in all_of_them},
        rng=np.random.default_rng(0),
        margin=0.01,
    )
    assert {one.value: one.blocks for one in found} == {
        "lost": True, "handful": False, "little": False, "unsure": False, "won": False,
    }  # fmt: skip
    by_value = {one.value: one for one in found}
    assert by_value["handful"].small
    assert by_value["lost"].upper == pytest.approx(-0.1)
    # 15 x .3 - 15 x .35 over 30 queries: worse by .025, and nobody could be sure of it.
    assert by_value["unsure"].difference == pytest.approx(-0.025)
    assert by_value["unsure"].upper > 0
    guards = segment_guardrails(found, 0.01)
    assert {one.name: one.held for one in guards} == {
        "is:little": True, "is:lost": False, "is:unsure": True, "is:won": True,
    }  # fmt: skip


@pytest.mark.req("W37")
def test_t_and_wilcoxon_beside_the_sign_flips():
    """Else a reader could not hold our figure against the one he knows."""
    before = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.5])
    after = before + np.array([0.03, 0.01, -0.02, 0.05, 0.04, 0.0])
    found = classic(before, after, list("abcdef"))
    # Mean .11 / 6, squares .0055 - 6 x mean^2 over 5: t = mean / sqrt(var / 6).
    mean = 0.11 / 6
    variance = (0.0055 - 6 * mean**2) / 5
    assert found.t == pytest.approx(stats.t.sf(mean / (variance / 6) ** 0.5, 5))
    assert found.effect == pytest.approx(mean / variance**0.5)
    # Ranks of .01 .02 .03 .04 .05 without the zero: the one minus has rank 2. Of the 32 patterns
    # those whose minus ranks add up to 2 at most are {}, {1}, {2}: p = 3 / 32.
    assert found.wilcoxon == pytest.approx(3 / 32)
    # Two wordings of a need are one witness: five groups are left, not six.
    assert classic(before, after, list("abcdee")).groups == 5
    nothing = classic(before, before, list("abcdef"))
    assert (nothing.t, nothing.wilcoxon, nothing.effect) == (None, None, None)


@pytest.mark.req("W39")
def test_the_bootstrap_draws_whole_groups_and_is_refused_under_thirty():
    """Else ten wordings of one need would make an interval three times too short."""
    rng = np.random.default_rng(5)
    need = rng.normal(0.02, 0.1, 40)
    groups = [f"g{i // 10}" for i in range(400)]
    before = np.full(400, 0.5)
    after = before + np.repeat(need, 10)
    clustered = bootstrap(before, after, groups, rng=np.random.default_rng(1))
    alone = bootstrap(before, after, [str(i) for i in range(400)], rng=np.random.default_rng(1))
    widths = [high - low for low, high in (clustered.interval, alone.interval)]
    assert widths[0] / widths[1] == pytest.approx(10**0.5, rel=0.1)
    # The percentile interval of a mean: 1.96 standard errors of the 40 groups' mean each way.
    half = 1.96 * need.std() / 40**0.5
    assert clustered.interval == pytest.approx((need.mean() - half, need.mean() + half), abs=0.006)
    low, high = clustered.effect_interval
    assert low < need.mean() / need.std(ddof=1) < high
    few = bootstrap(before[:290], after[:290], groups[:290], rng=np.random.default_rng(1))
    assert (few.interval, few.clusters) == (None, 29)
    assert "29 groups" in few.why_not
