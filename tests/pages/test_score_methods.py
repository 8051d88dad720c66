"""Score, by another method than the checklist: which dimensions it scores, its options, and what it lacks."""

import time
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.project import Dimension, Task, Text
from app.domain.run import RunStatus
from app.evaluators.method import described
from app.evaluators.registry import METHODS
from app.services.data.projects import create_project, dimensions_named
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from app.services.scoring.scoring_jobs import is_scoring
from app.settings import settings
from tests.support.background import PATIENCE

Open = Callable[[str], AppTest]


@pytest.fixture
def bare(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """Two dimensions without a checklist, texts with references, and a key."""
    monkeypatch.setenv("OPENAI_API_KEY", "none-of-yours")
    settings.cache_clear()
    project = create_project(workbench, "Bare", Task(), (Dimension("clarity"), Dimension("depth")))
    with workbench.database.write() as work:
        work.texts.add_many(
            project.id,
            [
                Text(f"d{n}", f"A cat sat on mat {n}.", "s", source="Cats.", references=("A cat sat.",))
                for n in range(5)
            ],
        )
    return workbench


def shown(app: AppTest) -> str:
    assert not app.exception
    elements = [*app.markdown, *app.caption, *app.error, *app.warning, *app.info, *app.success]
    return "\n".join(str(element.value) for element in elements).replace("\\", "")


def by(app: AppTest, method: str) -> AppTest:
    return app.selectbox(key="score_evaluator").set_value(method).run()


def can_start(app: AppTest) -> bool:
    return "start_scoring" in [button.key for button in app.button]


def test_a_method_without_a_checklist_scores_every_dimension(bare: Workbench, open_screen: Open) -> None:
    app = open_screen("scores")
    assert "No dimension has a checklist yet" in shown(app)
    app = by(app, "rouge-1")
    assert any("no judge is asked and nothing is paid" in m.value for m in app.markdown)
    pills = next(group for group in app.button_group if str(group.key).startswith("score_dimensions"))
    assert pills.options == ["clarity", "depth"]
    app = pills.set_value([]).run()
    assert "Choose at least one dimension." in shown(app)
    app = app.button_group(key=pills.key).set_value([one.id for one in dimensions_named(bare, "Bare", "all")]).run()
    assert "5 texts on 2 dimensions, 5 on each: 10 scores." in shown(app)
    app.button(key="start_scoring").click().run()
    limit = time.monotonic() + PATIENCE
    while is_scoring(bare, 1) and time.monotonic() < limit:
        time.sleep(0.05)
    (run,) = list_runs(bare, 1)
    assert (run.evaluator, run.status, run.done) == ("rouge-1", RunStatus.DONE, 10)


@pytest.mark.long
def test_each_method_offers_its_options_and_starts_with_the_paper_s(bare: Workbench, open_screen: Open) -> None:
    app = open_screen("scores")
    for method in METHODS.values():
        app = by(app, method.name)
        assert not app.exception
        for option in described(method.options):
            key = f"option_{method.name}_{option.name}"
            found = [w for w in (*app.toggle, *app.selectbox, *app.number_input, *app.text_input) if w.key == key]
            assert [widget.value for widget in found] == [option.default], key
            assert (found[0].label, found[0].help) == (option.label, option.help)


def test_options_change_the_estimate_and_idle_ones_are_not_offered(bare: Workbench, open_screen: Open) -> None:
    app = by(open_screen("scores"), "g-eval")
    assert "202 calls" in shown(app)  # steps once for each dimension, then 20 samples of each text
    app.number_input(key="option_g-eval_samples").set_value(4).run()
    app.selectbox(key="option_g-eval_probabilities").set_value("none").run()
    assert app.number_input(key="option_g-eval_samples").disabled
    assert "12 calls" in shown(app)
    assert can_start(app)
    app.selectbox(key="option_g-eval_probabilities").set_value("samples").run()
    assert not app.number_input(key="option_g-eval_samples").disabled
    assert "42 calls" in shown(app)
    app.toggle(key="option_g-eval_steps").set_value(False).run()
    assert "40 calls" in shown(app)
    assert can_start(app)


def test_a_checklist_is_asked_for_where_an_option_needs_one(bare: Workbench, open_screen: Open) -> None:
    app = by(open_screen("scores"), "check-eval")
    assert can_start(app)
    app = app.selectbox(key="option_check-eval_seeds").set_value("checklist").run()
    assert "No dimension has a checklist yet" in shown(app)
    assert not can_start(app)


def test_an_llm_and_its_key_are_asked_for_where_one_is_needed(
    bare: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    judges = by(open_screen("scores"), "llm-score").multiselect(key="score_llm_judge")
    assert (judges.value, "rules" in judges.options) == (["openai:gpt-6-luna"], False)
    monkeypatch.delenv("OPENAI_API_KEY")
    settings.cache_clear()
    app = by(open_screen("scores"), "llm-score")
    assert "Choose an LLM as the judge" in shown(app)
    assert not can_start(app)
    with bare.database.write() as work:
        work.runs.create(1, "llm-score", "anthropic:claude-haiku-4-5", {}, [])
    app.run()
    app = app.multiselect(key="score_llm_judge").set_value(["anthropic:claude-haiku-4-5"]).run()
    assert "10 calls: about" in shown(app), "the cost is said all the same"
    assert "under $0.01" in shown(app)
    assert "No key is set for Anthropic. Set ANTHROPIC_API_KEY in the environment." in shown(app)
    assert not can_start(app)


def test_what_a_method_lacks_is_one_sentence_and_nothing_starts(bare: Workbench, open_screen: Open) -> None:
    for name, method in METHODS.items():
        try:
            method.check()
        except Exception as error:
            app = by(open_screen("scores"), name)
            assert str(error) in [str(box.value).replace("\\", "") for box in app.info]
            assert not can_start(app)
            return
    pytest.skip("this computer has everything that any method needs")
