"""Data sets of `ir-datasets` through the package itself, over files of this machine.

Skipped where the package is not installed: it is no dependency, and what it has it downloads.
"""

from __future__ import annotations

import pytest

from eval.dataset import load_folder
from eval.dataset.labels import load_labels

ir_datasets = pytest.importorskip(
    "ir_datasets", reason="ir-datasets is not installed here: pip install ir-datasets"
)

DOCUMENTS = '0001\tred shoe\n https://x.org/a?b=1\ta "boot", long\n=9\tred shoe\n'
TOPICS = """<top>
<num> 01
<title> red shoes
<desc>
What shoes are red?
<narr>
A boot is no shoe.
</top>
<top>
<num> 2
<title> boots
<desc>
<narr>
</top>
"""
QRELS = "01 0 0001 2\n2 0 =9 0\n01 0 gone 1\n"


@pytest.fixture
def registered(tmp_path):
    """``registered(name, ...)`` makes a data set of files known to the package until the end."""
    names = []

    def register(name, *parts):
        ir_datasets.registry.register(name, ir_datasets.Dataset(*parts))
        names.append(name)
        return f"irds:{name}"

    yield register
    for name in names:
        del ir_datasets.registry._registered[name]


def local(path, text):
    path.write_text(text, encoding="utf-8")
    return ir_datasets.util.LocalDownload(str(path))


@pytest.fixture
def toy(registered, tmp_path):
    formats = ir_datasets.formats
    return registered(
        "esra-test/toy",
        formats.TsvDocs(local(tmp_path / "d.tsv", DOCUMENTS)),
        formats.TrecQueries(local(tmp_path / "topics", TOPICS)),
        formats.TrecQrels(local(tmp_path / "q.qrels", QRELS), {}),
    )


def test_a_set_of_the_package_is_a_folder_of_ours(toy, run, tmp_path):
    """A benchmark everybody has could not be tuned on, or only as its first user had it."""
    code, said, error = run("import", toy, "--to", tmp_path / "new")
    assert code == 0, error
    assert said["documents"]["found"] == 2
    assert said["documents"]["missing"] == {"count": 1, "first": ["gone"]}
    assert said["counts"]["carried over to copies"] == 2
    found = load_folder(tmp_path / "new")
    assert [(one.key, one.title, one.text) for one in found.documents] == [
        ("0001", "", "red shoe"),
        (" https://x.org/a?b=1", "", 'a "boot", long'),
        ("=9", "", "red shoe"),
    ]
    assert [(one.id, one.text, one.need) for one in found.queries] == [
        ("01", "red shoes", "What shoes are red?\nA boot is no shoe."),
        ("2", "boots", ""),
    ]
    labels = load_labels(tmp_path / "new")
    assert labels.grades == {"01": {"0001": 2, "gone": 1, "=9": 2}, "2": {"=9": 0, "0001": 0}}
    assert labels.origins == {"01": {"=9": "0001"}, "2": {"0001": "=9"}}


def test_titles_and_texts_stand_apart(registered, run, tmp_path):
    """A title would be searched twice, or a text be lost under another name."""
    trec = ir_datasets.formats.trec

    class Documents(ir_datasets.formats.BaseDocs):
        def docs_iter(self):
            yield trec.TitleUrlTextDoc("a", "T", "u", "text")
            yield trec.TrecParsedDoc("b", "T", "body", b"<b>")
            yield ir_datasets.datasets.cord19.Cord19Doc("c", "T", "doi", "date", "abstract")

    formats = ir_datasets.formats
    name = registered(
        "esra-test/kinds",
        Documents(),
        formats.TsvQueries(local(tmp_path / "q.tsv", "q\tred\n")),
        formats.TrecQrels(local(tmp_path / "q.qrels", "q 0 a 1\n"), {}),
    )
    assert run("import", name, "--to", tmp_path / "new")[0] == 0
    found = load_folder(tmp_path / "new")
    assert [(one.title, one.text) for one in found.documents] == [
        ("T", "text"),
        ("T", "body"),
        ("T", "abstract"),
    ]


def test_what_the_package_cannot_give_is_said_in_a_line(registered, run, tmp_path):
    """A stack trace would end the import of whoever has no network, or names half a set."""
    gone = ir_datasets.util.LocalDownload(str(tmp_path / "nowhere"))
    formats = ir_datasets.formats
    queries = formats.TsvQueries(local(tmp_path / "q.tsv", "q\tred\n"))
    qrels = formats.TrecQrels(local(tmp_path / "q.qrels", "q 0 a 1\n"), {})

    class Offline(formats.BaseDocs):
        def docs_iter(self):
            raise RuntimeError("All download sources failed", [("http://x.example", "no\nname")])

    for name, parts, said in (
        ("esra-test/docs-gone", (formats.TsvDocs(gone), queries, qrels), "could not fetch"),
        ("esra-test/offline", (Offline(), queries, qrels), "(All download sources failed)"),
        ("esra-test/bare", (queries, qrels), "has no docs: name one that has"),
    ):
        code, told, error = run("import", registered(name, *parts), "--to", tmp_path / "x")
        assert (code, said in told["error"]["message"]) == (4, True), error
        assert error.count("\n") == 1
    code, told, _ = run("import", "irds:esra-test/unknown", "--to", tmp_path / "x")
    assert (code, "knows no 'esra-test/unknown'" in told["error"]["message"]) == (4, True)
    assert not (tmp_path / "x").exists()
