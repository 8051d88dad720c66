"""What experts and judges answered to one version of a checklist, and what was decided about its questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.domain.checklist import Checklist
from app.domain.expert_answer import ExpertAnswer
from app.domain.judgment import Answer
from app.domain.questions.decision import Decision
from app.domain.run import RunSummary
from app.meta_evaluation.questions.disagreements import OUTSIDE
from app.meta_evaluation.score_matrix import Floats
from app.services.checklists.expert_answers import published
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database, UnitOfWork

Key = tuple[str, str, str]
NUMBERS = {Answer.YES: 1.0, Answer.NO: 0.0, Answer.NOT_APPLICABLE: OUTSIDE}
"""As in `app/meta_evaluation/questions/disagreements.py`; what isn't named is no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class VersionAnswers:
    """`texts`: those that experts or judges were asked about, id -> doc_id, system_id, item_id, in import order; none
    of the locked split. `people` is (experts, texts, questions), each of `judges` (repeats, texts, questions) of the
    run at the same place. `decisions`: question -> those about it in all its versions, undone ones too.
    """

    checklist: Checklist
    texts: Mapping[int, Key]
    experts: tuple[str, ...]
    people: Floats
    runs: tuple[RunSummary, ...]
    judges: tuple[Floats, ...]
    decisions: Mapping[int, Sequence[Decision]]


def version_answers(workbench: Workbench, checklist_id: int) -> VersionAnswers:
    """The newest run of each judge counts, as on Results: none of the locked split, of a study, of a comparison of ways
    of asking or of a look at anchors. What people and judges said is read again only when it has changed.

    Raises NotReadyError for a draft.
    """
    with workbench.database.read() as work:
        checklist = published(work, checklist_id)
        dimension_id = work.checklists.dimension_of(checklist_id)
        project_id = work.projects.project_of(dimension_id).id
        keys = work.texts.keys(project_id)
        runs = newest_runs(work, project_id, checklist_id)
        draw = work.expert_answers.draw_of(checklist_id)
        state = work.expert_answers.state(draw.id) if draw else ()
        decisions = work.decisions.of_checklist(checklist_id)
    given = kept_answers(workbench.database, draw.id, state) if draw else ()
    asked = tuple(question.id for question in checklist.asked)
    judged = [_kept_judge(workbench.database, run.id, dimension_id, asked, _state(run, keys)) for run in runs]
    decided = {one.text for each in decisions.values() for one in each if one.stands}
    there = {*(draw.texts if draw else ()), *decided, *(text for texts, _ in judged for text in texts)}
    texts = {text: key for text, key in keys.items() if text in there}
    experts = tuple(dict.fromkeys(one.expert for one in given))
    return VersionAnswers(
        checklist,
        texts,
        experts,
        _people(given, experts, list(texts), asked),
        tuple(runs),
        tuple(_aligned(cube, of, list(texts)) for of, cube in judged),
        decisions,
    )


def newest_runs(work: UnitOfWork, project_id: int, checklist_id: int) -> list[RunSummary]:
    """The newest run of each judge that asked this version and has scores; newest first."""
    asked, found = work.runs.with_checklist(checklist_id), dict[str, RunSummary]()
    for run in work.runs.all(project_id):
        if run.id in asked and run.done and not run.locked and not run.apart:
            found.setdefault(run.judge, run)
    return list(found.values())


@lru_cache(maxsize=16)
def kept_answers(database: Database, draw_id: int, _: tuple[object, ...]) -> tuple[ExpertAnswer, ...]:
    """Everybody's, read once for as long as nothing changes."""
    with database.read() as work:
        return tuple(work.expert_answers.of(draw_id))


def _state(run: RunSummary, keys: Mapping[int, Key]) -> tuple[object, ...]:
    """Another one when the run has other scores, or other texts are open."""
    return run.status, run.done, run.failed, tuple(keys)


@lru_cache(maxsize=64)
def _kept_judge(
    database: Database, run_id: int, dimension_id: int, asked: tuple[int, ...], _: tuple[object, ...]
) -> tuple[tuple[int, ...], Floats]:
    """The texts with a score, and (repeats, texts, questions) of the answers about them."""
    with database.read() as work:
        found = work.results.answers(run_id, dimension_id)
    repeats = 1 + max((repeat for given in found.values() for repeat, _, _ in given), default=0)
    place = {question: number for number, question in enumerate(asked)}
    cube = np.full((repeats, len(found), len(asked)), np.nan)
    for row, given in enumerate(found.values()):
        for repeat, question, answer in given:
            if question in place:
                cube[repeat, row, place[question]] = NUMBERS.get(answer, np.nan)
    return tuple(found), cube


def _aligned(cube: Floats, of: Sequence[int], texts: Sequence[int]) -> Floats:
    """The same answers over `texts`."""
    row = {text: number for number, text in enumerate(texts)}
    found = np.full((cube.shape[0], len(texts), cube.shape[2]), np.nan)
    there = [(number, row[text]) for number, text in enumerate(of) if text in row]
    if there:
        before, after = zip(*there, strict=True)
        found[:, list(after)] = cube[:, list(before)]
    return found


def _people(
    given: Sequence[ExpertAnswer], experts: Sequence[str], texts: Sequence[int], asked: Sequence[int]
) -> Floats:
    cube = np.full((len(experts), len(texts), len(asked)), np.nan)
    who = {name: number for number, name in enumerate(experts)}
    row = {text: number for number, text in enumerate(texts)}
    place = {question: number for number, question in enumerate(asked)}
    for one in given:
        if one.text in row and one.question in place and one.answer in NUMBERS:
            cube[who[one.expert], row[one.text], place[one.question]] = NUMBERS[one.answer]
    return cube
