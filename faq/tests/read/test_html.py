"""HTML in an own file is read as what it shows; what only looks like it stays."""

import pytest

from semblance_faq.read.faq import read_own
from semblance_faq.read.html import has_html, shown_text

LINES = {
    "<ol>\n <li>One</li>\n <li><p>Two\n x</p></li>\n</ol><p>End</p>": "1. One\n2. Two x\nEnd",
    "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>": "- a\n- b\n- c",
    "a<br>b<br/>\n<br>c": "a\nb\n\nc",
    "a\n<b>b</b>": "a\nb",
    "<div><pre>a\n b</pre></div>": "a\n b",
}
SHOWN = {
    "<p>Go to <a href='https://x.y/z?a=1&amp;b=2'>the page</a>.</p>": "Go to the page (https://x.y/z?a=1&b=2).",
    "<ul><li>One</li><li>Two &amp; three</li></ul>": "- One - Two & three",
    "one<br>two<BR/>three": "one two three",
    "<script>alert(1)</script>Hi <b class=x>you</b>": "Hi you",
    '<a href="javascript:alert(1)">x</a>': "x",
    "<a href='https://a.b'>https://a.b</a>": "https://a.b",
    "Mail <a href='mailto:a@b.c'>us</a>": "Mail us (a@b.c)",
    "<td nowrap>1</td><td>2</td>": "1 2",
    "<dl><dt>Fee</dt><dd>Ten <kbd>cents</kbd></dd></dl><o:p></o:p>": "Fee Ten cents",
    "5 <6 <b>bold</b> & more": "5 <6 bold & more",
    "<i>see</i> <title> there": "see <title> there",
    "Two<br>lines: <script> starts one, <B>so</b> on": "Two lines: <script> starts one, so on",
    "Fish &amp; chips &#8364; 5&nbsp;": "Fish & chips € 5",
    "<img src=a.png alt='A map'> <!-- no -->here": "A map here",
}
TEXTS = ["a < b and c > d", "if (a<b && c>d) { }", "Use <title>", "AT&T; R&D", "x <-> y", "1 <2> 3"]
TEXTS += [
    "Put it inside a <script> tag. Then reload.",
    "<b> is bold, <i> not",
    "List<A>",
    "end by </b>",
]


@pytest.mark.parametrize("text", SHOWN)
def test_html_is_read_as_what_it_shows(text):
    assert has_html(text)
    assert " ".join(shown_text(text).split()) == SHOWN[text]


@pytest.mark.parametrize("text", LINES)
def test_blocks_and_breaks_part_lines_and_those_of_the_source_do_where_nothing_else_does(text):
    assert shown_text(text).strip() == LINES[text]


@pytest.mark.parametrize("text", TEXTS)
def test_what_only_looks_like_html_stays_as_it_is(text):
    assert not has_html(text)


def test_a_file_with_html_is_read_as_text_and_says_so(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("question,answer,queries\n<b>How?</b>,<p>So.</p>,<i>why</i>\nWhat?,That.,\n")
    faq = read_own(path)
    assert [(pair.question, pair.answer) for pair in faq.pairs] == [
        ("How?", "So."),
        ("What?", "That."),
    ]
    assert [query.text for query in faq.queries] == ["why"]
    assert any(line.endswith("answers: HTML in 1 of 2, read as text") for line in faq.reading.lines)
