"""Contributors, the samples they read, and their attributes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, func
from sqlalchemy import select as sql_select
from sqlmodel import col, select

from app.domain.attribute import (
    Attribute,
    AttributeStanding,
    AttributeStatus,
    ComparedTexts,
    Contributor,
    ContributorKind,
    ProposedAttribute,
    Sample,
    Transcript,
)
from app.domain.passage import Passage, PassagePart
from app.domain.storable_text import checked_name
from app.errors import ConflictError, InputError
from db.engine import stored_state
from db.models.checklist import PreferenceRow
from db.models.project import DimensionRow, RatingRow, TextRow, VerdictRow
from db.models.run import StageRunRow
from db.models.think_aloud import (
    AttributeRow,
    ContributorRow,
    PassageRow,
    ProposedAttributeRow,
    ThinkAloudSampleRow,
    TranscriptRow,
    written_about,
)
from db.repositories.repository import Query, Repository, columns_of, rows_of, table_of, value_of
from db.repositories.texts import text_value

_ATTRIBUTES, _CONTRIBUTORS, _DIMENSIONS = table_of(AttributeRow), table_of(ContributorRow), table_of(DimensionRow)
_SAMPLES, _TEXTS, _PASSAGES, _PAIRS = (
    table_of(rows) for rows in (ThinkAloudSampleRow, TextRow, PassageRow, PreferenceRow)
)
_DIMENSION_NAMED: Any = bindparam("dimension")
_OF_PROJECT = _DIMENSIONS.c.project_id == bindparam("project")
_CONTRIBUTORS_OF_PROJECT = (
    sql_select(_CONTRIBUTORS).where(_CONTRIBUTORS.c.project_id == bindparam("project")).order_by(_CONTRIBUTORS.c.id)
)
_SAMPLES_OF_DIMENSION = (
    sql_select(_SAMPLES.c.position.label("place"), _SAMPLES.c.score, _SAMPLES.c.chosen_by, _TEXTS)
    .where(_TEXTS.c.id == _SAMPLES.c.text_id, _SAMPLES.c.dimension_id == _DIMENSION_NAMED)
    .order_by(_SAMPLES.c.position)
)
_SAMPLE_COUNTS = (
    sql_select(_SAMPLES.c.dimension_id, func.count(_SAMPLES.c.text_id))
    .where(_DIMENSIONS.c.id == _SAMPLES.c.dimension_id, _OF_PROJECT)
    .group_by(_SAMPLES.c.dimension_id)
)
_ATTRIBUTE_COUNTS = (
    sql_select(_ATTRIBUTES.c.dimension_id, _CONTRIBUTORS.c.kind, func.count(_ATTRIBUTES.c.id))
    .where(_CONTRIBUTORS.c.id == _ATTRIBUTES.c.contributor_id, _DIMENSIONS.c.id == _ATTRIBUTES.c.dimension_id)
    .where(_OF_PROJECT, _ATTRIBUTES.c.status == AttributeStatus.ACTIVE.value)
    .group_by(_ATTRIBUTES.c.dimension_id, _CONTRIBUTORS.c.kind)
)
_PASSAGES_OF_PROJECT = sql_select(_PASSAGES).where(
    _ATTRIBUTES.c.id == _PASSAGES.c.attribute_id, _DIMENSIONS.c.id == _ATTRIBUTES.c.dimension_id, _OF_PROJECT
)
_PAIRS_OF_PROJECT = (
    sql_select(_PAIRS, _TEXTS.c.doc_id)
    .where(_TEXTS.c.id == _PAIRS.c.text_a_id, _DIMENSIONS.c.id == _PAIRS.c.dimension_id, _OF_PROJECT)
    .where(_PAIRS.c.attribute_id.is_not(None))
    .order_by(_PAIRS.c.id.desc())
)


@cache
def _attributes_query(dimension: ColumnElement[int] | None, by_contributor: bool, withdrawn: bool) -> Query:
    """Return the query for a project's attributes, in the order they came. dimension: the column that holds their
    dimension's id; None for attributes of all."""
    said_about = _DIMENSIONS.alias()
    query = (
        sql_select(
            _ATTRIBUTES,
            _CONTRIBUTORS.c.kind,
            _ATTRIBUTES.c.original_text.label("original"),
            _DIMENSIONS.c.name.label("dimension"),
            _CONTRIBUTORS.c.name.label("contributor"),
            said_about.c.name.label("original_dimension"),
        )
        .select_from(
            _ATTRIBUTES.join(_CONTRIBUTORS, _CONTRIBUTORS.c.id == _ATTRIBUTES.c.contributor_id)
            .join(_DIMENSIONS, _DIMENSIONS.c.id == _ATTRIBUTES.c.dimension_id)
            .outerjoin(said_about, said_about.c.id == _ATTRIBUTES.c.original_dimension_id)
        )
        .where(_OF_PROJECT)
        .order_by(_DIMENSIONS.c.position, _ATTRIBUTES.c.id)
    )
    if dimension is not None:
        query = query.where(dimension == _DIMENSION_NAMED)
    if by_contributor:
        query = query.where(_CONTRIBUTORS.c.name == bindparam("contributor"))
    if not withdrawn:
        query = query.where(_ATTRIBUTES.c.status != AttributeStatus.WITHDRAWN.value)
    return query


class ThinkAloud(Repository):
    def contributors(self, project_id: int) -> list[Contributor]:
        return [_contributor(row) for row in rows_of(self._session, _CONTRIBUTORS_OF_PROJECT, project=project_id)]

    def contributor(self, project_id: int, name: str, kind: ContributorKind, model: str = "") -> Contributor:
        """Return the contributor of this name, added if new. A name belongs to one kind."""
        cleaned = name.strip()
        row = self._session.exec(
            select(ContributorRow).where(ContributorRow.project_id == project_id, ContributorRow.name == cleaned)
        ).first()
        if row is None:
            if not model:  # an LLM is called what its provider calls it
                cleaned = checked_name(name, "contributor", "Say who had these thoughts.")
            row = ContributorRow(project_id=project_id, name=cleaned, kind=kind.value, model=model)
            self._add(row)
        elif row.kind != kind.value:
            raise ConflictError(f"“{cleaned}” is already a contributor of the kind {row.kind}.", "Choose another name.")
        return _contributor(row)

    def describe(self, contributor_id: int, role: str, background: str) -> None:
        """Save what an expert says about themselves."""
        row = self._found(ContributorRow, contributor_id, "This contributor is no longer there.")
        row.role, row.background = role.strip(), background.strip()

    def samples(self, dimension_id: int) -> list[Sample]:
        rows = rows_of(self._session, _SAMPLES_OF_DIMENSION, dimension=dimension_id)
        found = [Sample(row.place, text_value(row), row.score, row.chosen_by) for row in rows]
        unrated = [sample.text.id for sample in found if sample.score is None]
        if unrated and self._has_verdicts(dimension_id):  # of experts, which no other expert shall see
            return found
        rated_since = self._mean_ratings(dimension_id, unrated) if unrated else {}
        return [
            replace(sample, score=rated_since.get(sample.text.id)) if sample.score is None else sample
            for sample in found
        ]

    def _has_verdicts(self, dimension_id: int) -> bool:
        query = select(VerdictRow.id).where(VerdictRow.dimension_id == dimension_id).limit(1)
        return self._session.exec(query).first() is not None

    def _mean_ratings(self, dimension_id: int, text_ids: Sequence[int]) -> dict[int, float]:
        rows = self._session.exec(
            select(RatingRow.text_id, func.avg(RatingRow.value))
            .where(RatingRow.dimension_id == dimension_id, col(RatingRow.text_id).in_(text_ids))
            .group_by(col(RatingRow.text_id))
        )
        return {text_id: float(mean) for text_id, mean in rows}

    def sample_counts(self, project_id: int) -> dict[int, int]:
        """Return dimension id -> its number of samples."""
        return dict(map(tuple, rows_of(self._session, _SAMPLE_COUNTS, project=project_id)))

    def set_samples(self, dimension_id: int, chosen: Sequence[tuple[int, float | None, str]]) -> None:
        """Replace a dimension's samples by (text id, score, chosen by), in order."""
        self._session.execute(delete(ThinkAloudSampleRow).where(col(ThinkAloudSampleRow.dimension_id) == dimension_id))
        for position, (text_id, score, chosen_by) in enumerate(chosen, start=1):
            self._session.add(
                ThinkAloudSampleRow(
                    dimension_id=dimension_id, text_id=text_id, position=position, score=score, chosen_by=chosen_by
                )
            )
        self._session.flush()

    def attributes(
        self, project_id: int, dimension_id: int | None = None, contributor: str | None = None, withdrawn: bool = False
    ) -> list[Attribute]:
        """Return attributes in the order they came; of one dimension or one contributor if given.

        withdrawn: with those that only their author may see.
        """
        dimension = None if dimension_id is None else _ATTRIBUTES.c.dimension_id
        query = _attributes_query(dimension, contributor is not None, withdrawn)
        return self._attributes(query, project=project_id, dimension=dimension_id, contributor=contributor)

    def _attributes(self, query: Query, **values: Any) -> list[Attribute]:
        passages, pairs = self._passages(values["project"]), self._pairs(values["project"])
        return [_attribute(row, passages, pairs) for row in rows_of(self._session, query, **values)]

    def _passages(self, project_id: int) -> dict[int, Passage]:
        """Return attribute's id -> the words that prompted it."""
        rows = rows_of(self._session, _PASSAGES_OF_PROJECT, project=project_id)
        return {row.attribute_id: _passage(row) for row in rows}

    def _pairs(self, project_id: int) -> dict[int, ComparedTexts]:
        """Return attribute's id -> the texts of the first pair for which it is the reason."""
        rows = rows_of(self._session, _PAIRS_OF_PROJECT, project=project_id)
        return {row.attribute_id: ComparedTexts(row.text_a_id, row.text_b_id, row.winner, row.doc_id) for row in rows}

    def written_about(self, project_id: int, dimension_id: int, contributor: str) -> list[Attribute]:
        """Return what a contributor wrote about a dimension, in their own order, wherever it was moved since; withdrawn
        attributes too, but none that were moved here."""
        query = _attributes_query(written_about, by_contributor=True, withdrawn=True)
        found = self._attributes(query, project=project_id, dimension=dimension_id, contributor=contributor)
        return sorted(found, key=lambda a: (a.position, a.id))

    def attribute_counts(self, project_id: int) -> dict[tuple[int, ContributorKind], int]:
        """Return (dimension id, kind of contributor) -> number of active attributes."""
        rows = rows_of(self._session, _ATTRIBUTE_COUNTS, project=project_id)
        return {(dimension_id, ContributorKind(kind)): count for dimension_id, kind, count in rows}

    def llms(self, project_id: int) -> list[str]:
        """Return the LLMs that thought aloud, by their newest attribute, the latest first."""
        rows = self._session.exec(
            select(ContributorRow.name)
            .join(AttributeRow, col(AttributeRow.contributor_id) == ContributorRow.id)
            .join(DimensionRow, col(DimensionRow.id) == AttributeRow.dimension_id)
            .where(
                DimensionRow.project_id == project_id,
                ContributorRow.kind == ContributorKind.LLM.value,
                AttributeRow.status != AttributeStatus.WITHDRAWN.value,
            )
            .group_by(col(ContributorRow.id), col(ContributorRow.name))
            .order_by(func.max(AttributeRow.id).desc())
        )
        return list(rows)

    def said_in_stages(self, dimension_id: int) -> dict[int, tuple[int, int]]:
        """Return stage run of the dimension -> (round, number of its attributes, wherever they were moved since)."""
        rows = self._session.exec(
            select(AttributeRow.stage_run_id, func.max(AttributeRow.round), func.count(col(AttributeRow.id)))
            .join(StageRunRow, col(StageRunRow.id) == AttributeRow.stage_run_id)
            .where(StageRunRow.dimension_id == dimension_id)
            .group_by(col(AttributeRow.stage_run_id))
        )
        return {int(stage or 0): (number, count) for stage, number, count in rows}

    def next_round(self, dimension_id: int, contributor_id: int) -> int:
        last = self._session.exec(
            select(func.max(AttributeRow.round)).where(
                AttributeRow.dimension_id == dimension_id, AttributeRow.contributor_id == contributor_id
            )
        ).one()
        return (last or 0) + 1

    def add_attributes(
        self,
        dimension_id: int,
        contributor_id: int,
        texts: Sequence[str],
        round_number: int = 1,
        stage_run_id: int | None = None,
        prompted_by: int | None = None,
        passages: Sequence[Passage | None] = (),
    ) -> list[int]:
        """Add attributes after the contributor's earlier ones on the dimension; return their ids. passages: of the
        texts, in the same order; () for none. A passage of a text also sets what prompted the attribute, over
        `prompted_by`."""
        last = self._session.exec(
            select(func.max(AttributeRow.position)).where(
                written_about == dimension_id, AttributeRow.contributor_id == contributor_id
            )
        ).one()
        first = 0 if last is None else last + 1
        marked = passages or [None] * len(texts)
        rows = [
            AttributeRow(
                dimension_id=dimension_id,
                contributor_id=contributor_id,
                text=text,
                original_text=text,
                round=round_number,
                position=position,
                stage_run_id=stage_run_id,
                prompted_by=(passage and passage.text_id) or prompted_by,
            )
            for position, (text, passage) in enumerate(zip(texts, marked, strict=True), start=first)
        ]
        ids = self._add_all(rows)
        self._session.add_all(
            PassageRow(attribute_id=id_, **columns_of(passage))
            for id_, passage in zip(ids, marked, strict=True)
            if passage
        )
        self._session.flush()
        return ids

    def edit_attribute(self, attribute_id: int, text: str, who: str = "") -> None:
        """Change the wording; the first wording is kept. who: the editor."""
        cleaned = text.strip()
        if not cleaned:
            raise InputError("An attribute can't be empty.", "Exclude it instead.")
        row = self._row(attribute_id)
        row.text, row.reworded_by = cleaned, who

    def set_status(
        self, attribute_id: int, status: AttributeStatus, reason: str = "", merged_into: int | None = None
    ) -> None:
        row = self._row(attribute_id)
        row.status, row.reason, row.merged_into = status.value, reason.strip(), merged_into

    def standing(self, attribute_ids: Sequence[int]) -> dict[int, AttributeStanding]:
        """Return the state of those of these ids that exist, withdrawn ones too, locked until the end of this unit of
        work."""
        found: dict[int, AttributeStanding] = {}
        for start in range(0, len(attribute_ids), 500):
            part = attribute_ids[start : start + 500]
            rows = self._session.exec(select(AttributeRow).where(col(AttributeRow.id).in_(part)).with_for_update())
            found |= {int(row.id or 0): _standing(row) for row in rows}
        return found

    def note_prompt(self, attribute_id: int, text_id: int | None) -> None:
        """Set which sample prompted the attribute; None for none in particular."""
        self._row(attribute_id).prompted_by = text_id

    def reorder(self, attribute_ids: Sequence[int]) -> None:
        """Set the contributor's own order of these attributes."""
        for position, attribute_id in enumerate(attribute_ids):
            self._row(attribute_id).position = position

    def move(self, attribute_id: int, dimension_id: int) -> None:
        """Move the attribute to another dimension of the project; its first dimension is kept.

        Raises InputError for a dimension of another project.
        """
        row = self._row(attribute_id)
        source, target = (self._session.get(DimensionRow, id_) for id_ in (row.dimension_id, dimension_id))
        if source is None or target is None or source.project_id != target.project_id:
            raise InputError("This dimension is not one of the project.", "Choose another.")
        first = row.original_dimension_id or row.dimension_id
        row.original_dimension_id = None if dimension_id == first else first
        row.dimension_id = dimension_id

    def _row(self, attribute_id: int) -> AttributeRow:
        return self._found(AttributeRow, attribute_id, "This attribute is no longer there.")


def _contributor(row: Any) -> Contributor:
    return value_of(Contributor, row, kind=stored_state(ContributorKind, row.kind, ContributorKind.HUMAN))


def _standing(row: AttributeRow) -> AttributeStanding:
    return value_of(AttributeStanding, row, status=stored_state(AttributeStatus, row.status, AttributeStatus.EXCLUDED))


def _attribute(row: Any, passages: Mapping[int, Passage], pairs: Mapping[int, ComparedTexts]) -> Attribute:
    return value_of(
        Attribute,
        row,
        kind=ContributorKind(row.kind),
        status=stored_state(AttributeStatus, row.status, AttributeStatus.EXCLUDED),
        original_dimension=row.original_dimension or "",
        passage=passages.get(row.id),
        pair=pairs.get(row.id),
    )


def _passage(row: Any) -> Passage:
    return value_of(Passage, row, part=stored_state(PassagePart, row.part, PassagePart.TEXT))


class Transcripts(Repository):
    def add(self, dimension_id: int, contributor_id: int, text: str = "", audio: str = "") -> int:
        return self._add(
            TranscriptRow(dimension_id=dimension_id, contributor_id=contributor_id, text=text, audio=audio)
        )

    def save_transcription(self, transcript_id: int, model: str, text: str = "", error: str = "") -> None:
        """Save the result of a recording: its text, or why there is none."""
        row = self._row(transcript_id)
        row.model, row.text, row.error = model, text or row.text, error

    def get(self, transcript_id: int) -> Transcript:
        row = self._row(transcript_id)
        person = self._session.get_one(ContributorRow, row.contributor_id)
        return _transcript(row, person, self._waiting([transcript_id]))

    def of(self, dimension_id: int, expert: str) -> list[Transcript]:
        """Return the transcripts, newest first."""
        rows = self._session.exec(
            select(TranscriptRow, ContributorRow)
            .join(ContributorRow, col(ContributorRow.id) == TranscriptRow.contributor_id)
            .where(TranscriptRow.dimension_id == dimension_id, ContributorRow.name == expert)
            .order_by(col(TranscriptRow.id).desc())
        ).all()
        waiting = self._waiting([int(row.id or 0) for row, _ in rows])
        return [_transcript(row, person, waiting) for row, person in rows]

    def propose(self, transcript_id: int, proposals: Sequence[ProposedAttribute]) -> None:
        """Replace the undecided proposals; accepted and declined ones stay."""
        kept = self._proposals(transcript_id)
        for row in kept:
            if row.attribute_id is None and not row.declined:
                self._session.delete(row)
        decided = {row.words for row in kept if row.attribute_id is not None or row.declined}
        fresh = [proposal for proposal in proposals if proposal.words not in decided]
        for position, one in enumerate(fresh, start=len(kept)):
            self._session.add(
                ProposedAttributeRow(transcript_id=transcript_id, text=one.text, words=one.words, position=position)
            )
        self._session.flush()

    def proposals(self, transcript_id: int) -> list[ProposedAttribute]:
        return [value_of(ProposedAttribute, row) for row in self._proposals(transcript_id)]

    def proposal(self, proposal_id: int) -> tuple[ProposedAttribute, Transcript]:
        row = self._found(ProposedAttributeRow, proposal_id, "This proposal is no longer there.")
        return value_of(ProposedAttribute, row), self.get(row.transcript_id)

    def decide(self, proposal_id: int, attribute_id: int | None, declined: bool) -> None:
        row = self._session.get_one(ProposedAttributeRow, proposal_id)
        row.attribute_id, row.declined = attribute_id, declined

    def _waiting(self, transcript_ids: Sequence[int]) -> dict[int, int]:
        """Return transcript -> number of undecided proposals."""
        rows = self._session.exec(
            select(ProposedAttributeRow.transcript_id, func.count(col(ProposedAttributeRow.id)))
            .where(
                col(ProposedAttributeRow.transcript_id).in_(transcript_ids),
                col(ProposedAttributeRow.attribute_id).is_(None),
                col(ProposedAttributeRow.declined).is_(False),
            )
            .group_by(col(ProposedAttributeRow.transcript_id))
        )
        return dict(rows.all())

    def _proposals(self, transcript_id: int) -> Sequence[ProposedAttributeRow]:
        return self._session.exec(
            select(ProposedAttributeRow)
            .where(ProposedAttributeRow.transcript_id == transcript_id)
            .order_by(col(ProposedAttributeRow.position), col(ProposedAttributeRow.id))
        ).all()

    def _row(self, transcript_id: int) -> TranscriptRow:
        return self._found(TranscriptRow, transcript_id, "This transcript is no longer there.")


def _transcript(row: TranscriptRow, person: ContributorRow, waiting: Mapping[int, int]) -> Transcript:
    return value_of(Transcript, row, expert=person.name, waiting=waiting.get(int(row.id or 0), 0))
