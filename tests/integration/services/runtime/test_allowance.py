"""What a server gives each project and each person a month: kept by all who spend at once, and said in words."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select, update

from app.domain.model_call import RecordedCall
from app.domain.project import Task
from app.domain.roles_and_rights import Role
from app.errors import BudgetError, InputError
from app.providers import budget
from app.providers.credentials import Credentials
from app.services.background.progress import Progress, as_given, kind_named
from app.services.background.runner import next_job
from app.services.data.projects import create_project, get_project
from app.services.runtime.backups import WriterLock
from app.services.runtime.models import test_model as ask_once_more
from app.services.runtime.spending import allowance_left, allowances_left, monthly_budgets
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, get_run, start_run, work_on
from app.services.scoring.scoring_jobs import begin_scoring
from app.services.think_aloud.llm_think_aloud import ask_models
from app.settings import settings
from db.models.run import ModelCallRow
from tests.support.fake_llm.behaviour import Answer, Behaviour, Tokens, all_yes
from tests.support.fake_llm.server import FakeLlm, Received, Usual
from tests.support.projects import ready_to_score, workbench_at

KNOWN, UNKNOWN = "openai:gpt-4o", "llama:judge"
TEXT = (400 * 2.5 + 600 * 1.25 + 50 * 10) / 1e6
"""US dollars that a text costs."""
Monthly = Callable[..., None]


@pytest.fixture
def usual() -> Usual:
    return Answer(all_yes, tokens=Tokens(input=1000, cached=600, output=50))


@pytest.fixture
def workbench(tmp_path: Path, llm: FakeLlm) -> Iterator[Workbench]:
    made = workbench_at(tmp_path, f"{llm.url}/v1", ("openai", "llama"))
    yield made
    made.database.close()


@pytest.fixture
def monthly(monkeypatch: pytest.MonkeyPatch) -> Iterator[Monthly]:
    """Sets what the server gives each project and each person."""

    def given(project: str = "", person: str = "") -> None:
        monkeypatch.setenv("INTERACTEVAL_PROJECT_BUDGET", project)
        monkeypatch.setenv("INTERACTEVAL_PERSON_BUDGET", person)
        settings.cache_clear()

    yield given
    settings.cache_clear()


def as_(bench: Workbench, name: str, role: Role = Role.FACILITATOR, owner: bool = False) -> Workbench:
    """Somebody who has signed in, with this role in every project there is."""
    with bench.database.write() as work:
        person = work.people.find("invite", name) or work.people.add("invite", name, name, owner)
        for project in work.projects.all():
            work.people.join(person.id, project.id, role, name)
        return replace(bench, actor=work.people.actor(person.id))


def left_of(bench: Workbench, model: str = KNOWN, project: int | None = 1) -> float | None:
    purse = allowance_left(bench, model, project)
    return None if purse is None else purse.left


def test_what_the_server_gives_a_project_a_month_is_kept(workbench: Workbench, monthly: Monthly) -> None:
    dimension = ready_to_score(workbench, texts=6)
    monthly("0.01")
    report = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), KNOWN)), concurrency=1)
    assert isinstance(report.fatal, BudgetError)
    assert "What the server gives this project a month is reached" in report.run.message
    assert "or ask the server's owner for more" in report.run.message
    assert 0 < report.run.done <= 4
    monthly("0.005")
    (answer,) = ask_models(workbench, get_project(workbench, "Ready"), [dimension], [KNOWN])
    assert "has used up the $0.01 that the server gives it a month" in answer.error
    monthly("1")
    again = work_on(workbench, report.run.id)
    assert (again.run.done, again.tally.calls) == (6, 6 - report.run.done)


def test_what_it_gives_a_person_counts_over_all_projects_and_is_nobody_else_s(
    workbench: Workbench, monthly: Monthly
) -> None:
    dimension = ready_to_score(workbench, texts=6)
    create_project(workbench, "Other", Task("summary", "article"))
    fay, gus = as_(workbench, "Fay"), as_(workbench, "Gus")
    monthly(person="0.01")
    report = work_on(fay, start_run(fay, 1, RunOptions((dimension,), KNOWN)), concurrency=1)
    assert "What the server gives Fay a month is reached" in report.run.message
    assert 0 < report.run.done <= 4
    monthly(person="0.005")
    with pytest.raises(BudgetError, match=r"Fay has used up the .* each person a month, over all projects\. Use a key"):
        allowance_left(fay, KNOWN, 2)
    assert left_of(gus) == 0.005
    assert left_of(workbench) is None
    monthly(person="1")
    assert work_on(gus, report.run.id).run.done == 6
    assert left_of(fay) == pytest.approx(1 - report.run.done * TEXT)
    assert left_of(gus) == pytest.approx(1 - (6 - report.run.done) * TEXT)


def test_the_tighter_of_both_binds_and_says_which_it_is(workbench: Workbench, monthly: Monthly) -> None:
    dimension = ready_to_score(workbench, texts=4)
    fay = as_(workbench, "Fay")
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), KNOWN)))  # of the project, and nobody's own
    monthly(project="0.02", person="0.015")
    (purse,) = allowances_left(fay, 1, [KNOWN, KNOWN])
    assert (purse.whose, purse.left) == ("What the server gives this project a month", pytest.approx(0.02 - 4 * TEXT))
    monthly(project="0.03", person="0.015")
    (purse,) = allowances_left(fay, 1, [KNOWN])
    assert (purse.whose, purse.left) == ("What the server gives Fay a month", 0.015)
    assert left_of(workbench) == pytest.approx(0.03 - 4 * TEXT)


def test_a_test_of_the_connection_is_its_person_s(workbench: Workbench, monthly: Monthly) -> None:
    ready_to_score(workbench)
    fay = as_(workbench, "Fay")
    monthly(person="1")
    asyncio.run(ask_once_more(fay, KNOWN))
    assert left_of(fay, project=None) == pytest.approx(1 - TEXT)


def test_whoever_runs_the_server_spends_as_nobody(workbench: Workbench, monthly: Monthly) -> None:
    ready_to_score(workbench)
    monthly(person="0")
    olga = as_(workbench, "Olga", owner=True)
    assert left_of(olga) is None
    asyncio.run(ask_once_more(olga, KNOWN))
    with workbench.database.read() as work:
        assert work._session.exec(select(ModelCallRow.person_id)).all() == [None]


def test_what_a_worker_does_is_paid_by_whoever_began_it(workbench: Workbench, monthly: Monthly) -> None:
    dimension = ready_to_score(workbench, texts=4)
    fay = as_(workbench, "Fay")
    monthly(person="1")
    with workbench.database.write() as work:
        work.jobs.worker_seen("elsewhere|1")
    (run,) = begin_scoring(fay, 1, RunOptions((dimension,), KNOWN))
    found = next_job(workbench, lock := WriterLock())
    assert found is not None
    on_behalf, job = found
    kind = kind_named(job.kind)
    kind.work(on_behalf, as_given(kind, job.params), Progress(workbench.database, job.id, lock.name))
    assert get_run(workbench, run).done == 4
    assert left_of(fay) == pytest.approx(1 - 4 * TEXT)


def test_what_others_spend_meanwhile_is_gone_for_a_run_under_way(
    workbench: Workbench, monthly: Monthly, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process spends all the rest for the same person while the run waits for its second reply."""
    dimension = ready_to_score(workbench, texts=4)
    fay = as_(workbench, "Fay")
    run = start_run(fay, 1, RunOptions((dimension,), KNOWN))
    monthly(person="0.02")
    monkeypatch.setattr(budget, "LOOK_SECONDS", 0.0)
    plain = llm.usual

    def meanwhile(_: Received) -> Behaviour:
        if len(llm.requests) == 2:
            with workbench.database.write() as work:
                work.calls.add([RecordedCall("d", KNOWN, "p@1", "p", cost_usd=0.0199, person=fay.actor.person)])
        assert not callable(plain)
        return plain

    llm.usual = meanwhile
    report = work_on(fay, run, concurrency=1)
    assert isinstance(report.fatal, BudgetError)
    assert "Fay has used up" in report.run.message
    assert (report.run.done, len(llm.requests)) == (2, 2)


def test_a_paid_reply_is_kept_though_whoever_asked_is_gone(workbench: Workbench) -> None:
    """Somebody turned out to be another while their work went on."""
    ready_to_score(workbench)
    fay, gus = as_(workbench, "Fay"), as_(workbench, "Gus")
    assert fay.actor.person is not None
    assert gus.actor.person is not None
    calls = [RecordedCall(one, KNOWN, "p@1", "p", cost_usd=1.0, person=fay.actor.person) for one in ("a", "b")]
    with workbench.database.write() as work:
        work.calls.add(calls[:1])
        work.people.merge_into(fay.actor.person, gus.actor.person)
        work.calls.add(calls[1:])
    with workbench.database.read() as work:
        found = work._session.exec(select(ModelCallRow.digest, ModelCallRow.person_id)).all()
    assert sorted(found) == [("a", gus.actor.person), ("b", None)]


def test_a_key_of_ones_own_and_a_model_without_a_key_have_no_allowance(workbench: Workbench, monthly: Monthly) -> None:
    monthly("0")
    ready_to_score(workbench)
    assert left_of(workbench, UNKNOWN) is None
    assert left_of(workbench, project=None) is None
    with pytest.raises(BudgetError, match="used up"):
        allowance_left(workbench, KNOWN, 1)
    with pytest.raises(BudgetError, match="is unknown, and this server gives each project"):
        allowance_left(workbench, "openai:made-up", 1)
    typed = Credentials.from_settings(settings(), {"openai": "sk-own"})
    assert typed.of("openai").typed
    assert left_of(replace(workbench, credentials=typed)) is None
    monthly(person="0")
    ana = as_(workbench, "Ana", Role.EXPERT)
    with pytest.raises(BudgetError, match="gives each person"):
        allowance_left(ana, "openai:made-up", 1)
    with pytest.raises(BudgetError, match=r"over all projects\. Ask the server's owner for more\.$"):
        allowance_left(ana, KNOWN, 1)
    assert left_of(replace(ana, credentials=typed)) is None


@pytest.mark.parametrize("variable", ["INTERACTEVAL_PROJECT_BUDGET", "INTERACTEVAL_PERSON_BUDGET"])
@pytest.mark.parametrize("written", ["abc", "-1", "inf", "nan"])
def test_what_is_no_amount_is_a_sentence(monthly: Monthly, variable: str, written: str) -> None:
    monthly(**{"project" if "PROJECT" in variable else "person": written})
    with pytest.raises(InputError, match=f"{variable} is “{written}”"):
        monthly_budgets()


def test_last_months_calls_are_gone_and_none_makes_up_for_another(workbench: Workbench, monthly: Monthly) -> None:
    dimension = ready_to_score(workbench, texts=4)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), KNOWN)))
    monthly("0.02")
    assert left_of(workbench) == pytest.approx(0.02 - 4 * TEXT)
    # A project's file brings its ledger, whatever stands there; nothing makes up for what was paid.
    with workbench.database.write() as work:
        first = select(ModelCallRow.id).limit(1)
        work._session.execute(update(ModelCallRow).where(col(ModelCallRow.id).in_(first)).values(cost_usd=-100.0))
    assert left_of(workbench) == pytest.approx(0.02 - 3 * TEXT)
    with workbench.database.write() as work:
        for row in work._session.exec(select(ModelCallRow)):
            row.created_at -= timedelta(days=40)
    assert left_of(workbench) == 0.02
