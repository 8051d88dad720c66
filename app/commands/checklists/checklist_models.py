"""checklist ask, review, applicability, proposals, decide, try, xray: models' work on a checklist."""

from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.checklists.checklist_edits import ByOption, OneDimensionOption, newest_draft, question_of
from app.commands.results.meta_eval import Resamples, Seed
from app.commands.shared import JsonOption, ProjectOption, counted, echo, open_dimension, print_json, shown_model, table
from app.domain.checklist import Action, Checklist, Proposal
from app.errors import InputError, NotFoundError
from app.meta_evaluation.bootstrap import RESAMPLES

if TYPE_CHECKING:
    from app.services.results.rubric_xray import RubricXray
    from app.services.runtime.workbench import Workbench


ModelOption = Annotated[str, typer.Option(help="provider:name, or rules.")]


def ask(
    action: Annotated[str, typer.Argument(help="rephrase, simpler, split or merge.")],
    questions: Annotated[list[int], typer.Argument(help="The numbers of the questions; several for merge.")],
    project: ProjectOption,
    dimension: OneDimensionOption,
    model: ModelOption,
    json_: JsonOption = False,
) -> None:
    """Ask a model for another wording of questions of the draft; `checklist decide` accepts or refuses it.

    Example: interacteval checklist ask split 12 --project News --dimension coherence --model openai:gpt-6-luna
    """
    from app.services.checklists.question_proposals import propose

    if action not in (known := [each.value for each in Action if each not in (Action.VALIDATE, Action.APPLICABILITY)]):
        raise InputError(f"“{action}” is nothing to ask a model for.", f"Use {', '.join(known)}.")
    workbench, draft = newest_draft(project, dimension)
    propose(workbench, draft.id, Action(action), [question_of(draft, number).id for number in questions], model)
    _print_open(workbench, draft, json_)


def review(
    project: ProjectOption, dimension: OneDimensionOption, model: ModelOption, json_: JsonOption = False
) -> None:
    """Let a model review the draft and propose merges, rewordings and drops, for you to decide.

    Example: interacteval checklist review --project News --dimension coherence --model openai:gpt-6-luna
    """
    from app.services.checklists.question_proposals import propose_validation

    workbench, draft = newest_draft(project, dimension)
    propose_validation(workbench, draft.id, model)
    _print_open(workbench, draft, json_)


def applicability(
    project: ProjectOption, dimension: OneDimensionOption, model: ModelOption, json_: JsonOption = False
) -> None:
    """Let a model say which questions of the draft may not apply to some texts, and why, for you to decide.

    Example: interacteval checklist applicability --project News --dimension coherence --model openai:gpt-6-luna
    """
    from app.services.checklists.question_proposals import propose_applicability

    workbench, draft = newest_draft(project, dimension)
    propose_applicability(workbench, draft.id, model)
    _print_open(workbench, draft, json_)


def proposals(project: ProjectOption, dimension: OneDimensionOption, json_: JsonOption = False) -> None:
    """List models' undecided proposals for the draft.

    Example: interacteval checklist proposals --project News --dimension coherence
    """
    _print_open(*newest_draft(project, dimension), json_)


def decide(
    proposal: Annotated[int, typer.Argument(help="The proposal's number, as `checklist proposals` lists it.")],
    project: ProjectOption,
    dimension: OneDimensionOption,
    accept: Annotated[bool, typer.Option("--accept/--refuse", help="Take it into the draft, or not.")],
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Accept or refuse a proposal; `checklist undo` undoes an accepted one.

    Example: interacteval checklist decide 3 --accept --project News --dimension coherence
    """
    from app.services.checklists.question_proposals import accept_proposal as take
    from app.services.checklists.question_proposals import open_proposals, refuse

    workbench, draft = newest_draft(project, dimension)
    if proposal not in {each.id for each in open_proposals(workbench, draft.id)}:
        raise NotFoundError(
            f"The draft of {dimension} has no open proposal {proposal}.", "`checklist proposals` lists them."
        )
    (take if accept else refuse)(workbench, proposal, by)
    _print_open(workbench, draft, json_)


def try_(
    project: ProjectOption,
    dimension: OneDimensionOption,
    judge: Annotated[str, typer.Option(help="provider:name, or rules.")],
    version: Annotated[int | None, typer.Option(help="The version; the newest without it.")] = None,
    seed: Annotated[int, typer.Option(help="Draws the text.")] = 0,
    json_: JsonOption = False,
) -> None:
    """Let a judge answer a checklist, draft or published, on one random text; no score is stored.

    Example: interacteval checklist try --project News --dimension coherence --judge rules --seed 3
    """
    from app.services.checklists.checklists import view_checklist
    from app.services.checklists.preview import drawn_text, judge_preview

    workbench, of_dimension = open_dimension(project, dimension)
    view = view_checklist(workbench, of_dimension.id, version)
    text = drawn_text(workbench, view.project.id, seed)
    trial = judge_preview(workbench, view, text, judge)
    answers = [
        {"question": q.text, "answer": trial.judgments[q.id].answer.value, "reason": trial.judgments[q.id].rationale}
        for q in view.checklist.asked
    ]
    score = {"score": trial.score.equal, "weighted": trial.score.weighted, "answered": trial.score.answered}
    if json_:
        where = {"doc_id": text.doc_id, "system_id": text.system_id}
        print_json({**where, "version": view.checklist.version, "judge": trial.model, **score, "answers": answers})
        return
    echo(" ".join(part for part in text.key if part))
    echo(table(["answer", "question", "reason"], [[a["answer"], a["question"], a["reason"]] for a in answers]))
    equal = "none" if trial.score.equal is None else f"{trial.score.equal:.2f}"
    weighted = "" if trial.score.weighted is None else f", by weight {trial.score.weighted:.2f}"
    echo(f"Score {equal}{weighted}; {trial.score.answered} of {trial.score.asked} answered")


def _print_open(workbench: "Workbench", draft: "Checklist", json_: bool) -> None:
    from app.services.checklists.question_proposals import open_proposals

    waiting = open_proposals(workbench, draft.id)
    if json_:
        print_json([_document(each) for each in waiting])
        return
    for each in waiting:
        echo(f"{each.id} ({shown_model(each.model)}): {each.reason}")
        echo("\n".join([*(f"  - {text}" for text in each.before), *(f"  + {text}" for text in each.after)]))
    if not waiting:
        echo("Nothing waits for a decision.")


def _document(proposal: "Proposal") -> dict[str, object]:
    return {
        "proposal": proposal.id,
        "action": proposal.action.value,
        "model": proposal.model,
        "before": list(proposal.before),
        "after": list(proposal.after),
        "reason": proposal.reason,
    }


def xray(
    project: ProjectOption,
    dimension: OneDimensionOption,
    run: Annotated[
        int | None, typer.Option(help="A run's number; without it that with most texts of the newest version.")
    ] = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    json_: JsonOption = False,
) -> None:
    """Show which questions have problems in the answers so far, with the evidence and what to do.

    Example: interacteval checklist xray --project News --dimension coherence
    """
    from app.services.data.projects import get_project
    from app.services.results.results import Choices
    from app.services.results.rubric_xray import result_with_questions, rubric_xray

    workbench, on = open_dimension(project, dimension)
    target = get_project(workbench, project)
    result = result_with_questions(workbench, target.id, on, run, Choices(resamples=resamples, seed=seed))
    found = rubric_xray(workbench, result)
    assert found is not None  # it asked questions
    if json_:
        where = {"dimension": on.name, "run": result.run.id, "judge": result.run.judge, "version": result.version}
        print_json(where | found.to_json())
        return
    echo(found.summary)
    echo(f"Run {result.run.id}, {shown_model(result.run.judge)}, checklist version {result.version}; {found.basis}")
    _print_findings(found)
    _print_unserved(found)
    if found.further:
        echo(f"\nTo look further: {'; '.join(found.further)}.")


def _print_findings(found: "RubricXray") -> None:
    about = [(finding, finding.question) for finding in found.findings]
    shown = [(finding, place + 1) for finding, place in about if place is not None]
    if not shown:
        return
    headings = ["question", "badge", "failure mode", "figure", "95 % from", "to", "limit", "texts"]
    rows = [
        [number, each.badge, each.mode, each.value, each.low, each.high, each.limit, each.n] for each, number in shown
    ]
    echo("")
    echo(table(headings, rows))
    for each, number in shown:
        echo(f"\n{number}. {found.questions[number - 1].text}\n   {each.evidence}\n   {each.advice}")


def _print_unserved(found: "RubricXray") -> None:
    if not found.unserved:
        return
    echo(f"\nMissing criteria: {counted(len(found.unserved), 'attribute')} no question serves.")
    for each in found.unserved:
        reason = f": {each.reason}" if each.reason else ""
        echo(f"  - {each.text} ({shown_model(each.contributor)}; {each.where}{reason})")
