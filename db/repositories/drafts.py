"""Drafts of checklists, and builds."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, select

from app.domain.build import BuildSummary, Revision
from app.domain.checklist import Change, ChecklistStatus, Edit, Kind, QuestionKind, QuestionOrigin, Step
from app.errors import ConflictError, NotFoundError
from db.models.checklist import (
    BuildRevisionRow,
    BuildRow,
    ChecklistChangeRow,
    ChecklistRow,
    ComponentRow,
    QuestionAttributeRow,
    QuestionRow,
)
from db.models.project import DimensionRow
from db.repositories.repository import Repository, rows_of, table_of

_GONE = ("This build is no longer there.", "Choose another, or start a new one.")
_STATES = table_of(BuildRevisionRow)
_STATE = sql_select(_STATES).where(_STATES.c.build_id == bindparam("build"), _STATES.c.number == bindparam("number"))
_NEWEST_STATE = (
    sql_select(_STATES).where(_STATES.c.build_id == bindparam("build")).order_by(_STATES.c.number.desc()).limit(1)
)


class Builds(Repository):
    def add(
        self,
        dimension_id: int,
        condition: str,
        what: str,
        state: Mapping[str, Any],
        study_digest: str = "",
        who: str = "",
    ) -> int:
        """Add a build with its first state; return its id. Builds of studies are found by their digest only."""
        row = BuildRow(dimension_id=dimension_id, condition=condition, study_digest=study_digest)
        build_id = self._add(row)
        self._add(BuildRevisionRow(build_id=build_id, number=1, what=what, who=who, state=dict(state)))
        return build_id

    def set_study_digest(self, build_id: int, digest: str) -> None:
        """Set the digest by which studies find the build."""
        self._row(build_id).study_digest = digest
        self._session.flush()

    def dimension_of(self, build_id: int) -> int:
        return int(self._by_id(BuildRow, build_id, *_GONE).dimension_id)

    def state(self, build_id: int, number: int | None = None) -> tuple[int, dict[str, Any]]:
        """Return (revision, state): the requested one, else the newest."""
        query = _NEWEST_STATE if number is None else _STATE
        rows = rows_of(self._session, query, build=build_id, number=number)
        if not rows:
            raise NotFoundError(*_GONE)
        return rows[0].number, rows[0].state

    def locked_state(self, build_id: int) -> tuple[int, dict[str, Any]]:
        """Return the newest state, locked until the end of this unit of work."""
        self._session.exec(select(BuildRow).where(BuildRow.id == build_id).with_for_update()).one_or_none()
        return self.state(build_id)

    def keep(
        self, build_id: int, what: str, who: str, state: Mapping[str, Any], checklist_id: int | None = None
    ) -> int:
        """Save the next state; return its number."""
        number = self.state(build_id)[0] + 1
        row = BuildRevisionRow(
            build_id=build_id, number=number, what=what, who=who, state=dict(state), checklist_id=checklist_id
        )
        self._add(row)
        return number

    def history(self, build_id: int) -> list[Revision]:
        """Return every step, newest first."""
        row = BuildRevisionRow
        rows = self._session.execute(
            sql_select(col(row.number), col(row.what), col(row.who), col(row.created_at), col(ChecklistRow.version))
            .join(ChecklistRow, col(ChecklistRow.id) == col(row.checklist_id), isouter=True)
            .where(col(row.build_id) == build_id)
            .order_by(col(row.number).desc())
        )
        return [Revision(*step) for step in rows]

    def of_dimension(self, dimension_id: int) -> list[BuildSummary]:
        """Return the dimension's builds, newest first, without those of studies."""
        ours = BuildRow.dimension_id == dimension_id, BuildRow.study_digest == ""
        versions: defaultdict[int, list[int]] = defaultdict(list)
        for build_id, version in self._session.exec(
            select(BuildRow.id, ChecklistRow.version)
            .join(BuildRevisionRow, col(BuildRevisionRow.build_id) == BuildRow.id)
            .join(ChecklistRow, col(ChecklistRow.id) == BuildRevisionRow.checklist_id)
            .where(*ours)
            .order_by(col(ChecklistRow.version))
        ):
            versions[int(build_id or 0)].append(version)
        rows = self._session.exec(select(BuildRow).where(*ours).order_by(col(BuildRow.id).desc()))
        builds = {int(row.id or 0): row for row in rows}
        return [
            BuildSummary(build_id, row.condition, row.created_at, tuple(versions[build_id]))
            for build_id, row in builds.items()
        ]

    def newest(self, project_id: int) -> int | None:
        """Return the project's newest build, of any dimension but of no study; None without one."""
        return self._session.exec(
            select(BuildRow.id)
            .join(DimensionRow, col(DimensionRow.id) == BuildRow.dimension_id)
            .where(DimensionRow.project_id == project_id, BuildRow.study_digest == "")
            .order_by(col(BuildRow.id).desc())
        ).first()

    def of_study(self, dimension_id: int, study_digest: str) -> int | None:
        """Return the newest build that a study made from these inputs; None without one."""
        return self._session.exec(
            select(BuildRow.id)
            .where(BuildRow.dimension_id == dimension_id, BuildRow.study_digest == study_digest)
            .order_by(col(BuildRow.id).desc())
        ).first()

    def last_checklist(self, build_id: int) -> int | None:
        """Return the id of the newest existing version made from the build; None without one."""
        return self._session.exec(
            select(BuildRevisionRow.checklist_id)
            .where(BuildRevisionRow.build_id == build_id, col(BuildRevisionRow.checklist_id).is_not(None))
            .order_by(col(BuildRevisionRow.number).desc())
        ).first()

    def _row(self, build_id: int) -> BuildRow:
        return self._found(BuildRow, build_id, *_GONE)


_QUESTION = (
    *("text", "guidance", "weight", "enabled", "removed", "position"),
    *("origin", "reason", "component_id", "parent_id", "attributes", "may_not_apply", "not_apply_reason"),
    *("must_not", "cap", "grade", "examples"),
)
_COMPONENT = ("name", "description", "position", "removed")
_FIELDS: Mapping[Kind, tuple[str, ...]] = {"question": _QUESTION, "component": _COMPONENT}


def locked_draft(session: Session, checklist_id: int) -> ChecklistRow:
    """Return a draft, locked until the end of the transaction, so that its editors take turns.

    Raises ConflictError if it is published, NotFoundError if it is deleted.
    """
    row = session.get(ChecklistRow, checklist_id, with_for_update=True)
    if row is None:
        raise NotFoundError("This checklist is no longer there.", "Choose another version.")
    if row.status == ChecklistStatus.PUBLISHED.value:
        raise ConflictError(
            f"Version {row.version} is published and stays as it is.", "Start a new draft from it to change it."
        )
    return row


class Drafts(Repository):
    def draft_of(self, kind: Kind, id_: int) -> int:
        """Return the id of the checklist that a question or component belongs to."""
        return self._row(kind, id_).checklist_id

    def change(
        self, checklist_id: int, who: str, what: str, edits: Sequence[Edit], undoes: int | None = None
    ) -> Change | None:
        """Carry out edits as one change of the history; return None if nothing changes."""
        locked_draft(self._session, checklist_id)
        steps = [step for edit in edits if (step := self._step(checklist_id, edit)) is not None]
        if not steps:
            return None
        for step in steps:
            self._write(step.kind, step.id, step.after)
        row = ChecklistChangeRow(
            checklist_id=checklist_id, who=who, what=what, steps=[_stored(step) for step in steps], undoes_id=undoes
        )
        self._add(row)
        return _change(row, frozenset())

    def add_question(self, checklist_id: int, text: str, kind: QuestionKind, position: int) -> int:
        """Add a hidden question: the change that shows it sets `removed` to False, so that it can be undone."""
        row = QuestionRow(
            checklist_id=checklist_id,
            kind=kind.value,
            text=text,
            original_text=text,
            position=position,
            removed=True,
            origin=QuestionOrigin.ADDED.value,
        )
        return self._added(row)

    def add_component(self, checklist_id: int, name: str, position: int) -> int:
        """Add a hidden component, as `add_question`."""
        return self._added(ComponentRow(checklist_id=checklist_id, name=name, position=position, removed=True))

    def history(self, checklist_id: int) -> list[Change]:
        """Return the changes, newest first."""
        rows = self._session.exec(
            select(ChecklistChangeRow)
            .where(ChecklistChangeRow.checklist_id == checklist_id)
            .order_by(col(ChecklistChangeRow.id).desc())
        ).all()
        undone = frozenset(row.undoes_id for row in rows if row.undoes_id is not None)
        return [_change(row, undone) for row in rows]

    def words(self, checklist_id: int) -> dict[tuple[Kind, int], str]:
        """Return the text of each question and the name of each component, removed ones included."""
        questions = select(QuestionRow).where(QuestionRow.checklist_id == checklist_id)
        components = select(ComponentRow).where(ComponentRow.checklist_id == checklist_id)
        found: dict[tuple[Kind, int], str] = {}
        found |= {("question", int(row.id or 0)): row.text for row in self._session.exec(questions)}
        return found | {("component", int(row.id or 0)): row.name for row in self._session.exec(components)}

    def undo(self, checklist_id: int, change: Change, who: str) -> Change | None:
        """Restore what a change replaced. Raises ConflictError if somebody has changed the same again since.

        Positions don't count: an item moved since stays where it is.
        """
        edits = []
        for step in change.steps:
            now = self._values(step.kind, step.id, step.before)
            kept = [field for field in step.before if now[field] == step.after[field]]
            if any(field not in kept for field in step.before if field != "position"):
                raise ConflictError("This was changed again since, so it can't be undone.", "Edit it instead.")
            edits.append(Edit(step.kind, step.id, {field: step.before[field] for field in kept}))
        return self.change(checklist_id, who, f"undid: {change.what}", edits, change.id)

    def _added(self, row: QuestionRow | ComponentRow) -> int:
        locked_draft(self._session, row.checklist_id)
        return self._add(row)

    def _step(self, checklist_id: int, edit: Edit) -> Step | None:
        if self._row(edit.kind, edit.id).checklist_id != checklist_id:
            raise NotFoundError("This belongs to another checklist.", "Reload the page.")
        before = self._values(edit.kind, edit.id, edit.values)
        changed = [field for field, value in edit.values.items() if before[field] != value]
        if not changed:
            return None
        return Step(edit.kind, edit.id, {f: before[f] for f in changed}, {f: edit.values[f] for f in changed})

    def _values(self, kind: Kind, id_: int, fields: Iterable[str]) -> dict[str, Any]:
        row = self._row(kind, id_)
        return {f: self._attributes(id_) if f == "attributes" else getattr(row, f) for f in _known(kind, fields)}

    def _write(self, kind: Kind, id_: int, values: Mapping[str, Any]) -> None:
        row = self._row(kind, id_)
        for field in _known(kind, values):
            if field == "attributes":
                self._relink(id_, values[field])
            else:
                setattr(row, field, values[field])

    def _attributes(self, question_id: int) -> list[int]:
        query = select(QuestionAttributeRow.attribute_id).where(QuestionAttributeRow.question_id == question_id)
        return list(self._session.exec(query.order_by(col(QuestionAttributeRow.id))))

    def _relink(self, question_id: int, attributes: Sequence[int]) -> None:
        query = select(QuestionAttributeRow).where(QuestionAttributeRow.question_id == question_id)
        for link in self._session.exec(query).all():
            self._session.delete(link)
        self._session.flush()
        self._session.add_all(QuestionAttributeRow(question_id=question_id, attribute_id=id_) for id_ in attributes)
        self._session.flush()

    def _row(self, kind: Kind, id_: int) -> QuestionRow | ComponentRow:
        gone = f"This {kind} is no longer there."
        return self._found(QuestionRow, id_, gone) if kind == "question" else self._found(ComponentRow, id_, gone)


def _known(kind: Kind, fields: Iterable[str]) -> list[str]:
    found = list(fields)
    unknown = [field for field in found if field not in _FIELDS[kind]]
    if unknown:
        raise KeyError(f"a {kind} has no field {unknown[0]}")
    return found


def _stored(step: Step) -> dict[str, Any]:
    return {"kind": step.kind, "id": step.id, "before": dict(step.before), "after": dict(step.after)}


def _change(row: ChecklistChangeRow, undone: frozenset[int]) -> Change:
    steps = tuple(Step(step["kind"], step["id"], step["before"], step["after"]) for step in row.steps)
    return Change(int(row.id or 0), row.who, row.what, steps, row.created_at, row.undoes_id, row.id in undone)
