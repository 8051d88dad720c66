"""The held-out split on the screens: locked on Data, scored on Score, looked at on Locked test, and nowhere else."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.roles_and_rights import Role
from app.services.data.held_out_split import lock, state_of
from app.services.data.projects import get_project
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from app.services.scoring.scoring_jobs import job_key
from pages.components.shell import current
from tests.pages.test_roles import ana
from tests.support.background import PATIENCE, ended

ROOT = Path(__file__).resolve().parents[2]
Open = Callable[[str], AppTest]


@pytest.fixture
def open_tab() -> Callable[[], AppTest]:
    def opened() -> AppTest:
        app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=PATIENCE).run()
        return app.switch_page("../pages/locked_test.py").run()

    return opened


def shown(app: AppTest) -> str:
    elements = [*app.markdown, *app.caption, *app.error, *app.info, *app.warning]
    return "\n".join(str(element.value) for element in elements).replace("\\", "")


def section(app: AppTest, workbench: Workbench, name: str) -> AppTest:
    project = get_project(workbench, "Demo")
    return app.button_group(key=f"data_section_{project.id}").set_value(name).run()


def test_locking_and_opening_take_a_name_and_are_told(demo: Workbench, open_screen: Open) -> None:
    project = get_project(demo, "Demo")
    app = section(open_screen("texts"), demo, "Test split")
    assert not app.exception
    app.button(key="lock_split").click().run()
    assert "Nobody is named." in shown(app)
    app.text_input(key="lock_who").set_value("Ana")
    app.button(key="lock_split").click().run()
    assert not app.exception
    words = shown(app)
    assert "documents are locked" in words
    assert "Looks so far: 0" in words
    assert "had been scored before they were locked" in words  # the demo's own run has scored everything
    app.text_input(key="open_who").set_value("Ana")
    app.button(key="open_split").click().run()
    assert "Tick the box first." in shown(app)
    app.checkbox(key="open_sure").set_value(True)
    app.button(key="open_split").click().run()
    assert not app.exception
    assert state_of(demo, project.id) is None
    assert "An earlier split" in shown(app)


def test_the_split_is_scored_where_chosen_and_looked_at_on_one_screen(
    demo: Workbench, open_tab: Callable[[], AppTest], open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = get_project(demo, "Demo")
    assert "No held-out split is locked." in shown(open_tab())
    app = open_screen("scores")
    assert "Held-out split" not in app.button_group(key="score_texts").options
    state = lock(demo, project.id, 0.25, 1, "Ana")
    app.run()
    assert f"{state.texts} of {state.texts_all} texts are locked away" in shown(app)
    texts = section(open_screen("texts"), demo, "Texts")
    assert f"of {state.texts_all - state.texts:,} texts" in shown(texts)
    names = [button.label for button in texts.button if (button.key or "").startswith("read_text_")]
    assert len(names) == 20
    assert not [name for name in names for document in state.split.documents if f"**{document} ·" in name]
    app.button_group(key="score_texts").set_value("Held-out split").run()
    app.button(key="start_scoring").click().run()
    app = ended(app, job_key(project.id))
    assert not app.exception
    newest = list_runs(demo, project.id)[0]
    assert newest.locked
    assert newest.done == sum(1 for _ in newest.dimensions) * state.texts

    # A look is counted.
    app = open_tab()
    assert not app.exception
    assert "Looks so far: 0" in shown(app)
    app.text_input(key="look_who").set_value("Ben")
    app.button(key="look_now").click().run()
    assert not app.exception
    words = shown(app)
    assert "Looks so far: 1" in words
    assert "locked" in words
    assert set(app.dataframe[0].value["Run"]) == {newest.id}
    after = state_of(demo, project.id)
    assert after is not None
    assert [each.who for each in after.split.looks] == ["Ben"]
    assert "On the held-out split" not in [s.value for s in open_tab().subheader]

    # The run is on no other screen, and an invited facilitator finds its figures nowhere else either.
    app = open_screen("results")
    assert not app.exception
    assert not any(option.startswith(f"Run {newest.id} ") for option in app.multiselect(key="run").options)
    facilitator = ana(demo, Role.FACILITATOR)
    monkeypatch.setattr(current, "person_at_browser", lambda *_: facilitator)
    app = open_screen("compare")
    app.segmented_control(key="compare_view").set_value("Effect on the scores").run()
    assert not app.exception
    (ordinary,) = app.selectbox(key="contribution_run").options
    assert ordinary.startswith("Run 1 ")
