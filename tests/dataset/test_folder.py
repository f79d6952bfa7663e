"""A sound folder is read to the letter, in every shape such folders have."""

from __future__ import annotations

import gzip
import json
import os
import random
from datetime import UTC, datetime

import pytest

from eval.dataset import load_folder


def test_a_sound_folder_is_read_whole(folder):
    """A document, a query or a grade would be lost on the way in."""
    found = load_folder(folder("My Set"))
    assert found.name == "my_set"
    assert [(one.key, one.title, one.text) for one in found.documents] == [
        ("d1", "One", "first"),
        ("d2", "", "second"),
    ]
    assert [(one.id, one.text) for one in found.queries] == [
        ("q1", "which is first?"),
        ("q2", "which is second?"),
    ]
    assert found.judgements == {"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}}
    assert (found.unjudged, found.findings) == ((), ())


def test_further_fields_are_kept(folder):
    """A field that a person wants to filter by would vanish."""
    query = {"_id": "q1", "text": "t", "need": "N", "track": "known", "tags": ["head"], "answer": 4}
    found = load_folder(
        folder(
            corpus=[{"_id": "d1", "text": "x", "price": 4995, "author": ["A", {"b": None}]}],
            queries=[query],
            qrels="q1\td1\t1\n",
        )
    )
    assert found.documents[0].extra == {"price": 4995, "author": ["A", {"b": None}]}
    only = found.queries[0]
    assert (only.need, only.track, only.tags, only.extra) == (
        "N",
        "known",
        ("head",),
        {"answer": 4},
    )


@pytest.mark.parametrize(
    ("fields", "group"),
    [
        ({"text": "  Wide\u3000 \uff37ORDS  "}, "wide words"),
        ({"text": "t", "need": "Buy a Laptop"}, "buy a laptop"),
        ({"text": "t", "need": "n", "group": " G  1 "}, "g 1"),
        ({"text": "t", "group": 7}, "7"),
        ({"text": "T", "need": None, "group": " "}, "t"),
    ],
)
def test_the_group_is_the_normal_form_of_group_need_or_text(folder, fields, group):
    """One question asked twice would stand on both sides of a sealed split."""
    path = folder(queries=[{"_id": "q1", **fields}], qrels="q1 d1 1\n")
    assert load_folder(path).queries[0].group == group


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1955", datetime(1955, 1, 1, tzinfo=UTC)),
        (1955, datetime(1955, 1, 1, tzinfo=UTC)),
        ("1963-05", datetime(1963, 5, 1, tzinfo=UTC)),
        ("2022-06-16", datetime(2022, 6, 16, tzinfo=UTC)),
        ("2022-06-16T12:00:00+02:00", datetime(2022, 6, 16, 10, tzinfo=UTC)),
        ("2022-06-16T12:00:00Z", datetime(2022, 6, 16, 12, tzinfo=UTC)),
        (None, None),
        ("", None),
    ],
)
def test_dates_are_moments_in_utc(folder, written, read):
    """Freshness would be computed from another day than the one written."""
    path = folder(
        corpus=[{"_id": "d1", "text": "x", "date": written}],
        queries=[{"_id": "q1", "text": "t", "date": written}],
        qrels="q1 d1 1\n",
    )
    found = load_folder(path)
    assert found.documents[0].date == found.queries[0].date == read
    assert found.findings == ()


STRANGE_IDS = [
    "0001",
    "https://x.org/a?b=c#d",
    "a|b",
    "two  words",
    " edge ",
    "é",
    "e\u0301",
    "a\u2028b",
]


@pytest.mark.req("W05")
@pytest.mark.parametrize("key", STRANGE_IDS)
def test_ids_are_strings_to_the_letter(folder, key):
    """A leading zero, an address or a space would join other records than the labels mean."""
    corpus = [{"_id": key, "text": "x"}, {"_id": "1", "text": "y"}]
    path = folder(corpus=corpus, queries=[{"_id": key, "text": "t"}], qrels=f"{key}\t{key}\t1\n")
    found = load_folder(path)
    assert found.judgements == {key: {key: 1}}
    assert found.findings == ()


def test_beir_folders_and_trec_columns_are_read(folder):
    """A public set would need a conversion before it can be used."""
    expected = load_folder(folder("plain")).judgements
    beir = folder("beir")
    labels = (beir / "qrels.tsv").read_bytes()
    (beir / "qrels.tsv").unlink()
    (beir / "qrels").mkdir()
    (beir / "qrels" / "train.tsv").write_bytes(b"q1\td1\t1\n")
    assert load_folder(beir).judgements == {"q1": {"d1": 1}}
    (beir / "qrels" / "test.tsv").write_bytes(labels)
    assert load_folder(beir).judgements == expected
    for name, text in {
        "spaces": "q1 0 d1 2\nq1 0 d2 0\nq2 0 d2 1\n",
        "tabs": "q1\t0\td1\t2\nq1\t0\td2\t0\nq2\t0\td2\t1",
        "bare": "q1\td1\t2\nq1\td2\t0\nq2\td2\t1\n",
    }.items():
        assert load_folder(folder(name, qrels=text)).judgements == expected


def test_byte_order_marks_carriage_returns_and_gzip_change_nothing(folder):
    """A file saved on another machine, or packed, would be another data set."""
    plain, other = folder("plain"), folder("other")
    for file in other.iterdir():
        windows = b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n\r\n")
        file.write_bytes(gzip.compress(windows))
    assert load_folder(other).judgements == load_folder(plain).judgements
    assert load_folder(other).fingerprint == load_folder(plain).fingerprint


def test_queries_without_judgements_are_listed(folder):
    """A query nobody judged would count as one nobody can answer."""
    found = load_folder(folder(qrels="q2\td2\t1\n"))
    assert found.unjudged == ("q1",)
    assert found.judgements == {"q2": {"d2": 1}}


def test_negative_grades_are_kept(folder):
    """TREC's mark for junk would be taken for an error, or for a relevant document."""
    assert load_folder(folder(qrels="q1\td1\t1\nq1\td2\t-2\n")).judgements["q1"]["d2"] == -2


def test_the_fingerprint_follows_content_and_not_order(folder):
    """A sorted file would read as changed data, or an edited one as the same."""
    rng = random.Random(3)
    documents = [{"_id": str(n), "title": "t", "text": f"text {n}"} for n in range(40)]
    labels = [f"q1\t{n}\t{n % 3}\n" for n in range(40)]
    first = load_folder(folder("a", corpus=documents, qrels="".join(labels)))
    shuffled = [dict(rng.sample(list(one.items()), 3)) for one in rng.sample(documents, 40)]
    rng.shuffle(labels)
    other = load_folder(folder("b", corpus=shuffled, qrels="".join(labels)))
    assert other.fingerprint == first.fingerprint
    labels[0] = labels[0].strip()[:-1] + "9\n"
    documents[7] = {**documents[7], "note": "new"}
    changed = {
        load_folder(folder("c", corpus=documents, qrels="".join(labels[1:]))).fingerprint,
        load_folder(folder("d", corpus=shuffled, qrels="".join(labels))).fingerprint,
        load_folder(folder("e", corpus=documents[1:], qrels="".join(labels))).fingerprint,
        first.fingerprint,
    }
    assert len(changed) == 4


def test_hostile_text_survives(folder, shared):
    """A naughty string would change, vanish, or end the reading."""
    naughty = []
    for file in ("naughty-strings.jsonl", "injection-payloads.jsonl", "prompt-injection.jsonl"):
        for line in (shared / "data" / "hostile" / file).read_text().splitlines():
            naughty += [one for one in json.loads(line).values() if isinstance(one, str)]
    sound = [one for one in dict.fromkeys(naughty) if "\0" not in one and one.strip()]
    sound = [one for one in sound if one.encode("utf-8", "replace").decode() == one]
    ids = [one for one in sound if len(one.encode()) <= 1024]
    path = folder(
        corpus=[{"_id": one, "title": one, "text": one} for one in ids],
        queries=[{"_id": str(n), "text": one} for n, one in enumerate(sound)],
        qrels=f"0\t{ids[0]}\t1\n",
    )
    found = load_folder(path)
    assert len(sound) > 600
    assert [(one.key, one.title, one.text) for one in found.documents] == [(i, i, i) for i in ids]
    assert [one.text for one in found.queries] == sound


def test_a_folder_that_may_be_entered_and_not_listed_is_read(folder, monkeypatch):
    """Whoever may read another's labels, his list of files excepted, would be told to try later."""
    path, opened = folder(), os.open

    def refusing(one, *how, **more):
        if one == path:
            raise PermissionError(13, "Permission denied", str(one))
        return opened(one, *how, **more)

    monkeypatch.setattr(os, "open", refusing)
    assert load_folder(path).judgements
