"""Parameters: only those a notebook declares, in the type it declares, and never a secret."""

from pathlib import Path

import pytest

from eval.notebooks.files import read
from eval.notebooks.parameters import declared, fitting, from_text, is_secret
from eval.notebooks.trouble import BadParameter, NotebookError

ALL = """\
topic: str = '007'
k: int = 10
share: float = 0.7
short: bool = False
note: str | None = None"""
SECRETS = ["api_key", "apiKey", "key", "hf_token", "SECRET", "password", "passwd", "dsn", "db_pwd"]


@pytest.fixture
def known(plant):
    return declared(read(plant(parameters=ALL)))


@pytest.mark.req("U07")
def test_an_unknown_name_is_refused_with_the_one_that_was_meant(known):
    """A mistyped parameter would run with the default, and its figure would be believed."""
    with pytest.raises(BadParameter, match=r"no parameter 'shaer'; did you mean 'share'\?"):
        fitting(known, {"shaer": 0.1})
    with pytest.raises(BadParameter, match="the notebook has topic, k, share, short, note"):
        fitting(known, {"zzz": 1})


def test_typed_text_keeps_its_leading_zeros(known):
    """Query 007 would become query 7, which is another one or none."""
    given = {"topic": "007", "k": "5", "share": "0.25", "short": "true", "note": ""}
    assert from_text(known, given) == {
        "topic": "007",
        "k": 5,
        "share": 0.25,
        "short": True,
        "note": None,
    }


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("topic", 7, "is text, not 7"),
        ("k", True, "is a whole number, not True"),
        ("k", "ten", "is a whole number, not 'ten'"),
        ("k", 1.0, "is a whole number, not 1.0"),
        ("share", "0.7", "is a number, not '0.7'"),
        ("short", 1, "is true or false, not 1"),
        ("topic", None, "is text, not None"),
        ("share", float("nan"), "finite numbers"),
        ("topic", "postgresql://ann:pw@db/x", "holds a password"),
    ],
)
def test_a_value_of_another_kind_is_refused(known, name, value, said):
    """A notebook that runs on a value it does not expect fails late, or answers wrongly."""
    with pytest.raises(BadParameter, match=said):
        fitting(known, {name: value})


@pytest.mark.parametrize("text", [{"k": "ten"}, {"k": "1.5"}, {"short": "ja"}, {"share": "nan"}])
def test_typed_text_that_is_no_such_value_is_refused(known, text):
    """`-p k=ten` would reach the notebook as text and fail somewhere inside it."""
    with pytest.raises(BadParameter):
        fitting(known, from_text(known, text))


def test_a_whole_number_will_do_for_a_number_and_a_path_for_text(known):
    """Callers would have to write 1.0 and str(path) for no reason."""
    assert fitting(known, {"share": 1, "topic": Path("runs/a")}) == {
        "share": 1.0,
        "topic": str(Path("runs/a")),
    }


@pytest.mark.parametrize("name", SECRETS)
def test_a_name_that_looks_like_a_secret_is_refused(known, name):
    """A secret given as a parameter stands in the produced notebook twice, in clear."""
    with pytest.raises(BadParameter, match="looks like a secret"):
        fitting(known, {name: "x"})


@pytest.mark.parametrize("name", ["keyword", "keys_seen", "k", "monkeys", "topic"])
def test_ordinary_names_are_no_secrets(name):
    """A parameter called `keyword` could not be used."""
    assert not is_secret(name)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "0 code cells are tagged"),
        ("import os\nk = 1", "assignments of one name only"),
        ("a, b = 1, 2", "assignments of one name only"),
        ("k = len('abc')", "not a literal"),
        ("k = [1, 2]", "must be annotated str, int, float or bool"),
        ("k: list = []", "is annotated 'list'"),
        ("k: int = 'ten'", "is a whole number, not 'ten'"),
        ("k = 1\nk = 2", "declared twice"),
        ("token: str = ''", "looks like a secret"),
        ("k =", "is not Python"),
    ],
)
def test_a_declaration_that_says_nothing_clear_is_refused(plant, source, said):
    """A value could not be checked against it before the run."""
    with pytest.raises(NotebookError, match=said):
        declared(read(plant(parameters=source)))


def test_two_parameters_cells_are_refused(plant):
    """Papermill fills in the first and leaves the second to overwrite it."""
    second = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"tags": ["parameters"]},
        "outputs": [],
        "source": "alpha = 1.0",
    }
    with pytest.raises(NotebookError, match="2 code cells are tagged"):
        declared(read(plant(second)))
