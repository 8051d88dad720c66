"""Experts' answers, assignments, and anchors with frozen answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import bindparam, func, insert
from sqlalchemy import select as sql_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, delete, select

from app.domain.checklist import unchanged_questions
from app.domain.checklist_score import Answer
from app.domain.expert_answer import (
    AnchorLook,
    AnchorSet,
    AnswerDesign,
    AnswerDraw,
    AnswerWave,
    ExpertAnswer,
    PairDraw,
    Preference,
    Winner,
)
from app.domain.expert_answer import SideBySide as Comparison
from app.domain.project import Scope, TextPlace
from db.engine import stored_state
from db.models.checklist import (
    AnswerChanceRow,
    AnswerDrawRow,
    AnswerDrawTextRow,
    AnswerWaveRow,
    ChecklistRow,
    ExpertAnswerRow,
    PairDrawRow,
    PreferenceRow,
    SideBySideAnswerRow,
    SideBySideRow,
)
from db.models.columns import now
from db.models.project import DimensionRow, TextRow
from db.models.run import AnchorLookRow, AnchorSetRow
from db.models.think_aloud import AttributeRow, ContributorRow, written_about
from db.repositories.checklists import OF_EXPERTS, ancestors_of, read_checklists
from db.repositories.held_out_split import within
from db.repositories.repository import Repository, grouped, rows_of, table_of, value_of

_DRAWS, _WAVE, _DRAWN = table_of(AnswerDrawRow), table_of(AnswerWaveRow).c, table_of(AnswerDrawTextRow).c
_DRAW_OF_CHECKLIST = sql_select(_DRAWS).where(_DRAWS.c.checklist_id == bindparam("checklist"))
_CHECKLIST = table_of(ChecklistRow).c
_NEWEST_DRAW = (
    sql_select(_DRAWS)
    .where(_CHECKLIST.id == _DRAWS.c.checklist_id, _CHECKLIST.dimension_id == bindparam("dimension"), OF_EXPERTS)
    .order_by(_CHECKLIST.version.desc())
    .limit(1)
)
_WAVES = sql_select(table_of(AnswerWaveRow)).where(_WAVE.draw_id == bindparam("draw")).order_by(_WAVE.number)
_DRAWN_TEXTS = (
    sql_select(_DRAWN.wave, _DRAWN.text_id).where(_DRAWN.draw_id == bindparam("draw")).order_by(_DRAWN.wave, _DRAWN.id)
)


class Anchors(Repository):
    def sets(self, dimension_id: int) -> list[AnchorSet]:
        """Return the sets of anchors, newest first."""
        rows = self._session.exec(
            select(AnchorSetRow).where(AnchorSetRow.dimension_id == dimension_id).order_by(col(AnchorSetRow.id).desc())
        )
        return [_set(row) for row in rows]

    def freeze(
        self,
        dimension_id: int,
        checklist_id: int,
        texts: Sequence[int],
        answers: Mapping[tuple[int, int], Answer],
        digest: str,
        who: str,
    ) -> AnchorSet:
        row = AnchorSetRow(
            dimension_id=dimension_id,
            checklist_id=checklist_id,
            texts=list(texts),
            answers=[[text, question, answer.value] for (text, question), answer in answers.items()],
            digest=digest,
            frozen_by=who,
        )
        self._add(row)
        return _set(row)

    def looks(self, set_id: int) -> list[AnchorLook]:
        """Return references and looks, in the order they were begun."""
        rows = self._session.exec(
            select(AnchorLookRow).where(AnchorLookRow.set_id == set_id).order_by(col(AnchorLookRow.id))
        )
        return [_look(row) for row in rows]

    def begin(self, set_id: int, run_id: int, judge: str, against: str, is_reference: bool) -> AnchorLook:
        row = AnchorLookRow(set_id=set_id, run_id=run_id, judge=judge, against=against, is_reference=is_reference)
        self._add(row)
        return _look(row)

    def conclude(self, look_id: int, figures: Mapping[str, Any], verdict: str) -> AnchorLook:
        row = self._session.get_one(AnchorLookRow, look_id)
        row.figures, row.verdict = dict(figures), verdict
        self._session.flush()
        return _look(row)


def _set(row: AnchorSetRow) -> AnchorSet:
    answers = {(text, question): Answer(answer) for text, question, answer in row.answers}
    return value_of(AnchorSet, row, answers=answers)


def _look(row: AnchorLookRow) -> AnchorLook:
    return value_of(AnchorLook, row, at=row.looked_at)


@dataclass(frozen=True, slots=True)
class _EarlierDraw:
    """A draw of the earlier version with the number `version`. `same`: ids of its unchanged questions -> ids in this
    version."""

    draw: int
    version: int
    same: Mapping[int, int]


class ExpertAnswers(Repository):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._earlier_draws: dict[int, list[_EarlierDraw]] = {}
        self._rows: dict[tuple[int, int, int], dict[int, ExpertAnswerRow]] = {}  # draw, contributor, text -> question

    def draw_of(self, checklist_id: int) -> AnswerDraw | None:
        rows = rows_of(self._session, _DRAW_OF_CHECKLIST, checklist=checklist_id)
        return self._draw(rows[0]) if rows else None

    def newest_draw(self, dimension_id: int) -> AnswerDraw | None:
        """Return the draw of the newest version that has one, which experts answer now."""
        rows = rows_of(self._session, _NEWEST_DRAW, dimension=dimension_id)
        return self._draw(rows[0]) if rows else None

    def draw(self, draw_id: int) -> AnswerDraw:
        return self._draw(self._by_id(AnswerDrawRow, draw_id, "These texts are no longer drawn for experts."))

    def add_draw(self, checklist_id: int, seed: int, stratified: bool) -> int:
        """Add a draw without texts; return its id."""
        self._earlier_draws.clear()
        return self._add(AnswerDrawRow(checklist_id=checklist_id, seed=seed, stratified=stratified))

    def add_wave(
        self,
        draw_id: int,
        texts: Sequence[int],
        chances: Mapping[int, float],
        *,
        design: AnswerDesign,
        seed: int,
        tau: float,
    ) -> AnswerDraw:
        """Add a wave of `texts` to a draw; `chances` are of every text that this wave could have drawn."""
        number = 1 + len(self.draw(draw_id).waves)
        wave = AnswerWaveRow(draw_id=draw_id, number=number, design=design, seed=seed, tau=tau)
        self._session.add(wave)
        self._session.add_all(AnswerDrawTextRow(draw_id=draw_id, text_id=text, wave=number) for text in texts)
        self._session.flush()
        rows = [{"wave_id": wave.id, "text_id": text, "chance": chance} for text, chance in chances.items()]
        if rows:
            self._session.execute(insert(AnswerChanceRow), rows)
        return self.draw(draw_id)

    def chances(self, draw_id: int) -> list[dict[int, float]]:
        """Return, for each wave, text id -> its chance in that wave; {} for a wave without recorded chances."""
        numbers = select(AnswerWaveRow.number).where(AnswerWaveRow.draw_id == draw_id)
        found: dict[int, dict[int, float]] = {number: {} for number in self._session.exec(numbers)}
        rows = self._session.exec(
            select(AnswerWaveRow.number, AnswerChanceRow.text_id, AnswerChanceRow.chance)
            .join(AnswerWaveRow, col(AnswerWaveRow.id) == AnswerChanceRow.wave_id)
            .where(AnswerWaveRow.draw_id == draw_id)
        )
        for number, text, chance in rows:
            found[number][text] = chance
        return [found[number] for number in sorted(found)]

    def remove_draw(self, draw_id: int) -> None:
        self._earlier_draws.clear()
        self._rows.clear()
        self._session.exec(delete(AnswerDrawRow).where(col(AnswerDrawRow.id) == draw_id))

    def drawn_texts(self, project_id: int) -> set[int]:
        """Return every text drawn for experts in this project, for any dimension and version."""
        return set(
            self._session.exec(
                select(AnswerDrawTextRow.text_id)
                .join(AnswerDrawRow, col(AnswerDrawRow.id) == AnswerDrawTextRow.draw_id)
                .join(ChecklistRow, col(ChecklistRow.id) == AnswerDrawRow.checklist_id)
                .join(DimensionRow, col(DimensionRow.id) == ChecklistRow.dimension_id)
                .where(DimensionRow.project_id == project_id)
            )
        )

    def of(self, draw_id: int, contributor_id: int | None = None) -> list[ExpertAnswer]:
        """Return one expert's answers, else everybody's, in the order they were first given.

        An answer to an earlier version counts if the question is unchanged and the text was drawn again, unless the
        expert answered it in this version or one between.
        """
        own = self.given_to(draw_id, contributor_id)
        earlier = self._earlier(draw_id)
        if not earlier:
            return own
        texts = set(self.draw(draw_id).texts)
        known = {(one.expert, one.text, one.question) for one in own}
        carried: list[list[ExpertAnswer]] = []
        for before in earlier:
            found = [
                replace(one, question=before.same[one.question], from_version=before.version)
                for one in self.given_to(before.draw, contributor_id)
                if one.question in before.same and one.text in texts
            ]
            carried.append([one for one in found if (one.expert, one.text, one.question) not in known])
            known |= {(one.expert, one.text, one.question) for one in carried[-1]}
        return [one for found in reversed(carried) for one in found] + own

    def given_to(self, draw_id: int, contributor_id: int | None = None) -> list[ExpertAnswer]:
        """Return answers as `of`, only those given in this version."""
        query = (
            select(ExpertAnswerRow, ContributorRow.name)
            .join(ContributorRow, col(ContributorRow.id) == ExpertAnswerRow.contributor_id)
            .where(ExpertAnswerRow.draw_id == draw_id)
            .order_by(col(ExpertAnswerRow.id))
        )
        if contributor_id is not None:
            query = query.where(ExpertAnswerRow.contributor_id == contributor_id)
        return [
            ExpertAnswer(name, row.text_id, row.question_id, Answer(row.answer) if row.answer else None, row.note)
            for row, name in self._session.exec(query)
        ]

    def _earlier(self, draw_id: int) -> list[_EarlierDraw]:
        """Return the draws of earlier versions with an unchanged question, the nearest version first."""
        if draw_id not in self._earlier_draws:
            self._earlier_draws[draw_id] = self._read_earlier(self.draw(draw_id).checklist)
        return self._earlier_draws[draw_id]

    def _read_earlier(self, checklist_id: int) -> list[_EarlierDraw]:
        ancestors = ancestors_of(self._session, checklist_id)
        drawn = select(AnswerDrawRow).where(col(AnswerDrawRow.checklist_id).in_(ancestors))
        draws = {row.checklist_id: int(row.id or 0) for row in self._session.exec(drawn)} if ancestors else {}
        if not draws:
            return []
        rows = self._session.exec(select(ChecklistRow).where(col(ChecklistRow.id).in_([checklist_id, *draws]))).all()
        versions = {one.id: one for one in read_checklists(self._session, rows)}
        found = []
        for ancestor in (id_ for id_ in ancestors if id_ in draws):
            same = unchanged_questions(versions[ancestor].asked, versions[checklist_id].asked)
            if same:
                found.append(_EarlierDraw(draws[ancestor], versions[ancestor].version, same))
        return found

    def inherit_draw(self, checklist_id: int) -> tuple[int, int] | None:
        """Draw for this version the texts of the nearest earlier one with answers to an unchanged question.

        Waves and chances stay the same. Returns (earlier draw, new draw); None without such a version, or if this one
        has a draw.
        """
        before = None if self.draw_of(checklist_id) else self._answered_before(checklist_id)
        return (before.draw, self._copy_draw(before.draw, checklist_id)) if before else None

    def answered_version(self, checklist_id: int) -> int | None:
        """Return the number of the version whose draw `inherit_draw` would take; None without one."""
        before = self._answered_before(checklist_id)
        return before.version if before else None

    def _answered_before(self, checklist_id: int) -> _EarlierDraw | None:
        for before in self._read_earlier(checklist_id):
            if any(one.answer is not None and one.question in before.same for one in self.of(before.draw)):
                return before
        return None

    def _copy_draw(self, draw_id: int, checklist_id: int) -> int:
        draw = self.draw(draw_id)
        made = self.add_draw(checklist_id, draw.seed, draw.stratified)
        for wave, chances in zip(draw.waves, self.chances(draw_id), strict=True):
            self.add_wave(made, wave.texts, chances, design=wave.design, seed=wave.seed, tau=wave.tau)
        return made

    def state(self, draw_id: int) -> tuple[object, ...]:
        """Return a value that changes with every answer or note that counts, and with experts' names."""
        draws = [draw_id, *(before.draw for before in self._earlier(draw_id))]
        counted = col(ExpertAnswerRow.draw_id).in_(draws)
        saved = select(func.count(col(ExpertAnswerRow.id)), func.max(ExpertAnswerRow.saved_at)).where(counted)
        names = (
            select(ContributorRow.id, ContributorRow.name)
            .where(col(ContributorRow.id).in_(select(ExpertAnswerRow.contributor_id).where(counted)))
            .order_by(col(ContributorRow.id))
        )
        return (*self._session.exec(saved).one(), *(tuple(row) for row in self._session.exec(names)))

    def answer(self, draw_id: int, contributor_id: int, text_id: int, question_id: int, answer: Answer | None) -> None:
        row = self._row(draw_id, contributor_id, text_id, question_id)
        row.answer, row.saved_at = answer.value if answer else "", now()

    def note(self, draw_id: int, contributor_id: int, text_id: int, question_id: int, note: str) -> None:
        row = self._row(draw_id, contributor_id, text_id, question_id)
        row.note, row.saved_at = note, now()

    def _row(self, draw_id: int, contributor_id: int, text_id: int, question_id: int) -> ExpertAnswerRow:
        """Return the row of the answer to change, created if missing. The rows of a text are read together."""
        about = draw_id, contributor_id, text_id
        if about not in self._rows:
            with self._session.no_autoflush:  # new rows are about other texts: all are written together
                found = self._session.exec(
                    select(ExpertAnswerRow).where(
                        ExpertAnswerRow.draw_id == draw_id,
                        ExpertAnswerRow.contributor_id == contributor_id,
                        ExpertAnswerRow.text_id == text_id,
                    )
                )
                self._rows[about] = {row.question_id: row for row in found}
        rows = self._rows[about]
        if question_id not in rows:
            row = ExpertAnswerRow(
                draw_id=draw_id, contributor_id=contributor_id, text_id=text_id, question_id=question_id
            )
            self._take_over(row)
            self._session.add(row)
            rows[question_id] = row
        return rows[question_id]

    def _take_over(self, row: ExpertAnswerRow) -> None:
        """Copy the expert's answer and note from an earlier version, so that changing one keeps the other."""
        for before in self._earlier(row.draw_id):
            same = [old for old, new in before.same.items() if new == row.question_id]
            found = self._session.exec(
                select(ExpertAnswerRow).where(
                    ExpertAnswerRow.draw_id == before.draw,
                    ExpertAnswerRow.contributor_id == row.contributor_id,
                    ExpertAnswerRow.text_id == row.text_id,
                    col(ExpertAnswerRow.question_id).in_(same),
                )
            ).first()
            if found:
                row.answer, row.note = found.answer, found.note
                return

    def _draw(self, row: Any) -> AnswerDraw:
        texts = grouped(rows_of(self._session, _DRAWN_TEXTS, draw=row.id))
        waves = tuple(
            value_of(AnswerWave, wave, texts=tuple(texts.get(wave.number, ())))
            for wave in rows_of(self._session, _WAVES, draw=row.id)
        )
        of_all = tuple(text for wave in waves for text in wave.texts)
        return value_of(AnswerDraw, row, texts=of_all, waves=waves)


class SideBySideComparisons(Repository):
    def add(
        self, dimension_id: int, contributor_id: int, people_are_a: bool, people: Sequence[str], llms: Sequence[str]
    ) -> None:
        self._add(
            SideBySideRow(
                dimension_id=dimension_id,
                contributor_id=contributor_id,
                people_are_a=people_are_a,
                people=list(people),
                llms=list(llms),
            )
        )

    def of(self, dimension_id: int) -> list[Comparison]:
        """Return every expert's comparison, in the order they began."""
        rows = self._session.exec(
            select(SideBySideRow, ContributorRow)
            .join(ContributorRow, col(ContributorRow.id) == SideBySideRow.contributor_id)
            .where(SideBySideRow.dimension_id == dimension_id)
            .order_by(col(SideBySideRow.id))
        )
        return [self._comparison(row, person) for row, person in rows]

    def get(self, comparison_id: int) -> Comparison:
        row = self._row(comparison_id)
        return self._comparison(row, self._session.get_one(ContributorRow, row.contributor_id))

    def answer(self, comparison_id: int, question: str, text: str) -> None:
        row = self._session.exec(
            select(SideBySideAnswerRow).where(
                SideBySideAnswerRow.side_by_side_id == comparison_id, SideBySideAnswerRow.question == question
            )
        ).first()
        if row is None:
            row = SideBySideAnswerRow(side_by_side_id=comparison_id, question=question)
            self._session.add(row)
        row.text, row.saved_at = text, now()
        self._session.flush()

    def reveal(self, comparison_id: int) -> None:
        row = self._row(comparison_id)
        row.revealed_at = row.revealed_at or now()

    def _row(self, comparison_id: int) -> SideBySideRow:
        return self._found(SideBySideRow, comparison_id, "This comparison is no longer there.")

    def _comparison(self, row: SideBySideRow, person: ContributorRow) -> Comparison:
        answers = self._session.exec(
            select(SideBySideAnswerRow).where(SideBySideAnswerRow.side_by_side_id == int(row.id or 0))
        )
        return value_of(
            Comparison,
            row,
            expert=person.name,
            answers={answer.question: answer.text for answer in answers},
            outside=not self._wrote_before(row),
        )

    def _wrote_before(self, row: SideBySideRow) -> bool:
        """Return whether the expert had written on the dimension by then, even if that was moved since."""
        found = select(AttributeRow.id).where(
            AttributeRow.contributor_id == row.contributor_id,
            written_about == row.dimension_id,
            col(AttributeRow.created_at) <= row.created_at,
        )
        return self._session.exec(found.limit(1)).first() is not None


class Preferences(Repository):
    """People's preferences on pairs of texts."""

    def add_many(self, dimension_id: int, preferences: Sequence[Preference]) -> None:
        """Add preferences; none of them may exist."""
        rows: list[dict[str, Any]] = [
            {
                "dimension_id": dimension_id,
                "text_a_id": one.a.id,
                "text_b_id": one.b.id,
                "rater": one.rater,
                "winner": one.winner.value,
                "reason": one.reason,
                "attribute_id": one.attribute,
                "created_at": now(),
            }
            for one in preferences
        ]
        if rows:
            self._session.execute(insert(PreferenceRow), rows)

    def of(self, dimension_id: int) -> list[Preference]:
        """Return preferences in the order they came, without those of a text in a held-out split."""
        a, b = aliased(TextRow), aliased(TextRow)
        columns: list[Any] = [PreferenceRow, DimensionRow.name, *_place_columns(a), *_place_columns(b)]
        rows = self._session.execute(
            sql_select(*columns)
            .join(a, col(a.id) == PreferenceRow.text_a_id)
            .join(b, col(b.id) == PreferenceRow.text_b_id)
            .join(DimensionRow, col(DimensionRow.id) == PreferenceRow.dimension_id)
            .where(col(PreferenceRow.dimension_id) == dimension_id)
            .where(*within(Scope.OPEN, PreferenceRow.text_a_id), *within(Scope.OPEN, PreferenceRow.text_b_id))
            .order_by(col(PreferenceRow.id))
        )
        return [
            value_of(
                Preference,
                row,
                dimension=dimension,
                a=TextPlace(*places[:4]),
                b=TextPlace(*places[4:]),
                winner=stored_state(Winner, row.winner, Winner.TIE),
            )
            for row, dimension, *places in rows
        ]

    def say(
        self, dimension_id: int, rater: str, pair: tuple[int, int], winner: Winner, reason: str, attribute: int | None
    ) -> None:
        """Save a person's preference on two texts, stored in either order, in place of an earlier one."""
        for a, b, said in ((*pair, winner), (*pair[::-1], winner.swapped)):
            query = select(PreferenceRow).where(
                PreferenceRow.dimension_id == dimension_id,
                PreferenceRow.rater == rater,
                PreferenceRow.text_a_id == a,
                PreferenceRow.text_b_id == b,
            )
            if row := self._session.exec(query).first():
                row.winner, row.reason, row.attribute_id = said.value, reason, attribute
                self._session.flush()
                return
        self._add(
            PreferenceRow(
                dimension_id=dimension_id,
                text_a_id=pair[0],
                text_b_id=pair[1],
                rater=rater,
                winner=winner.value,
                reason=reason,
                attribute_id=attribute,
            )
        )

    def draw(self, dimension_id: int, pairs: Sequence[tuple[int, int]], who: str) -> PairDraw:
        row = PairDrawRow(dimension_id=dimension_id, pairs=[list(pair) for pair in pairs], drawn_by=who)
        self._add(row)
        return _pair_draw(row)

    def draw_of(self, dimension_id: int) -> PairDraw | None:
        """Return the newest draw of pairs; None without one."""
        query = select(PairDrawRow).where(PairDrawRow.dimension_id == dimension_id)
        row = self._session.exec(query.order_by(col(PairDrawRow.id).desc())).first()
        return _pair_draw(row) if row else None

    def dimensions(self, project_id: int) -> frozenset[int]:
        """Return the ids of the dimensions with pairs."""
        rows = self._session.exec(
            select(PreferenceRow.dimension_id)
            .join(DimensionRow, col(DimensionRow.id) == PreferenceRow.dimension_id)
            .where(DimensionRow.project_id == project_id)
            .distinct()
        )
        return frozenset(rows)

    def verdicts(self, dimension_id: int) -> dict[tuple[str, int, int], Winner]:
        """Return (rater, id of text a, of text b) -> winner of every pair, locked ones too, to recognise a file's
        repetitions."""
        rows = self._session.exec(select(PreferenceRow).where(PreferenceRow.dimension_id == dimension_id))
        return {(row.rater, row.text_a_id, row.text_b_id): stored_state(Winner, row.winner, Winner.TIE) for row in rows}


def _pair_draw(row: PairDrawRow) -> PairDraw:
    return value_of(PairDraw, row, pairs=tuple((pair[0], pair[1]) for pair in row.pairs))


def _place_columns(text: Any) -> tuple[Any, ...]:
    return text.id, text.doc_id, text.system_id, text.item_id
