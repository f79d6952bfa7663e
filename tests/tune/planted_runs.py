"""Two TREC runs with a planted difference, and their judgements."""

import random
from pathlib import Path

QUERIES, DOCUMENTS, RELEVANT = 240, 20, 3


def write(folder: Path, *, signal: float, seed: int) -> list[str]:
    """Two runs and judgements: the lexical run knows the answer as far as ``signal`` says, the
    semantic run is noise, so that less meaning than today's .7 is better (or, at 0, nothing is).
    """
    r = random.Random(seed)
    lexical, semantic, qrels = [], [], ["query-id\tcorpus-id\tscore"]
    for q in range(QUERIES):
        right = set(r.sample(range(DOCUMENTS), RELEVANT))
        for d in range(DOCUMENTS):
            lexical.append(f"need{q} Q0 d{d} 1 {r.gauss(signal * (d in right), 1):.6f} lex")
            semantic.append(f"need{q} Q0 d{d} 1 {r.random():.6f} sem")
            qrels.append(f"need{q}\td{d}\t{int(d in right)}")
    names = ("lexical.run", "semantic.run", "q.tsv")
    for name, lines in zip(names, (lexical, semantic, qrels), strict=True):
        (folder / name).write_text("\n".join(lines) + "\n")
    paths = [str(folder / name) for name in names]
    return ["--runs", *paths[:2], "--qrels", paths[2]]
