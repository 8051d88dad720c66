"""Charts of the report are well-formed, show what they are given, need nothing from elsewhere, and stay images."""

import base64
import re
from xml.etree import ElementTree

import altair as alt
import pytest

from app.domain.chart_colours import JUDGE, PERSON
from app.export.charts import IntervalRow, ReportChart, distributions, interval_plot, scatter
from app.export.results import html_report

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '"><script>x</script>'


def parsed(chart: ReportChart) -> ElementTree.Element:
    return ElementTree.fromstring(chart.svg)


def texts(chart: ReportChart) -> list[str | None]:
    return [text.text for text in parsed(chart).iter(f"{SVG}text")]


def place(mark: ElementTree.Element) -> tuple[float, float]:
    found = re.fullmatch(r"translate\((.+),(.+)\)", mark.get("transform", ""))
    assert found
    return float(found[1]), float(found[2])


def marks(chart: ReportChart, kind: str) -> list[ElementTree.Element]:
    """The shapes of one kind, in the order of the data."""
    groups = [g for g in parsed(chart).iter(f"{SVG}g") if f"mark-{kind} role-mark" in g.get("class", "")]
    return [shape for group in groups for shape in group]


def radius(dot: ElementTree.Element) -> float:
    return float(dot.get("d", "").removeprefix("M").partition(",")[0])


def height(bar: ElementTree.Element) -> float:
    return float(bar.get("d", "").partition("v")[2].partition("h")[0])


def test_an_interval_is_drawn_where_its_numbers_are() -> None:
    chart = interval_plot([IntervalRow("a <b>", 0.0, -0.5, 0.5, 1200), IntervalRow("c", 1.0, None, None, 3)], "t")
    [line] = marks(chart, "rule")
    assert (place(line)[0], float(line.get("x2", ""))) == (105, 210)
    assert [place(dot)[0] for dot in marks(chart, "symbol")] == [210, 420]
    assert "a <b> (n = 1,200)" in texts(chart)


def test_rows_keep_their_order_whichever_have_an_interval() -> None:
    chart = interval_plot(
        [IntervalRow("z", 0, None, None, 1), IntervalRow("m", 0, -1, 1, 1), IntervalRow("a", 0, None, None, 1)], "t"
    )
    assert [said for said in texts(chart) if "n =" in str(said)] == ["z (n = 1)", "m (n = 1)", "a (n = 1)"]
    assert place(marks(chart, "rule")[0])[1] == place(marks(chart, "symbol")[1])[1]


@pytest.mark.parametrize("name", ["W" * 60, "一致性" * 20, "consistency " * 8])
def test_a_long_label_has_room_in_any_font(name: str) -> None:
    short, long = (
        int(parsed(interval_plot([IntervalRow(said, 0, -1, 1, 1)], "t")).get("width", "")) for said in ("a", name)
    )
    assert long - short > 7 * len(name) - 280


def test_dots_stand_at_their_values_with_an_area_by_their_texts() -> None:
    large, small = marks(scatter([(1, 1, 4), (5, 5, 1)], 1, 5, "t"), "symbol")
    assert (place(large), place(small)) == ((0, 220), (220, 0))
    assert radius(large) == pytest.approx(9, abs=0.1)
    assert radius(small) == pytest.approx(5, abs=0.2)


def test_every_text_of_a_large_corpus_is_drawn() -> None:
    assert len(marks(scatter([(n / 6000, 0.5, 1) for n in range(6000)], 0, 1, "t"), "symbol")) == 6000


def test_bars_are_as_high_as_their_counts() -> None:
    bars = marks(distributions([(1, 3, 4, 0), (3, 5, 2, 4)], "t"), "rect")
    assert [height(bar) for bar in bars] == [220, 0, 110, 220]
    assert [bar.get("fill") for bar in bars] == [JUDGE, PERSON] * 2


def test_ends_of_axes_are_numbers_as_people_write_them() -> None:
    said = texts(distributions([(0.5, 100, 14, 0)], "t"))
    assert {"0.5", "100", "0", "14"} <= set(said)
    assert "12345" in texts(distributions([(0, 1, 12345, 0)], "t"))


def test_without_data_there_are_axes_alone() -> None:
    assert marks(scatter([], 1, 5, "t"), "symbol") == []
    assert marks(distributions([], "t"), "rect") == []


def test_the_look_is_the_reports_own_whatever_a_screen_has_chosen() -> None:
    before = scatter([(1, 1, 4)], 1, 5, "t").svg
    with alt.theme.enable("dark"):
        assert scatter([(1, 1, 4)], 1, 5, "t").svg == before


def test_titles_and_labels_are_text() -> None:
    overview = interval_plot([IntervalRow(HOSTILE, 0.5, 0, 1, 3)], HOSTILE)
    assert f"{HOSTILE} (n = 3)" in texts(overview)
    assert not list(parsed(overview).iter(f"{SVG}script"))
    page = html_report("t", [], [], [], overview)
    assert "<script" not in page
    assert 'alt="&#34;&gt;&lt;script&gt;x&lt;/script&gt;"' in page


def test_the_page_holds_the_whole_chart() -> None:
    chart = scatter([(1, 1, 4)], 1, 5, "fluency: score by mean rating")
    page = html_report("t", [], [], [], chart)
    found = re.search(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="fluency: score by mean rating">', page)
    assert found
    assert base64.b64decode(found[1]).decode() == chart.svg
    assert page.startswith("<!doctype html>")
