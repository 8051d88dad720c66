"""Anchors: texts with the answers of most experts, or what was decided, frozen with all a judge is told about them."""

import hashlib
import json
from collections.abc import Mapping

import numpy as np

from app.domain.checklist import Checklist, Question
from app.domain.expert_answer import AnchorSet
from app.domain.judgment import Answer
from app.domain.people.actor import Right
from app.domain.task import Dimension
from app.domain.text import Text
from app.errors import InputError, NotReadyError
from app.evaluators.checklist import OPEN, PROMPT
from app.meta_evaluation.questions.question_agreement import reference_of
from app.prompting import dimension_variables, load_prompt, task_variables
from app.services.checklists.checklists import published_checklist
from app.services.checklists.expert_answers import answer_cube, expert_answers, inapplicable_cube
from app.services.results.expert_side import decided_answers
from app.services.runtime.prompts import own_wordings
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import evaluation_texts
from db.unit_of_work import UnitOfWork

FEWEST = 2
"""Texts that make anchors at all; how few find a change is said beside them."""


@use_case(Right.READ)
def newest_anchors(workbench: Workbench, dimension: Dimension) -> AnchorSet | None:
    with workbench.database.read() as work:
        return next(iter(work.anchors.sets(dimension.id)), None)


@use_case(Right.READ)
def count_possible_anchors(workbench: Workbench, project_id: int, dimension: Dimension) -> int:
    """Texts that freezing now would take."""
    return len({text for text, _ in _agreed(workbench, project_id, dimension)[1]})


@use_case(Right.FACILITATE, act="froze anchors")
def freeze_anchors(workbench: Workbench, project_id: int, dimension: Dimension, who: str) -> AnchorSet:
    """Of the newest published version that experts answered: the texts and questions about which something was decided,
    or on which most of them agree.

    Raises NotReadyError where fewer than two such texts are there.
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
    """Raises InputError where texts, questions or wordings are no longer what was frozen, or a text is held back."""
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
    """In the order frozen; what was locked away or taken out since is missing."""
    with workbench.database.read() as work:
        texts = work.texts.many(found.texts)
    return [texts[text] for text in found.texts if text in texts]


def _agreed(
    workbench: Workbench, project_id: int, dimension: Dimension
) -> tuple[Checklist | None, dict[tuple[int, int], Answer]]:
    """The version that was answered, if any, and (text, question) -> what was decided, else what most experts say,
    where most say the same of a text that is scored; what doesn't apply is no anchor."""
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
    prompts: tuple[str, str],
) -> str:
    """sha256 over canonical JSON of everything that a judge is asked about the anchors, and of people's answers.

    Texts and questions stand in it by their place: a project that is taken elsewhere has other ids there.
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
    }
    written = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def _words_of(question: Question) -> list[str]:
    return [question.text, question.guidance, *(["may not apply"] if question.may_not_apply else [])]


def _prompts() -> tuple[str, str]:
    """Digests of the words in which a judge is asked, usually and where a question may not apply."""
    return load_prompt(PROMPT).digest, load_prompt(OPEN[PROMPT]).digest
