"""Asking a judge about the anchors: three times when they are frozen, once at each look, anew each time."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np

from app.domain.expert_answer import AnchorLook, AnchorSet, DriftVerdict
from app.domain.people.actor import Right
from app.domain.run import RunStatus, RunSummary
from app.domain.task import Dimension
from app.errors import ConflictError, NotReadyError
from app.meta_evaluation.judges.drift import REPEATS, is_enough
from app.meta_evaluation.judges.look import look_figures, reference_figures
from app.scoring.concurrency import CONCURRENCY
from app.services.drift.anchors import check_anchors
from app.services.drift.answerings import answerings_of, asked_anchors, documents_of, is_over, people_of
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.run_worker import OnProgress
from app.services.scoring.runs import RunOptions, RunReport, get_run, set_budget, start_run, work_on

OnReport = Callable[[RunReport], None]


@dataclass(frozen=True, slots=True)
class Asking:
    """Whom to ask, as whom to treat them, and how. `against` is the judge whose reference it is compared with."""

    judge: str
    against: str = ""
    budget: float | None = None
    concurrency: int = CONCURRENCY

    @property
    def reference(self) -> str:
        return self.against or self.judge


@use_case(Right.FACILITATE, act="had a judge asked about anchors")
def ask_reference(
    workbench: Workbench,
    project_id: int,
    dimension: Dimension,
    found: AnchorSet,
    asking: Asking,
    on_progress: OnProgress = lambda _: None,
) -> list[RunReport]:
    """Ask what is missing of the judge's own reference, three askings in all; nothing where it is whole.

    They are runs of their own, asked once each as looks are: several repeats in one run would be asked at another
    temperature, and an unchanged judge would look like another. Raises what scoring raises.
    """
    check_anchors(workbench, project_id, dimension, found)
    reports = []
    for number in range(REPEATS):
        before = asked_anchors(workbench, found, asking.judge, asking.judge)
        if before.looks:  # what looks were compared with stays as it was
            break
        known = before.references[number] if number < len(before.references) else None
        if known is not None and is_over(workbench, known) and not get_run(workbench, known.run).failed:
            continue
        look = known or _begin(workbench, project_id, dimension, found, asking, is_reference=True)
        reports.append(_work(workbench, look, asking, on_progress))
        if reports[-1].run.status is not RunStatus.DONE:
            return reports
    if reports:
        references = asked_anchors(workbench, found, asking.judge, asking.judge).references
        figures = reference_figures(answerings_of(workbench, found, references))
        with workbench.database.write() as work:
            work.anchors.conclude(references[-1].id, asdict(figures), "")
    return reports


@use_case(Right.FACILITATE, act="had a judge asked about anchors")
def look_once(
    workbench: Workbench,
    project_id: int,
    dimension: Dimension,
    found: AnchorSet,
    asking: Asking,
    on_progress: OnProgress = lambda _: None,
) -> RunReport:
    """Ask every anchor once, or go on with a look that was cut off, and write down what came of it.

    Raises NotReadyError without a whole reference, InputError where the anchors are no longer what was frozen.
    """
    check_anchors(workbench, project_id, dimension, found)
    before = asked_anchors(workbench, found, asking.judge, asking.reference)
    if not has_reference(workbench, found, asking.reference):
        raise NotReadyError(
            f"{asking.reference} has not answered the anchors of {dimension.name} {REPEATS} times yet, so there is "
            "nothing to compare with.",
            f"`interacteval drift --freeze --judge {asking.reference}` asks what is missing.",
        )
    open_ = next((look for look in before.looks if not look.verdict), None)
    look = open_ or _begin(workbench, project_id, dimension, found, asking, is_reference=False)
    if is_over(workbench, look):  # it ended, and what came of it could not be written down
        report = RunReport(get_run(workbench, look.run))
    else:
        report = _work(workbench, look, asking, on_progress)
    if report.run.status is RunStatus.DONE:
        _conclude(workbench, found, look, asking)
    return report


def has_reference(workbench: Workbench, found: AnchorSet, judge: str) -> bool:
    references = asked_anchors(workbench, found, judge, judge).references
    return len(references) == REPEATS and bool(references[-1].figures)


def _begin(
    workbench: Workbench,
    project_id: int,
    dimension: Dimension,
    found: AnchorSet,
    asking: Asking,
    is_reference: bool,
) -> AnchorLook:
    with workbench.database.read() as work:
        version = work.checklists.get(found.checklist).version
    options = RunOptions(
        (dimension,),
        asking.judge,
        version=version,
        budget=asking.budget,
        use_cache=False,
        reuse=False,
        anchors=found.id,
        texts=found.texts,
    )
    run_id = start_run(workbench, project_id, options)
    against = asking.judge if is_reference else asking.reference
    with workbench.database.write() as work:
        return work.anchors.begin(found.id, run_id, asking.judge, against, is_reference)


def _work(workbench: Workbench, look: AnchorLook, asking: Asking, on_progress: OnProgress) -> RunReport:
    run: RunSummary = get_run(workbench, look.run)
    if run.status is RunStatus.RUNNING:
        raise ConflictError(f"Run {run.id} asks about the anchors right now.", "Wait until it ends, or stop it.")
    if asking.budget is not None and run.params.get("budget") != asking.budget:
        set_budget(workbench, run.id, asking.budget)
    return work_on(workbench, look.run, asking.concurrency, on_progress)


def _conclude(workbench: Workbench, found: AnchorSet, look: AnchorLook, asking: Asking) -> None:
    asked = asked_anchors(workbench, found, asking.judge, asking.reference)
    earlier = [each for each in asked.looks if each.verdict and each.id < look.id]
    answers = answerings_of(workbench, found, [*asked.references, *earlier, look])
    ps = np.array([float(each.figures["p"]) for each in earlier])
    figures = look_figures(answers, people_of(workbench, found), documents_of(workbench, found), ps)
    changed = figures.changed or any(each.verdict == DriftVerdict.JUDGE_CHANGED for each in earlier)
    enough = is_enough(asked.references[-1].figures["findable"])
    verdict = DriftVerdict.JUDGE_CHANGED if changed else DriftVerdict.STEADY if enough else DriftVerdict.TOO_FEW
    with workbench.database.read() as work:
        scores = [row.score for row in work.results.scored(look.run, found.dimension) if row.score is not None]
    mean = float(np.mean(scores)) if scores else None
    with workbench.database.write() as work:
        work.anchors.conclude(look.id, figures.to_json() | {"score": mean}, verdict.value)
