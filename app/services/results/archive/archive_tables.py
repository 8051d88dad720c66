"""The tables of a project's archive, row by row: texts, ratings, samples, comparisons, runs, scores and answers."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from app.domain.checklist import Checklist
from app.domain.expert_answer import AnswerDraw
from app.domain.project import Dimension, Text, TextPlace
from app.export.results import COLUMNS as SCORES
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

Row = dict[str, Any]
_AT_A_TIME = 500  # texts that are held in memory
_KEY = ("doc_id", "system_id", "item_id")
TEXT_COLUMNS = (*_KEY, "text", "source", "references", "extra")
RATING_COLUMNS = (*_KEY, "dimension", "rater", "rating")
SAMPLE_COLUMNS = ("dimension", *_KEY, "score", "chosen_by")
ASSIGNMENT_COLUMNS = ("dimension", "expert")
SHARE_COLUMNS = (*_KEY, "expert")
SIDE_BY_SIDE_COLUMNS = ("dimension", "expert", "set_a", "outside", "question", "answer")
RUN_COLUMNS = ("run", "evaluator", "judge", "dimensions", "status", "scored", "failed", "planned", "started", "choices")
SCORE_COLUMNS = (*SCORES, "status")
ANCHOR_COLUMNS = ("set", "dimension", "version", "frozen_at", "frozen_by", "digest", *_KEY, "question", "answer")
LOOK_COLUMNS = ("set", "dimension", "run", "judge", "against", "reference", "at", "verdict", "figures")
JUDGMENT_COLUMNS = ("run", "dimension", *_KEY, "number", "question", "answer", "repeat", "p_yes", "rationale", "quote")


def text_rows(workbench: Workbench, project_id: int) -> Iterator[Row]:
    """One a text, in import order."""
    for text in _texts(workbench, project_id):
        yield {
            **_place(text.key),
            "text": text.text,
            "source": text.source,
            "references": _cell(text.references),
            "extra": _cell(text.extra),
        }


def rating_rows(workbench: Workbench, project_id: int, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """One a rating."""
    places = text_places(workbench, project_id)
    for dimension in dimensions:
        with workbench.database.read() as work:
            for text, rater, value in work.texts.each_rating(dimension.id):
                if text in places:
                    yield {**places[text], "dimension": dimension.name, "rater": rater, "rating": value}


def sample_rows(workbench: Workbench, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """One a text that was read while thinking aloud about a dimension."""
    for dimension in dimensions:
        with workbench.database.read() as work:
            samples = work.think_aloud.samples(dimension.id)
        for sample in samples:
            place = _place(sample.text.key)
            yield {"dimension": dimension.name, **place, "score": sample.score, "chosen_by": sample.chosen_by}


def assignment_rows(workbench: Workbench, project_id: int, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """One a dimension that an expert was given."""
    with workbench.database.read() as work:
        given = work.assignments.given(project_id)
    for dimension in dimensions:
        for name in sorted(name for name, theirs in given.items() if dimension.id in theirs):
            yield {"dimension": dimension.name, "expert": name}


def share_rows(workbench: Workbench, draw: AnswerDraw) -> Iterator[Row]:
    """One a drawn text and expert whom it was given to; none where everybody answers every text."""
    with workbench.database.read() as work:
        shares = work.assignments.shares(draw.id)
        texts = work.texts.many(shares)
    for text in (text for text in draw.texts if text in texts):
        for name in sorted(shares[text]):
            yield {**_place(texts[text].key), "expert": name}


def comparison_rows(workbench: Workbench, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """One an answer of an expert who compared the two sets blind."""
    for dimension in dimensions:
        with workbench.database.read() as work:
            comparisons = work.side_by_side.of(dimension.id)
        for one in comparisons:
            whose = "people" if one.people_are_a else "LLMs"
            about = {"dimension": dimension.name, "expert": one.expert, "set_a": whose, "outside": one.outside}
            for question, answer in one.answers.items():
                yield {**about, "question": question, "answer": answer}


def anchor_rows(workbench: Workbench, project_id: int, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """One a frozen answer of most experts."""
    places = text_places(workbench, project_id)
    for dimension in dimensions:
        with workbench.database.read() as work:
            found = [(each, work.checklists.get(each.checklist)) for each in work.anchors.sets(dimension.id)]
        for anchors, checklist in reversed(found):
            wordings = {question.id: question.text for question in checklist.questions}
            about = {
                "set": anchors.id,
                "dimension": dimension.name,
                "version": checklist.version,
                "frozen_at": anchors.frozen_at.isoformat(timespec="seconds"),
                "frozen_by": anchors.frozen_by,
                "digest": anchors.digest,
            }
            for (text, question), answer in anchors.answers.items():
                if text in places:  # not where it was locked away since
                    said = {"question": wordings.get(question, ""), "answer": answer.value}
                    yield {**about, **places[text], **said}


def look_rows(workbench: Workbench, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """One an asking of a judge about anchors, in the order they were begun."""
    for dimension in dimensions:
        with workbench.database.read() as work:
            looks = [
                (each.id, look) for each in work.anchors.sets(dimension.id) for look in work.anchors.looks(each.id)
            ]
        for anchors, look in sorted(looks, key=lambda pair: pair[1].id):
            yield {
                "set": anchors,
                "dimension": dimension.name,
                "run": look.run,
                "judge": look.judge,
                "against": look.against,
                "reference": look.is_reference,
                "at": look.at.isoformat(timespec="seconds"),
                "verdict": look.verdict,
                "figures": _cell(dict(look.figures)),
            }


def run_rows(workbench: Workbench, project_id: int) -> Iterator[Row]:
    """Oldest first, those of studies and of scores from files included."""
    with workbench.database.read() as work:
        runs = work.runs.all(project_id, anchors=True)
    for run in reversed(runs):
        yield {
            "run": run.id,
            "evaluator": run.evaluator,
            "judge": run.judge,
            "dimensions": ", ".join(run.dimensions),
            "status": run.status.value,
            "scored": run.done,
            "failed": run.failed,
            "planned": run.all,
            "started": run.started.isoformat(timespec="seconds"),
            "choices": _cell(run.params),
        }


def score_rows(workbench: Workbench, project_id: int) -> Iterator[Row]:
    """One a text, dimension and run, beside the mean rating; those that failed or were not reached have no score."""

    def of_part(work: UnitOfWork, origin: Row, dimension_id: int, _: Checklist | None) -> Iterator[Row]:
        for row in work.results.each_scored(origin["run"], dimension_id):
            yield {
                **origin,
                **_place((row.doc_id, row.system_id, row.item_id)),
                "score": row.score,
                "coverage": row.coverage,
                "human": row.human,
                "raters": row.raters,
                "status": row.status.value,
            }

    return _of_runs(workbench, project_id, of_part)


def judgment_rows(workbench: Workbench, project_id: int) -> Iterator[Row]:
    """One a judge's answer; repeats are numbered from 0."""
    places = text_places(workbench, project_id)

    def of_part(work: UnitOfWork, origin: Row, dimension_id: int, checklist: Checklist | None) -> Iterator[Row]:
        if checklist is None:
            return
        wordings = {question.id: question.text for question in checklist.questions}
        about = {"run": origin["run"], "dimension": origin["dimension"]}
        numbers = checklist.numbers
        for text, one in work.results.each_judged(origin["run"], dimension_id):
            yield {
                **about,
                **places.get(text, {}),
                "number": numbers.get(one.question),
                "question": wordings.get(one.question, ""),
                "answer": one.answer.value,
                "repeat": one.repeat,
                "p_yes": one.p_yes,
                "rationale": one.rationale,
                "quote": one.quote,
            }

    return _of_runs(workbench, project_id, of_part)


def _of_runs(
    workbench: Workbench,
    project_id: int,
    rows: Callable[[UnitOfWork, Row, int, Checklist | None], Iterator[Row]],
) -> Iterator[Row]:
    """Run by run, oldest first, and in a run dimension by dimension."""
    with workbench.database.read() as work:
        runs = work.runs.all(project_id, anchors=True)
    for run in reversed(runs):
        with workbench.database.read() as work:
            for part in work.runs.parts(run.id):
                origin = {"run": run.id, "evaluator": run.evaluator, "judge": run.judge, "dimension": part.name}
                checklist = work.checklists.get(part.checklist) if part.checklist else None
                yield from rows(work, origin, part.dimension, checklist)


def _texts(workbench: Workbench, project_id: int) -> Iterator[Text]:
    """A page at a time: texts may be many, and long."""
    last = 0
    while True:
        with workbench.database.read() as work:
            page = work.texts.after(project_id, last, _AT_A_TIME)
        yield from page
        if len(page) < _AT_A_TIME:
            return
        last = page[-1].id


class TextNames(Mapping[int, Row]):
    """Text id -> the names by which it is the same text in every table."""

    def __init__(self, places: Iterable[TextPlace]) -> None:
        self._places = {place.id: place for place in places}

    def __getitem__(self, text: int) -> Row:
        return _place(self._places[text].key)

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def text_places(workbench: Workbench, project_id: int) -> TextNames:
    with workbench.database.read() as work:
        return TextNames(work.texts.places(project_id))


def _place(key: tuple[str, str, str]) -> Row:
    return dict(zip(_KEY, key, strict=True))


def _cell(value: object) -> str:
    """JSON in a cell of a table, "" for nothing."""
    return json.dumps(value, ensure_ascii=False) if value else ""
