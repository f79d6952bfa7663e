"""What a person sees who opens the notebook of the weights and runs all its cells."""

from __future__ import annotations

import json

from eval import demo
from eval.notebooks import weights
from tests.lanes.browser.chromium import Page
from tests.lanes.browser.made import HOSTILE, QUERY, RECORD


def every(selector: str, what: str = "textContent") -> str:
    """The expression of what all elements of a kind have."""
    return f"[...document.querySelectorAll({json.dumps(selector)})].map(one => one.{what})"


PROMPTS = every(".jp-CodeCell .jp-InputArea-prompt")
CELLS = every(".jp-OutputArea td")
WIDTHS = every(".jp-OutputArea img", "naturalWidth")
ERRORS = every(
    '[data-mime-type="application/vnd.jupyter.error"],'
    ' [data-mime-type="application/vnd.jupyter.stderr"]'
)


def outputs(page: Page) -> str:
    return "\n".join(page.see(every(".jp-OutputArea", "innerText")))


# Before there is a kernel the light says "idle" too, beside the words "No Kernel".
READY = (
    "document.querySelector('.jp-KernelName')?.textContent.startsWith('Python')"
    " && document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'"
)


def run_all(page: Page, url: str) -> None:
    """Opens a notebook, waits for its kernel and runs every cell from the menu, to the last.

    What is pressed earlier JupyterLab may forget half way, which is its matter and not ours.
    """
    page.open(url)
    page.until(READY, 90)
    page.click(".lm-MenuBar-itemLabel", "Run")
    page.click(".lm-Menu-itemLabel", "Run All Cells")
    # An error lets the cells after it be.
    left = f"{PROMPTS}.some(said => said === '[ ]:')"
    page.until(f"!{PROMPTS}.some(said => said === '[*]:') && (!{left} || {ERRORS}.length > 0)", 120)


def test_the_curve_and_the_verdict_are_shown_and_no_error(page, lab_url, made):
    """A notebook that is green in a test could show a person nothing, or a page of warnings."""
    run_all(page, lab_url.format(made.notebook("weights.ipynb")))
    assert page.see(ERRORS) == []
    prompts = page.see(PROMPTS)
    assert (len(prompts) > 10, "[ ]:" in prompts) == (True, False)
    # 0 wide is a picture that is broken, or not drawn yet.
    page.until(f"(all => all.length === 1 && all[0] > 300)({WIDTHS})", 10)
    assert weights.weigh(demo.case()).decision.why in outputs(page)


def test_html_in_a_recording_is_shown_as_text(page, lab_url, made):
    """A query that somebody else typed would run in the browser of whoever looks at it."""
    folder, case = made.hostile("hostile")
    run_all(page, lab_url.format(made.notebook("hostile.ipynb", folder)))
    assert page.see(ERRORS) == []
    # A cell is done before its table is drawn.
    page.until(f"{CELLS}.includes({json.dumps(QUERY + HOSTILE)})", 20)
    cells = page.see(CELLS)
    assert any(cell.startswith(RECORD + HOSTILE) for cell in cells)
    assert f"Name: {case.capability}" in outputs(page)
    assert page.see("typeof planted") == "undefined"
    assert page.see("document.querySelector('img[src=x]')") is None


def test_what_is_run_and_what_fails_would_be_seen(page, lab_url, made):
    """The checks above would pass whatever a browser does, and pass by a cell that fails."""
    shown = f"from IPython.display import HTML\nHTML({HOSTILE!r})"
    run_all(page, lab_url.format(made.planted("planted.ipynb", shown, "1 / 0")))
    page.until("window.planted === 1", 10)
    page.until(f"{ERRORS}.some(said => said.includes('ZeroDivisionError'))", 10)
