"""Pictures as files."""

from xml.etree import ElementTree

import altair as alt
import pandas as pd
import pytest

from pages.components.shell.tables import FILE_WIDTH, SHARPNESS, picture_file


@pytest.fixture
def chart() -> alt.Chart:
    data = pd.DataFrame({"who": ["<b>Mira</b> & co"], "share": [0.5]})
    made: alt.Chart = alt.Chart(data).mark_bar().encode(x="share:Q", y="who:N").properties(height=100)
    return made


def test_svg_is_well_formed_and_as_wide_as_a_page(chart: alt.Chart):
    root = ElementTree.fromstring(picture_file(chart, "A title", "svg"))
    assert root.tag.endswith("svg")
    assert float(root.attrib["width"]) >= FILE_WIDTH
    words = list(root.itertext())
    assert "<b>Mira</b> & co" in words, "untrusted names stay text"
    assert "A title" in words


def test_png_is_sharp_enough_for_print(chart: alt.Chart):
    png = picture_file(chart, "A title", "png")
    assert png.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(png[16:20]) >= FILE_WIDTH * SHARPNESS


def test_a_picture_with_a_width_of_its_own_keeps_it(chart: alt.Chart):
    svg = ElementTree.fromstring(picture_file(chart.properties(width=200), "A title", "svg", own_width=True))
    assert float(svg.attrib["width"]) < 400
