"""The command line of ``./workbench sample``: a query set drawn from traffic."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from eval.command import count
from eval.exchange import command
from eval.exchange.summary import Summary

EPILOG = """\
FILE is a CSV with the columns query and traffic (and query_id, where queries have ids), a row a
query. The sample is a queries.jsonl, each query with its traffic, the chance it had to be drawn,
and the tag head, torso or tail. The same seed draws the same queries, in whatever order they come.

0 ok, 2 usage, 3 files that cannot be used, 130 interrupted.
"""


def parser() -> argparse.ArgumentParser:
    made = command.parser("sample", "Draw a query set from traffic.", EPILOG)
    made.add_argument("file", type=Path, metavar="FILE", help="the traffic, as CSV")
    made.add_argument(
        "-o", "--output", required=True, type=Path, metavar="QUERIES", help="where it is written"
    )
    made.add_argument("--size", required=True, type=count, metavar="N", help="queries to draw")
    made.add_argument(
        "--by",
        choices=["random", "top", "traffic"],
        default="traffic",
        help="each query alike, the most frequent, in proportion to traffic (the default)",
    )
    made.add_argument("--seed", type=int, default=0, help="another one draws others (default 0)")
    made.add_argument("--id-key", type=Path, help="key for ids of queries that have none")
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    return command.finish("sample", arguments, lambda: _work(arguments))


def _work(arguments: argparse.Namespace) -> Summary:
    from eval.exchange.keyed import key_file, read_key
    from eval.exchange.matching import Match
    from eval.exchange.target import put
    from eval.exchange.traffic import read_traffic
    from eval.formats.writing import write_lines
    from eval.labels.sampling import Draw, draw, segments

    traffic = read_traffic(arguments.file, lambda: read_key(arguments.id_key or key_file()))
    counts = {id: one.count for id, one in traffic.items()}
    drawn = draw(counts, arguments.size, Draw(arguments.by), arguments.seed)
    if not drawn:
        raise ValueError(f"{arguments.file}: no query was ever asked; draw with --by random")
    tags = segments(counts)
    lines = [
        json.dumps(
            {
                "_id": one.id,
                "text": traffic[one.id].text,
                "tags": [tags[one.id].value],
                "traffic": one.traffic,
                "chance": one.chance,
            },
        )
        for one in drawn
    ]
    put(arguments.output, lambda path: write_lines(path, lines), arguments.force)
    total = sum(counts.values())
    covered = sum(one.traffic for one in drawn)
    per = {f"{name} queries": 0 for name in ("head", "torso", "tail")}
    for one in drawn:
        per[f"{tags[one.id].value} queries"] += 1
    return Summary(
        what=f"sampled {arguments.file} by {arguments.by}, seed {arguments.seed}",
        format="queries.jsonl",
        counts={"queries": len(drawn), "in the traffic": len(traffic), **per},
        queries=Match(found=tuple(one.id for one in drawn)),
        documents=Match(),
        notes=(f"{covered:,} of {total:,} requests are for these queries",),
        written=(str(arguments.output),),
    )
