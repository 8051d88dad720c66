"""Results of runs, with people's ratings."""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from sqlalchemy import String, bindparam, cast, func
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, select

from app.domain.checklist_score import Answer, Judgment
from app.domain.project import Scope
from app.domain.run import ANSWERS, RunAnswers, ScoredText, ScoreStatus
from db.models.project import RatingRow, TextRow
from db.models.run import JudgmentRow, ScoreRow
from db.repositories.held_out_split import within
from db.repositories.repository import Query, Repository, grouped, rows_of, table_of
from db.repositories.texts import AT_A_TIME

MANY_RATINGS = 200_000
# In the order of a Judgment's values.
_NAMES = ("question_id", "answer", "rationale", "repeat", "p_yes", "origin_run_id", "cannot_tell", "quote")
_JUDGMENT = tuple(getattr(JudgmentRow, name) for name in _NAMES)
_ANSWERS = (ScoreRow.text_id, JudgmentRow.repeat, JudgmentRow.question_id, JudgmentRow.answer)
_DONE = col(ScoreRow.status) == ScoreStatus.DONE.value
_NUMBERS = {answer.value: number for number, answer in enumerate(ANSWERS)}


@cache
def _rating_states(scope: Scope) -> tuple[Query, Query, Query]:
    """Return the queries of `Results.rating_state`: the number of ratings, their sums, and all of them in one string.

    The database puts it together: screens ask at each redraw, and a row each takes Python much longer.
    """
    rating = table_of(RatingRow).c
    of_dimension = rating.dimension_id == bindparam("dimension"), *within(scope, rating.text_id)
    count = func.count(rating.id)
    sums = func.sum(rating.value), func.sum(rating.value * (rating.id % 9_973)), func.sum(func.length(rating.rater))
    ends = count, func.max(rating.id), func.min(rating.rater), func.max(rating.rater)
    ordered = (
        sql_select(rating.text_id, rating.value, rating.rater).where(*of_dimension).order_by(rating.id).subquery().c
    )
    line = cast(ordered.text_id, String) + ":" + cast(ordered.value, String) + ":" + ordered.rater
    return (
        sql_select(count).where(*of_dimension),
        sql_select(*ends, *sums).where(*of_dimension),
        sql_select(func.aggregate_strings(line, "\n")),
    )


@cache
def _answer_counts(scope: Scope) -> Query:
    score, judgment = table_of(ScoreRow).c, table_of(JudgmentRow).c
    return (
        sql_select(judgment.question_id, judgment.answer, func.count(judgment.id))
        .where(score.id == judgment.score_id, *within(scope, score.text_id))
        .where(score.run_id == bindparam("run"), score.dimension_id == bindparam("dimension"))
        .group_by(judgment.question_id, judgment.answer)
    )


class Results(Repository):
    """Results of runs on the texts of one scope. Failures are of all texts: they say why a text has no score."""

    def __init__(self, session: Session, scope: Scope = Scope.OPEN) -> None:
        super().__init__(session)
        self._scope = scope

    def scored(self, run_id: int, dimension_id: int) -> list[ScoredText]:
        """Return every text the run planned on this dimension, in import order. Equal names are one string."""
        return list(self.each_scored(run_id, dimension_id))

    def each_scored(self, run_id: int, dimension_id: int) -> Iterator[ScoredText]:
        """Yield as `scored`, read on demand."""
        human = (
            select(
                RatingRow.text_id,
                func.avg(RatingRow.value).label("human"),
                func.count(col(RatingRow.id)).label("raters"),
            )
            .where(RatingRow.dimension_id == dimension_id)
            .group_by(col(RatingRow.text_id))
            .subquery()
        )
        rows = self._session.execute(
            select(
                ScoreRow.text_id,
                TextRow.doc_id,
                TextRow.system_id,
                TextRow.item_id,
                ScoreRow.status,
                ScoreRow.value,
                ScoreRow.coverage,
                human.c.human,
                human.c.raters,
                ScoreRow.soft_value,
            )  # type: ignore[call-overload]
            .join(TextRow, col(TextRow.id) == ScoreRow.text_id)
            .outerjoin(human, human.c.text_id == ScoreRow.text_id)
            .where(*self._scores(run_id, dimension_id))
            .order_by(col(ScoreRow.text_id)),
            execution_options={"yield_per": AT_A_TIME},
        )
        names: dict[str, str] = {}
        for text, *key, status, value, coverage, mean, raters, soft in rows:
            doc, system, item = (names.setdefault(name, name) for name in key)
            state = ScoreStatus(status)
            yield ScoredText(text, doc, system, item, state, value, coverage, mean, raters or 0, soft)

    def details(self, run_id: int, dimension_id: int) -> dict[int, dict[str, Any]]:
        """Return text -> what its score was computed from; only texts whose method says so."""
        rows = self._session.exec(select(ScoreRow.text_id, ScoreRow.details).where(*self._scores(run_id, dimension_id)))
        return {text: dict(details) for text, details in rows if details}

    def details_of(self, run_id: int, dimension_id: int, text_id: int) -> dict[str, Any]:
        """Return what one text's score was computed from; {} if its method says nothing."""
        found = self._session.exec(
            select(ScoreRow.details).where(*self._scores(run_id, dimension_id), ScoreRow.text_id == text_id)
        ).first()
        return dict(found or {})

    def rating_state(self, dimension_id: int) -> str:
        """Return a digest of every rating on a dimension: it changes when any of them does or when texts are locked. Of
        very many ratings only sums are used: joining a million cells would take seconds at each redraw."""
        count, sums, lines = _rating_states(self._scope)
        if rows_of(self._session, count, dimension=dimension_id)[0][0] > MANY_RATINGS:
            return repr(tuple(rows_of(self._session, sums, dimension=dimension_id)[0]))
        together: str | None = rows_of(self._session, lines, dimension=dimension_id)[0][0]
        return sha256((together or "").encode()).hexdigest()

    def judgments(self, run_id: int, dimension_id: int, text_id: int) -> list[Judgment]:
        rows = _judged(self._session, [*self._scores(run_id, dimension_id), ScoreRow.text_id == text_id], *_JUDGMENT)
        return [_judgment(row) for row in rows]

    def judgments_by_text(
        self, run_id: int, dimension_id: int, texts: Collection[int] | None = None
    ) -> dict[int, list[Judgment]]:
        """Return text id -> every judgment on it, for the texts with a score; texts: only these."""
        only = [] if texts is None else [col(ScoreRow.text_id).in_(texts)]
        rows = _judged(self._session, [*self._scores(run_id, dimension_id), _DONE, *only], ScoreRow.text_id, *_JUDGMENT)
        return grouped((text, _judgment(row)) for text, *row in rows)

    def each_judged(self, run_id: int, dimension_id: int) -> Iterator[tuple[int, Judgment]]:
        """Yield (text id, judgment) of every judgment on the texts with a score, those of a text together, read on
        demand."""
        for text, *row in _judged(
            self._session, [*self._scores(run_id, dimension_id), _DONE], ScoreRow.text_id, *_JUDGMENT
        ):
            yield text, _judgment(row)

    def answer_columns(self, run_id: int, dimension_id: int) -> RunAnswers:
        """Return `answers` as columns, which takes a tenth of the memory."""
        rows = _judged(self._session, [*self._scores(run_id, dimension_id), _DONE], *_ANSWERS)
        found = RunAnswers()
        for part in rows.partitions():
            texts, repeats, questions, answers = zip(*part, strict=True)
            found.texts.extend(texts)
            found.repeats.extend(repeats)
            found.questions.extend(questions)
            found.answers.extend(map(_NUMBERS.__getitem__, answers))
        return found

    def answers(self, run_id: int, dimension_id: int) -> dict[int, list[tuple[int, int, Answer]]]:
        """Return text id -> (repeat, question id, answer) of every judgment on that text, for the texts with a
        score."""
        rows = _judged(self._session, [*self._scores(run_id, dimension_id), _DONE], *_ANSWERS)
        return grouped((text, (repeat, question, Answer(answer))) for text, repeat, question, answer in rows)

    def answer_counts(self, run_id: int, dimension_id: int) -> dict[int, dict[Answer, int]]:
        """Return question id -> how often each answer was given."""
        rows = rows_of(self._session, _answer_counts(self._scope), run=run_id, dimension=dimension_id)
        counts: dict[int, dict[Answer, int]] = {}
        for question, answer, count in rows:
            counts.setdefault(question, {})[Answer(answer)] = count
        return counts

    def failures(self, run_id: int) -> list[tuple[int, int, str, str]]:
        """Return (text id, dimension id, kind, message) of every failed score."""
        rows = self._session.exec(
            select(ScoreRow.text_id, ScoreRow.dimension_id, ScoreRow.error_kind, ScoreRow.error)
            .where(ScoreRow.run_id == run_id, ScoreRow.status == ScoreStatus.FAILED.value)
            .order_by(col(ScoreRow.id))
        )
        return [(text, dimension, kind, message) for text, dimension, kind, message in rows]

    def unanswered(self, run_id: int, dimension_id: int) -> int:
        return sum(counts.get(Answer.UNANSWERED, 0) for counts in self.answer_counts(run_id, dimension_id).values())

    def cannot_tell_counts(self, run_id: int, dimension_id: int) -> dict[int, int]:
        """Return question id -> how often the judge said that it can't tell, which counts as unanswered."""
        rows = self._session.exec(
            select(JudgmentRow.question_id, func.count(col(JudgmentRow.id)))
            .join(ScoreRow, col(ScoreRow.id) == JudgmentRow.score_id)
            .where(*self._scores(run_id, dimension_id), col(JudgmentRow.cannot_tell).is_(True))
            .group_by(col(JudgmentRow.question_id))
        )
        return dict(rows.all())

    def quotes(self, run_id: int, dimension_id: int) -> dict[int, list[str]]:
        """Return text id -> the quote of each of its answers, "" for none, without unanswered questions."""
        answered = [*self._scores(run_id, dimension_id), JudgmentRow.answer != Answer.UNANSWERED.value]
        return grouped(_judged(self._session, answered, ScoreRow.text_id, JudgmentRow.quote))

    def _scores(self, run_id: int, dimension_id: int) -> list[Any]:
        return [
            ScoreRow.run_id == run_id,
            ScoreRow.dimension_id == dimension_id,
            *within(self._scope, ScoreRow.text_id),
        ]


def _judged(session: Session, which: Sequence[Any], *columns: Any) -> Any:
    """Return columns of judgments and their scores, in the order they were given, read on demand."""
    return session.execute(
        sql_select(*columns)
        .join_from(ScoreRow, JudgmentRow, col(JudgmentRow.score_id) == ScoreRow.id)
        .where(*which)
        .order_by(col(JudgmentRow.id)),
        execution_options={"yield_per": AT_A_TIME},
    )


def _judgment(row: Sequence[Any]) -> Judgment:
    question, answer, *rest = row
    return Judgment(question, Answer(answer), *rest)
