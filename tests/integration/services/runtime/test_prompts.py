"""A project's own wordings reach every method, are checked before they are kept, and can be gone back from."""

import json

import pytest

from app.domain.attribute import ContributorKind
from app.domain.build import Stage
from app.domain.project import Dimension, Task
from app.errors import InputError, NotFoundError, PromptError
from app.prompting import available_prompts, load_prompt
from app.services.attributes.attributes import add_attributes
from app.services.building.build import run_stages, start_build
from app.services.building.build_state import view_build
from app.services.data.projects import create_project, dimensions_named, save_task
from app.services.runtime.prompts import (
    UNNOTED,
    difference,
    preview_prompt,
    project_prompt,
    project_prompts,
    save_wording,
    sections_of,
    sent_prompt,
    use_wording,
)
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import forecast
from app.services.scoring.recordings import recorded_calls
from app.services.scoring.runs import RunOptions, get_run, start_run, work_on
from app.services.think_aloud.llm_think_aloud import ask_models
from db.models.run import ScoringRunRow
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.checklist_builder import build_answer
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score

MARK = "Vermillion is the word."


@pytest.fixture
def usual() -> Usual:
    return build_answer


def reworded(workbench: Workbench, name: str, project_id: int = 1, mark: str = MARK) -> int:
    template = load_prompt(name)
    return save_wording(workbench, project_id, name, f"{template.system}\n{mark}", template.user)


def marks(llm: FakeLlm, mark: str = MARK) -> list[bool]:
    return [mark in json.dumps(request.body) for request in llm.requests]


def built(workbench: Workbench) -> Dimension:
    create_project(workbench, "P", Task("summary", "article"), (Dimension("coherence", "How it hangs together."),))
    dimension = dimensions_named(workbench, "P", "all")[0]
    add_attributes(workbench, dimension.id, "Ada", ContributorKind.HUMAN, [f"Point {n}." for n in range(6)])
    return dimension


def test_stages_ask_with_the_projects_wording_and_record_its_number_and_hash(workbench, llm) -> None:
    dimension = built(workbench)
    other = create_project(workbench, "Q", Task())
    reworded(workbench, "components", other.id)
    assert reworded(workbench, "clusters") == 1
    build_id = start_build(workbench, dimension, "llama:builder")
    run_stages(workbench, build_id, [Stage.COMPONENTS, Stage.CLUSTERS])
    assert marks(llm) == [False, True], "another project's wording counts there alone"
    record = view_build(workbench, build_id).records[Stage.CLUSTERS][0]
    assert record.prompt == "clusters@1+own1"
    assert record.prompt_digest == project_prompt(workbench, 1, "clusters").wording(1).digest
    prompt = sent_prompt(workbench, 1, record)
    assert prompt is not None
    assert MARK in prompt.system


def test_thinking_aloud_and_the_judge_ask_with_it_too(workbench, llm) -> None:
    dimension = ready_to_score(workbench, texts=24)
    reworded(workbench, "think-aloud")
    reworded(workbench, "judge-checklist")
    llm.usual = Answer('{"considerations": [{"index": 1, "consideration": "Look at the order."}]}')
    with workbench.database.read() as work:
        project = work.projects.by_id(1)
    (asked,) = ask_models(workbench, project, [dimension], ["llama:thinker"])
    assert (asked.attributes, marks(llm)) == (1, [True])
    llm.usual = Answer(lambda schema: json.dumps(dict.fromkeys(schema["required"], "yes")))
    llm.requests.clear()
    run_id = start_run(workbench, 1, RunOptions((dimension,), "llama:judge"))
    work_on(workbench, run_id)
    assert all(marks(llm))
    with workbench.database.read() as work:
        assert work.runs.parts(run_id)[0].prompt_digest == project_prompt(workbench, 1, "judge-checklist").own[0].digest
        assert {call.prompt for call in work.calls.of_run(run_id)} == {
            f"judge-checklist@{load_prompt('judge-checklist').version}+own1"
        }
    assert len(recorded_calls(workbench, run_id)) == len(llm.requests)


def test_a_run_keeps_the_wording_it_was_planned_with(workbench, llm) -> None:
    dimension = ready_to_score(workbench, texts=4)
    reworded(workbench, "judge-checklist", mark="First wording.")
    run_id = start_run(workbench, 1, RunOptions((dimension,), "llama:judge"))
    assert get_run(workbench, run_id).params["prompts"] == {"judge-checklist": 1}
    reworded(workbench, "judge-checklist", mark="Second wording.")
    llm.usual = Answer(lambda schema: json.dumps(dict.fromkeys(schema["required"], "yes")))
    work_on(workbench, run_id)
    assert all(marks(llm, "First wording."))
    assert not any(marks(llm, "Second wording."))


def test_a_run_goes_on_with_the_built_in_prompt_it_was_planned_with(workbench, llm) -> None:
    """An update between planning and asking changes nothing: what was asked is found again, and one run is of one
    kind."""
    dimension = ready_to_score(workbench, texts=4)
    run_id = start_run(workbench, 1, RunOptions((dimension,), "llama:judge"))
    newest = load_prompt("judge-checklist").version
    assert get_run(workbench, run_id).params["prompt_versions"]["judge-checklist"] == newest
    with workbench.database.write() as work:
        work.runs.set_param(run_id, "prompt_versions", {"judge-checklist": 2})
    llm.usual = Answer(lambda schema: json.dumps(dict.fromkeys(schema["required"], "yes")))
    work_on(workbench, run_id)
    with workbench.database.read() as work:
        assert {call.prompt for call in work.calls.of_run(run_id)} == {"judge-checklist@2"}


def test_a_run_of_the_time_before_versions_were_noted_goes_on_as_it_began(workbench, llm) -> None:
    dimension = ready_to_score(workbench, texts=4)
    run_id = start_run(workbench, 1, RunOptions((dimension,), "llama:judge"))
    with workbench.database.write() as work:
        row = work._session.get(ScoringRunRow, run_id)
        row.params = {name: value for name, value in row.params.items() if name != "prompt_versions"}
    llm.usual = Answer(lambda schema: json.dumps(dict.fromkeys(schema["required"], "yes")))
    work_on(workbench, run_id)
    with workbench.database.read() as work:
        assert {call.prompt for call in work.calls.of_run(run_id)} == {"judge-checklist@2"}


def test_versions_that_runs_did_not_note_are_there() -> None:
    assert all(version in available_prompts()[name] for name, version in UNNOTED.items())


def test_an_earlier_version_of_the_programs_own_keeps_its_hash_as_a_wording(workbench) -> None:
    ready_to_score(workbench, texts=4)
    earlier = load_prompt("judge-checklist", 2)
    number = save_wording(workbench, 1, "judge-checklist", earlier.system, earlier.user)
    prompt = project_prompt(workbench, 1, "judge-checklist")
    assert prompt.wording(number).digest == earlier.digest
    assert [one.version for one in prompt.earlier] == [1, 2]


def test_the_estimate_counts_the_wording(workbench) -> None:
    dimension = ready_to_score(workbench, texts=4)
    before = forecast(workbench, 1, RunOptions((dimension,), "llama:judge")).estimate.input_tokens
    reworded(workbench, "judge-checklist", mark="Many more words. " * 50)
    assert forecast(workbench, 1, RunOptions((dimension,), "llama:judge")).estimate.input_tokens > before + 400


BROKEN = {
    "a variable it isn't given": ("{{ secrets }}", "secrets"),
    "a field that isn't there": ("{{ task.password }}", "password"),
    "a field another prompt has": ("{% for a in attributes %}{{ a.key_question }}{% endfor %}", "key_question"),
    "a template that doesn't end": ("{% if task %}", "valid template"),
    "code": ("{{ ''.__class__.__mro__ }}", "can't be filled in"),
    "a third section": ("# User\nanother", "one section"),
}


def test_a_wording_that_would_fail_is_refused_before_it_is_kept(workbench, subtests) -> None:
    built(workbench)
    template = load_prompt("components")
    for what, (text, said) in BROKEN.items():
        with subtests.test(what):
            with pytest.raises(PromptError, match=said):
                save_wording(workbench, 1, "components", f"{template.system}\n{text}", template.user)
            assert project_prompt(workbench, 1, "components").own == ()
    with pytest.raises(PromptError, match="never uses attributes"):
        save_wording(workbench, 1, "components", template.system, "Go.")


def test_wordings_are_numbered_compared_and_gone_back_to(workbench) -> None:
    built(workbench)
    first, second = reworded(workbench, "components"), reworded(workbench, "components", mark="Other.")
    assert (first, second) == (1, 2)
    with pytest.raises(InputError, match="already"):
        reworded(workbench, "components", mark="Other.")
    prompt = project_prompt(workbench, 1, "components")
    assert prompt.in_use == 2
    added = [line for line in difference(prompt.builtin, prompt.wording(1)) if line.startswith("+")]
    assert f"+{MARK}" in added
    use_wording(workbench, 1, "components", 1)
    assert project_prompt(workbench, 1, "components").in_use == 1
    use_wording(workbench, 1, "components", 0)
    assert project_prompt(workbench, 1, "components").in_use == 0
    with pytest.raises(NotFoundError):
        use_wording(workbench, 1, "components", 3)
    with pytest.raises(NotFoundError, match="no prompt"):
        project_prompt(workbench, 1, "nonsense")


def test_the_preview_speaks_of_the_projects_texts_in_its_language(workbench) -> None:
    built(workbench)
    save_task(workbench, 1, Task("ode", "muse", "", "Portuguese"))
    prompt = project_prompt(workbench, 1, "components")
    shown = preview_prompt(prompt, 0, Task("ode", "muse", "", "Portuguese"), Dimension("beauty"))
    assert shown is not None
    assert "beauty of any ode" in shown.system
    assert "Portuguese" in shown.user
    assert {p.name for p in project_prompts(workbench, 1)} >= {stage.value for stage in Stage}


def test_a_prompt_file_is_read_with_or_without_its_front_matter() -> None:
    source = load_prompt("validation").source
    system, user = sections_of(source)
    assert (system.strip(), user.strip()) == (
        load_prompt("validation").system.strip(),
        load_prompt("validation").user.strip(),
    )
    assert sections_of("# System\nA\n# User\nB\n") == ("A", "B\n")
    with pytest.raises(InputError, match="no section"):
        sections_of("nothing of the kind")
