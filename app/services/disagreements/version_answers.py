"""What experts and judges answered to one version of a checklist, and what was decided about its questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

import numpy as np

from app.domain.checklist import Checklist
from app.domain.expert_answer import CarriedAnswers, ExpertAnswer, carried_answers
from app.domain.judgment import Answer
from app.domain.questions.decision import Decision
from app.domain.run import RunSummary
from app.meta_evaluation.questions.disagreements import OUTSIDE
from app.meta_evaluation.score_matrix import Floats
from app.services.checklists.expert_answers import published
from app.services.results.judge_cube import Ints, judge_cube, judged_texts, places_among
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database, UnitOfWork

NUMBERS = {Answer.YES: 1.0, Answer.NO: 0.0, Answer.NOT_APPLICABLE: OUTSIDE}
"""As in `app/meta_evaluation/questions/disagreements.py`; what isn't named is no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class VersionAnswers:
    """`texts` (texts,): the ids of those that experts or judges were asked about, rising, which is import order; none
    of the locked split. `people` is (experts, texts, questions), each of `judges` (repeats, texts, questions) of the
    run at the same place. `decisions`: question -> those about it in all its versions, undone ones too.
    """

    checklist: Checklist
    texts: Ints
    experts: tuple[str, ...]
    people: Floats
    carried: CarriedAnswers
    runs: tuple[RunSummary, ...]
    judges: tuple[Floats, ...]
    decisions: Mapping[int, Sequence[Decision]]

    def row(self, text: int) -> int | None:
        """Its place among the texts; None where it is none of them."""
        return _row(self.texts, text)


def version_answers(workbench: Workbench, checklist_id: int) -> VersionAnswers:
    """The run with most texts of each judge counts, as on Results: none of the locked split, of a study, of a
    comparison of ways of asking or of a look at anchors. What people and judges said is read again only when it
    has changed.

    Raises NotReadyError for a draft.
    """
    with workbench.database.read() as work:
        checklist = published(work, checklist_id)
        dimension_id = work.checklists.dimension_of(checklist_id)
        project_id = work.projects.project_of(dimension_id).id
        there = np.asarray(work.texts.ids(project_id))
        runs = default_runs_of(work, project_id, checklist_id)
        draw = work.expert_answers.draw_of(checklist_id)
        state = work.expert_answers.state(draw.id) if draw else ()
        decisions = work.decisions.of_checklist(checklist_id)
    given = kept_answers(workbench.database, draw.id, state) if draw else ()
    asked = tuple(question.id for question in checklist.asked)
    open_texts = sha256(there.tobytes()).digest()
    judged = [
        _kept_judge(workbench.database, run.id, dimension_id, asked, (run.status, run.done, run.failed, open_texts))
        for run in runs
    ]
    decided = {one.text for each in decisions.values() for one in each if one.stands}
    of_people = np.array([*(draw.texts if draw else ()), *decided], dtype=np.int64)
    texts = there[np.isin(there, np.concatenate([of_people, *(of for of, _ in judged)]))]
    experts = tuple(dict.fromkeys(one.expert for one in given))
    return VersionAnswers(
        checklist,
        texts,
        experts,
        _people(given, experts, texts, asked),
        carried_answers(checklist, given),
        tuple(runs),
        tuple(_aligned(cube, of, texts) for of, cube in judged),
        decisions,
    )


def default_runs_of(work: UnitOfWork, project_id: int, checklist_id: int) -> list[RunSummary]:
    """The run with most texts of each judge that asked this version; newest first."""
    asked, found = work.runs.with_checklist(checklist_id), dict[str, RunSummary]()
    for run in work.runs.all(project_id):
        if run.id in asked and run.done and not run.locked and not run.apart:
            found[run.judge] = max(found.get(run.judge, run), run, key=lambda each: each.rank())
    return sorted(found.values(), key=lambda run: -run.id)


@lru_cache(maxsize=16)
def kept_answers(database: Database, draw_id: int, _: tuple[object, ...]) -> tuple[ExpertAnswer, ...]:
    """Everybody's, read once for as long as nothing changes."""
    with database.read() as work:
        return tuple(work.expert_answers.of(draw_id))


@lru_cache(maxsize=64)
def _kept_judge(
    database: Database, run_id: int, dimension_id: int, asked: tuple[int, ...], _: tuple[object, ...]
) -> tuple[Ints, Floats]:
    """The texts with an answer, and (repeats, texts, questions) of the answers about them."""
    with database.read() as work:
        given = work.results.answer_columns(run_id, dimension_id)
    texts = judged_texts(given)
    return texts, judge_cube(given, texts, asked, NUMBERS)


def _aligned(cube: Floats, of: Ints, texts: Ints) -> Floats:
    """The same answers over `texts`."""
    found = np.full((cube.shape[0], len(texts), cube.shape[2]), np.nan)
    place, there = places_among(of, texts)
    found[:, place[there]] = cube[:, there]
    return found


def _people(given: Sequence[ExpertAnswer], experts: Sequence[str], texts: Ints, asked: Sequence[int]) -> Floats:
    cube = np.full((len(experts), len(texts), len(asked)), np.nan)
    who = {name: number for number, name in enumerate(experts)}
    place = {question: number for number, question in enumerate(asked)}
    for one in given:
        row = _row(texts, one.text)
        if row is not None and one.question in place and one.answer in NUMBERS:
            cube[who[one.expert], row, place[one.question]] = NUMBERS[one.answer]
    return cube


def _row(texts: Ints, text: int) -> int | None:
    row = int(np.searchsorted(texts, text))
    return row if row < texts.size and texts[row] == text else None
