"""side-by-side show, answer, reveal, list: blind comparison of people's and LLMs' attributes."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.shared import JsonOption, ProjectOption, echo, open_dimension, print_json, say, table
from app.domain.project import Dimension
from app.errors import NotReadyError

if TYPE_CHECKING:
    from app.attribute_analysis.tokens import SharedKeyword
    from app.domain.expert_answer import SideBySide
    from app.services.runtime.workbench import Workbench

DimensionOption = Annotated[str, typer.Option("--dimension", help="The dimension that is compared.")]
ExpertOption = Annotated[str, typer.Option(help="Who compares; done with thinking aloud, or from outside.")]


def show(
    project: ProjectOption,
    dimension: DimensionOption,
    expert: ExpertOption,
    outside: Annotated[
        bool,
        typer.Option(
            "--outside",
            help="Begin without having thought aloud. What this person writes on the dimension later counts as "
            "written after others could be seen.",
        ),
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Show the dimension's definition, this expert's sets A and B, the six questions, and the answers so far.

    Example: interacteval side-by-side show --project News --dimension coherence --expert Ada
    """
    _, target, mine, questions = _begun(project, dimension, expert, outside)
    if json_:
        told = {"expert": mine.expert, "dimension": target.name, "rubric": target.rubric, **_sets(mine)}
        print_json({**told, "questions": questions, **_known(mine)})
        return
    echo(f"{target.name}, {target.low:g} to {target.high:g}")
    echo(f"  {' '.join(target.rubric.split()) or '(no definition yet)'}")
    for letter, texts in _sets(mine).items():
        echo(f"Set {letter.upper()}")
        echo("\n".join(f"  {number}. {' '.join(text.split())}" for number, text in enumerate(texts, start=1)))
    for name, wording in questions.items():
        echo(f"{name}: {wording}")
        echo(f"  {mine.answers.get(name) or '(no answer yet)'}")


def answer(
    project: ProjectOption,
    dimension: DimensionOption,
    expert: ExpertOption,
    question: Annotated[str, typer.Option(help="Its short name, as `show` gives it.")],
    text: Annotated[str, typer.Option(help="The answer; it replaces an earlier one.")],
) -> None:
    """Answer one of the six questions.

    Example: interacteval side-by-side answer --project P --dimension D --expert Ada --question else --text "Nothing."
    """
    from app.services.attributes.side_by_side import QUESTIONS
    from app.services.attributes.side_by_side import answer_side_by_side as keep

    workbench, _, mine, _ = _begun(project, dimension, expert)
    keep(workbench, mine.id, question, text)
    answered = {*(name for name, given in mine.answers.items() if given), *([question] if text.strip() else [])}
    say(f"{len(answered)} of {len(QUESTIONS)} questions answered.")


def reveal(project: ProjectOption, dimension: DimensionOption, expert: ExpertOption, json_: JsonOption = False) -> None:
    """Reveal which set is whose, once all six questions are answered; the answers are then final.

    Example: interacteval side-by-side reveal --project News --dimension coherence --expert Ada
    """
    from app.services.attributes.side_by_side import reveal as tell

    workbench, _, mine, _ = _begun(project, dimension, expert)
    tell(workbench, mine.id)
    people, llms = ("A", "B") if mine.people_are_a else ("B", "A")
    if json_:
        print_json({"expert": mine.expert, "people": people.lower(), "llms": llms.lower()})
    else:
        echo(f"Set {people} is people's, set {llms} the LLMs'.")


def list_(project: ProjectOption, dimension: DimensionOption, json_: JsonOption = False) -> None:
    """List every expert's answers, and the keywords shared by at least three who have finished.

    Example: interacteval side-by-side list --project News --dimension coherence --json
    """
    from app.services.attributes.side_by_side import keywords, side_by_sides_of

    workbench, on = open_dimension(project, dimension)
    found = side_by_sides_of(workbench, on.id)
    shared = keywords(found)
    if json_:
        comparisons = [{"expert": one.expert, **_known(one)} for one in found]
        print_json({"comparisons": comparisons, "keywords": [_behind(keyword) for keyword in shared]})
        return
    rows = [[one.expert, one.outside, sum(map(bool, one.answers.values())), one.revealed] for one in found]
    echo(table(["expert", "from outside", "answered", "finished"], rows))
    for keyword in shared:
        echo(f"{keyword.word}: {', '.join(keyword.experts)}")
        for who, text in keyword.answers:
            echo(f"  {who}: {' '.join(text.split())}")


def _behind(keyword: "SharedKeyword") -> dict[str, Any]:
    answers = [{"expert": expert, "answer": text} for expert, text in keyword.answers]
    return {"word": keyword.word, "experts": keyword.experts, "answers": answers}


def _begun(
    project: str, dimension: str, expert: str, outside: bool = False
) -> "tuple[Workbench, Dimension, SideBySide, dict[str, str]]":
    from app.services.attributes.side_by_side import (
        QUESTIONS,
        begin_side_by_side,
        can_compare_as_outside_expert,
        side_by_sides_of,
    )

    workbench, target = open_dimension(project, dimension)
    questions = {name: wording.format(target.name) for name, wording in QUESTIONS.items()}
    name = expert.strip()
    begun = any(one.expert == name for one in side_by_sides_of(workbench, target.id))
    if not begun and not outside and can_compare_as_outside_expert(workbench, target, name):
        raise NotReadyError(
            f"{name} has written nothing on {target.name}.",
            "Let them think aloud first, so that no set leads them, or call `side-by-side show` with --outside.",
        )
    return workbench, target, begin_side_by_side(workbench, target, name, outside=outside), questions


def _sets(mine: "SideBySide") -> dict[str, tuple[str, ...]]:
    return {"a": mine.a, "b": mine.b}


def _known(one: "SideBySide") -> dict[str, Any]:
    """Return what the expert may know: the answers and, only after the reveal, which set is whose."""
    whose = {"people": "a" if one.people_are_a else "b"} if one.revealed else {}
    return {"answers": dict(one.answers), "outside": one.outside, "revealed": one.revealed, **whose}
