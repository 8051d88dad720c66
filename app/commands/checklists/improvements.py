"""checklist improve, improvements, timeline: better wordings from decisions, and a question's history."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.checklists.checklist_edits import (
    ByOption,
    OneDimensionOption,
    newest_draft,
    newest_version,
    question_of,
)
from app.commands.shared import JsonOption, ProjectOption, counted, echo, print_json, shown_model, table
from app.domain.improvement import AnswerErrors, Improvement, ProposedWording, WordingTrial
from app.errors import InputError

if TYPE_CHECKING:
    from app.services.runtime.workbench import Workbench

QuestionOption = Annotated[int, typer.Option("--question", help="Its number, as `checklist questions` lists it.")]
RunOption = Annotated[
    int | None, typer.Option("--run", help="The run whose judge is looked at; the newest of an earlier version.")
]


def improve(
    project: ProjectOption,
    dimension: OneDimensionOption,
    question: QuestionOption,
    model: Annotated[
        str,
        typer.Option(
            help="Who proposes wordings: provider:name, or rules. Needed unless with --examples or --written."
        ),
    ] = "",
    run: RunOption = None,
    examples: Annotated[
        bool, typer.Option("--examples", help="Choose examples from decided answers instead of a wording.")
    ] = False,
    written: Annotated[
        bool, typer.Option("--written", help="Prove the examples that the question has, and choose no others.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked and cost; ask nothing.")] = False,
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """Try wordings, or examples, from decided answers on one half of the texts, and prove the best on the other.

    Example: interacteval checklist improve --project News --dimension coherence --question 12 --model openai:gpt-6-luna
    """
    from app.services.improvement.improve import forecast_improvement, propose_examples
    from app.services.improvement.improve import improve as try_wordings

    if sum((examples, written, bool(model))) != 1:
        raise InputError(
            "Either a model proposes wordings, or examples are chosen, or those that are there are proven.",
            "Give one of --model, --examples and --written.",
        )
    workbench, draft = newest_draft(project, dimension)
    number = question_of(draft, question).id
    if dry_run:
        ahead = forecast_improvement(workbench, number, model, run)
        if json_:
            print_json(ahead.to_json())
            return
        cost = "an unknown price" if ahead.cost_usd is None else f"about ${ahead.cost_usd:.2f}"
        echo(f"{counted(ahead.development, 'decided text')} to learn from, {ahead.proof} unseen to prove the best on.")
        echo(f"At most {counted(ahead.calls, 'call')}; about {ahead.input_tokens:,} tokens in; {cost}.")
        return
    if not model:
        found = propose_examples(workbench, number, run, by, written)
    else:
        found = try_wordings(workbench, number, model, run, by)
    if json_:
        print_json(_document(found))
    else:
        _print(found)


def improvements(
    project: ProjectOption,
    dimension: OneDimensionOption,
    question: QuestionOption,
    accept: Annotated[int | None, typer.Option(help="Take the wording of this attempt into the draft.")] = None,
    refuse: Annotated[int | None, typer.Option(help="Refuse this attempt.")] = None,
    text: Annotated[str | None, typer.Option(help="With --accept: this wording instead.")] = None,
    guidance: Annotated[str | None, typer.Option(help="With --accept: this guidance instead.")] = None,
    by: ByOption = "",
    json_: JsonOption = False,
) -> None:
    """List the attempts to improve a question of the draft, or accept or refuse one.

    Example: interacteval checklist improvements --project News --dimension coherence --question 12 --accept 3
    """
    from app.services.improvement.improve import refuse_improvement

    workbench, draft = newest_draft(project, dimension)
    number = question_of(draft, question).id
    if accept is not None:
        from app.services.improvement.improve import accept_improvement

        words = None
        chosen = next((one.chosen for one in _attempts(workbench, draft.id, number) if one.id == accept), None)
        if chosen is not None and (text is not None or guidance is not None):
            now = chosen.wording
            words = ProposedWording(now.text if text is None else text, now.guidance if guidance is None else guidance)
        accept_improvement(workbench, number, accept, by, words)
    if refuse is not None:
        refuse_improvement(workbench, number, refuse, by)
    made = _attempts(workbench, draft.id, number)
    if json_:
        print_json([_document(one) for one in made])
    elif made:
        for one in made:
            _print(one)
    else:
        echo("No wording was tried on decisions about this question.")


def timeline(
    project: ProjectOption,
    dimension: OneDimensionOption,
    question: QuestionOption,
    run: RunOption = None,
    json_: JsonOption = False,
) -> None:
    """Show a question's agreement with decided answers, version by version, on the same texts.

    Example: interacteval checklist timeline --project News --dimension coherence --question 12
    """
    from app.services.improvement.question_timeline import question_timeline

    workbench, checklist = newest_version(project, dimension)
    found = question_timeline(workbench, question_of(checklist, question).id, run)
    versions = [] if found is None else found.versions
    rows = [
        {
            "version": one.version,
            "text": one.question.text,
            "guidance": one.question.guidance,
            "reworded": one.reworded,
            "run": one.run,
            "texts": one.errors.n if one.errors else 0,
            "agreement": one.errors.agreement if one.errors else None,
            "decisions": one.decisions,
        }
        for one in versions
    ]
    if json_:
        print_json({"judge": found.judge if found else None, "texts": found.texts if found else 0, "versions": rows})
    elif rows:
        shown = ("version", "reworded", "agreement", "texts", "decisions", "text")
        echo(table(list(shown), [[row[name] for name in shown] for row in rows]))
    else:
        echo("Nothing is decided about this question.")


def _attempts(workbench: "Workbench", draft: int, question: int) -> "list[Improvement]":
    from app.services.improvement.improve import attempts_at

    return attempts_at(workbench, draft).get(question, [])


def _document(found: "Improvement") -> dict[str, Any]:
    from app.services.improvement.improve import attempt_outcome, attempt_sentence, difference_of

    difference = difference_of(found.proof)
    return {
        "improvement": found.id,
        "question": found.question,
        "model": found.model,
        "judge": found.judge,
        "run": found.run,
        "text": found.before.text,
        "guidance": found.before.guidance,
        "proposals": [
            {
                "text": one.wording.text,
                "guidance": one.wording.guidance,
                "reason": one.wording.reason,
                **_examples(found, one.wording),
                "development": _trial(one.trial),
            }
            for one in found.tried
        ],
        "best": found.best,
        "proof": _trial(found.proof) if found.proof else None,
        **({"proof_against_random": _trial(found.beside)} if found.beside else {}),
        "proof_decided": found.proof_decided,
        "difference": difference and {name: getattr(difference, of) for name, of in _DIFFERENCE.items()},
        "p": difference and difference.p,
        "smallest_difference": difference and difference.smallest,
        "verdict": attempt_outcome(found),
        "sentence": attempt_sentence(found),
        "decisions": len(found.decisions),
        "calls": found.calls,
        "cost_usd": found.cost_usd,
        "status": found.status.value,
    }


def _examples(found: "Improvement", wording: "ProposedWording") -> dict[str, Any]:

    from app.services.improvement.improve import example_tokens

    if not found.of_examples:
        return {}
    return {"examples": [asdict(one) for one in wording.examples], "tokens": example_tokens(wording)}


_DIFFERENCE = {"value": "difference", "low": "low", "high": "high"}


def _trial(trial: "WordingTrial") -> dict[str, Any]:
    return {
        "texts": trial.before.n,
        "documents": trial.documents,
        "before": _errors(trial.before),
        "after": _errors(trial.after),
        "gained": trial.gained,
        "lost": trial.lost,
        "failed": trial.failed,
    }


def _errors(errors: "AnswerErrors") -> dict[str, Any]:
    return {
        "right": errors.right,
        "false_yes": errors.false_yes,
        "false_no": errors.false_no,
        "other": errors.other,
        "unanswered": errors.unanswered,
    }


def _print(found: "Improvement") -> None:
    from app.services.improvement.improve import attempt_sentence

    said = f"{found.status.value}{f' by {found.decided_by}' if found.decided_by else ''}"
    echo(f"Attempt {found.id} ({shown_model(found.model)} for {shown_model(found.judge)}): {said}")
    rows = [
        [
            "best" if place == found.best else "",
            f"{one.trial.before.right} -> {one.trial.after.right} of {one.trial.before.n}",
            one.wording.reason if found.of_examples else one.wording.text,
            f"{len(one.wording.examples)}" if found.of_examples else one.wording.guidance,
        ]
        for place, one in enumerate(found.tried)
    ]
    about = ("examples", "how many") if found.of_examples else ("question", "guidance")
    echo(table(["", "right on the development half", *about], rows))
    echo(attempt_sentence(found))
    cost = "unknown" if found.cost_usd is None else f"${found.cost_usd:.2f}"
    echo(f"{counted(found.calls, 'call')}, cost {cost}; rests on {counted(len(found.decisions), 'decision')}.")
