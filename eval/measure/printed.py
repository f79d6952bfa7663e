"""A report printed: plain text for a terminal, one HTML page that needs nothing else."""

from html import escape

from eval.measure.report import Report
from eval.measure.scatter import scatter
from eval.measure.tables import Table, tables

STYLE = (
    "body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em}"
    "table{border-collapse:collapse;margin:.5em 0 1.5em}td,th{padding:.15em .8em;text-align:right;"
    "border-bottom:1px solid #ccc}td:first-child,th:first-child{text-align:left}"
    "ul{color:#555;margin-top:0}h2{font-size:1.1em;margin-bottom:.2em}"
)


def as_text(report: Report) -> str:
    lines = [f"  {line}" for line in report.conventions]
    for table in tables(report):
        lines += ["", table.title, *_aligned(table), *(f"  {note}" for note in table.notes)]
    return "\n".join(lines)


def _aligned(table: Table) -> list[str]:
    rows = [table.head, *table.rows] if any(table.head) else list(table.rows)
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.head))]
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def as_html(report: Report) -> str:
    """Ids, tags and prompts are other people's text, and escaped."""
    names = ", ".join(told.arm.name for told in report.arms)
    body = "".join(_section(table) for table in tables(report))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(names)}</title>'
        f"<style>{STYLE}</style><h1>{escape(names)}</h1>{_list(report.conventions)}{scatter(report)}{body}</html>\n"
    )


def _section(table: Table) -> str:
    head = _row(table.head, "th") if any(table.head) else ""
    rows = "".join(_row(row, "td") for row in table.rows)
    return f"<h2>{escape(table.title)}</h2><table>{head}{rows}</table>{_list(table.notes)}"


def _row(cells: tuple[str, ...], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _list(lines) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""
