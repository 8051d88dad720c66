"""Looks at a judge's drift, in the background or at once, and the resulting state."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from app.domain.expert_answer import AnchorLook, AnchorSet, DriftVerdict
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right
from app.domain.run import RunStatus, RunSummary
from app.errors import ConflictError, InputError, NotReadyError, WorkbenchError
from app.limits import CONCURRENCY
from app.meta_evaluation.judges.drift import LIMIT, NEEDED, REPEATS, is_enough, look_figures, reference_figures
from app.providers.known_prices import end_of
from app.services.background.jobs import start_job
from app.services.background.progress import Progress, job_kind
from app.services.drift.anchors import (
    MovedScores,
    answerings_of,
    asked_anchors,
    check_anchors,
    documents_of,
    freeze_anchors,
    is_over,
    moved_scores,
    newest_anchors,
    people_of,
)
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import CHECKLIST
from app.services.scoring.run_worker import OnProgress
from app.services.scoring.runs import RunOptions, RunReport, get_run, set_budget, start_run, work_on
from app.services.scoring.scoring_jobs import job_key, plan_scoring, refuse_second, score_runs, start_scoring_job


@dataclass(frozen=True, slots=True)
class Asking:
    """The judge to ask, and how to ask it. `against` is the judge whose reference it is compared with, "" for its
    own."""

    judge: str
    against: str = ""
    budget: float | None = None
    concurrency: int = CONCURRENCY

    @property
    def reference(self) -> str:
        return self.against or self.judge

    def of_reference(self) -> "Asking":
        """Return the same asking for the judge it is compared with, for that judge's own reference."""
        return replace(self, judge=self.reference, against="")


@use_case(Right.FACILITATE, act="asked a judge about anchors")
def ask_reference(
    workbench: Workbench,
    project_id: int,
    dimension: Dimension,
    found: AnchorSet,
    asking: Asking,
    on_progress: OnProgress = lambda _: None,
) -> list[RunReport]:
    """Complete the judge's own reference of three askings; does nothing if it is complete.

    Each asking is a run of its own with one repeat, as looks are: several repeats in one run use another temperature,
    and an unchanged judge would seem to have changed. Raises what scoring raises.
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


@use_case(Right.FACILITATE, act="asked a judge about anchors")
def look_once(
    workbench: Workbench,
    project_id: int,
    dimension: Dimension,
    found: AnchorSet,
    asking: Asking,
    on_progress: OnProgress = lambda _: None,
) -> RunReport:
    """Ask every anchor once, or resume an interrupted look, and store the result.

    Raises NotReadyError without a complete reference, InputError if the anchors have changed since they were frozen.
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
    if is_over(workbench, look):  # it ended, but its result was not saved
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
    workbench: Workbench, project_id: int, dimension: Dimension, found: AnchorSet, asking: Asking, is_reference: bool
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
    verdict = DriftVerdict.JUDGE_CHANGED if changed else DriftVerdict.UNCHANGED if enough else DriftVerdict.TOO_FEW
    with workbench.database.read() as work:
        scores = [row.score for row in work.results.scored(look.run, found.dimension) if row.score is not None]
    mean = float(np.mean(scores)) if scores else None
    with workbench.database.write() as work:
        work.anchors.conclude(look.id, figures.to_json() | {"score": mean}, verdict.value)


MOST_CHANGED = 3


@dataclass(frozen=True, slots=True)
class DriftState:
    """The state of a judge's drift. `verdict` is None if there is nothing to judge yet. `looks` are finished ones, in
    order; `open` is an interrupted one. `reference` describes the judge's own noise. `questions`: (wording, share of
    anchors with a changed answer) at the newest look, most first. `problem`: why the anchors can't be used."""

    dimension: Dimension
    judge: str
    against: str
    anchors: AnchorSet | None
    version: int | None
    has_reference: bool
    reference: Mapping[str, Any]
    looks: tuple[AnchorLook, ...]
    open: AnchorLook | None
    questions: tuple[tuple[str, float], ...]
    texts: MovedScores | None
    problem: str = ""

    @property
    def judge_ends(self) -> date | None:
        """Return the day on which the judge's vendor removes it, None if unknown."""
        end = end_of(self.judge)
        return end.day if end else None

    @property
    def limit(self) -> float:
        """Return the evidence from which on a change counts as shown."""
        return LIMIT

    @property
    def last(self) -> Mapping[str, Any]:
        return self.looks[-1].figures if self.looks else {}

    @property
    def findable(self) -> float | None:
        """Return the share of flipped answers that the next look detects with 80 % power."""
        found = (self.last or self.reference).get("findable")
        return None if found is None else float(found)

    @property
    def first_changed(self) -> AnchorLook | None:
        return next((look for look in self.looks if look.verdict == DriftVerdict.JUDGE_CHANGED), None)

    @property
    def verdict(self) -> DriftVerdict | None:
        if self.first_changed:
            return DriftVerdict.JUDGE_CHANGED
        if not (self.has_reference and is_enough(self.reference["findable"])):  # of a first look: it stays what it is
            return DriftVerdict.TOO_FEW
        if not self.looks:
            return None
        return DriftVerdict.TEXTS_CHANGED if self.texts and self.texts.moved else DriftVerdict.UNCHANGED

    @property
    def sentence(self) -> str:
        """Return the conclusion in one sentence."""
        return " ".join(filter(None, (self.problem, self._said())))

    def _said(self) -> str:
        count = len(self.anchors.texts) if self.anchors else 0
        match self.verdict:
            case _ if self.anchors is None:
                return "No anchors are frozen yet: freeze texts that experts answered, to ask the judge about again."
            case _ if not self.has_reference:
                return (
                    f"{count} anchors are frozen, but {self.against} has not answered them {REPEATS} times yet, so "
                    "there is nothing to compare with."
                )
            case DriftVerdict.JUDGE_CHANGED:
                said = "The judge no longer answers as it did: don't compare its new scores with old ones."
                return said + self._better()
            case DriftVerdict.TOO_FEW:
                found = self.reference["findable"]
                rate = (
                    f"a change only where {100 * found:.0f} % of the answers flip"
                    if found
                    else "none, not even a large change"
                )
                return (
                    f"{count} anchors are too few: a look would mostly find {rate}. Have more texts answered, then "
                    "freeze them anew."
                )
            case DriftVerdict.TEXTS_CHANGED:
                assert self.texts is not None
                way = "higher" if self.texts.difference > 0 else "lower"
                return (
                    f"The judge answers the anchors as before, and run {self.texts.newest} scored "
                    f"{abs(self.texts.difference):.2f} {way} than run {self.texts.earlier}: the texts differ."
                )
            case DriftVerdict.UNCHANGED:
                return (
                    f"The judge answers the {count} anchors as it did; a look mostly finds it when "
                    f"{100 * (self.findable or 1):.0f} % of the answers flip, fewer may go unseen."
                )
            case _:
                return f"{count} anchors are ready; nobody has looked yet whether {self.judge} still answers as it did."

    def _better(self) -> str:
        low, high = (self.last.get(end) for end in ("error_low", "error_high"))
        if low is None or high is None:
            return ""
        if low > 0:
            return " It agrees less with people than before."
        if high < 0:
            return " It agrees more with people than before."
        return " Whether it agrees more or less with people can't be told."

    def to_json(self) -> dict[str, Any]:
        return {
            "dimension": self.dimension.name,
            "judge": self.judge,
            "against": self.against,
            "judge_ends": self.judge_ends.isoformat() if self.judge_ends else None,
            "verdict": self.verdict,
            "sentence": self.sentence,
            "anchors": len(self.anchors.texts) if self.anchors else 0,
            "checklist": self.version,
            "frozen_at": self.anchors.frozen_at if self.anchors else None,
            "frozen_by": self.anchors.frozen_by if self.anchors else None,
            "reference": dict(self.reference) or None,
            "evidence": self.last.get("capital"),
            "limit": self.limit,
            "findable": self.findable,
            "needed": NEEDED,
            "looks": [{"run": each.run, "at": each.at, "verdict": each.verdict, **each.figures} for each in self.looks],
            "unfinished_run": self.open.run if self.open else None,
            "questions": [{"question": wording, "changed": share} for wording, share in self.questions],
            "texts": self.texts.to_json() if self.texts else None,
        }


@use_case(Right.READ)
def drift_state(
    workbench: Workbench, project_id: int, dimension: Dimension, judge: str = "", against: str = ""
) -> DriftState:
    """Return the drift on the newest anchors; by default of the judge of the newest look, reference or run."""
    found = newest_anchors(workbench, dimension)
    judge = judge or _usual_judge(workbench, project_id, dimension, found)
    against = against or _usual_reference(workbench, found, judge)
    if found is None:
        return DriftState(dimension, judge, against, None, None, False, {}, (), None, (), None)
    problem = ""
    try:
        check_anchors(workbench, project_id, dimension, found)
    except InputError as error:
        problem = str(error)
    asked = asked_anchors(workbench, found, judge, against)
    looks = tuple(look for look in asked.looks if look.verdict)
    with workbench.database.read() as work:
        checklist = work.checklists.get(found.checklist)
    shares = looks[-1].figures["questions"] if looks else ()
    pairs = [(question.text, share) for question, share in zip(checklist.asked, shares, strict=False) if share]
    return DriftState(
        dimension,
        judge,
        against,
        found,
        checklist.version,
        has_reference(workbench, found, against),
        asked.references[-1].figures if asked.references else {},
        looks,
        next((look for look in asked.looks if not look.verdict), None),
        tuple(sorted(pairs, key=lambda pair: -pair[1])[:MOST_CHANGED]),
        moved_scores(workbench, project_id, found, judge),
        problem,
    )


def _usual_judge(workbench: Workbench, project_id: int, dimension: Dimension, found: AnchorSet | None) -> str:
    with workbench.database.read() as work:
        asked = work.anchors.looks(found.id) if found else []
        runs = [run for run in work.runs.all(project_id) if dimension.name in run.dimensions and not run.locked]
    if asked:
        return asked[-1].judge
    usual = (run for run in runs if run.evaluator == CHECKLIST and not run.apart and not run.from_file)
    return next((run.judge for run in usual), "rules")


def _usual_reference(workbench: Workbench, found: AnchorSet | None, judge: str) -> str:
    """Return the judge it was last compared with, else itself."""
    if found is None:
        return judge
    with workbench.database.read() as work:
        looks = [look for look in work.anchors.looks(found.id) if look.judge == judge]
    return looks[-1].against if looks else judge


@dataclass(frozen=True, slots=True)
class AnchorsJob:
    """The job that asks about the newest anchors of the dimension: three times for `reference`, then once for `look`;
    None skips a part. The look is left out if its judge still lacks a reference."""

    project_id: int
    dimension: Dimension
    reference: Asking | None
    look: Asking | None


@dataclass(frozen=True, slots=True)
class AnchoredScoringJob:
    """The job that takes a look for each of `asked`, then works on runs."""

    project_id: int
    run_ids: tuple[int, ...]
    asked: tuple[tuple[Dimension, Asking], ...]


@use_case(Right.FACILITATE, act="asked a judge about anchors")
def begin_reference(
    workbench: Workbench, project_id: int, dimension: Dimension, asking: Asking, who: str, *, anew: bool = False
) -> None:
    """Start asking the judge about the anchors three times. Anchors are frozen first if there are none, or if `anew`.

    Raises NotReadyError if experts have answered too little, ConflictError while texts of the project are scored.
    """
    refuse_second(workbench, project_id)
    if anew or newest_anchors(workbench, dimension) is None:
        freeze_anchors(workbench, project_id, dimension, who)
    title = f"Asking {asking.judge} about the anchors of {dimension.name}, three times"
    start_job(workbench, job_key(project_id), title, AnchorsJob(project_id, dimension, asking, None))


@use_case(Right.FACILITATE, act="asked a judge about anchors")
def begin_look(workbench: Workbench, project_id: int, dimension: Dimension, asking: Asking) -> None:
    """Start one look at the anchors. Raises NotReadyError without anchors, ConflictError while texts are scored."""
    refuse_second(workbench, project_id)
    _anchors(workbench, dimension)
    title = f"Asking {asking.judge} about the anchors of {dimension.name}"
    start_job(workbench, job_key(project_id), title, AnchorsJob(project_id, dimension, None, asking))


@use_case(Right.FACILITATE, act="asked a judge about anchors")
def begin_successor(workbench: Workbench, project_id: int, dimension: Dimension, asking: Asking, who: str) -> None:
    """Start comparing a judge with one that its vendor removes, while that one still answers: freeze anchors if
    missing, ask `asking.against` about them three times, then `asking.judge` once.

    Raises InputError if both are the same, NotReadyError if experts have answered too little, ConflictError while texts
    of the project are scored.
    """
    if asking.reference == asking.judge:
        raise InputError(f"{asking.judge} can't be its own successor.", "Choose another model.")
    refuse_second(workbench, project_id)
    if newest_anchors(workbench, dimension) is None:
        freeze_anchors(workbench, project_id, dimension, who)
    title = f"Comparing {asking.judge} with {asking.against} on the anchors of {dimension.name}"
    job = AnchorsJob(project_id, dimension, asking.of_reference(), asking)
    start_job(workbench, job_key(project_id), title, job)


@job_kind(AnchorsJob)
def _ask_about_anchors(workbench: Workbench, job: AnchorsJob, progress: Progress) -> str:
    found, told = _anchors(workbench, job.dimension), _progress_reporter(progress)
    place = (workbench, job.project_id, job.dimension, found)
    reports = ask_reference(*place, job.reference, told) if job.reference else []
    if job.look and (not job.reference or has_reference(workbench, found, job.look.reference)):
        reports.append(look_once(*place, job.look, told))
    return _ended(workbench, job, reports, progress)


def _anchors(workbench: Workbench, dimension: Dimension) -> AnchorSet:
    found = newest_anchors(workbench, dimension)
    if found is None:
        raise NotReadyError(f"{dimension.name} has no anchors yet.", "Freeze them first.")
    return found


@use_case(Right.FACILITATE, act="started a run")
def begin_anchored_scoring(
    workbench: Workbench, project_id: int, asked: Sequence[tuple[Dimension, Asking]], wishes: Sequence[RunOptions]
) -> list[int]:
    """Start scoring as `begin_scoring` does, after a look at the anchors."""
    run_ids = plan_scoring(workbench, project_id, wishes)
    start_scoring_job(workbench, AnchoredScoringJob(project_id, tuple(run_ids), tuple(asked)), run_ids)
    return run_ids


@job_kind(AnchoredScoringJob)
def _score_anchored(workbench: Workbench, job: AnchoredScoringJob, progress: Progress) -> str:
    seen = look_ahead(workbench, job.project_id, job.asked)
    return " ".join(filter(None, [seen, score_runs(workbench, job.run_ids, progress)]))


@use_case(Right.FACILITATE)
def anchors_ahead(workbench: Workbench, wishes: Sequence[RunOptions]) -> list[tuple[Dimension, Asking]]:
    """Return the dimensions with anchors that the judge has a reference for, which can tell before scoring whether it
    changed."""
    found = []
    for options in wishes:
        for dimension in options.dimensions if options.evaluator == CHECKLIST else ():
            anchors = newest_anchors(workbench, dimension)
            if anchors and has_reference(workbench, anchors, options.judge):
                found.append((dimension, Asking(options.judge)))
    return found


@use_case(Right.FACILITATE)
def look_ahead(workbench: Workbench, project_id: int, asked: Sequence[tuple[Dimension, Asking]]) -> str:
    """Take the looks before texts are scored, and return a sentence for each dimension. A failed look is reported and
    doesn't prevent scoring."""
    said = []
    for dimension, asking in asked:
        anchors = newest_anchors(workbench, dimension)
        try:
            if anchors is not None:
                look_once(workbench, project_id, dimension, anchors, asking)
                sentence = drift_state(workbench, project_id, dimension, asking.judge, asking.judge).sentence
                said.append(f"{dimension.name}: {sentence}")
        except WorkbenchError as error:
            said.append(f"{dimension.name}: its anchors could not be asked: {error}")
    return " ".join(said)


def _progress_reporter(progress: Progress) -> OnProgress:
    def told(run: RunSummary) -> None:
        progress.report("", run.done, run.all)

    return told


def _ended(workbench: Workbench, job: AnchorsJob, reports: list[RunReport], progress: Progress) -> str:
    """Return the job's last message: the conclusion, or what is missing if not all anchors were answered."""
    left = sum(report.run.all - report.run.done for report in reports)
    stopped = any(report.run.status is not RunStatus.DONE for report in reports)
    if left or stopped:
        progress.mark_incomplete()
        reason = next((f": {report.fatal}" for report in reports if report.fatal), "")
        return f"{left} answers about anchors are missing{reason}. Start it again to go on."
    asking = job.look or job.reference
    assert asking is not None
    return drift_state(workbench, job.project_id, job.dimension, asking.judge, asking.against).sentence
