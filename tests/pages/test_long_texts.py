"""Long and formatted texts: contents, find, a switch, and nothing of a text but what is known as Markdown."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.shell.reading import format_spans, has_markdown, headings, matches, safe_markdown

HOSTILE = [
    "<script>alert(1)</script>",
    "![x](http://evil.example/pixel.png)",
    "[click](javascript:alert(1))",
    "# ![x](http://evil.example/p.png)",
    "- <img src=http://evil.example/p.png>",
    "**<b onclick=x>**",
    "*![x](//evil.example)*",
    ":red[colour] :material/home: $x^2$ <http://evil.example>",
    "[x]: http://evil.example",
    "~~~~~~~~~~~~~~~~~~~~\n<b>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_safe_markdown_escapes_what_it_does_not_know(text: str) -> None:
    shown = safe_markdown(text)
    outside = re.sub(r"~{20}.*?~{20}", "", shown, flags=re.DOTALL)
    for sign in "<[$":
        assert not re.search(rf"(?<!\\)\{sign}", outside), shown
    assert "://" not in outside
    assert not re.search(r"(?<!\\):(?=[\w/])", outside)


MARK = ":yellow-background["


@pytest.mark.parametrize("text", HOSTILE)
def test_highlights_of_hostile_texts_let_nothing_take_effect(text: str) -> None:
    for start in range(0, len(text), 3):
        shown = safe_markdown(text, [(start, len(text))]).replace(MARK, " ").partition("~" * 20)[0]
        assert not re.search(r"\w\\?://", shown)
        assert not re.search(r"(?<!\\)[<\[$]|(?<!\\):(?=[\w/])", shown), shown


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("first", f"#### Plan: the *{MARK}first]* day"),
        ("at nine** sharp", f"- We **start {MARK}at nine]** {MARK}sharp]"),
        ("code", f"> said {MARK}code] end"),
        ("First", f"{MARK}First]: go"),
    ],
)
def test_a_quote_is_highlighted_where_it_is_formatted(quote: str, shown: str) -> None:
    text = "# Plan: the *first* day\n- We **start at nine** sharp\n> said `code` end\n\nFirst: go"
    start = text.index(quote)
    lines = [line.rstrip() for line in safe_markdown(text, [(start, start + len(quote))]).splitlines()]
    assert shown in lines


def test_safe_markdown_keeps_headings_lists_code_and_emphasis() -> None:
    shown = safe_markdown(
        "# Title\nA **bold** and *leaning* `a<b` word.\n- one\n2) two\n> said\n```html\n<b>x</b>\n```\nend"
    )
    lines = [line.rstrip() for line in shown.splitlines() if line.strip()]
    assert lines == [
        "#### Title",
        "A **bold** and *leaning* `a<b` word.",
        "- one",
        "2. two",
        "> said",
        "~" * 20,
        "<b>x</b>",
        "~" * 20,
        "end",
    ]


def test_safe_markdown_of_open_code_ends_it_and_none_escapes() -> None:
    shown = safe_markdown("````\n" + "~" * 40 + "\n```\n<b>")
    assert shown.splitlines()[0] == shown.splitlines()[-1] == "~" * 20
    assert all("~" * 20 not in line for line in shown.splitlines()[1:-1])


def test_headings_end_at_the_next_of_their_rank_and_code_has_none() -> None:
    text = "# A\nx\n## B\ny\n```\n# no\n```\n# C\nz"
    found = [(title.strip(), text[start:end].split("\n", maxsplit=1)[0]) for title, (start, end) in headings(text)]
    assert found == [("A", "# A"), ("B", "## B"), ("C", "# C")]
    (_, (start, end)), *_ = headings(text)
    assert text[start:end].endswith("```\n")


def test_plain_texts_have_no_markdown() -> None:
    assert not has_markdown("A #tag, 2 * 3 * 4, and a - dash.\nAnother line.")
    assert has_markdown("- one\n- two")


def test_matches_ignore_case_and_read_no_pattern() -> None:
    assert matches("a.c A.C abc", "a.c") == [(0, 3), (4, 7)]
    assert matches("abc", "") == []


def test_long_text_is_searched_cut_by_contents_and_switched_to_plain() -> None:
    def screen() -> None:
        from app.domain.project import Text  # noqa: PLC0415 - the script alone is run
        from pages.components.shell.reading import readable_text  # noqa: PLC0415

        body = "\n".join(f"Line {n} of many words." for n in range(80))
        readable_text(Text("d", f"# First\n{body}\n# Second\nThe needle is **here**."), "text", "shown")

    app = AppTest.from_function(screen, default_timeout=60).run()
    assert not app.exception
    assert "#### First" in app.markdown[-1].value
    app.selectbox[0].set_value(1).run()
    assert "Line 3" not in app.markdown[-1].value
    assert "**here**" in app.markdown[-1].value
    app.toggle[0].set_value(False).run()
    assert app.text[-1].value.startswith("# Second")
    app.text_input[0].set_value("NEEDLE").run()
    assert not app.exception
    assert "yellow-background" in app.markdown[-1].value
    assert app.caption[0].value == "1 place"


FORMATTED = [
    (
        "# שלום 🎈 ##\r\nA **bold 👩‍👩‍👧** and *e\u0301* `a*b*`.\r\n> said",
        [
            *(("sign", "# "), ("heading", "שלום 🎈"), ("sign", " ##")),
            *(("sign", "**"), ("bold", "bold 👩‍👩‍👧"), ("sign", "**")),
            *(("sign", "*"), ("italic", "e\u0301"), ("sign", "*"), ("sign", "`"), ("code", "a*b*"), ("sign", "`")),
            ("quote", "> said"),
        ],
    ),
    ("```html\r\n# <b>\n```\nend", [("sign", "```html\r\n"), ("code", "# <b>\n"), ("sign", "```\n")]),
    ("~~~\n**a**", [("sign", "~~~\n"), ("code", "**a**")]),
    ("* one *two*", [("sign", "*"), ("italic", "two"), ("sign", "*")]),
    ("2 * 3 * 4 <b>[x](y)</b>\x85\u2028", []),
    ("", []),
]


@pytest.mark.parametrize(("content", "expected"), FORMATTED)
def test_format_spans_are_places_of_the_text_as_it_is(content: str, expected: list[tuple[str, str]]) -> None:
    assert [(kind, content[start:end]) for start, end, kind in format_spans(content)] == expected


@pytest.mark.parametrize("line", ["# " + "#" * 100_000 + "x", "# a" + " " * 100_000 + "x"], ids=["signs", "spaces"])
def test_long_lines_with_a_heading_are_read_in_one_go(line: str) -> None:
    assert [span for _, span in headings(line)] == [(0, len(line))]
    assert format_spans(line) == [(0, 2, "sign"), (2, len(line), "heading")]
