"""How well a checklist covers each expert without the questions that only they led to, by an embedding and by a
model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.attribute_analysis.coverage import Bools, ChecklistCoverage, OtherExpertsCoverage, covered_without, left_out
from app.attribute_analysis.embedding import cosine_matrix
from app.construction.questions import COVERAGE, ask_coverage, coverage_in, coverage_request
from app.domain.attribute import ContributorKind
from app.domain.roles_and_rights import Right
from app.errors import NotReadyError
from app.meta_evaluation.raters.rater_agreement import cohen_kappa
from app.providers.base import ChatModel, Usage
from app.providers.known_prices import known_prices, today
from app.providers.model_options import ModelOptions
from app.providers.pricing import STANDARD, estimate_input_tokens
from app.services.attributes.comparison import active_attribute
from app.services.attributes.embedding_choice import LOCAL_NAME, LSA, NEAR, Embedding
from app.services.background.jobs import start_job, stop_job
from app.services.background.progress import Progress, job_kind
from app.services.runtime.models import ask_model
from app.services.runtime.prompts import answered, own_wordings
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.llm_think_aloud import ThinkAloudForecast

__all__ = ["ChecklistCoverage"]

AT_ONCE = 40
"""Attributes in one request."""
TOKENS = 15
"""Estimated tokens of an answer for each attribute."""
NOTHING = "No version of the checklist is made of attributes of two contributors."


@dataclass(frozen=True, slots=True)
class _Material:
    """The input of the coverage. owners, attributes: contributor and wording of each attribute. behind: the
    contributors whose attributes led to each question. experts: those whose coverage is computed."""

    version: int
    owners: tuple[str, ...]
    attributes: tuple[str, ...]
    questions: tuple[str, ...]
    behind: tuple[frozenset[str], ...]
    experts: tuple[str, ...]


def _material(workbench: Workbench, project_id: int, dimension_id: int) -> _Material | None:
    with workbench.database.read() as work:
        found = {a.id: a for a in work.think_aloud.attributes(project_id, dimension_id)}
        versions = [one for one in work.checklists.versions(dimension_id) if any(q.attributes for q in one.asked)]
    stands = {
        id_: kept for id_, one in sorted(found.items()) if (kept := active_attribute(one, found)) and kept.text.strip()
    }
    people = {found[id_].contributor for id_ in stands if found[id_].kind is ContributorKind.HUMAN}
    names = people if len(people) > 1 else {found[id_].contributor for id_ in stands}
    if not versions or len(names) < 2:
        return None
    said_by: dict[int, set[str]] = {}
    for id_, kept in stands.items():
        said_by.setdefault(kept.id, set()).add(found[id_].contributor)
    owner = {id_: {one.contributor} for id_, one in found.items()}
    asked = versions[0].asked
    behind = [frozenset[str]().union(*(said_by.get(id_, owner.get(id_, ())) for id_ in q.attributes)) for q in asked]
    owners = tuple(found[id_].contributor for id_ in stands)
    return _Material(
        versions[0].version,
        owners,
        tuple(kept.text for kept in stands.values()),
        tuple(question.text for question in asked),
        tuple(behind),
        tuple(name for name in dict.fromkeys(owners) if name in names),
    )


@use_case(Right.FACILITATE)
def checklist_coverage(
    workbench: Workbench, project_id: int, dimension_id: int, embedding: Embedding = LSA, near: float | None = None
) -> ChecklistCoverage | None:
    """Return how well the newest version made from attributes covers each expert without the questions that only they
    led to, by the embedding and by the model that last answered about all of them.

    A merged attribute counts for its contributor, with the wording of its replacement, also behind a question. Experts
    are the people, or all contributors if fewer than two people have attributes. None with fewer than two experts or
    without such a version. near: by default `NEAR` of the embedding. Raises a ProviderError if the embedding's provider
    fails.
    """
    given = _material(workbench, project_id, dimension_id)
    if given is None:
        return None
    vectors = np.asarray(embedding.embedder.embed([*given.attributes, *given.questions]), dtype=np.float64)
    cosine = cosine_matrix(vectors)[: len(given.attributes), len(given.attributes) :]
    least = NEAR[embedding.name if embedding.name in NEAR else LOCAL_NAME] if near is None else near
    left, shares, alike = _shares(np.nan_to_num(cosine, nan=-1.0) >= least, given)
    found = ChecklistCoverage(given.version, len(given.questions), left, shares, least, embedding.embedder.name)
    said = _said(workbench, dimension_id, given.questions)
    judge = next((name for name, of in reversed(said.items()) if of.keys() >= set(given.attributes)), "")
    if not judge:
        return found
    covers = np.zeros(cosine.shape, dtype=bool)
    for place, text in enumerate(given.attributes):
        covers[place, list(said[judge][text])] = True
    _, judged, model = _shares(covers, given)
    kappa = cohen_kappa(alike.astype(float), model.astype(float)).value
    return replace(found, judge=judge, judged=judged, agreement=float((alike == model).mean()), kappa=kappa)


def _shares(near: Bools, given: _Material) -> tuple[dict[str, int], dict[str, OtherExpertsCoverage], Bools]:
    """Return expert -> number of questions that remain, expert -> share covered by them, and for all experts'
    attributes whether each is covered."""
    of = {name: covered_without(near, given.owners, given.behind, name) for name in given.experts}
    shares = {name: left_out(int(covered.sum()), len(covered)) for name, (_, covered) in of.items()}
    left = {name: stay for name, (stay, _) in of.items()}
    return left, shares, np.concatenate([covered for _, covered in of.values()])


def _said(workbench: Workbench, dimension_id: int, questions: Sequence[str]) -> dict[str, dict[str, frozenset[int]]]:
    """Return model -> attribute -> places of the questions that cover it, from answers about exactly these questions.
    The model that answered last comes last."""
    found: dict[str, dict[str, frozenset[int]]] = {}
    with workbench.database.read() as work:
        stages = [one for one in work.stages.of(dimension_id) if one.stage == COVERAGE and not one.error_kind]
    for stage in stages:
        value = coverage_in(stage.output)
        if value is None or [each["question"] for each in stage.inputs["questions"]] != list(questions):
            continue
        texts = {each["id"]: each["text"] for each in stage.inputs["attributes"]}
        of = found[stage.model] = found.pop(stage.model, {})
        for entry in value["attributes"]:
            of[texts[entry["attribute"]]] = frozenset(number - 1 for number in entry["questions"])
    return found


def _unasked(workbench: Workbench, project_id: int, dimension_id: int, model: str) -> tuple[_Material, list[list[str]]]:
    given = _material(workbench, project_id, dimension_id)
    if given is None:
        raise NotReadyError(NOTHING, "Build a checklist first.")
    said = _said(workbench, dimension_id, given.questions).get(model, {})
    texts = [text for text in dict.fromkeys(given.attributes) if text not in said]
    return given, [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]


@use_case(Right.FACILITATE)
def forecast_coverage(workbench: Workbench, project_id: int, dimension_id: int, model: str) -> ThinkAloudForecast:
    """Return what `judge_coverage` would ask now, and its cost. Raises NotReadyError if there is nothing to ask
    about."""
    given, parts = _unasked(workbench, project_id, dimension_id, model)
    with workbench.database.read() as work:
        task, dimension = work.projects.by_id(project_id).task, work.projects.dimension_by_id(dimension_id)
    with own_wordings(workbench, project_id):
        tokens = sum(estimate_input_tokens(coverage_request(task, dimension, given.questions, part)) for part in parts)
    output = TOKENS * sum(map(len, parts))
    usage = Usage(tokens, output_tokens=output)
    cost = known_prices().cost(model, usage, today(), STANDARD, calls=len(parts)) if parts else 0.0
    return ThinkAloudForecast(model, len(parts), tokens, output, cost, None, f"{TOKENS} tokens an attribute")


@use_case(Right.FACILITATE, act="asked a model what the checklist covers", about="model")
def judge_coverage(
    workbench: Workbench,
    project_id: int,
    dimension_id: int,
    model: str,
    report: Callable[[int, int], None] = lambda *_: None,
    stopped: Callable[[], bool] = lambda: False,
) -> bool:
    """Ask a model which questions of the newest version cover each attribute, except those it answered before.

    report gets (requests answered, all requests). Returns whether all are answered. Raises NotReadyError if there is
    nothing to ask about, and errors of the model, which are stored.
    """
    given, parts = _unasked(workbench, project_id, dimension_id, model)
    with workbench.database.read() as work:
        task, dimension = work.projects.by_id(project_id).task, work.projects.dimension_by_id(dimension_id)

    async def ask(opened: ChatModel) -> bool:
        for done, part in enumerate(parts):
            report(done, len(parts))
            if stopped():
                return False
            request = coverage_request(task, dimension, given.questions, part)
            answer = await ask_coverage(opened, request)
            with workbench.database.write() as work:
                work.stages.add(dimension_id, answered(COVERAGE, model, request.prompt, answer.reply))
        return True

    return ask_model(workbench, project_id, model, ask, on_record=(dimension_id, COVERAGE))[0]


@dataclass(frozen=True, slots=True)
class CoverageJob:
    project_id: int
    dimension_id: int
    model: str
    asking: ModelOptions


def coverage_job_key(dimension_id: int) -> str:
    return f"coverage-{dimension_id}"


@use_case(Right.FACILITATE)
def begin_judging_coverage(workbench: Workbench, project_id: int, dimension_id: int, model: str) -> None:
    """Start `judge_coverage` in the background. Raises ConflictError while it runs for the dimension."""
    job = CoverageJob(project_id, dimension_id, model, workbench.asking)
    start_job(workbench, coverage_job_key(dimension_id), f"Asking {model}", job)


@use_case(Right.FACILITATE)
def stop_judging_coverage(workbench: Workbench, dimension_id: int) -> None:
    """Stop after the current request; its answer is stored."""
    stop_job(workbench, coverage_job_key(dimension_id))


@job_kind(CoverageJob)
def _judge(workbench: Workbench, job: CoverageJob, progress: Progress) -> str:
    def report(done: int, of: int) -> None:
        progress.report(f"{done:,} of {of:,} requests answered", done, of)

    asking = replace(workbench, asking=job.asking)
    if judge_coverage(asking, job.project_id, job.dimension_id, job.model, report, progress.is_set):
        return ""
    progress.mark_incomplete()
    return "Stopped. What was answered is kept; ask again to resume."
