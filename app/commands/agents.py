"""mcp: tools for agents over stdio. Agents read, judge and propose; only people decide, publish and answer."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel, Field

from app.commands.shared import open_workbench, say
from app.domain.attribute import ContributorKind
from app.domain.project import Dimension, Text
from app.domain.roles_and_rights import Actor, Membership, Role
from app.errors import BudgetError, UnsupportedError, WorkbenchError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from app.services.checklists.checklists import ChecklistView
    from app.services.runtime.workbench import Workbench

MOST_TEXTS, MOST_ATTRIBUTES = 100, 50
LONGEST_TEXT, LONGEST_LINE = 100_000, 2_000
_INSTRUCTIONS = (
    "Checklists of yes/no questions that people built, and what judges scored with them. You can read checklists and "
    "results, judge texts, and propose attributes and wordings. What you propose is marked as an LLM's; people decide "
    "about it. Nothing here decides, publishes, or answers for a person."
)

Name = Annotated[str, Field(max_length=200)]
Line = Annotated[str, Field(min_length=1, max_length=LONGEST_LINE)]


class TextToJudge(BaseModel):
    """A text, its name, and its source."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT)
    id: str = Field(default="", max_length=200)
    source: str = Field(default="", max_length=LONGEST_TEXT)


def mcp(
    judge: Annotated[str, typer.Option(help="The judge that agents may ask: provider:name, or rules.")] = "rules",
    budget: Annotated[
        float | None, typer.Option(help="US dollars that judging may cost until the server ends; no limit without it.")
    ] = None,
    as_: Annotated[
        str, typer.Option("--as", help="Under which name an agent's proposals are kept, as an LLM's.")
    ] = "agent",
) -> None:
    """Serve tools for agents over stdio (Model Context Protocol): read checklists and results, judge texts, propose.

    Start it from the agent's configuration. An agent can't decide, publish or speak for a person.

    Example: interacteval mcp --judge openai:gpt-6-luna --budget 1
    """
    with TemporaryDirectory(prefix="interacteval-") as folder:
        tools = AgentTools(open_workbench(), judge, as_, Path(folder) / "answers.db", budget)
        try:
            server = tools.server()
        except ImportError:
            raise UnsupportedError(
                "The SDK of the Model Context Protocol isn't installed.",
                "Install it with: pip install 'interacteval-workbench[mcp]'",
            ) from None
        say("Serving agents over stdio")
        server.run("stdio")


class AgentTools:
    """The tools for an agent. cache: the file with the answers of this session. budget: US dollars for all judging,
    None for no limit."""

    def __init__(self, workbench: "Workbench", judge: str, name: str, cache: Path, budget: float | None = None) -> None:
        self._workbench = workbench
        self._judge = judge
        self._name = name
        self._cache = cache
        self._budget = budget
        self._spent = 0.0

    def server(self) -> "MCPServer":
        """Return the MCP server with the tools. Raises ImportError without the SDK."""
        from mcp.server.mcpserver import MCPServer

        from app import __version__

        server = MCPServer("interacteval", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")
        for tool in (
            self.list_checklists,
            self.read_checklist,
            self.judge_texts,
            self.read_results,
            self.propose_attributes,
            self.propose_wording,
        ):
            server.tool(structured_output=False)(tool)
        return server

    async def list_checklists(self) -> str:
        """List every project with its dimensions and the published version of each checklist (null for none)."""
        return await _answered(self._list_checklists)

    async def read_checklist(self, project: Name, dimension: Name, version: int | None = None) -> str:
        """Return a published checklist: rubric, scale and questions. Without a version, the newest."""
        return await _answered(lambda: self._read(project, dimension, version))

    async def judge_texts(
        self,
        project: Name,
        dimension: Name,
        texts: Annotated[list[TextToJudge], Field(min_length=1, max_length=MOST_TEXTS)],
        version: int | None = None,
    ) -> str:
        """Judge texts with a published checklist: each text's score, answers and reasons. The texts aren't stored in a
        project."""
        return await _answered(lambda: self._judged(project, dimension, texts, version))

    async def read_results(self, project: Name, run: int | None = None) -> str:
        """Return how well the scores of runs agree with people, with 95 % intervals."""
        return await _answered(lambda: self._results(project, run))

    async def propose_attributes(
        self,
        project: Name,
        dimension: Name,
        attributes: Annotated[list[Line], Field(min_length=1, max_length=MOST_ATTRIBUTES)],
    ) -> str:
        """Add attributes to look for when judging this dimension, as an LLM's; people decide which become questions."""
        return await _answered(lambda: self._attributes(project, dimension, attributes))

    async def propose_wording(self, project: Name, dimension: Name, question: Line, wording: Line, reason: Line) -> str:
        """Propose another wording of a question of the newest draft, named by its present wording; a person decides."""
        return await _answered(lambda: self._wording(project, dimension, question, wording, reason))

    def _reading(self) -> "Workbench":
        """Return a workbench that may read every project and change nothing."""

        from app.services.data.projects import list_projects

        readers = {project.id: Membership(Role.READER, self._name) for project in list_projects(self._workbench)}
        return replace(self._workbench, actor=Actor(name=self._name, memberships=readers))

    def _list_checklists(self) -> list[dict[str, Any]]:
        from app.services.checklists.checklists import versions_of
        from app.services.data.projects import dimensions_named, list_projects

        reading = self._reading()
        return [
            {
                "project": project.name,
                "dimensions": [
                    {
                        "dimension": dimension.name,
                        "version": next((each.version for each in versions_of(reading, dimension.id)), None),
                    }
                    for dimension in dimensions_named(reading, project.name, "all")
                ],
            }
            for project in list_projects(self._workbench)
        ]

    def _dimension(self, project: str, dimension: str) -> "Dimension":
        from app.services.data.projects import one_dimension

        return one_dimension(self._reading(), project, dimension)

    def _published(self, project: str, dimension: str, version: int | None) -> "ChecklistView":
        from app.services.checklists.checklists import view_checklist

        return view_checklist(self._reading(), self._dimension(project, dimension).id, version)

    def _read(self, project: str, dimension: str, version: int | None) -> dict[str, Any]:
        from app.services.checklists.checklist_files import checklist_for_programs

        return checklist_for_programs(self._published(project, dimension, version))

    def _judged(self, project: str, dimension: str, texts: list[TextToJudge], version: int | None) -> dict[str, Any]:
        from app.services.checklists.checklist_files import export_file
        from app.services.scoring.judged_texts import Judging, TextFile, judge_texts, private_workbench

        view = self._published(project, dimension, version)
        file = export_file(self._reading(), view, "json")
        left = None if self._budget is None else self._budget - self._spent
        if left is not None and left <= 0:
            raise BudgetError(f"The ${self._budget:g} for judging are used up.", "Ask the person for more.")
        names = [each.id or f"{number}" for number, each in enumerate(texts, start=1)]
        asked = TextFile(
            tuple(
                Text(f"text-{number}", each.text, item_id=name, source=each.source)
                for number, (name, each) in enumerate(zip(names, texts, strict=True), start=1)
            )
        )
        with private_workbench(self._cache) as private:
            judging = Judging(self._judge, (("reasons", "yes"),), budget=left)
            found = judge_texts(private, asked, file, "checklist.json", judging)
        self._spent += found.cost_usd or 0.0
        if found.report.fatal is not None:
            raise found.report.fatal
        return found.to_json()

    def _results(self, project: str, run: int | None) -> list[dict[str, Any]]:
        from app.services.data.projects import get_project
        from app.services.results.results import results_of, runs_to_show

        reading = self._reading()
        runs = runs_to_show(reading, get_project(reading, project).id, None if run is None else [run])
        return [found.to_json() for each in runs for found in results_of(reading, each)]

    def _attributes(self, project: str, dimension: str, attributes: list[str]) -> dict[str, Any]:
        from app.services.attributes.attributes import add_attributes

        place = self._dimension(project, dimension)
        added = add_attributes(self._workbench, place.id, self._name, ContributorKind.LLM, attributes)
        return {"contributor": self._name, "kind": "llm", "added": len(added), "attributes": added}

    def _wording(self, project: str, dimension: str, question: str, wording: str, reason: str) -> dict[str, Any]:
        from app.services.checklists.question_proposals import propose_wording

        place = self._dimension(project, dimension)
        proposal = propose_wording(self._workbench, place.id, question, wording, reason, self._name)
        return {"question": proposal.before[0], "proposed": proposal.after[0], "status": proposal.status.value}


async def _answered(work: Callable[[], Any]) -> str:
    """Return the result of the work as JSON. It runs in a thread, because it may take long. An error of ours becomes
    the tool's error message; other errors are reported without details."""
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        return json.dumps(await asyncio.to_thread(work), ensure_ascii=False)
    except WorkbenchError as error:
        raise ToolError(error.in_full) from None
