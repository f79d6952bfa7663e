"""Quality against cost as a picture that stands in a page by itself (SVG 1.1)."""

from html import escape

from eval.measure.report import Report

WIDTH, HEIGHT, EDGE = 520, 300, 50


def scatter(report: Report) -> str:
    """A point an arm, hollow where another arm is at least as good for less; "" for one arm."""
    points = [
        (told.arm.name, told.spent.seconds, told.quality.figures[0].mean)
        for told in report.arms
        if told.spent is not None
    ]
    if len(points) < 2:
        return ""
    across, up = _place([x for _, x, _ in points]), _place([y for _, _, y in points])
    marks = []
    for name, seconds, quality in points:
        x = EDGE + across(seconds) * (WIDTH - 2 * EDGE)
        y = HEIGHT - EDGE - up(quality) * (HEIGHT - 2 * EDGE)
        fill = "#1f77b4" if name in report.undominated else "none"
        marks.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="#1f77b4"/>'
            f'<text x="{x + 8:.1f}" y="{y - 6:.1f}">{escape(name)} {quality:.4f}, {seconds:.3f} s'
            "</text>"
        )
    measure = escape(report.arms[0].quality.figures[0].name)
    bottom, right = HEIGHT - EDGE, WIDTH - EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 200}" height="{HEIGHT}" '
        f'font-size="12" role="img" aria-label="{measure} against seconds">'
        f'<path d="M{EDGE} {EDGE // 2}V{bottom}H{right}" fill="none" stroke="#999"/>'
        f'<text x="{right - 60}" y="{bottom + 20}">seconds</text>'
        f'<text x="4" y="{EDGE // 2 - 6}">{measure}</text>{"".join(marks)}</svg>'
    )


def _place(values: list[float]):
    """Where a value lies between the least and the greatest, 0..1; the middle if all are one."""
    low, high = min(values), max(values)
    return lambda value: (value - low) / (high - low) if high > low else 0.5
