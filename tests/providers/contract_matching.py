"""What matches, in every engine."""

import pytest

from esra.domain.plan import Strategy
from tests.providers.asking import TREES, Asking, keys
from tests.providers.queries import record


class Matching(Asking):
    """The part of the contract; ``engine`` is the subclass's fixture."""

    @pytest.mark.parametrize("strategy", [s for s in Strategy if s is not Strategy.PHRASE])
    def test_any_optional_term_matches_unless_some_are_required(self, engine, strategy):
        """A plain question would find nothing, or a required word would be a mere wish."""
        trees = engine.stock(TREES)
        some = self.found(engine, trees, strategy=strategy, optional=("needles", "moss"))
        must = self.found(
            engine, trees, strategy=strategy, required=("tree", "broad"), optional=("needles",)
        )
        assert (some, must) == ({"pine", "moss"}, {"oak", "leaf"})

    @pytest.mark.parametrize("strategy", list(Strategy))
    def test_an_excluded_term_is_never_found(self, engine, strategy):
        """What a user asked to leave out would come back."""
        trees = engine.stock(TREES)
        left = self.found(
            engine, trees, strategy=strategy, required=("tree",), excluded=("broad", "zebra")
        )
        assert left == {"pine"}

    def test_only_an_exclusion_finds_nothing(self, engine):
        """Excluding a word would return everything else there is."""
        assert self.found(engine, engine.stock(TREES), excluded=("tree",)) == set()

    def test_a_phrase_query_wants_its_words_side_by_side(self, engine):
        """Quotation marks would mean no more than the words in them."""
        trees = engine.stock(TREES)
        asked = {"optional": ("stone",), "phrases": ("broad leaves",)}
        assert self.found(engine, trees, strategy=Strategy.PHRASE, **asked) == {"oak"}
        assert self.found(engine, trees, strategy=Strategy.KEYWORD, **asked) == {"oak", "moss"}

    def test_every_phrase_of_a_phrase_query_must_match(self, engine):
        """A second phrase would widen a search that it was meant to narrow."""
        trees = engine.stock(TREES)
        both = self.found(
            engine, trees, strategy=Strategy.PHRASE, phrases=("oak tree", "pine tree")
        )
        one = self.found(
            engine, trees, strategy=Strategy.PHRASE, phrases=("oak tree", "broad leaves")
        )
        assert (both, one) == (set(), {"oak"})

    def test_a_phrase_does_not_run_from_the_title_of_one_record_into_another(self, engine):
        """Words of two records would be found as a phrase of neither."""
        relation = engine.stock([record("a", "red"), record("b", "brick")])
        found = self.found(engine, relation, strategy=Strategy.PHRASE, phrases=("red brick",))
        assert found == set()

    def test_what_an_engine_leaves_out_is_what_it_says(self, engine):
        """A question of stop words would find nothing, and nobody would say why."""
        band = engine.stock([record("band", "The Who live")])
        found = self.found(engine, band, optional=("the", "who"))
        assert found == (set() if engine.provider.capabilities.leaves_out else {"band"})

    def test_a_term_of_several_words_means_all_of_them(self, engine):
        """`oak-tree` as one term would find every tree."""
        assert self.found(engine, engine.stock(TREES), optional=("oak-tree",)) == {"oak"}

    def test_a_term_without_a_word_asks_for_nothing(self, engine):
        """A stray dash among the required words would hide every result."""
        trees = engine.stock(TREES)
        assert self.found(engine, trees, required=("moss", "--", "!!")) == {"moss"}
        assert self.found(engine, trees, required=("--",), optional=("!",)) == set()

    def test_recent_without_terms_brings_the_newest_first_and_the_undated_last(self, engine):
        """ "What is new" would come in no order, or lose records without a time."""
        result = self.ask(engine, engine.stock(TREES), strategy=Strategy.RECENT)
        assert keys(result) == ["oak", "leaf", "pine", "moss"]
        assert [hit.native for hit in result] == [30.0, 20.0, 10.0, None]

    def test_recent_leaves_out_what_is_excluded(self, engine):
        """A word ruled out would be news."""
        trees = engine.stock(TREES)
        left = self.ask(engine, trees, strategy=Strategy.RECENT, excluded=("broad",))
        assert keys(left) == ["pine", "moss"]

    @pytest.mark.parametrize(
        ("written", "asked"),
        [
            ("COVID-19 wards", "covid 19"),
            ("covid 19 wards", "COVID-19"),
            ("poseidon-1234 deployed", "poseidon-1234"),
            ("see numpy.linspace there", "linspace"),
            ("in src/app/main.py today", "main.py"),
            ("an e-mail came", "e-mail"),
            ("O'Neil wrote", "o\u2019neil"),
            ("timeout -1 error", "timeout -1"),
            ("run --error-on-warnings", "error-on-warnings"),
            ("a cafe\u0301 in town", "café"),
            ("\uff46\uff55\uff4c\uff4c width", "full"),
            ("zero\u200bwidth space", "zerowidth"),
            ("今月の売上", "売上"),
            ("x_train is set", "train"),
        ],
    )
    def test_a_word_is_found_however_it_was_written(self, engine, written, asked):
        """Punctuation, width or composition would decide whether a record can be found."""
        relation = engine.stock([record("it", written), record("other", "nothing of the kind")])
        assert self.found(engine, relation, required=(asked,)) == {"it"}
