"""Contributors, the samples they read, and their attributes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import delete, func
from sqlalchemy.orm import aliased
from sqlmodel import col, select
from sqlmodel.sql.expression import Select

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
from db.repositories.repository import Repository, columns_of, value_of
from db.repositories.texts import text_value


class ThinkAloud(Repository):
    def contributors(self, project_id: int) -> list[Contributor]:
        rows = self._session.exec(
            select(ContributorRow).where(ContributorRow.project_id == project_id).order_by(col(ContributorRow.id))
        )
        return [_contributor(row) for row in rows]

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
        rows = self._session.exec(
            select(ThinkAloudSampleRow, TextRow)
            .join(TextRow, col(TextRow.id) == ThinkAloudSampleRow.text_id)
            .where(ThinkAloudSampleRow.dimension_id == dimension_id)
            .order_by(col(ThinkAloudSampleRow.position))
        )
        found = [Sample(row.position, text_value(text), row.score, row.chosen_by) for row, text in rows]
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
        rows = self._session.exec(
            select(ThinkAloudSampleRow.dimension_id, func.count(col(ThinkAloudSampleRow.text_id)))
            .join(DimensionRow, col(DimensionRow.id) == ThinkAloudSampleRow.dimension_id)
            .where(DimensionRow.project_id == project_id)
            .group_by(col(ThinkAloudSampleRow.dimension_id))
        )
        return dict(rows.all())

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
        query = self._attributes(project_id, contributor, withdrawn)
        if dimension_id is not None:
            query = query.where(AttributeRow.dimension_id == dimension_id)
        passages, pairs = self._passages(project_id), self._pairs(project_id)
        return [_attribute(*found, passages, pairs) for found in self._session.exec(query)]

    def _passages(self, project_id: int) -> dict[int, Passage]:
        """Return attribute's id -> the words that prompted it."""
        rows = self._session.exec(
            select(PassageRow)
            .join(AttributeRow, col(AttributeRow.id) == PassageRow.attribute_id)
            .join(DimensionRow, col(DimensionRow.id) == AttributeRow.dimension_id)
            .where(DimensionRow.project_id == project_id)
        )
        return {row.attribute_id: _passage(row) for row in rows}

    def _pairs(self, project_id: int) -> dict[int, ComparedTexts]:
        """Return attribute's id -> the texts of the first pair for which it is the reason."""
        rows = self._session.exec(
            select(PreferenceRow, TextRow.doc_id)
            .join(TextRow, col(TextRow.id) == PreferenceRow.text_a_id)
            .join(DimensionRow, col(DimensionRow.id) == PreferenceRow.dimension_id)
            .where(DimensionRow.project_id == project_id, col(PreferenceRow.attribute_id).is_not(None))
            .order_by(col(PreferenceRow.id).desc())
        )
        return {
            int(row.attribute_id or 0): ComparedTexts(row.text_a_id, row.text_b_id, row.winner, document)
            for row, document in rows
        }

    def written_about(self, project_id: int, dimension_id: int, contributor: str) -> list[Attribute]:
        """Return what a contributor wrote about a dimension, in their own order, wherever it was moved since; withdrawn
        attributes too, but none that were moved here."""
        query = self._attributes(project_id, contributor, withdrawn=True).where(written_about == dimension_id)
        passages, pairs = self._passages(project_id), self._pairs(project_id)
        found = [_attribute(*row, passages, pairs) for row in self._session.exec(query)]
        return sorted(found, key=lambda a: (a.position, a.id))

    def _attributes(
        self, project_id: int, contributor: str | None, withdrawn: bool
    ) -> Select[AttributeRow, ContributorRow, DimensionRow, DimensionRow]:
        said_about = aliased(DimensionRow)
        query = (
            select(AttributeRow, ContributorRow, DimensionRow, said_about)
            .join(ContributorRow, col(ContributorRow.id) == AttributeRow.contributor_id)
            .join(DimensionRow, col(DimensionRow.id) == AttributeRow.dimension_id)
            .outerjoin(said_about, col(said_about.id) == AttributeRow.original_dimension_id)
            .where(DimensionRow.project_id == project_id)
            .order_by(col(DimensionRow.position), col(AttributeRow.id))
        )
        if contributor is not None:
            query = query.where(ContributorRow.name == contributor)
        if not withdrawn:
            query = query.where(AttributeRow.status != AttributeStatus.WITHDRAWN.value)
        return query

    def attribute_counts(self, project_id: int) -> dict[tuple[int, ContributorKind], int]:
        """Return (dimension id, kind of contributor) -> number of active attributes."""
        rows = self._session.exec(
            select(AttributeRow.dimension_id, ContributorRow.kind, func.count(col(AttributeRow.id)))
            .join(ContributorRow, col(ContributorRow.id) == AttributeRow.contributor_id)
            .join(DimensionRow, col(DimensionRow.id) == AttributeRow.dimension_id)
            .where(DimensionRow.project_id == project_id, AttributeRow.status == AttributeStatus.ACTIVE.value)
            .group_by(col(AttributeRow.dimension_id), col(ContributorRow.kind))
        )
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
        self._session.add_all(rows)
        self._session.flush()
        ids = [int(row.id or 0) for row in rows]
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


def _contributor(row: ContributorRow) -> Contributor:
    return value_of(Contributor, row, kind=stored_state(ContributorKind, row.kind, ContributorKind.HUMAN))


def _standing(row: AttributeRow) -> AttributeStanding:
    return value_of(AttributeStanding, row, status=stored_state(AttributeStatus, row.status, AttributeStatus.EXCLUDED))


def _attribute(
    row: AttributeRow,
    contributor: ContributorRow,
    dimension: DimensionRow,
    said_about: DimensionRow | None,
    passages: Mapping[int, Passage],
    pairs: Mapping[int, ComparedTexts],
) -> Attribute:
    return value_of(
        Attribute,
        row,
        dimension=dimension.name,
        contributor=contributor.name,
        kind=ContributorKind(contributor.kind),
        status=stored_state(AttributeStatus, row.status, AttributeStatus.EXCLUDED),
        original=row.original_text,
        original_dimension=said_about.name if said_about else "",
        passage=passages.get(int(row.id or 0)),
        pair=pairs.get(int(row.id or 0)),
    )


def _passage(row: PassageRow) -> Passage:
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
