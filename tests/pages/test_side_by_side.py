"""Side by side: blind until all six questions are answered."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.corpora.demo_data.corpus import DEMO_NOTICE
from app.services.attributes.attributes import attributes_of
from app.services.attributes.side_by_side import QUESTIONS, side_by_sides_of
from app.services.data.projects import dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute, mark_done

Open = Callable[[str], AppTest]


@pytest.fixture
def opened(open_screen: Callable[..., AppTest]) -> Open:
    return lambda expert: open_screen("side_by_side", expert=expert)


def test_an_expert_from_outside_compares_and_reads_the_definition(demo: Workbench, opened: Open):
    dimension = dimensions_named(demo, "Demo", "all")[0]
    before = len(attributes_of(demo, get_project(demo, "Demo").id))
    app = opened("Zoe")
    app.button(key="side_outside").click().run()
    assert not app.exception
    assert [s.value for s in app.subheader] == ["coherence, 1 to 5", "Set A", "Set B"]
    assert dimension.rubric in [t.value for t in app.text]
    (mine,) = side_by_sides_of(demo, dimension.id)
    assert (mine.expert, mine.outside) == ("Zoe", True)
    assert [s.value for s in opened("Zoe").subheader][1:] == ["Set A", "Set B"]
    assert len(attributes_of(demo, get_project(demo, "Demo").id)) == before


def test_sets_come_when_done_and_names_with_the_last_answer(demo: Workbench, opened: Open):
    dimension = dimensions_named(demo, "Demo", "all")[0]
    app = opened("Ada")
    assert any("not done yet" in m.value for m in app.markdown)
    assert not app.dataframe
    assert "side_outside" in [b.key for b in app.button]
    add_own_attribute(demo, dimension.id, "Ada", "Order.")
    assert "side_outside" not in [b.key for b in app.run().button], "whoever has begun is no expert from outside"
    mark_done(demo, dimension.id, "Ada")
    app.run()
    assert [s.value for s in app.subheader][1:] == ["Set A", "Set B"]
    shown = " ".join(m.value for m in (*app.markdown, *app.caption, *app.subheader))
    assert "rules" not in shown.replace(DEMO_NOTICE, "")
    number = side_by_sides_of(demo, dimension.id)[0].id
    first, *others = QUESTIONS
    app.text_area(key=f"answer_{number}_{first}").input(f"<i>{first}</i>").run()
    assert "reveal" not in [b.key for b in app.button if not b.disabled]
    for question in others:
        app.text_area(key=f"answer_{number}_{question}").input(f"<i>{question}</i>")
    app.run()
    app = opened("Ada")
    assert app.text_area(key=f"answer_{number}_grain").value == "<i>grain</i>"
    app.button(key="reveal").click().run()
    assert not app.exception
    told = {s.value.partition(": ")[2] for s in app.subheader[1:3]}
    assert told == {"people", "rules, not an LLM"}
    assert "<i>grain</i>" in [t.value for t in app.text]


def test_the_owner_sees_how_many_have_finished(demo: Workbench, open_screen: Open):
    app = open_screen("side_by_side")
    assert not app.exception
    assert any("No expert has begun" in m.value for m in app.markdown)
