"""Which is better on the screen: a facilitator draws, an expert says which and why, and comes back to it."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.domain.expert_answer import Winner
from app.domain.project import Dimension, Task, Text
from app.services.attributes.pairs import pair_sheet
from app.services.data.projects import create_project
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import own_attributes_of
from pages.components.shell.current import EXPERT

Open = Callable[[str], AppTest]


def test_pairs_are_drawn_said_changed_and_reasons_are_attributes(workbench: Workbench, open_screen: Open) -> None:
    project = create_project(workbench, "Chats", Task("reply"), (Dimension("tone", "How it sounds."),))
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text(f"d{n}", f"{s} says {n}.", s) for n in range(2) for s in ("one", "two")])
    app = open_screen("which_is_better")
    app.button(key="draw_pairs_now").click().run()
    assert not app.exception
    app.session_state[EXPERT] = "Ana"
    app.run()
    app.text_area(key="pair_why_1_Ana_0").set_value("It is warm.")
    app.button(key="pair_a_0").click().run()
    assert any("data-shown-pair" in str(each.proto) for each in app.get("html"))  # scrolls to the next one's top
    app.button(key="pair_tie_1").click().run()
    assert not app.exception
    app.button(key="pairs_again").click().run()
    app.button(key="pair_b_0").click().run()
    assert not app.exception
    sheet = pair_sheet(workbench, 1, "Ana")
    assert sheet is not None
    assert [(pair.said, pair.reason) for pair in sheet.pairs] == [(Winner.B, "It is warm."), (Winner.TIE, "")]
    assert [one.text for one in own_attributes_of(workbench, project.id, 1, "Ana")] == ["It is warm."]
