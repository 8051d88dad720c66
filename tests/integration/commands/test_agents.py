"""The tools for agents, through the official client: they read, judge and propose, and decide nothing."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from app.commands.agents import MOST_TEXTS, AgentTools
from app.domain.attribute import ContributorKind
from app.domain.checklist import ChecklistStatus, ProposalStatus
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.checklists.checklists import new_draft, versions_of
from app.services.checklists.question_proposals import open_proposals
from app.services.data.projects import list_projects
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.settings import settings
from tests.support.console import Run
from tests.support.projects import ready_to_score
from tests.support.repository import ROOT

PLACE = {"project": "Ready", "dimension": "coherence"}
TOOLS = {
    "list_checklists",
    "read_checklist",
    "judge_texts",
    "read_results",
    "propose_attributes",
    "propose_wording",
}


@pytest.fixture
def bench() -> Workbench:
    workbench = open_workbench()
    ready_to_score(workbench)
    return workbench


def asked(bench: Workbench, folder: Path, work: Callable[[Client], Awaitable[Any]], **more: Any) -> Any:
    """What an official client does with the tools."""

    async def session() -> Any:
        tools = AgentTools(bench, "rules", "agent", folder / "answers.db", **more)
        async with Client(tools.server()) as client:
            return await work(client)

    return asyncio.run(session())


async def said(client: Client, tool: str, **arguments: Any) -> Any:
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    return json.loads(found.content[0].text)


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Why; the call must fail."""
    try:
        found = await client.call_tool(tool, arguments)
    except MCPError as error:
        return str(error)
    assert found.is_error, found.content
    return str(found.content[0].text)


def test_an_agent_lists_reads_and_judges(bench: Workbench, tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        assert await said(client, "list_checklists") == [
            {"project": "Ready", "dimensions": [{"dimension": "coherence", "version": 1}]}
        ]
        checklist = await said(client, "read_checklist", **PLACE)
        assert (checklist["rubric"], len(checklist["questions"])) == ("How the parts fit together.", 3)
        assert set(checklist["questions"][0]) == {"text", "component", "guidance", "weight", "may_not_apply"}
        texts = [{"id": "a", "text": "It began. Then it ended.", "source": "How it went."}, {"text": "Nothing."}]
        judged = await said(client, "judge_texts", **PLACE, texts=texts)
        assert [text["id"] for text in judged["texts"]] == ["a", "2"]
        assert all(len(text["answers"]) == 3 and text["answers"][0]["reason"] for text in judged["texts"])
        assert (judged["judge"], judged["checklist"]["version"]) == ("rules", 1)

    asked(bench, tmp_path, work)
    assert [project.name for project in list_projects(bench)] == ["Ready"]
    with bench.database.read() as saved:
        assert (saved.texts.count(1), saved.runs.all()) == (12, [])


def test_an_agent_reads_results_as_the_person_sees_them(bench: Workbench, tmp_path: Path) -> None:
    with bench.database.read() as saved:
        dimension = saved.projects.dimension(1, "coherence")
    run = start_run(bench, 1, RunOptions((dimension,), "rules"))
    work_on(bench, run)

    async def work(client: Client) -> None:
        (result,) = await said(client, "read_results", project="Ready")
        assert (result["run"], result["dimension"], result["scored"]) == (run, "coherence", 12)
        assert set(result["spearman"]) >= {"value", "low", "high"}
        assert "99" in await refused(client, "read_results", project="Ready", run=99)

    asked(bench, tmp_path, work)


def test_what_an_agent_proposes_is_an_llms_and_stays_open(bench: Workbench, tmp_path: Path) -> None:
    before = versions_of(bench, 1)[0]
    draft = new_draft(bench, before.id)
    question = draft.asked[0].text

    async def work(client: Client) -> None:
        more = {"kind": "human", "contributor": "Ana", "who": "Ana"}
        added = await said(client, "propose_attributes", **PLACE, attributes=["Names are kept."], **more)
        assert (added["contributor"], added["kind"], added["added"]) == ("agent", "llm", 1)
        change = {"question": question, "wording": "Is every part in place?", "reason": "Plainer."}
        assert (await said(client, "propose_wording", **PLACE, **change, status="accepted"))["status"] == "open"
        assert await refused(client, "propose_wording", **PLACE, **change | {"question": "Is it?"})
        assert await refused(client, "propose_wording", **PLACE, **change | {"wording": question})

    asked(bench, tmp_path, work)
    (attribute,) = attributes_of(bench, 1)
    assert (attribute.contributor, attribute.kind, attribute.text) == ("agent", ContributorKind.LLM, "Names are kept.")
    (proposal,) = open_proposals(bench, draft.id)
    assert (proposal.model, proposal.status, proposal.decided_by) == ("agent", ProposalStatus.OPEN, "")
    now = {each.version: each for each in versions_of(bench, 1)}
    assert now[1].status is ChecklistStatus.PUBLISHED
    assert (now[2].status, now[2].asked[0].text) == (ChecklistStatus.DRAFT, question)


NO_TOOLS = (
    *("publish", "publish_checklist", "checklist_publish", "accept_proposal", "decide", "disagreements_decide"),
    *("answer", "answers_import", "delete_project", "edit_question", "score", "add_attributes"),
)


def test_to_decide_publish_or_answer_is_no_tool(bench: Workbench, tmp_path: Path, subtests: pytest.Subtests) -> None:
    async def work(client: Client) -> None:
        for tool in NO_TOOLS:
            with subtests.test(tool=tool):
                assert await refused(client, tool, **PLACE, version=1, proposal_id=1, answer="yes", who="Ana")

    asked(bench, tmp_path, work)


def test_an_agent_takes_no_persons_name(bench: Workbench, tmp_path: Path) -> None:
    add_attributes(bench, 1, "agent", ContributorKind.HUMAN, ["The end fits."])

    async def work(client: Client) -> None:
        assert "agent" in await refused(client, "propose_attributes", **PLACE, attributes=["Mine."])

    asked(bench, tmp_path, work)
    assert [each.text for each in attributes_of(bench, 1)] == ["The end fits."]


def test_an_agent_sees_no_draft(bench: Workbench, tmp_path: Path) -> None:
    new_draft(bench, versions_of(bench, 1)[0].id)

    async def work(client: Client) -> None:
        assert (await said(client, "list_checklists"))[0]["dimensions"][0]["version"] == 1
        assert (await said(client, "read_checklist", **PLACE))["version"] == 1
        assert await refused(client, "read_checklist", **PLACE, version=2)
        assert await refused(client, "judge_texts", **PLACE, version=2, texts=[{"text": "A."}])

    asked(bench, tmp_path, work)


BAD_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("judge_texts", {"texts": []}),
    ("judge_texts", {"texts": [{"text": "A."}] * (MOST_TEXTS + 1)}),
    ("judge_texts", {"texts": [{"text": ""}]}),
    ("propose_attributes", {"attributes": ["x" * 10_000]}),
    ("propose_attributes", {"attributes": []}),
    ("read_checklist", {"dimension": "warmth"}),
    ("read_checklist", {"project": "Nowhere"}),
)


def test_a_bad_call_is_refused_with_a_sentence(bench: Workbench, tmp_path: Path, subtests: pytest.Subtests) -> None:
    async def work(client: Client) -> None:
        for number, (tool, arguments) in enumerate(BAD_CALLS):
            with subtests.test(number=number):
                assert "Traceback" not in await refused(client, tool, **PLACE | arguments)

    asked(bench, tmp_path, work)


def test_judging_stops_at_the_budget(bench: Workbench, tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        assert "$0" in await refused(client, "judge_texts", **PLACE, texts=[{"text": "A."}])

    asked(bench, tmp_path, work, budget=0.0)


def test_without_the_sdk_the_command_says_what_to_install(
    run: Run, bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    status, out, err = run("mcp")
    assert (status, out) == (2, "")
    assert "[mcp]" in err


@pytest.mark.long
def test_the_command_serves_over_stdio(bench: Workbench, tmp_path: Path) -> None:
    program = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from app.cli import run; run()", "mcp"],
        env={"INTERACTEVAL_HOME": str(settings().home), "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )

    async def session() -> None:
        async with Client(program) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
            judged = await said(client, "judge_texts", **PLACE, texts=[{"text": "It began. Then it ended."}])
            assert len(judged["texts"]) == 1

    asyncio.run(session())
