"""What a judge sees beside a pair: the question, what was needed, the document's title and text.

A grade given without them is a guess. They come from the labelled folders and go into the judging
file only; the guidelines of the set are printed where judging begins.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eval.dataset import load_federation

UNASKED = "have no question beside them: with --data name all folders that were recorded"
LONGEST = 400  # characters of a document's text


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """questions: [query] (text, need); documents: [(source, key)] (title, beginning of the text)"""

    questions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    documents: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    guidelines: str = ""

    def of(self, query: str, source: str, document: str) -> tuple[str, str, str, str]:
        """(question, need, title, text) of a pair; blank where the folders do not hold it."""
        question = self.questions.get(query, ("", ""))
        return (*question, *self.documents.get((source, document), ("", "")))

    def unasked(self, pairs: Iterable[tuple[str, str, str]]) -> int:
        """Pairs whose query no folder asks; 0 where no folder was named."""
        return sum(query not in self.questions for query, _, _ in pairs) if self.questions else 0


NOTHING = Shown()


def of_folders(folders: Sequence[Path], pairs: Iterable[tuple[str, str, str]]) -> Shown:
    """What the folders hold of the pairs; the readers' own errors where one is wrong."""
    if not folders:
        return NOTHING
    federation = load_federation(folders)
    wanted = {(source, document) for _, source, document in pairs}
    plain = {document for source, document in wanted if not source}
    found = {}
    for source in federation.sources:
        for document in source.documents:
            told = (document.title, " ".join(document.text.split())[:LONGEST])
            for name in (source.name, ""):
                if (name, document.key) in wanted and (name or document.key in plain):
                    found[(name, document.key)] = told
    rules = [source.guidelines for source in federation.sources if source.guidelines]
    return Shown(
        questions={query.id: (query.text, query.need) for query in federation.queries},
        documents=found,
        guidelines="\n\n".join(dict.fromkeys(rules)),
    )
