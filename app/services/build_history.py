"""The newest build of a checklist read back from its records: what each stage was given and what it made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.construction.pipeline import STAGES
from app.domain.attribute import Attribute
from app.domain.checklist import Checklist
from app.domain.condition import of_condition
from app.domain.run import StageRun
from app.errors import WorkbenchError
from app.providers.json_schema import UnreadableAnswerError, parse_object
from app.services.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Made:
    """A heading and what stands under it, for example a component and its questions. `note` explains the heading."""

    heading: str
    lines: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Revision:
    """What validation did with some questions: `after` is "" where it dropped them."""

    before: tuple[str, ...]
    after: str
    reason: str

    @property
    def changed(self) -> bool:
        return self.before != (self.after,)


@dataclass(frozen=True, slots=True)
class StageView:
    """One stage. `run` is None where the build ended before it."""

    stage: str
    run: StageRun | None = None
    made: tuple[Made, ...] = ()
    revisions: tuple[Revision, ...] = ()


@dataclass(frozen=True, slots=True)
class Build:
    """The newest build. `checklist` is what it made, None where a stage failed."""

    stages: tuple[StageView, ...]
    checklist: Checklist | None

    @property
    def failed(self) -> StageRun | None:
        return next((view.run for view in self.stages if view.run is not None and view.run.error_kind), None)


@dataclass(frozen=True, slots=True)
class AttributeChanges:
    """How the attributes of a checklist's condition differ from those it was built from, counted."""

    added: int = 0
    gone: int = 0
    reworded: int = 0

    @property
    def any(self) -> bool:
        return bool(self.added or self.gone or self.reworded)


def newest_build(workbench: Workbench, dimension_id: int) -> Build | None:
    """None where nothing was built yet. Failed attempts count: what they did is on record too."""
    with workbench.database.read() as work:
        runs = _last_attempt(work.runs.stages(dimension_id))
        if not runs:
            return None
        made = {run.id for run in runs}
        checklist = next(
            (
                version
                for version in work.checklists.versions(dimension_id)
                if made & {run.id for run in work.runs.stages(dimension_id, version.id)}
            ),
            None,
        )
    by_stage = {run.stage: run for run in runs}
    return Build(tuple(_view(stage.value, by_stage.get(stage.value)) for stage in STAGES), checklist)


def attribute_changes(
    workbench: Workbench, project_id: int, dimension_id: int, checklist: Checklist
) -> AttributeChanges:
    """What was added, excluded or reworded since; nothing for a checklist that came from a file."""
    with workbench.database.read() as work:
        root, runs = checklist, work.runs.stages(dimension_id, checklist.id)
        while not runs and root.parent is not None:
            root = work.checklists.get(root.parent)
            runs = work.runs.stages(dimension_id, root.id)
        attributes = work.think_aloud.attributes(project_id, dimension_id)
    read = next((run.inputs for run in runs if run.stage == STAGES[0].value), None)
    if read is None:
        return AttributeChanges()
    used = {id_ for component in root.components for id_ in component.attributes}
    used |= {dropped.attribute for dropped in root.dropped}
    now = {a.id: a.text for a in _of(attributes, root.condition)}
    wordings = {entry["text"] for entry in read["attributes"]}
    return AttributeChanges(
        added=len(now.keys() - used),
        gone=len(used - now.keys()),
        reworded=sum(1 for id_ in now.keys() & used if now[id_] not in wordings),
    )


def _of(attributes: Sequence[Attribute], condition: str) -> list[Attribute]:
    try:
        return of_condition(attributes, condition)
    except WorkbenchError:  # a single contributor whose attributes are all excluded by now
        return []


def _last_attempt(runs: Sequence[StageRun]) -> list[StageRun]:
    """A build writes its stages down together and in order: the last attempt starts at the last first stage."""
    order = {stage.value: position for position, stage in enumerate(STAGES)}
    attempt: list[StageRun] = []
    for run in runs:
        if run.stage not in order:
            continue
        if attempt and order[run.stage] <= order[attempt[-1].stage]:
            attempt = []
        attempt.append(run)
    return attempt


def _view(stage: str, run: StageRun | None) -> StageView:
    if run is None or run.error_kind:
        return StageView(stage, run)
    try:
        answer = parse_object(run.output)
    except UnreadableAnswerError:  # an answer from elsewhere than a build: its text is still shown
        return StageView(stage, run)
    if stage == "validation":
        return StageView(stage, run, revisions=tuple(_revisions(run.inputs, answer)))
    return StageView(stage, run, made=tuple(_READERS[stage](run.inputs, answer)))


def _components(_: Mapping[str, Any], answer: Mapping[str, Any]) -> list[Made]:
    return [Made(entry["name"], note=entry["description"]) for entry in answer["components"]]


def _clusters(inputs: Mapping[str, Any], answer: Mapping[str, Any]) -> list[Made]:
    texts = {entry["id"]: entry["text"] for entry in inputs["attributes"]}
    placed: dict[int, list[str]] = {}
    for cluster in answer["clusters"]:
        placed.setdefault(cluster["component"], []).extend(texts[number] for number in cluster["attributes"])
    return [Made(entry["name"], tuple(placed.get(entry["id"], ()))) for entry in inputs["components"]]


def _questions(inputs: Mapping[str, Any], answer: Mapping[str, Any]) -> list[Made]:
    written: dict[int, list[str]] = {}
    for entry in answer["questions"]:
        written.setdefault(entry["component"], []).append(entry["question"])
    return [
        Made(entry["name"], tuple(written.get(entry["id"], ())), entry.get("key_question", ""))
        for entry in inputs["components"]
    ]


_READERS = {
    "components": _components,
    "clusters": _clusters,
    "key-questions": _questions,
    "sub-questions": _questions,
}


def _revisions(inputs: Mapping[str, Any], answer: Mapping[str, Any]) -> list[Revision]:
    texts = {entry["id"]: entry["question"] for entry in inputs["questions"]}
    kept = [
        Revision(tuple(texts[number] for number in dict.fromkeys(entry["sources"])), entry["question"], entry["reason"])
        for entry in answer["questions"]
    ]
    used = {number for entry in answer["questions"] for number in entry["sources"]}
    dropped = [entry for entry in answer["dropped"] if entry["question"] not in used]
    return kept + [Revision((texts[entry["question"]],), "", entry["reason"]) for entry in dropped]
