"""Pictures in a report are well-formed, show what they are given, and run nothing."""

from xml.etree import ElementTree

import pytest

from app.export.svg import IntervalRow, Scale, distributions, interval_plot, scatter

SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def test_an_interval_is_drawn_where_its_numbers_are() -> None:
    picture = parsed(
        interval_plot([IntervalRow("a <b>", 0.0, -0.5, 0.5, 1200), IntervalRow("c", 1.0, None, None, 3)], "t")
    )
    lines = [line for line in picture.iter("line") if line.get("stroke-width") == "2"]
    assert [(line.get("x1"), line.get("x2")) for line in lines] == [("405.0", "615.0")]
    assert [dot.get("cx") for dot in picture.iter("circle")] == ["510.0", "720.0"]
    assert "a <b> (n = 1,200)" in [text.text for text in picture.iter("text")]


def test_dots_stand_at_their_values_with_an_area_by_their_texts() -> None:
    dots = list(parsed(scatter([(1, 1, 4), (5, 5, 1)], 1, 5, "t")).iter("circle"))
    scale = Scale(1, 5)
    assert [(d.get("cx"), d.get("cy")) for d in dots] == [
        (str(scale.x(1)), str(scale.y(1))),
        (str(scale.x(5)), str(scale.y(5))),
    ]
    assert [d.get("r") for d in dots] == ["9.0", "5.5"]


def test_bars_are_as_high_as_their_counts() -> None:
    bars = list(parsed(distributions([(1, 3, 4, 0), (3, 5, 2, 4)], "t")).iter("rect"))
    heights = [float(bar.get("height") or 0) for bar in bars]
    assert heights[0] == heights[3] == pytest.approx(2 * heights[2], abs=0.2)
    assert heights[1] == 0


def test_titles_are_text() -> None:
    picture = scatter([], 1, 5, '"><script>x</script>')
    assert "<script" not in picture
    assert parsed(picture)[0].text == '"><script>x</script>'
