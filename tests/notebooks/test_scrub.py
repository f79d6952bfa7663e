"""What is taken out of a produced notebook."""

import os
import sys
from pathlib import Path

import pytest

from eval.notebooks.scrub import places, scrubbed


def test_a_path_goes_wherever_it_stands_and_the_longest_first():
    """A notebook sent to a colleague would tell whose machine it was made on."""
    known = {"/home/ann": "~", "/home/ann/runs/7": "."}
    produced = {"metadata": {"in": "/home/ann/x.ipynb"}, "cells": ["at /home/ann/runs/7/a.py:3"]}
    assert scrubbed(produced, known) == {"metadata": {"in": "~/x.ipynb"}, "cells": ["at ./a.py:3"]}


def test_a_path_ends_where_its_name_ends():
    """/home/anna would become ~a: neither hers nor anybody's."""
    assert scrubbed("/home/anna/x /home/ann", {"/home/ann": "~"}) == "/home/anna/x ~"


def test_pictures_are_left_as_they_are():
    """Base64 holds slashes and letters; a replaced run of them is a broken picture."""
    data = {"image/png": "AA/root/BB", "text/plain": "/root/BB"}
    assert scrubbed(data, {"/root": "~"}) == {"image/png": "AA/root/BB", "text/plain": "~/BB"}


def test_the_places_that_tell_something_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A traceback names the interpreter's folder, the checkout and the home folder."""
    monkeypatch.setenv("HOME", "/home/ann")
    known = places(tmp_path, {"recording": "/data/labels/9", "topic": "bread"})
    assert known["/home/ann"] == "~"
    assert known[str(tmp_path)] == "."
    assert known["/data/labels/9"] == "9"
    assert sys.prefix in known
    assert str(Path(__file__).parents[2]) in known


@pytest.mark.parametrize("home", ["/", ""])
def test_a_home_that_is_the_root_replaces_nothing(monkeypatch, home, tmp_path):
    """Every path in the notebook would lose its first slash."""
    monkeypatch.setenv("HOME", home)
    assert not {"/", ""} & set(places(tmp_path, {}))


def test_a_link_and_what_it_leads_to_are_one_place(tmp_path: Path):
    """The kernel reports the resolved folder, not the link the user named."""
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to("real")
    known = places(link, {})
    assert known[str(link)] == "." == known[os.path.realpath(link)]
