"""What a field shows is what counts, also in a browser that missed the first drawing because another followed it."""

from collections.abc import Callable, Sequence

import pytest
from streamlit.testing.v1 import AppTest

from app.services.runtime.workbench import Workbench
from pages.components.shell.navigation.screens import SCREENS

FIELDS = {"data_section_1", "threshold", "score_judge", "score_texts", "study_families"}
THEIR_SCREENS = ("texts", "compare", "scores", "conditions")


@pytest.mark.parametrize("screens", [THEIR_SCREENS, pytest.param(tuple(SCREENS), marks=pytest.mark.long)])
def test_each_drawing_tells_the_browser_what_is_chosen(
    demo: Workbench, open_screen: Callable[..., AppTest], screens: Sequence[str]
) -> None:
    seen, untold = set(), []
    for screen in screens:
        app = open_screen(screen).run()
        for field in (field for kind in ("multiselect", "button_group", "slider") for field in app.get(kind)):
            key = str(field.key)
            chosen = app.session_state[key] if key in app.session_state else None  # noqa: SIM401 - it has no `get`
            start = list(field.proto.default)  # what the browser shows unless it is told a value
            seen.add(key)
            if chosen not in (None, [], ()) and not field.proto.set_value and start in ([], [0.0]):
                untold.append((screen, key))
    assert seen >= FIELDS
    assert untold == []
