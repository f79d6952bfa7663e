"""A small labelled folder in which words mislead and meaning does not.

84 questions such as ``car repair``. The right document names the action in the question's word
and the thing in another (``repair of an automobile``), so that by words it is one of fourteen;
a decoy repeats the thing's own word.
"""

import json
from pathlib import Path

THINGS = {
    "car": "automobile", "doctor": "physician", "film": "movie", "shop": "store",
    "house": "home dwelling", "child": "young kid", "illness": "disease", "ship": "sailing vessel",
    "forest": "woodland", "money": "cash currency", "road": "highway street", "boss": "manager",
    "lawyer": "attorney", "sofa": "couch",
}  # fmt: skip
ACTIONS = ("repair", "insurance", "photograph", "tax", "museum", "delivery")


def write(folder: Path) -> Path:
    """The folder, made."""
    folder.mkdir(parents=True, exist_ok=True)
    documents, queries, qrels = [], [], ["query-id\tcorpus-id\tscore"]
    for t, (thing, other) in enumerate(THINGS.items()):
        documents.append(
            {"_id": f"a-decoy-{t}", "title": f"{thing} {thing}", "text": f"The {thing} in history."}
        )
        for a, action in enumerate(ACTIONS):
            key = f"doc-{(t * 6 + a) * 5 % 84:03}"
            documents.append({"_id": key, "title": f"{action} of one {other}", "text": ""})
            queries.append({"_id": f"q{t:02}{a}", "text": f"{thing} {action}"})
            qrels.append(f"q{t:02}{a}\t{key}\t1")
    for name, rows in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "qrels.tsv").write_text("\n".join(qrels) + "\n", "utf-8")
    return folder
