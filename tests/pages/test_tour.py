"""The tour: it comes by itself to whoever has nothing under way, goes when it is told to, and can be found again."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.project import Task
from app.domain.roles_and_rights import Actor, Role
from app.services.data.projects import create_project
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute
from pages.components.shell import current
from pages.components.shell.navigation import screens
from pages.components.shell.navigation.screens import EXPERTS_STOPS, STOPS
from tests.pages.test_roles import ana

Open = Callable[[str], AppTest]


@pytest.fixture
def signed_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[Actor], None]:
    return lambda actor: monkeypatch.setattr(current, "person_at_browser", lambda *_: actor)


def place(app: AppTest) -> str:
    """What the card says of where one is; "" where there is none."""
    return next((caption.value for caption in app.caption if caption.value.startswith("Tour, ")), "")


def stop_shown(app: AppTest) -> str:
    return next(element.value for element in app.markdown if "More in the guide" in element.value)


def test_the_first_visit_begins_with_five_steps_each_with_a_way_there(workbench: Workbench, open_screen: Open) -> None:
    app = open_screen("overview")
    for number, stop in enumerate(STOPS, 1):
        assert not app.exception
        assert place(app) == f"Tour, {number} of 5"
        assert stop.title in stop_shown(app)
        assert stop.words in stop_shown(app)
        assert app.button(key="tour_open").label == f"Open {stop.title}"
        if number < 5:
            app.button(key="tour_next").click().run()
    app.button(key="tour_back").click().run()
    assert place(app) == "Tour, 4 of 5"


def test_it_leads_to_the_screen_it_tells_of_and_goes_along(workbench: Workbench, open_screen: Open) -> None:
    app = open_screen("overview")
    app.button(key="tour_next").click().run()
    app.button(key="tour_open").click().run()
    assert not app.exception
    assert app.title[0].value == "Think aloud"
    assert place(app) == "Tour, 2 of 5"
    assert "tour_open" not in [button.key for button in app.button]  # one is there


@pytest.mark.parametrize("steps", [0, 4])
def test_skipped_or_finished_it_is_gone_and_comes_back_when_asked_for(
    workbench: Workbench, open_screen: Open, steps: int
) -> None:
    app = open_screen("overview")
    for _ in range(steps):
        app.button(key="tour_next").click().run()
    app.button(key="tour_end").click().run()
    assert place(app) == ""
    assert place(app.run()) == ""
    app.button(key="tour_begin").click().run()
    assert place(app) == "Tour, 1 of 5"
    app.button(key="tour_end").click().run()
    assert place(app.run()) == ""


def test_a_browser_in_which_it_was_ended_is_left_alone(
    workbench: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screens, "tour_was_ended", lambda: True)
    assert place(open_screen("overview")) == ""


def test_whoever_has_a_project_under_way_is_not_shown_it_unasked(workbench: Workbench, open_screen: Open) -> None:
    create_project(workbench, "News", Task())
    app = open_screen("overview")
    assert place(app) == ""
    app.button(key="tour_begin").click().run()
    assert place(app) == "Tour, 1 of 5"


def test_other_screens_stay_as_they_are_on_a_first_visit(workbench: Workbench, open_screen: Open) -> None:
    assert place(open_screen("texts")) == ""


def test_an_expert_has_one_of_their_own_until_they_begin(
    demo: Workbench, open_screen: Open, signed_in: Callable[[Actor], None]
) -> None:
    signed_in(ana(demo, Role.EXPERT))
    app = open_screen("overview")
    assert place(app) == "Tour, 1 of 5"
    assert EXPERTS_STOPS[0].words in stop_shown(app)
    add_own_attribute(demo, 1, "Ana", "Order.")
    assert place(open_screen("overview")) == ""


def test_a_reader_is_told_of_what_is_open_to_them(
    demo: Workbench, open_screen: Open, signed_in: Callable[[Actor], None]
) -> None:
    signed_in(ana(demo, Role.READER))
    app = open_screen("overview")
    assert place(app) == ""
    app.button(key="tour_begin").click().run()
    assert place(app) == "Tour, 1 of 2"
    assert "Checklist" in stop_shown(app)
