"""Answers of models at the stages of think-alouds, builds and methods, and what people wrote in their place."""

from collections.abc import Sequence

from sqlalchemy import func
from sqlmodel import Session, col, select

from app.domain.run import StageRun
from db.models import DimensionRow, StageRunRow


class StageRuns:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, dimension_id: int, stage: StageRun, checklist_id: int | None = None) -> int:
        row = StageRunRow(
            dimension_id=dimension_id,
            checklist_id=checklist_id,
            stage=stage.stage,
            model=stage.model,
            prompt=stage.prompt,
            prompt_digest=stage.prompt_digest,
            inputs_digest=stage.inputs_digest,
            inputs=dict(stage.inputs),
            output=stage.output,
            input_tokens=stage.input_tokens,
            cached_tokens=stage.cached_tokens,
            output_tokens=stage.output_tokens,
            error_kind=stage.error_kind,
            error=stage.error,
        )
        self._session.add(row)
        self._session.flush()
        return int(row.id or 0)

    def answered(self, dimension_id: int, stage: str, model: str) -> int:
        """How often the model answered at this stage of the dimension."""
        query = select(func.count(col(StageRunRow.id))).where(
            StageRunRow.dimension_id == dimension_id,
            StageRunRow.stage == stage,
            StageRunRow.model == model,
            StageRunRow.error_kind == "",
        )
        return self._session.exec(query).one()

    def last_models(self, project_id: int, stages: Sequence[str]) -> list[str]:
        """Those that answered at one of these stages of the project, each once, the one asked last first."""
        of_project = select(DimensionRow.id).where(DimensionRow.project_id == project_id)
        query = (
            select(StageRunRow.model)
            .where(
                col(StageRunRow.dimension_id).in_(of_project),
                col(StageRunRow.stage).in_(stages),
                StageRunRow.error_kind == "",
            )
            .group_by(col(StageRunRow.model))
            .order_by(func.max(StageRunRow.id).desc())
        )
        return list(self._session.exec(query))

    def length_of_answers(
        self, stage: str, model: str = "", project_id: int | None = None, other_than: str = ""
    ) -> tuple[int, int]:
        """How many answers at this stage there are, and their characters together: of one model, else of all but one,
        in one project, else in all. Tokens don't tell: what was answered in a batch counts none here."""
        row = StageRunRow
        query = select(func.count(col(row.id)), func.coalesce(func.sum(func.length(row.output)), 0)).where(
            row.stage == stage, row.error_kind == "", row.model != other_than
        )
        if model:
            query = query.where(row.model == model)
        if project_id is not None:
            of_project = select(DimensionRow.id).where(DimensionRow.project_id == project_id)
            query = query.where(col(row.dimension_id).in_(of_project))
        count, characters = self._session.exec(query).one()
        return count, int(characters)

    def of(self, dimension_id: int, checklist_id: int | None = None) -> list[StageRun]:
        """Oldest first; those of one checklist, else all of the dimension."""
        query = select(StageRunRow).where(StageRunRow.dimension_id == dimension_id)
        if checklist_id is not None:
            query = query.where(StageRunRow.checklist_id == checklist_id)
        return [_stage(row) for row in self._session.exec(query.order_by(col(StageRunRow.id)))]


def _stage(row: StageRunRow) -> StageRun:
    return StageRun(
        stage=row.stage,
        model=row.model,
        prompt=row.prompt,
        prompt_digest=row.prompt_digest,
        inputs_digest=row.inputs_digest,
        inputs=row.inputs,
        output=row.output,
        input_tokens=row.input_tokens,
        cached_tokens=row.cached_tokens,
        output_tokens=row.output_tokens,
        error_kind=row.error_kind,
        error=row.error,
        created_at=row.created_at,
        id=int(row.id or 0),
    )
