"""Side by side: blind until all six questions are answered."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.corpora.demo_data.corpus import DEMO_NOTICE
from app.services.attributes.attributes import attributes_of
from app.services.attributes.side_by_side import QUESTIONS, side_by_sides_of
from app.services.data.projects import dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute, mark_done
from tests.support.background import PATIENCE
from tests.support.repository import ROOT

Open = Callable[[str], AppTest]


def opened(expert: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=PATIENCE)
    app.query_params["expert"] = expert
    return app.run().switch_page("../pages/side_by_side.py").run()


def test_whoever_is_not_done_is_sent_to_think_aloud(demo: Workbench):
    app = opened("Ada")
    assert any("not done yet" in m.value for m in app.markdown)
    assert not app.dataframe


def test_an_expert_from_outside_compares_and_reads_the_definition(demo: Workbench):
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


def test_somebody_at_it_is_not_offered_to_compare_from_outside(demo: Workbench):
    add_own_attribute(demo, dimensions_named(demo, "Demo", "all")[0].id, "Ada", "Order.")
    app = opened("Ada")
    assert "side_outside" not in [b.key for b in app.button]


def test_names_come_with_the_last_answer_and_a_refresh_keeps_all(demo: Workbench):
    dimension = dimensions_named(demo, "Demo", "all")[0]
    add_own_attribute(demo, dimension.id, "Ada", "Order.")
    mark_done(demo, dimension.id, "Ada")
    app = opened("Ada")
    assert [s.value for s in app.subheader][1:] == ["Set A", "Set B"]
    shown = " ".join(m.value for m in (*app.markdown, *app.caption, *app.subheader))
    assert "rules" not in shown.replace(DEMO_NOTICE, "")
    number = side_by_sides_of(demo, dimension.id)[0].id
    for question in QUESTIONS:
        app.text_area(key=f"answer_{number}_{question}").input(f"<i>{question}</i>").run()
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
