"""Colours and fonts of charts and reports.

People have one hue, LLMs another; judges and methods have a scale of their own. All kinds of colour vision tell blue
from orange; shapes or labels repeat what the third scale shows. All colours are visible on a light and a dark
background.
"""

from collections.abc import Mapping
from typing import Any

PEOPLE = ("#2684C6", "#56B4E9", "#0F5E96", "#8CC7EE", "#3B6FA0", "#6F9BC8")
LLMS = ("#DD6B10", "#E69F00", "#F08A3C", "#F2BE5C", "#B5561C", "#D98A5B")
METHODS = ("#009E73", "#B15CB8", "#8E8E2F", "#C2557E", "#4FB8A0", "#7D6BB3")
PERSON, LLM, JUDGE = PEOPLE[0], LLMS[0], METHODS[0]
NEUTRAL = "#8a93a0"  # both kinds together, lines of reference, what is no difference
HEAT = ("#e6f3ee", "#00674b")  # from little to much, where it is neither people's nor LLMs'
INK, LIGHT_INK = "#1c2430", "#e4e8ee"  # words, on light and on dark ground
FONT_SIZE = 12

ON_PAPER: Mapping[str, Any] = {
    "axis": {
        "domainColor": NEUTRAL,
        "gridColor": "#e3e6ea",
        "labelColor": INK,
        "labelFlush": False,  # the first and last label stand under their ticks, apart from the next ones
        "labelFontSize": FONT_SIZE,
        "labelPadding": 6,
        "tickColor": NEUTRAL,
        "titleColor": INK,
        "titleFontSize": FONT_SIZE,
        "titleFontWeight": "normal",
    },
    "font": "system-ui, sans-serif",
    "header": {"labelColor": INK, "titleColor": INK},
    "legend": {"labelColor": INK, "labelFontSize": FONT_SIZE, "titleColor": INK, "titleFontSize": FONT_SIZE},
    "padding": 8,
    "title": {"anchor": "start", "color": INK, "fontSize": FONT_SIZE + 2},
    "view": {"stroke": None},
}
"""Vega-Lite's config for files, which lie on white ground; on a screen charts follow its theme."""
