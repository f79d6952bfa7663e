"""The curve of quality against the semantic share: as a figure, and as text for a terminal."""

from collections.abc import Sequence
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from eval.whole import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLOCKS = " ▁▂▃▄▅▆▇█"
DPI = 120
# Okabe and Ito's colours: told apart by people who see fewer of them.
BLUE, ORANGE, GREEN = "#0072B2", "#E69F00", "#009E73"


def curve(
    settings: Sequence[float],
    means: Sequence[float],
    *,
    margin: Sequence[float] | None = None,
    plateau: tuple[float, float] | None = None,
    today: float | None = None,
    setting: float | None = None,
    measure: str = "nDCG@10",
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Mean ``measure`` at each semantic share, with the band that a choice may lie in.

    ``margin``: half width of the simultaneous band of the difference to the peak. In sample.
    """
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(figsize=(7, 4), layout="constrained").subplots()
    ax.plot(settings, means, color=BLUE, label="mean, in sample")
    if margin is not None:
        top, floor = max(means), min(means)
        # One group tells nothing about the next: its band has no end, a picture has.
        ends = [max(floor, top - half) if isfinite(half) else floor for half in margin]
        low = [min(mean, end) for mean, end in zip(means, ends, strict=True)]
        ax.fill_between(settings, low, means, color=BLUE, alpha=0.15, label="band to the peak")
    if plateau is not None:
        ax.axvspan(*plateau, color=GREEN, alpha=0.15, label="plateau")
    if today is not None:
        ax.axvline(today, color=ORANGE, linestyle="--", label=f"today {today:g}")
    if setting is not None and setting != today:
        ax.axvline(setting, color=GREEN, label=f"chosen {setting:g}")
    ax.set(xlabel="semantic share", ylabel=measure, title=plain_title(title))
    ax.legend(fontsize="small")
    return ax


def plain_title(text: str) -> str:
    """The text with what matplotlib would read as mathematics escaped."""
    return text.replace("\\", "\\\\").replace("$", r"\$")


def png(axes: "Axes") -> bytes:
    """The axes' figure as PNG: a static picture, shown by every viewer of notebooks."""
    buffer = BytesIO()
    # Without the program's own mark, which would change with every release of it.
    axes.figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()


def save(axes: "Axes", path: Path) -> Path:
    """Writes the axes' figure as PNG, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, png(axes))
    return path


def sketch(settings: Sequence[float | str], means: Sequence[float], *, width: int = 60) -> str:
    """The curve in one line of blocks, its ends and its peak named below; text names itself."""
    step = max(1, -(-len(means) // width))
    shown = list(means)[::step]
    low, high = min(means), max(means)
    span = (high - low) or 1.0
    line = "".join(BLOCKS[1 + round((mean - low) / span * (len(BLOCKS) - 2))] for mean in shown)
    names = [one if isinstance(one, str) else f"{one:g}" for one in settings]
    left, right, peak = names[0], names[-1], names[list(means).index(high)]
    middle = f"peak {high:.4f} at {peak}, lowest {low:.4f}"
    room = max(0, len(line) - len(left) - len(right) - 2)
    return f"  {line}\n  {left} {middle.center(room)} {right}"
