"""What a recording's folder and its repeats may hold, and what is said of them."""

import json

import pytest

from eval.recording import about
from eval.recording.about import About
from tests.llm.double import completion, wise
from tests.recording.commands import FEW, over, said


def test_a_folder_holds_one_recording_and_no_other(place, tmp_path):
    """A recording without a model would be reported as one with it, and nothing would be asked."""
    out = ("--out", tmp_path / "run")
    over(place, *out, "--rerank", "none")
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    home, url, catalog, server, _ = place
    server.asked.clear()
    words = ("record", "--catalog", catalog, "--data", home / "words", *FEW, *out, "--quiet")
    for other in (("--rerank", "model"), ("--rerank", "none", "--retention", "none")):
        _, err = said(home, url, *words, *other, code=3)
        assert "holds the recording 'words rerank=none', of another" in err
        assert "name another folder with --out" in err
        assert err.count("\n") == 1
    assert server.asked == []
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
    over(place, *out, "--rerank", "none", "--arm", "renamed")  # a name decides nothing


def test_a_folder_without_a_key_is_taken_as_it_is(tmp_path):
    """What was recorded before folders had keys could never be gone on with."""
    about.write(tmp_path, About(arm="old"))
    plain = json.loads((tmp_path / about.FILE).read_text("utf-8"))
    del plain["key"]
    (tmp_path / about.FILE).write_text(json.dumps(plain), "utf-8")
    about.refuse_another(tmp_path, "key")
    about.write(tmp_path, About(arm="new", key="other"))
    with pytest.raises(ValueError, match="holds the recording 'new'"):
        about.refuse_another(tmp_path, "key")


@pytest.mark.req("W41")
def test_a_repeat_that_failed_is_said_and_is_no_noise(place, tmp_path):
    """An outage would pass for a model that says something else every time."""
    server = place[3]
    server.asked.clear()

    def failing(line, asked):
        broken = len(server.asked) > 6 and len(server.asked) % 2
        line.answer(completion("no idea" if broken else wise(asked)))

    server.behaviours["rerank"] = failing
    # A shortlist of its own, so that no answer is kept from another test.
    words = ("--out", tmp_path / "run", "--rerank", "model", "--repeat", "2", "--shortlist", "7")
    try:
        told, _ = over(place, *words, code=5)
    finally:
        server.behaviours.clear()
    assert (told["status"], told["degraded"]) == ("partial", {})
    assert len(told["degraded_in_repeats"]) == 3
    assert told["noise"]["queries"] == 3
    whole, _ = over(place, *words)
    assert (whole["status"], whole["degraded_in_repeats"]) == ("complete", [])
    assert (whole["paid"]["calls"], whole["noise"]["queries"]) == (3, 6)
