"""What a judge answered about the anchors, time after time, as the test reads it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.expert_answer import AnchorLook, AnchorSet
from app.domain.judgment import Answer
from app.domain.run import RunStatus
from app.meta_evaluation.judges.drift import Answerings
from app.meta_evaluation.score_matrix import Floats
from app.services.drift.anchors import anchor_texts
from app.services.runtime.workbench import Workbench

_CODES = {Answer.NO: 0, Answer.YES: 1, Answer.UNANSWERED: 2, Answer.NOT_APPLICABLE: 3}
_PEOPLE = {Answer.NO: 0.0, Answer.YES: 1.0}


@dataclass(frozen=True, slots=True)
class AskedAnchors:
    """The askings that belong together: a judge's reference and the looks compared with it, each in order."""

    references: tuple[AnchorLook, ...]
    looks: tuple[AnchorLook, ...]


def asked_anchors(workbench: Workbench, found: AnchorSet, judge: str, against: str) -> AskedAnchors:
    with workbench.database.read() as work:
        all_ = work.anchors.looks(found.id)
    references = tuple(each for each in all_ if each.is_reference and each.judge == against)
    looks = (each for each in all_ if not each.is_reference and (each.judge, each.against) == (judge, against))
    return AskedAnchors(references, tuple(looks))


def is_over(workbench: Workbench, look: AnchorLook) -> bool:
    """Whether everything was tried; what failed then is left out."""
    with workbench.database.read() as work:
        return work.runs.get(look.run).status is RunStatus.DONE


def answerings_of(workbench: Workbench, found: AnchorSet, askings: Sequence[AnchorLook]) -> Answerings:
    """(anchors, askings, questions) in the order frozen; that one stayed unanswered is an answer of its own, and
    that it doesn't apply another."""
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
    return Answerings(codes, present)


def people_of(workbench: Workbench, found: AnchorSet) -> Floats:
    """(anchors, questions): 1, 0, or NaN where most experts didn't agree."""
    with workbench.database.read() as work:
        questions = [question.id for question in work.checklists.get(found.checklist).asked]
    said = [
        [_PEOPLE.get(found.answers.get((text, q), Answer.UNANSWERED), np.nan) for q in questions]
        for text in found.texts
    ]
    return np.array(said, dtype=np.float64)


def documents_of(workbench: Workbench, found: AnchorSet) -> list[str]:
    """The document of each anchor; a text without one stands for itself."""
    texts = {text.id: text.doc_id for text in anchor_texts(workbench, found)}
    return [texts.get(text) or f"text {text}" for text in found.texts]
