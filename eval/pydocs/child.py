"""Makes the data set in a process of its own: it imports all the packages, the caller none.

`python -m eval.pydocs.child FOLDER QUESTIONS` fills an empty folder and prints
a line of progress for each step.
"""

import sys
import warnings
from pathlib import Path

from eval.pydocs import manifest
from eval.pydocs.card import card, count, write_card
from eval.pydocs.entries import read
from eval.pydocs.known_item import known_item
from eval.pydocs.labels import groups_of, shares
from eval.pydocs.packages import PACKAGES
from eval.pydocs.related import resolve
from eval.pydocs.related_item import related_item
from eval.pydocs.walk import walk
from eval.pydocs.write import write_track


def main(folder: Path, questions: int) -> None:
    """Reads the packages and writes the tracks, the card and, last, the manifest.

    A track without a question is left out: there would be nothing to measure on it.
    """
    sources = tuple(package.name for package in PACKAGES)
    entries = read(walk(PACKAGES, _say))
    _say("choosing questions and documents")
    relations = resolve(entries)
    groups = groups_of(entries, relations)
    tracks = (known_item(entries, groups), related_item(entries, relations, groups))
    _say("writing the sources of the tracks")
    counts = {}
    for labels in tracks:
        asked = labels.queries[: shares(questions)[labels.track]]
        if not asked:
            _say(f"{labels.track}: left out, these packages give no question for it")
            continue
        write_track(labels, asked, folder / labels.track, sources)
        counts[str(labels.track)] = count(labels, asked)
    found = manifest.versions()
    mark = manifest.fingerprint(found, questions)
    dropped = {str(labels.track): labels.dropped for labels in tracks}
    write_card(folder, card(mark, found, counts, relations.met, dropped))
    built = manifest.Manifest(fingerprint=mark, versions=found, sources=sources, counts=counts)
    built.write(folder)


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    # The packages speak of their own future while they are looked through; nobody asked them.
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]), int(sys.argv[2]))
