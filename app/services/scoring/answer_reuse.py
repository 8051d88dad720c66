"""Reuse of answers: scoring a new version of a checklist asks only the questions that changed.

The answer to a question counts again where everything that was asked about it is the same: its wording and guidance,
whether it may not apply (and then the words in which that is offered), the judge, how it was asked, the prompt, the
words of task and dimension, and the text. Only runs of versions from which the new one descends are looked at: scoring
afresh and comparing checklists with each other ask everything. What is
different is the company: a question was answered among the questions of its version, and a judge that is asked two
questions may answer them otherwise than as two of eleven.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.domain.checklist import Checklist, Question, unchanged_questions
from app.domain.judgment import Judgment
from app.domain.run import RunDimension, RunSummary
from app.evaluators.checklist import METHOD, JudgeOptions
from app.evaluators.method import as_params
from app.prompting import available_prompts, dimension_variables, task_variables
from app.providers.model_name import parse_model_name
from app.providers.specs import spec_of
from app.services.runtime.prompts import in_force
from db.unit_of_work import UnitOfWork

ASKED_AS, TAKEN_FROM, OPEN_AS = "asked_as", "answers_from", "open_asked_as"


@dataclass(frozen=True, slots=True)
class ReuseSource:
    """An earlier run and which of its questions (id) is which of the new checklist (id)."""

    run: int
    same: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Reuse:
    """What a run takes over on one dimension, before it starts.

    questions: of the checklist. left: (questions still to ask, texts for which it is so many), most texts first. runs:
    those that answered the others.
    """

    dimension: str
    questions: int
    left: tuple[tuple[int, int], ...]
    runs: tuple[int, ...]

    def __str__(self) -> str:
        asks = ", ".join(f"{asked} of {self.questions} questions for {texts:,} texts" for asked, texts in self.left)
        runs = ("run " if len(self.runs) == 1 else "runs ") + ", ".join(map(str, self.runs))
        return f"{self.dimension}: asks {asks}; the other answers count again from {runs}."


def reused(
    work: UnitOfWork, plan: Sequence[RunDimension], known: Mapping[int, Mapping[int, Sequence[Judgment]]]
) -> tuple[Reuse, ...]:
    """The dimensions on which a planned run takes answers over. known: dimension -> text -> answers that count."""
    found = []
    for part in plan:
        asked = work.checklists.get(part.checklist).asked if part.checklist else ()
        of_part = [known[part.dimension].get(text, ()) for text in part.texts]
        runs = sorted({judgment.origin or 0 for judgments in of_part for judgment in judgments})
        left = Counter(len(left_to_ask(asked, judgments)) for judgments in of_part)
        if runs:
            found.append(Reuse(part.name, len(asked), tuple(left.most_common()), tuple(runs)))
    return tuple(found)


def reuse_params(
    work: UnitOfWork,
    project_id: int,
    plan: Sequence[RunDimension],
    judge: str,
    asking: JudgeOptions,
    wanted: bool = True,
    effort: str = "",
) -> dict[str, Any]:
    """What a checklist run writes down: how each dimension is asked, so that later runs can tell, and the runs from
    which it takes answers over, newest first; none where that isn't wanted or the judge's answers cost nothing."""
    asked_as = {part.dimension: _asked_as(work, project_id, part, asking, effort) for part in plan}
    open_as = _open_as(work, project_id, asking)
    taken = {
        str(part.dimension): _earlier_runs(work, project_id, part, judge, asked_as[part.dimension], open_as)
        for part in plan
        if wanted and spec_of(parse_model_name(judge).provider).speaks_http
    }
    checklists = [work.checklists.get(part.checklist) for part in plan if part.checklist]
    open_ = any(question.may_not_apply for checklist in checklists for question in checklist.asked)
    return {
        **({OPEN_AS: open_as} if open_ else {}),
        ASKED_AS: {str(dimension): digest for dimension, digest in asked_as.items()},
        TAKEN_FROM: {dimension: runs for dimension, runs in taken.items() if runs},
    }


def answers_from(params: Mapping[str, Any], dimension_id: int) -> list[int]:
    """The runs from which a run takes answers over on a dimension."""
    return list(params.get(TAKEN_FROM, {}).get(str(dimension_id), ()))


def earlier_answers(
    work: UnitOfWork, params: Mapping[str, Any], part: RunDimension, repeats: int
) -> dict[int, list[Judgment]]:
    """Text -> the answers that count again, each with the run that asked; the newest where several runs did.

    A question counts as answered only if each of its repeats was.
    """
    if not part.checklist:
        return {}
    checklist, open_ = work.checklists.get(part.checklist), str(params.get(OPEN_AS, ""))
    found: dict[int, dict[tuple[int, int], Judgment]] = {}
    for run in answers_from(params, part.dimension):
        source = _source(work, checklist, run, part.dimension, open_)
        for text, judgments in work.every_result.judgments_by_text(source.run, part.dimension).items():
            known = found.setdefault(text, {})
            for judgment in judgments:
                question = source.same.get(judgment.question)
                if question is not None and judgment.settled:
                    own = replace(judgment, question=question, origin=judgment.origin or source.run)
                    known.setdefault((question, judgment.repeat), own)
    return {text: _whole(known, repeats) for text, known in found.items()}


def earlier_of_run(work: UnitOfWork, run: RunSummary, part: RunDimension) -> dict[int, list[Judgment]]:
    """The same for a run that was planned."""
    return earlier_answers(work, run.params, part, int(run.params.get("repeats", 1)))


def left_to_ask(asked: Sequence[Question], earlier: Sequence[Judgment]) -> tuple[Question, ...]:
    known = {judgment.question for judgment in earlier}
    return tuple(question for question in asked if question.id not in known)


def _whole(known: Mapping[tuple[int, int], Judgment], repeats: int) -> list[Judgment]:
    questions = dict.fromkeys(question for question, _ in known)
    answered = [q for q in questions if all((q, repeat) in known for repeat in range(repeats))]
    return [known[question, repeat] for question in answered for repeat in range(repeats)]


def _asked_as(work: UnitOfWork, project_id: int, part: RunDimension, asking: JudgeOptions, effort: str) -> str:
    """Changes with everything a judge is told beside the questions and the text."""
    told = {
        "task": task_variables(work.projects.by_id(project_id).task),
        "dimension": dimension_variables(work.projects.dimension_by_id(part.dimension)),
        "prompt": part.prompt_digest,
        "asking": as_params(asking),
        **({"effort": effort} if effort else {}),
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _open_as(work: UnitOfWork, project_id: int, asking: JudgeOptions) -> str:
    """Which wording asks questions that may not apply: the built-in one, or the project's own by its number."""
    name = asking.prompt(may_not_apply=True)
    own = in_force(work, project_id).get(name)
    return f"{name}@{available_prompts()[name][-1]}{f'+own{own}' if own else ''}"


def _earlier_runs(
    work: UnitOfWork, project_id: int, part: RunDimension, judge: str, asked_as: str, open_as: str
) -> list[int]:
    """Newest first; only those with an answer to a question that is still asked."""
    if not part.checklist:
        return []
    checklist, judge = work.checklists.get(part.checklist), str(parse_model_name(judge))
    older = work.checklists.ancestors(checklist.id)
    alike = [
        run.id
        for run in work.runs.all(project_id)
        if run.evaluator == METHOD.name
        and run.done
        and str(parse_model_name(run.judge)) == judge
        and run.params.get(ASKED_AS, {}).get(str(part.dimension)) == asked_as
        and _checklist_of(work, run.id, part.dimension) in older
    ]
    return [run for run in alike if _source(work, checklist, run, part.dimension, open_as).same]


def _checklist_of(work: UnitOfWork, run_id: int, dimension_id: int) -> int | None:
    return next((part.checklist for part in work.runs.parts(run_id) if part.dimension == dimension_id), None)


def _source(work: UnitOfWork, checklist: Checklist, run_id: int, dimension_id: int, open_as: str) -> ReuseSource:
    """open_as: the words in which this run asks questions that may not apply."""
    earlier = _checklist_of(work, run_id, dimension_id)
    before = work.checklists.get(earlier).asked if earlier else ()
    open_before = str(work.runs.get(run_id).params.get(OPEN_AS, ""))
    return ReuseSource(run_id, unchanged_questions(before, checklist.asked, open_before, open_as))
