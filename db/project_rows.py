"""The rows of a project, and their ids in another database."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import ColumnElement, ForeignKey, Table, and_, false, or_, select
from sqlmodel import SQLModel

from db.models.people import ApiTokenRow, AuditLogRow, InvitationRow, MembershipRow, PersonRow, SignInRow
from db.models.project import (
    CountedUploadRow,
    ImportReportRow,
    JobFileBlockRow,
    JobFileRow,
    JobRow,
    ProjectRow,
    StagedRatingRow,
    StagedTextRow,
    TextImportRow,
    WorkerRow,
)
from db.models.run import CallIntentRow, CallUseRow, ModelCallRow, ScoringRunRow

_TABLES = SQLModel.metadata.tables
PROJECT = _TABLES[ProjectRow.__tablename__]
_CALLS, _USES = _TABLES[ModelCallRow.__tablename__], _TABLES[CallUseRow.__tablename__]
_RUNS = _TABLES[ScoringRunRow.__tablename__]
# What has been read of files whose import is not done yet: it becomes a project's, or goes. And work of this very
# moment, with those who do it, what they are told of it, and how much they sent today.
_UNDER_WAY = {
    row.__tablename__
    for row in (
        CallIntentRow,
        TextImportRow,
        StagedTextRow,
        StagedRatingRow,
        JobRow,
        WorkerRow,
        JobFileRow,
        JobFileBlockRow,
        ImportReportRow,
        CountedUploadRow,
    )
}

_TRAIL = _TABLES[AuditLogRow.__tablename__]  # it stays when its project goes, so that none owns it
# Who comes in where is the server's: a project that is taken to another one lets nobody in there.
PEOPLE = frozenset(row.__tablename__ for row in (PersonRow, MembershipRow, InvitationRow, SignInRow, ApiTokenRow))


def tables() -> Iterator[Table]:
    """Yield all tables with data that people made, each after those that it refers to."""
    for table in SQLModel.metadata.sorted_tables:
        if table.name not in _UNDER_WAY:
            yield table


def of_project(table: Table, project_id: int) -> ColumnElement[bool]:
    """Return the condition for a project's rows; in the ledger also the replies it uses that another project paid
    for."""
    if table.name in PEOPLE:
        return false()
    if table is _TRAIL:
        return table.c.project_id == project_id
    if table is PROJECT:
        return table.c.id == project_id
    if table is _CALLS:
        runs = select(_RUNS.c.id).where(_RUNS.c.project_id == project_id)
        used = select(_USES.c.digest).where(_USES.c.project_id == project_id)
        rests_on = and_(table.c.digest.in_(used), table.c.error_kind == "", table.c.usable)
        return or_(table.c.project_id == project_id, table.c.run_id.in_(runs), rests_on)
    key = owner(table)
    if key is None:
        return false()
    above = key.column.table
    return key.parent.in_(select(above.c.id).where(of_project(above, project_id)))


def owner(table: Table) -> ForeignKey | None:
    """Return the foreign key to the owning row, which each row of the table is deleted with; None without one."""
    keys = (key for key in table.foreign_keys if key.ondelete == "CASCADE" and not key.parent.nullable)
    return min(keys, key=lambda key: key.parent.name, default=None)


Ids = Mapping[str, Mapping[int, int]]
"""Table -> id in the other database -> id in this one."""
Replace = Callable[[Any, Ids], Any]


def no_ids(value: Any, _: Ids) -> Any:
    return value


def ids_of(table: str) -> Replace:
    """Return a function that maps a list of ids; ids of deleted rows are dropped."""
    return lambda value, ids: [ids[table][id_] for id_ in value if id_ in ids[table]]


def build_state(state: dict[str, Any], ids: Ids) -> dict[str, Any]:
    """Return a build's state with the ids of attributes and of recorded calls mapped; components and questions have
    their own numbers."""
    attributes = ids["attribute"]

    def unit(name: str) -> str:
        stage, _, item = name.partition("/")
        return f"{stage}/{_id(attributes, int(item))}" if stage == "clusters" and item else name

    def placement(entry: dict[str, Any]) -> dict[str, Any]:
        offered = entry["offered"]
        return {
            **entry,
            "attribute": _id(attributes, entry["attribute"]),
            "offered": placement(offered) if offered is not None else None,
        }

    def question(entry: dict[str, Any]) -> dict[str, Any]:
        return {**entry, "attributes": [_id(attributes, id_) for id_ in entry["attributes"]]}

    return {
        **state,
        "placements": [placement(entry) for entry in state["placements"]],
        "key_questions": [question(entry) for entry in state["key_questions"]],
        "sub_questions": [question(entry) for entry in state["sub_questions"]],
        "made_from": {unit(name): digest for name, digest in state["made_from"].items()},
        "runs": {stage: ids_of("stage_run")(runs, ids) for stage, runs in state["runs"].items()},
    }


def change_steps(steps: list[dict[str, Any]], ids: Ids) -> list[dict[str, Any]]:
    """Return a change's steps with the ids of the changed things mapped, and those among the values before and
    after."""
    tables = {"component_id": "component", "parent_id": "question"}

    def values(fields: dict[str, Any]) -> dict[str, Any]:
        found = {}
        for name, value in fields.items():
            if name == "attributes":
                found[name] = ids_of("attribute")(value, ids)
            elif name in tables and value is not None:
                found[name] = _id(ids[tables[name]], value)
            else:
                found[name] = value
        return found

    return [
        {
            **step,
            "id": _id(ids[step["kind"]], step["id"]),
            "before": values(step["before"]),
            "after": values(step["after"]),
        }
        for step in steps
    ]


def run_params(params: dict[str, Any], ids: Ids) -> dict[str, Any]:
    """Return a run's parameters with mapped ids: of dimensions (how each is asked and from which runs answers are taken
    over), of a study's, and of anchors."""
    dimensions, found = ids["dimension"], dict(params)
    if "asked_as" in params:
        found["asked_as"] = {str(_id(dimensions, int(one))): digest for one, digest in params["asked_as"].items()}
    if "answers_from" in params:
        runs = ids_of("scoring_run")
        found["answers_from"] = {
            str(_id(dimensions, int(one))): runs(taken, ids) for one, taken in params["answers_from"].items()
        }
    if "study_choices" in params:
        chosen = params["study_choices"]
        found["study_choices"] = {**chosen, "dimensions": ids_of("dimension")(chosen.get("dimensions", []), ids)}
    if params.get("anchors"):
        found["anchors"] = _id(ids["anchor_set"], params["anchors"])
    return found


def frozen_answers(answers: list[list[Any]], ids: Ids) -> list[list[Any]]:
    """Return text, question and answer of each anchor, with mapped ids."""
    return [[_id(ids["text"], text), _id(ids["question"], question), said] for text, question, said in answers]


def pairs_of_texts(pairs: list[list[int]], ids: Ids) -> list[list[int]]:
    return [[_id(ids["text"], text) for text in pair] for pair in pairs]


def _id(known: Mapping[int, int], old: int) -> int:
    """Return the new id; for a deleted row a number below 0, where no row is."""
    return known.get(old, -abs(old))


PLACES: Mapping[tuple[str, str], Replace] = {
    ("anchor_look", "figures"): no_ids,
    ("anchor_set", "answers"): frozen_answers,
    ("anchor_set", "texts"): ids_of("text"),
    ("build_revision", "state"): build_state,
    ("checklist_change", "steps"): change_steps,
    ("locked_look", "runs"): ids_of("scoring_run"),
    ("model_call", "logprobs"): no_ids,
    ("model_call", "rationales"): no_ids,
    ("pair_draw", "pairs"): pairs_of_texts,
    ("project", "human_systems"): no_ids,
    ("question", "examples"): no_ids,
    ("question_improvement", "beside"): no_ids,
    ("question_improvement", "decisions"): ids_of("decision"),
    ("question_improvement", "examples"): no_ids,
    ("question_improvement", "proof"): no_ids,
    ("question_improvement", "proof_texts"): ids_of("text"),
    ("question_improvement", "tried"): no_ids,
    ("question_proposal", "after"): no_ids,
    ("question_proposal", "before"): no_ids,
    ("question_proposal", "sources"): ids_of("question"),
    ("room", "texts"): ids_of("text"),
    ("run_dimension", "excluded_docs"): no_ids,
    ("run_dimension", "excluded_texts"): ids_of("text"),
    ("score", "details"): no_ids,
    ("scoring_run", "params"): run_params,
    ("side_by_side", "llms"): no_ids,
    ("side_by_side", "people"): no_ids,
    ("stage_run", "inputs"): no_ids,  # as they were asked, with numbers of the prompt's own
    ("text", "extra"): no_ids,
    ("text", "references"): no_ids,
}
