"""Reuse of earlier runs' answers by a run that asks the same questions in the same way."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.domain.checklist import Checklist, Question, unchanged_questions
from app.domain.checklist_score import Judgment
from app.domain.run import RunDimension, RunSummary
from app.evaluators.checklist import METHOD, JudgeOptions
from app.evaluators.method import (
    as_params,
)
from app.prompting import available_prompts, dimension_variables, task_variables
from app.providers.model_name import parse_model_name
from app.providers.specs import spec_of
from app.services.runtime.prompts import active_wordings
from db.unit_of_work import UnitOfWork

# Among a run's params.
ASKED_AS, TAKEN_FROM = "asked_as", "answers_from"
OPEN_AS, SHOWN_AS = "open_asked_as", "examples_asked_as"


@dataclass(frozen=True, slots=True)
class ReuseSource:
    """An earlier run, and id of its question -> id of the same question in the new checklist."""

    run: int
    same: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Reuse:
    """The answers that a run would reuse on one dimension.

    questions: of the checklist. left: (questions still to ask, number of such texts), most texts first. runs: those
    that gave the reused answers.
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
    """Return the reuse on each dimension with any. known: dimension -> text -> reusable answers."""
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
    """Return what a checklist run records: how each dimension is asked, for later runs, and the runs from which it
    reuses answers, newest first; none if reuse isn't wanted or the judge's answers are free."""
    asked_as = {part.dimension: _asked_as(work, project_id, part, asking, effort) for part in plan}
    wordings = active_wordings(work, project_id)
    open_as = _words_of(wordings, asking.prompt(may_not_apply=True))
    shown_as = _words_of(wordings, asking.prompt(examples=True))
    checklists = {part.dimension: work.checklists.get(part.checklist) for part in plan if part.checklist}
    taken = {
        str(dimension): _earlier_runs(
            work, project_id, dimension, checklist, judge, asked_as[dimension], (open_as, shown_as)
        )
        for dimension, checklist in checklists.items()
        if wanted and spec_of(parse_model_name(judge).provider).speaks_http
    }
    open_ = any(question.may_not_apply for checklist in checklists.values() for question in checklist.asked)
    shown = any(question.examples for checklist in checklists.values() for question in checklist.asked)
    return {
        **({OPEN_AS: open_as} if open_ else {}),
        **({SHOWN_AS: shown_as} if shown else {}),
        ASKED_AS: {str(dimension): digest for dimension, digest in asked_as.items()},
        TAKEN_FROM: {dimension: runs for dimension, runs in taken.items() if runs},
    }


def answers_from(params: Mapping[str, Any], dimension_id: int) -> list[int]:
    """Return the runs from which a run reuses answers on a dimension."""
    return list(params.get(TAKEN_FROM, {}).get(str(dimension_id), ()))


def earlier_answers(
    work: UnitOfWork, params: Mapping[str, Any], part: RunDimension, repeats: int
) -> dict[int, list[Judgment]]:
    """Return text -> reusable answers, each with the run that asked; the newest if several did.

    A question counts as answered only if all its repeats were.
    """
    runs = answers_from(params, part.dimension)
    if not part.checklist or not runs:
        return {}
    checklist, words = work.checklists.get(part.checklist), _asked_in(params)
    found: dict[int, dict[tuple[int, int], Judgment]] = {}
    for run in runs:
        source = _source(work, checklist, run, part.dimension, words)
        for text, judgments in work.every_result.judgments_by_text(source.run, part.dimension).items():
            known = found.setdefault(text, {})
            for judgment in judgments:
                question = source.same.get(judgment.question)
                if question is not None and judgment.settled:
                    own = replace(judgment, question=question, origin=judgment.origin or source.run)
                    known.setdefault((question, judgment.repeat), own)
    return {text: _whole(known, repeats) for text, known in found.items()}


def earlier_of_run(work: UnitOfWork, run: RunSummary, part: RunDimension) -> dict[int, list[Judgment]]:
    """Return `earlier_answers` for a planned run."""
    return earlier_answers(work, run.params, part, int(run.params.get("repeats", 1)))


def left_to_ask(asked: Sequence[Question], earlier: Sequence[Judgment]) -> tuple[Question, ...]:
    known = {judgment.question for judgment in earlier}
    return tuple(question for question in asked if question.id not in known)


def _whole(known: Mapping[tuple[int, int], Judgment], repeats: int) -> list[Judgment]:
    questions = dict.fromkeys(question for question, _ in known)
    answered = [q for q in questions if all((q, repeat) in known for repeat in range(repeats))]
    return [known[question, repeat] for question in answered for repeat in range(repeats)]


def _asked_as(work: UnitOfWork, project_id: int, part: RunDimension, asking: JudgeOptions, effort: str) -> str:
    """Return a digest of everything a judge is told besides the questions and the text."""
    told = {
        "task": task_variables(work.projects.by_id(project_id).task),
        "dimension": dimension_variables(work.projects.dimension_by_id(part.dimension)),
        "prompt": part.prompt_digest,
        "asking": as_params(asking),
        **({"effort": effort} if effort else {}),
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _words_of(wordings: Mapping[str, int], name: str) -> str:
    """Return the name of the wording in use of a prompt: the built-in version, or the project's own number."""
    own = wordings.get(name)
    return f"{name}@{available_prompts()[name][-1]}{f'+own{own}' if own else ''}"


def _earlier_runs(
    work: UnitOfWork,
    project_id: int,
    dimension: int,
    checklist: Checklist,
    judge: str,
    asked_as: str,
    words: tuple[str, str],
) -> list[int]:
    """Return runs with an answer to a question that is still asked, newest first."""
    judge = str(parse_model_name(judge))
    older = work.checklists.ancestors(checklist.id)
    alike = [
        run.id
        for run in work.runs.all(project_id)
        if run.evaluator == METHOD.name
        and run.done
        and str(parse_model_name(run.judge)) == judge
        and run.params.get(ASKED_AS, {}).get(str(dimension)) == asked_as
        and _checklist_of(work, run.id, dimension) in older
    ]
    return [run for run in alike if _source(work, checklist, run, dimension, words).same]


def _checklist_of(work: UnitOfWork, run_id: int, dimension_id: int) -> int | None:
    return next((part.checklist for part in work.runs.parts(run_id) if part.dimension == dimension_id), None)


def _asked_in(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the wordings in which a run asks questions that may not apply, and those with examples; "" for none."""
    return str(params.get(OPEN_AS, "")), str(params.get(SHOWN_AS, ""))


def _source(
    work: UnitOfWork, checklist: Checklist, run_id: int, dimension_id: int, words: tuple[str, str]
) -> ReuseSource:
    """Return the reusable questions of a run. words: of the new run, as `_asked_in` returns them."""
    earlier = _checklist_of(work, run_id, dimension_id)
    before = work.checklists.get(earlier).asked if earlier else ()
    open_before, shown_before = _asked_in(work.runs.get(run_id).params)
    open_now, shown_now = words
    same = unchanged_questions(before, checklist.asked, open_before, open_now, shown_before, shown_now)
    return ReuseSource(run_id, same)
