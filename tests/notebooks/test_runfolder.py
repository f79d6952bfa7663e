"""The format of a run folder, which `tune` writes and notebooks read."""

import json
import shutil
from dataclasses import replace

import pytest

from eval import demo, runfolder
from eval.demo.shipped import TRACES


@pytest.fixture
def folder(tmp_path):
    case = replace(demo.case(), today=650, explore=False, models={"rerank": "m"}, data="d", k=5)
    runfolder.write(tmp_path, case)
    shutil.copy(demo.FOLDER / TRACES, tmp_path / runfolder.TRACES)
    return tmp_path


def test_a_case_comes_back_as_it_was_written_but_for_its_right_to_open(folder):
    """A notebook would weigh other questions than `tune` did, or use up the sealed ones."""
    case = runfolder.read(folder)
    assert case == replace(
        demo.case(), today=650, models={"rerank": "m"}, data="d", k=5, explore=True
    )


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 0}', '{"schema": 1}'])
def test_a_broken_file_is_one_clear_line(folder, text):
    """A person would see a KeyError and not know which file to look at."""
    (folder / runfolder.LABELS).write_text(text, "utf-8")
    with pytest.raises(runfolder.RunFolderError) as refused:
        runfolder.read(folder)
    assert str(folder) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", [runfolder.LABELS, runfolder.TRACES])
def test_a_folder_without_one_of_the_files_is_no_run(folder, name):
    """An empty recording would give a curve of nothing."""
    (folder / name).unlink()
    with pytest.raises(runfolder.RunFolderError, match=name):
        runfolder.read(folder)


def test_the_file_holds_what_both_sides_agreed_on(folder):
    """A tool that reads labels.json would find other names in it."""
    plain = json.loads((folder / runfolder.LABELS).read_text("utf-8"))
    assert {"k", "today", "judgements", "groups", "strata", "capability"} <= plain.keys()
    [[source, key, grade], *_] = plain["judgements"]["known:numpy.append"]
    assert (source, key, grade) == ("numpy", "numpy.append", 1)
