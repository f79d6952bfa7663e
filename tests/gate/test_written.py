"""What a gate writes for other programs, whatever its queries are called."""

import re
from xml.etree import ElementTree

import pytest
from nbconvert.filters.markdown import markdown2html

from eval.gate.check import Check, Status, Suite, failed
from eval.gate.junit import junit
from eval.gate.markdown import markdown

HOSTILE = [
    "]]><script>alert(1)</script>",
    '" onload="x" <testcase/> & &amp; &#0;',
    "a\x00b\x08c\x0b\x1b[31m\ud800\ufffe",
    "| a | b |\n|---|---|\n# head\n",
    "`` ` ``` [x](javascript:alert(1)) ![y](http://z) @everyone #1",
    "` ",
    "\u202egnp.exe\u2028\x85",
    "<!--", "-->", "<![CDATA[", "",
]  # fmt: skip

# The xUnit plugin's junit-10.xsd: attributes and children of each element, which are required.
ALLOWED = {
    "testsuites": ("name time tests failures errors", "testsuite"),
    "testsuite": (
        "name tests failures errors group time skipped timestamp hostname id package file log url",
        "properties testcase system-out system-err testsuite",
    ),
    "testcase": (
        "name time classname group",
        "skipped error failure rerunFailure rerunError flakyFailure flakyError "
        "system-out system-err",
    ),
    "failure": ("type message", ""),
    "skipped": ("type message", ""),
    "system-out": ("", ""),
}
REQUIRED = {
    "testsuite": {"name", "tests", "failures", "errors"},
    "testcase": {"name"},
}


def checks() -> list[Check]:
    return [
        Check(suite=suite, name=text, status=status, said=text, details=(text, text))
        for suite in Suite
        for status in Status
        for text in HOSTILE
    ]


def assert_valid(element: ElementTree.Element) -> None:
    attributes, children = (set(words.split()) for words in ALLOWED[element.tag])
    assert element.attrib.keys() <= attributes
    assert REQUIRED.get(element.tag, set()) <= element.attrib.keys()
    for child in element:
        assert child.tag in children
        assert_valid(child)


@pytest.mark.req("W63")
def test_junit_is_what_readers_of_junit_expect_whatever_a_query_holds():
    """Else a build server would drop the report of the very run that went wrong."""
    text = junit(checks(), HOSTILE[0])
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    assert_valid(root)
    assert [suite.get("name") for suite in root] == [f"gate.{suite}" for suite in Suite]
    for suite in root:
        counted = (suite.get("tests"), suite.get("failures"), suite.get("skipped"))
        third = str(len(HOSTILE))
        assert counted == (str(3 * len(HOSTILE)), third, third)
        assert len(suite.findall("testcase/failure")) == len(HOSTILE)
    # What comes back is what went in, but for the characters that XML cannot hold.
    names = [case.get("name") for case in root[0].findall("testcase")][: len(HOSTILE)]
    assert names[:2] == HOSTILE[:2]
    assert names[2] == "a\ufffdb\ufffdc\ufffd\ufffd[31m\ufffd\ufffd"


@pytest.mark.req("W63")
def test_markdown_stays_one_table_and_holds_no_link_image_or_html():
    """Else a query's text could put a link, or somebody's name, into a pull request."""
    text = markdown(checks(), HOSTILE[4])
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(checks())
    # The headline's own anchor is the renderer's.
    html = re.sub(r'<a class="anchor-link".*?</a>| id="[^"]*"', "", markdown2html(text))
    assert re.findall(r"<(a|img|script|h1|h2|!--)\b", html) == []
    (table,) = re.findall(r"<table>.*?</table>", html, re.DOTALL)
    assert table.count("<tr>") == 1 + len(checks())
    without_code = re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)
    for word in ("everyone", "alert", "onload", "javascript"):
        assert word not in without_code


def test_a_gate_that_asked_nothing_is_shut():
    """Else a build with a misspelt option would pass for ever."""
    skipped = Check(suite=Suite.GOVERNANCE, name="x", status=Status.SKIPPED, said="")
    assert failed([])
    assert failed([skipped])
