"""Drift anchors: texts with frozen answers, and a judge's later answers to them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.domain.checklist import Checklist, Question
from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnchorLook, AnchorSet
from app.domain.project import Dimension, Text
from app.domain.roles_and_rights import Right
from app.domain.run import RunStatus, RunSummary, ScoredText
from app.errors import InputError, NotReadyError
from app.evaluators.checklist import OPEN, PROMPT, PROMPT_WITH_EXAMPLES
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.judges.drift import RepeatedAnchorAnswers
from app.meta_evaluation.judges.powered_estimates import by_document, resampled
from app.meta_evaluation.questions.question_agreement import reference_of
from app.meta_evaluation.score_matrix import Floats
from app.prompting import dimension_variables, load_prompt, task_variables
from app.services.checklists.checklists import published_checklist
from app.services.checklists.expert_answers import answer_cube, expert_answers, inapplicable_cube
from app.services.results.question_analysis import decided_answers
from app.services.runtime.prompts import own_wordings
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import CHECKLIST
from app.services.think_aloud.samples import evaluation_texts
from db.unit_of_work import UnitOfWork

FEWEST = 2
"""Minimal number of anchor texts; what change so few can detect is shown with them."""


@use_case(Right.READ)
def newest_anchors(workbench: Workbench, dimension: Dimension) -> AnchorSet | None:
    with workbench.database.read() as work:
        return next(iter(work.anchors.sets(dimension.id)), None)


@use_case(Right.READ)
def count_possible_anchors(workbench: Workbench, project_id: int, dimension: Dimension) -> int:
    """Return how many texts would become anchors now."""
    return len({text for text, _ in _agreed(workbench, project_id, dimension)[1]})


@use_case(Right.FACILITATE, act="froze anchors")
def freeze_anchors(workbench: Workbench, project_id: int, dimension: Dimension, who: str) -> AnchorSet:
    """Freeze anchors from the newest published version that experts answered: pairs of text and question with a
    decision or a majority of experts.

    Raises NotReadyError for fewer than two such texts.
    """
    checklist, answers = _agreed(workbench, project_id, dimension)
    if checklist is None:
        checklist = published_checklist(workbench, dimension.id)  # says so where none is published
    texts = tuple(dict.fromkeys(text for text, _ in answers))
    if len(texts) < FEWEST:
        raise NotReadyError(
            f"Anchors are texts that experts answered and mostly agree on; {dimension.name} has {len(texts)} of them.",
            f"Answer at least {FEWEST} texts on Answer, better 10 to 40, then freeze them.",
        )
    with own_wordings(workbench, project_id):
        prompt = _prompts()
    with workbench.database.write() as work:
        digest = _digest(work, project_id, dimension, checklist, answers, prompt)
        return work.anchors.freeze(dimension.id, checklist.id, texts, answers, digest, who)


def check_anchors(workbench: Workbench, project_id: int, dimension: Dimension, found: AnchorSet) -> None:
    """Raise InputError if texts, questions or prompts have changed since they were frozen, or a text is held back by
    samples."""
    with own_wordings(workbench, project_id):
        prompt = _prompts()
    with workbench.database.read() as work:
        asked = {text.id for text in evaluation_texts(work, project_id, dimension.id)[0]}
        if held := sum(text not in asked for text in found.texts):
            raise InputError(
                f"Of the {len(found.texts)} anchors of {dimension.name}, {held} can't be asked about any more: they "
                "were locked, or their document is read as a think-aloud sample since.",
                "Choose another sample, or freeze the anchors anew: the test then begins again.",
            )
        checklist = work.checklists.get(found.checklist)
        now = _digest(work, project_id, dimension, checklist, found.answers, prompt)
    if now != found.digest:
        raise InputError(
            f"The anchors of {dimension.name} are no longer what was frozen on {found.frozen_at:%d %b %Y}: a text, a "
            "question, the words of task or dimension, or the judge's prompt is another.",
            "Put it back, or freeze them anew: the test then begins again.",
        )


def anchor_texts(workbench: Workbench, found: AnchorSet) -> list[Text]:
    """Return anchor texts in the order frozen, without those held out or deleted since."""
    with workbench.database.read() as work:
        texts = work.texts.many(found.texts)
    return [texts[text] for text in found.texts if text in texts]


def _agreed(
    workbench: Workbench, project_id: int, dimension: Dimension
) -> tuple[Checklist | None, dict[tuple[int, int], Answer]]:
    """Return the version that was answered, if any, and (text, question) -> the decided answer, else that of most
    experts, for texts that are scored. Pairs that don't apply are left out."""
    with workbench.database.read() as work:
        asked = {text.id for text in evaluation_texts(work, project_id, dimension.id)[0]}
        versions = [each for each in work.checklists.versions(dimension.id) if work.expert_answers.draw_of(each.id)]
        decisions = {each.id: work.decisions.of_checklist(each.id) for each in versions}
    for checklist in versions:
        found = expert_answers(workbench, checklist.id)
        cube, inapplicable = answer_cube(found), inapplicable_cube(found)
        questions = [question.id for question in found.checklist.asked]
        held = decided_answers(decisions[checklist.id], found.texts, found.texts, questions)
        answers = {}
        for place, question in enumerate(found.checklist.asked):
            said = reference_of(cube[:, :, place], inapplicable[:, :, place], held[:, place])
            for text, value in zip(found.texts, said, strict=True):
                if text in asked and not np.isnan(value):
                    answers[text, question.id] = Answer.YES if value else Answer.NO
        if answers:
            return found.checklist, dict(sorted(answers.items()))
    return None, {}


def _digest(
    work: UnitOfWork,
    project_id: int,
    dimension: Dimension,
    checklist: Checklist,
    answers: Mapping[tuple[int, int], Answer],
    prompts: tuple[str, ...],
) -> str:
    """Return the sha256 over canonical JSON of everything a judge is asked about the anchors, and of people's answers.

    Texts and questions are identified by place, because ids change when a project is transferred.
    """
    texts = work.texts.many({text for text, _ in answers})
    text_place = {text: place for place, text in enumerate(sorted(texts))}
    question_place = {question.id: place for place, question in enumerate(checklist.asked)}
    said = [[text_place[text], question_place.get(question), one.value] for (text, question), one in answers.items()]
    content = {
        "texts": [[texts[text].source, texts[text].text] for text in text_place],
        "questions": [_words_of(question) for question in checklist.asked],
        "answers": sorted(said, key=str),
        "task": task_variables(work.projects.by_id(project_id).task),
        "dimension": dimension_variables(work.projects.dimension_by_id(dimension.id)),
        "prompt": prompts[0],
        **({"open prompt": prompts[1]} if any(question.may_not_apply for question in checklist.asked) else {}),
        **({"examples prompt": prompts[2]} if any(question.examples for question in checklist.asked) else {}),
    }
    written = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def _words_of(question: Question) -> list[str]:
    examples = [json.dumps(asdict(example), ensure_ascii=False) for example in question.examples]
    return [question.text, question.guidance, *(["may not apply"] if question.may_not_apply else []), *examples]


def _prompts() -> tuple[str, ...]:
    """Return digests of the judge's prompts: the usual one, with questions that may not apply, and with examples."""
    return tuple(load_prompt(name).digest for name in (PROMPT, OPEN[PROMPT], PROMPT_WITH_EXAMPLES))


_CODES = {Answer.NO: 0, Answer.YES: 1, Answer.UNANSWERED: 2, Answer.NOT_APPLICABLE: 3}
_PEOPLE = {Answer.NO: 0.0, Answer.YES: 1.0}


@dataclass(frozen=True, slots=True)
class AnchorHistory:
    """A judge's reference askings and the looks compared with them, each in order."""

    references: tuple[AnchorLook, ...]
    looks: tuple[AnchorLook, ...]


def asked_anchors(workbench: Workbench, found: AnchorSet, judge: str, against: str) -> AnchorHistory:
    with workbench.database.read() as work:
        all_ = work.anchors.looks(found.id)
    references = tuple(each for each in all_ if each.is_reference and each.judge == against)
    looks = (each for each in all_ if not each.is_reference and (each.judge, each.against) == (judge, against))
    return AnchorHistory(references, tuple(looks))


def is_over(workbench: Workbench, look: AnchorLook) -> bool:
    """Return whether the look's run is done; failed texts are then left out."""
    with workbench.database.read() as work:
        return work.runs.get(look.run).status is RunStatus.DONE


def answerings_of(workbench: Workbench, found: AnchorSet, askings: Sequence[AnchorLook]) -> RepeatedAnchorAnswers:
    """Return (anchors, askings, questions) in the order frozen; unanswered and "does not apply" are values of their
    own."""
    with workbench.database.read() as work:
        questions = [question.id for question in work.checklists.get(found.checklist).asked]
        answers = [work.results.answers(asking.run, found.dimension) for asking in askings]
    place = {question: number for number, question in enumerate(questions)}
    codes = np.full((len(found.texts), len(askings), len(questions)), _CODES[Answer.UNANSWERED], dtype=np.int64)
    present = np.zeros(codes.shape[:2], dtype=np.bool_)
    for number, by_text in enumerate(answers):
        for anchor, text in enumerate(found.texts):
            present[anchor, number] = text in by_text
            for _, question, answer in by_text.get(text, ()):
                if question in place:
                    codes[anchor, number, place[question]] = _CODES[answer]
    return RepeatedAnchorAnswers(codes, present)


def people_of(workbench: Workbench, found: AnchorSet) -> Floats:
    """Return (anchors, questions) frozen answers: 1, 0, or NaN without a majority of experts."""
    with workbench.database.read() as work:
        questions = [question.id for question in work.checklists.get(found.checklist).asked]
    said = [
        [_PEOPLE.get(found.answers.get((text, q), Answer.UNANSWERED), np.nan) for q in questions]
        for text in found.texts
    ]
    return np.array(said, dtype=np.float64)


def documents_of(workbench: Workbench, found: AnchorSet) -> list[str]:
    """Return the document of each anchor; for a text without one a name of its own."""
    texts = {text.id: text.doc_id for text in anchor_texts(workbench, found)}
    return [texts.get(text) or f"text {text}" for text in found.texts]


@dataclass(frozen=True, slots=True)
class MovedScores:
    """A shift of scores between two runs. `difference` is the mean score of the run `newest` minus that of `earlier`,
    with its 95 % interval by document."""

    earlier: int
    newest: int
    texts_earlier: int
    texts_newest: int
    mean_earlier: float
    mean_newest: float
    difference: float
    low: float
    high: float

    @property
    def moved(self) -> bool:
        return self.low > 0 or self.high < 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def moved_scores(workbench: Workbench, project_id: int, found: AnchorSet, judge: str) -> MovedScores | None:
    """Return how scores moved between runs of the anchors' version, without anchors. None without two runs over
    different texts, or with too few documents."""
    with workbench.database.read() as work:
        runs = [
            run
            for run in work.runs.all(project_id)
            if _plain(run, judge) and any(part.checklist == found.checklist for part in work.runs.parts(run.id))
        ]
        scored = ((run, work.results.scored(run.id, found.dimension)) for run in runs)
        newest: tuple[RunSummary, list[ScoredText]] | None = None
        for run, rows in scored:
            counted = [row for row in rows if row.counts() and row.text not in found.texts]
            if newest is None:
                newest = (run, counted)
            elif {row.text for row in counted} != {row.text for row in newest[1]}:
                return _moved((run, counted), newest)
    return None


def _plain(run: RunSummary, judge: str) -> bool:
    return (run.evaluator, run.judge) == (CHECKLIST, judge) and bool(run.done) and not run.apart and not run.locked


def _moved(
    earlier: tuple[RunSummary, list[ScoredText]], newest: tuple[RunSummary, list[ScoredText]]
) -> MovedScores | None:
    """Return the difference. Documents in both runs are resampled together; the interval counts the documents of the
    smaller run."""
    parts = [
        [(row.doc_id or f"text {row.text}", float(row.score or 0)) for row in rows] for _, rows in (earlier, newest)
    ]
    if not all(parts):
        return None
    _, unit = np.unique([name for part in parts for name, _ in part], return_inverse=True)
    scores = np.array([score for part in parts for _, score in part])
    late = np.repeat([0.0, 1.0], [len(part) for part in parts])
    sums = resampled(np.stack([scores * (1 - late), 1 - late, scores * late, late]), unit, RESAMPLES, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = sums[2] / sums[3] - sums[0] / sums[1]
    means = [float(np.mean([score for _, score in part])) for part in parts]
    ends = by_document(means[1] - means[0], drawn, min(len({name for name, _ in part}) for part in parts))
    if ends is None:
        return None
    (before, now), (low, high) = means, ends
    found = now - before
    return MovedScores(earlier[0].id, newest[0].id, len(parts[0]), len(parts[1]), before, now, found, low, high)
