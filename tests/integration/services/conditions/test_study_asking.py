"""How a study of conditions asks its LLMs: as far and as long as chosen, and never two efforts for one."""

import json
from dataclasses import replace
from hashlib import sha256

import pytest
from pydantic import SecretStr

from app.domain.build import Stage
from app.domain.condition import Family
from app.domain.project import Project
from app.errors import EffortError
from app.prompting import load_prompt
from app.providers.credentials import Access, Credentials
from app.providers.model_options import ModelOptions
from app.services.conditions.study import StudyOptions, last_study, plan_study, plan_trials
from app.services.conditions.study_worker import estimate_study, run_study
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from tests.support.fake_llm.behaviour import Answer, Tokens, all_yes
from tests.support.fake_llm.server import FakeLlm


@pytest.fixture
def openai(workbench: Workbench, llm: FakeLlm) -> Workbench:
    """A workbench with models that reason and have a price."""
    key = Access(SecretStr("planted-key"), f"{llm.url}/v1", "a test")
    return replace(workbench, credentials=Credentials({"openai": key}))


def test_an_effort_is_sent_kept_and_parts_runs_and_more_tokens_do_not(
    openai: Workbench, project: Project, options: StudyOptions, llm: FakeLlm
) -> None:
    plain = replace(options, judge="openai:gpt-6-luna", families=(Family.COMB,), draw=(2, 3))
    tight = replace(plain, asking=ModelOptions(500, effort="low"))
    usual, llm.usual = llm.usual, Answer("{", finish="length", tokens=Tokens(output=500))
    assert run_study(openai, project, tight).missing == 1
    # The run goes on as it is asked now.
    llm.usual = usual
    llm.requests.clear()
    low = replace(plain, asking=ModelOptions(9000, 90, "low"))
    assert run_study(openai, project, low).missing == 0
    sent = {(r.body["max_completion_tokens"], r.body["reasoning_effort"]) for r in llm.requests}
    assert sent == {(9000, "low")}
    assert len(list_runs(openai, project.id)) == 1
    assert last_study(openai, project) == low
    (cell,) = plan_study(openai, project, plain).cells
    assert (cell.scored, cell.checklist is None) == (False, False)  # the rules built it, and they don't think
    assert plan_study(openai, project, low).to_score == []
    (usual_cell,), (thinking,) = (plan_study(openai, project, replace(o, model=o.judge)).cells for o in (plain, low))
    assert usual_cell.digest != thinking.digest


def test_a_build_from_before_efforts_and_with_ids_in_its_digest_is_found(
    workbench: Workbench, project: Project, options: StudyOptions
) -> None:
    """Digests are stored with builds: without this every checklist of an earlier study would be built anew."""
    comb = replace(options, families=(Family.COMB,))
    (cell,) = plan_study(workbench, project, comb).cells
    (dimension,) = options.dimensions
    inputs = [
        [project.task.text_name, project.task.source_name, project.task.description, project.task.language],
        [dimension.name, dimension.rubric, dimension.low, dimension.high],
        sorted(cell.attributes),
        ["rules", 5],
        [load_prompt(stage.value).digest for stage in Stage],
    ]
    digest = sha256(json.dumps(inputs, ensure_ascii=False).encode()).hexdigest()
    with workbench.database.write() as work:
        build = work.builds.add(dimension.id, cell.code, "begun", {}, study_digest=digest)
    (found,) = plan_study(workbench, project, comb).cells
    assert (cell.build, found.build) == (None, build)


@pytest.mark.parametrize(
    ("models", "effort"),
    [(("rules", "openai:gpt-4o"), "low"), (("rules", "rules"), "low"), (("openai:o3", "openai:o3"), "max")],
)
def test_an_effort_that_a_model_does_not_take_is_said_before_anything_is_paid(
    openai: Workbench, project: Project, options: StudyOptions, llm: FakeLlm, models: tuple[str, str], effort: str
) -> None:
    asked = replace(options, model=models[0], judge=models[1], asking=ModelOptions(effort=effort))
    with pytest.raises(EffortError):
        run_study(openai, project, asked)
    with pytest.raises(EffortError):
        estimate_study(openai, asked, ())
    assert llm.requests == []


def test_a_forecast_counts_the_reasoning_of_each_call_first_a_guess_then_as_it_was(
    openai: Workbench, project: Project, options: StudyOptions, llm: FakeLlm
) -> None:
    name = "openai:gpt-6-luna"
    asked = replace(options, model=name, judge=name, families=(Family.COMB,))
    silent = replace(asked, model="openai:gpt-4o", judge="openai:gpt-4o")
    thinking, plain = (estimate_study(openai, o, plan_trials(openai, project, o)) for o in (asked, silent))
    assert (thinking.build_calls, thinking.judge_calls) == (5, 18)
    assert thinking.output_tokens - plain.output_tokens == 23 * 1000
    assert "to build 1,000 a call for reasoning (a guess" in str(thinking)
    assert (plain.reasoning, thinking.input_tokens) == ("", plain.input_tokens)
    more = replace(asked, asking=ModelOptions(effort="high"))
    found = estimate_study(openai, more, plan_trials(openai, project, more))
    assert found.output_tokens - plain.output_tokens == 23 * 3000

    judged = replace(asked, model="rules")
    llm.usual = Answer(all_yes, tokens=Tokens(output=5000))
    assert run_study(openai, project, judged).missing == 0
    again = replace(judged, families=(Family.MH,))
    measured = estimate_study(openai, again, plan_trials(openai, project, again))
    assert measured.judge_reasoning_measured
    assert "to judge 4,9" in str(measured)
    assert "to build" not in measured.reasoning, "the rules don't think"
