"""Evidence on the screens: highlighted where it stands, marked where it is nowhere, and never read as markup."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.quotes import QuotedPlace
from app.evaluators.checklist import JudgeOptions
from app.services.data.projects import dimensions_named, get_project
from app.services.results.result_texts import quote_counts
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from pages.components.shell.reading import NOT_IN_TEXT, highlighted, quote_line
from tests.support.result_screen import change, shown

HOSTILE = (
    "<script>alert(1)</script>",
    "x" * 500,
    "You judge the coherence of one summary by answering a checklist",
    "\x1b[31m\u202e**bold** [link](https://example.org) :red[x] $x$",
)


@pytest.fixture
def run(demo: Workbench) -> int:
    """A run of the rules with evidence, on coherence."""
    dimensions = tuple(dimensions_named(demo, "Demo", "coherence"))
    chosen = RunOptions(dimensions, "rules", asking=JudgeOptions(evidence=True))
    run_id = start_run(demo, get_project(demo, "Demo").id, chosen)
    work_on(demo, run_id)
    return run_id


def test_quotes_are_counted_and_highlighted_where_they_stand(
    demo: Workbench, open_results: Callable[..., AppTest], run: int
) -> None:
    (dimension,) = dimensions_named(demo, "Demo", "coherence")
    counts = quote_counts(demo, run, dimension.id)
    assert (counts.found > 0, counts.absent) == (True, 0), "the rules quote what is there"
    app = open_results(run=str(run), view="questions")
    assert f"Quotes of rules, not an LLM: {counts}." in shown(app)
    with demo.database.read() as work:
        quotes = work.results.quotes(run, dimension.id)
        text = next(text for text, given in quotes.items() if len({quote for quote in given if quote}) > 1)
        item = work.texts.get(text)
    app = open_results(run=str(run), view="texts", text=str(text))
    assert not app.exception
    marked = [element.value for element in app.markdown if ":yellow-background[" in element.value]
    assert marked
    assert item.text not in [element.value for element in app.text], "it stands there once, highlighted"
    assert NOT_IN_TEXT not in shown(app)
    chosen = app.selectbox(key=f"evidence_{run}_{text}")
    assert len(chosen.options) > 2
    chosen.select_index(1).run()
    assert not app.exception
    one = [element.value for element in app.markdown if ":yellow-background[" in element.value]
    assert sum(each.count(":yellow-background[") for each in one) <= sum(
        each.count(":yellow-background[") for each in marked
    )


def test_hostile_quotes_are_shown_as_text_and_marked(
    demo: Workbench, home: Path, open_results: Callable[..., AppTest], run: int
) -> None:
    (dimension,) = dimensions_named(demo, "Demo", "coherence")
    with demo.database.read() as work:
        text = next(iter(work.results.quotes(run, dimension.id)))
        item = work.texts.get(text)
    escaped = ", ".join("('{}')".format(quote.replace("'", "''")) for quote in HOSTILE)
    change(
        home,
        f"WITH hostile(number, quote) AS (SELECT row_number() OVER () - 1, column1 FROM (VALUES {escaped})) "
        f"UPDATE judgment SET quote = (SELECT quote FROM hostile WHERE number = judgment.id % {len(HOSTILE)}) "
        f"WHERE score_id IN (SELECT id FROM score WHERE run_id = {run})",
    )
    app = open_results(run=str(run), view="texts", text=str(text))
    assert not app.exception
    captions = [caption.value for caption in app.caption if NOT_IN_TEXT in caption.value]
    assert len({one.partition(" · ")[0] for one in captions}) == len(HOSTILE)
    assert item.text in [element.value for element in app.text], "nothing to highlight: to the letter"
    assert not [one for one in captions if re.search(r"(?<!\\)[<*\[$]|(?<!\\):red|\u202e", one.partition(" · ")[0])]
    assert not [element for element in app.markdown if element.allow_html]


def test_a_text_keeps_its_lines_and_none_of_its_signs_becomes_markup() -> None:
    text = "# One:\n  two *stars*\n\n1. three : end"
    assert highlighted(text, [(2, 10), (len(text) - 3, len(text))]) == (
        "\\# :yellow-background[One:]  \n"
        "\u00a0\u00a0:yellow-background[t]wo \\*stars\\*  \n"
        "  \n"
        "1\\. three \\: :yellow-background[end]"
    )
    assert highlighted("a:b", [(2, 3)]) == "a\\::yellow-background[b]"


def test_where_a_quote_stands_is_said_where_it_is_no_matter_of_course() -> None:
    assert quote_line("so", QuotedPlace(0, 2)) == "“so”"
    assert quote_line("so", QuotedPlace(0, 2, True, False), "article") == "“so” · :gray[in the article, nearly]"
    assert quote_line("so", None) == f"“so” · :orange[{NOT_IN_TEXT}]"
