import asyncio
import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.project import Dimension, Task
from app.domain.roles_and_rights import Actor, Membership, Role
from app.errors import MissingKeyError, ModelTimeoutError, WrongKeyError
from app.services.runtime import models
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import forecast
from app.services.scoring.recordings import recorded_calls
from app.services.scoring.runs import RunOptions, RunReport, start_run, work_on
from tests.support.fake_llm.behaviour import Answer, Fail, Slow, all_yes
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score, small_checklist, workbench_at


def test_one_tiny_call_tells_whether_a_model_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "TEST_SECONDS", 0.5)
    with FakeLlm(usual=Answer(json.dumps({"q1": "yes"}))) as llm:
        workbench = workbench_at(tmp_path, llm.url)
        for _ in range(2):  # never answered from the cache: that would test nothing
            assert 0 < asyncio.run(models.test_model(workbench, "llama:judge")) < 0.5
        assert len(llm.requests) == 2
        llm.script(Fail("wrong-key"))
        with pytest.raises(WrongKeyError):
            asyncio.run(models.test_model(workbench, "llama:judge"))
        llm.usual = Slow(5)
        with pytest.raises(ModelTimeoutError, match=r"llama:judge gave no answer within 0\.5 seconds"):
            asyncio.run(models.test_model(workbench, "llama:judge"))
        workbench.database.close()


def test_a_model_without_its_key_says_what_to_set(tmp_path: Path) -> None:
    workbench = workbench_at(tmp_path)
    with pytest.raises(MissingKeyError, match="OPENAI_API_KEY"):
        asyncio.run(models.test_model(workbench, "openai:gpt-4o"))
    workbench.database.close()


def test_what_the_first_model_needs_is_imported_ahead_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    done = threading.Event()
    monkeypatch.setattr(models, "import_sdk", lambda prefix: (imported.append(prefix), done.set()))
    models._import_sdks.cache_clear()
    workbench = workbench_at(tmp_path, "http://127.0.0.1:9")
    for _ in range(2):
        models.preload_providers(workbench)
        assert done.wait(30)
    assert imported == ["llama"], "only what is set up"
    models._import_sdks.cache_clear()
    workbench.database.close()


def test_a_reply_of_one_project_tells_another_nothing_where_people_sign_in(workbench: Workbench, llm: FakeLlm) -> None:
    """The same texts and checklist in two projects: on one's own computer the second is free, in a team it isn't."""
    llm.usual = Answer(all_yes)
    first = scored_in(workbench, ready_to_score(workbench, texts=4))
    fay = Actor(None, "Fay", memberships={2: Membership(Role.FACILITATOR, "Fay")})
    team = replace(workbench, actor=fay)
    dimension = same_again(workbench)
    options = RunOptions((dimension,), "llama:judge")
    assert forecast(workbench, 2, options).estimate.calls_cached == 4
    assert forecast(team, 2, options).estimate.calls_cached == 0
    llm.requests.clear()
    begun = work_on(team, start_run(team, 2, options))
    assert (begun.tally.calls, begun.tally.cached, len(llm.requests)) == (first.tally.calls, 0, 4)
    again = work_on(team, start_run(team, 2, replace(options, reuse=False)))
    assert (again.tally.calls, again.tally.cached) == (0, 4)
    assert len(recorded_calls(team, again.run.id)) == 4


def scored_in(workbench: Workbench, dimension: Dimension) -> RunReport:
    return work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "llama:judge")))


def same_again(workbench: Workbench) -> Dimension:
    """A second project with the texts and the checklist of the first."""
    with workbench.database.write() as work:
        project = work.projects.add("Other", Task("summary", "article"))
        dimension = work.projects.add_dimension(project.id, Dimension("coherence", "How the parts fit together."))
        work.texts.add_many(project.id, [replace(text, id=0) for text in work.texts.all(1)])
        small_checklist(work, dimension.id)
    return dimension
