"""`estimate`, `alt-test` and `panel`: any judge's answers compared with people's, without a project."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from app.commands.results.meta_eval import File, Resamples, Seed
from app.commands.results.table_file import read_table, read_values, row_names
from app.commands.shared import JsonOption, counted, echo, interval_cell, p_cell, page, print_json, table
from app.errors import InputError
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.score_matrix import EPSILON, AltMetric, Correction

if TYPE_CHECKING:
    from app.meta_evaluation.judges.alternative_annotator_test import AltTest
    from app.meta_evaluation.judges.estimate import CorrectedEstimate
    from app.meta_evaluation.judges.panel import Panel
    from app.meta_evaluation.judges.powered_estimates import EstimatedFigure


OneJudge = Annotated[str, typer.Option("--judge", metavar="COL", help="the judge's answers", show_default=False)]
Judges = Annotated[
    list[str], typer.Option("--judge", metavar="COL", help="answers; once for each judge", show_default=False)
]
Reference = Annotated[
    list[str],
    typer.Option(
        "--human",
        metavar="COL",
        help="people's answers; empty: not answered; several count as their majority, or the mean of scores",
        show_default=False,
    ),
]
People = Annotated[
    list[str], typer.Option("--human", metavar="COL", help="answers; once for each person", show_default=False)
]
DocumentOption = Annotated[
    str | None, typer.Option("--group", metavar="COL", help="the document of each row; intervals draw documents")
]
ProbabilityOption = Annotated[
    str | None,
    typer.Option(
        "--probability", metavar="COL", help="with which each row was drawn for people; empty where they didn't answer"
    ),
]
SystemColumn = Annotated[
    str | None, typer.Option("--system", metavar="COL", help="who wrote each row: a mean for each of them")
]
Between = Annotated[
    list[str] | None, typer.Option("--between", metavar="SYSTEM", help="twice: the difference of these two systems")
]
PairOption = Annotated[
    str | None,
    typer.Option("--item", metavar="COL", help="what systems are paired by within a document, such as the question"),
]
WithMethod = Annotated[
    Correction,
    typer.Option(
        "--method", help="ppi: people answered a fair draw of the rows; rogan-gladen: theirs come from other sources"
    ),
]
WithMetric = Annotated[
    AltMetric, typer.Option("--metric", help="equal answers, or how far scores lie apart (root mean square)")
]
Epsilon = Annotated[
    float, typer.Option("--epsilon", help="what the judge is given ahead: .2 experts, .15 skilled people, .1 crowd")
]
INDEPENDENT = (
    "Rows are taken as independent. Where several are about one document they are alike, and p is smaller than it "
    "should be."
)


def estimate_(
    file: File,
    judge: OneJudge,
    human: Reference,
    group: DocumentOption = None,
    probability: ProbabilityOption = None,
    system: SystemColumn = None,
    between: Between = None,
    item: PairOption = None,
    method: WithMethod = "ppi",
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    json_: JsonOption = False,
) -> None:
    """Estimate the share of yes, or the mean score, of all rows from the judge's answers, corrected by people's.

    Example: interacteval estimate answers.csv --judge gpt --human expert --group doc_id

    Two systems: interacteval estimate scores.csv --judge gpt --human expert --group doc_id --system model --between A
    --between B
    """
    from app.commands.results.judged_rows import (
        difference_json,
        difference_page,
        read_judged_rows,
        systems_table,
        two_systems,
    )
    from app.meta_evaluation.judges.estimate import (
        estimate,
        estimate_cautions,
        estimate_forecast,
        estimate_verdict,
        system_means,
    )

    chosen = two_systems(between, system, method)
    _each_once([judge, *human])
    rows = read_judged_rows(read_table(file), judge, human, group, probability, system, item)
    found = estimate(
        rows.judge,
        rows.human,
        group=rows.group,
        probability=rows.probability,
        method=method,
        resamples=resamples,
        seed=seed,
    )
    systems = system_means(rows.sides(), method=method, resamples=resamples, seed=seed) if system else []
    apart = rows.difference(*chosen, resamples=resamples, seed=seed) if chosen else None
    said = [f"{counted(count, 'row')} {what}." for what, count in rows.remarks.items() if count]
    cautions = [*filter(None, [rows.people.sentence, *said, estimate_forecast(found)]), *estimate_cautions(found)]
    if json_:
        more: dict[str, object] = {"people": rows.people.to_json()}
        more |= {"systems": [each.to_json() for each in systems]} if system else {}
        more |= {"difference": difference_json(apart)} if apart else {}
        print_json(found.to_json() | {"verdict": estimate_verdict(found), "cautions": cautions} | more)
        return
    echo(page(estimate_verdict(found), _estimate_table(found), cautions, _estimate_basis(found)))
    if systems:
        echo(f"\n{systems_table(systems)}")
    if apart:
        echo(f"\n{difference_page(apart)}")


def alt_test_(
    file: File,
    judge: OneJudge,
    human: People,
    metric: WithMetric = "accuracy",
    epsilon: Epsilon = EPSILON,
    json_: JsonOption = False,
) -> None:
    """Test whether the judge may replace a person: the alternative annotator test (Calderon et al. 2025).

    Example: interacteval alt-test answers.csv --judge gpt --human ada --human ben --human cleo
    """

    from app.commands.results.table_file import read_labels
    from app.meta_evaluation.judges.alternative_annotator_test import alt_test, alt_test_verdict

    rows = read_table(file)
    _each_once([judge, *human])
    if metric == "accuracy":
        answers, labels = read_labels(rows, [judge, *human])
        cautions = [*_scores_as_labels(labels), INDEPENDENT]
    else:
        cautions = [INDEPENDENT]
        answers = np.stack([read_values(rows, name).numbers for name in (judge, *human)])
    found = alt_test(answers[0], answers[1:], human, metric=metric, epsilon=epsilon)
    if json_:
        print_json(found.to_json() | {"verdict": alt_test_verdict(found), "cautions": cautions})
        return
    skipped = [f"{person.name} is left out: {person.n} rows, {person.reason}." for person in found.skipped]
    curve = ", ".join(f"{rate:.2f} at {ahead:g}" for ahead, rate in found.curve)
    last = f"winning rate over epsilon: {curve}" if curve else ""
    echo(page(alt_test_verdict(found), _people_table(found), [*skipped, *cautions], last))


def panel_(
    file: File,
    judge: Judges,
    human: Reference,
    group: DocumentOption = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    json_: JsonOption = False,
) -> None:
    """Show how many independent votes several judges are worth, and whether their majority beats the best one.

    Example: interacteval panel answers.csv --judge gpt --judge claude --judge gemini --human expert --group doc_id
    """
    from app.commands.results.table_file import majority_label, read_labels
    from app.meta_evaluation.judges.panel import panel, panel_verdict

    rows = read_table(file)
    _each_once([*judge, *human])
    answers, labels = read_labels(rows, [*judge, *human])
    cautions = _scores_as_labels(labels)
    documents = row_names(rows, group, "document")
    people = majority_label(human, answers[len(judge) :])
    found = panel(answers[: len(judge)], people.answers, judge, group=documents, resamples=resamples, seed=seed)
    if json_:
        print_json(
            found.to_json() | {"verdict": panel_verdict(found), "people": people.to_json(), "cautions": cautions}
        )
        return
    remarks = [*filter(None, [people.sentence]), *cautions]
    if found.uniform:
        remarks.append(f"Always right or always wrong, so without a correlation: {', '.join(found.uniform)}.")
    if found.ties:
        remarks.append(f"In {counted(found.ties, 'row')} no answer has most votes; each tied one counts its share.")
    echo(page(panel_verdict(found), _panel_table(found), remarks, _panel_basis(found)))


def _scores_as_labels(labels: Sequence[str]) -> list[str]:
    """Return a caution where numbers that aren't whole are taken as labels."""
    numbers = [label for label in labels if re.fullmatch(r"-?\d*\.\d+", label)]
    if not numbers:
        return []
    return [
        f"Answers such as {numbers[0]} look like scores, but count as labels here: only equal ones agree. "
        "`alt-test --metric rmse` takes them as numbers."
    ]


def _each_once(names: Sequence[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise InputError(f"The column {twice!r} is named twice.", "Name each column once.")


def _estimate_table(found: "CorrectedEstimate") -> str:
    figures: list[tuple[str, EstimatedFigure | None]] = [
        ("judge alone", found.judge_only),
        ("people alone", found.human_only),
        (f"corrected ({found.method})", found.corrected),
        ("sensitivity", found.sensitivity),
        ("specificity", found.specificity),
    ]
    rows = [[name, figure.value, interval_cell(figure.low, figure.high)] for name, figure in figures if figure]
    return table(["", "value", "95 % interval"], rows)


def _people_table(found: "AltTest") -> str:
    rows = [[each.name, each.n, each.advantage, p_cell(each.p), each.rejected] for each in found.annotators]
    headings = ["person left out", "rows", "judge at least as good", "p", "judge holds up"]
    return table(headings, rows) if rows else ""


def _panel_table(found: "Panel") -> str:
    rows: list[list[object]] = [
        [judge.judge, judge.accuracy, interval_cell(judge.low, judge.high)] for judge in found.judges
    ]
    return table(["", "accuracy", "95 % interval"], [*rows, ["majority", found.majority, None]])


def _estimate_basis(found: "CorrectedEstimate") -> str:
    how = f"{found.resamples:,} resamples of {found.documents:,} documents" if found.documents else "normal intervals"
    weight = f", weight of the judge {found.weight:.2f}" if found.method == "ppi" else ""
    drawn = ", weighed by the probabilities that the rows were drawn with" if found.weighted else ""
    return f"{found.n:,} rows, {found.n_human:,} with an answer of people{drawn}; {how}{weight}"


def _panel_basis(found: "Panel") -> str:
    drawn = f"{found.documents:,} documents" if found.documents else "rows"
    correlation = "" if found.error_correlation is None else f"; errors correlate at {found.error_correlation:.3f}"
    return f"{found.n:,} rows{correlation}; {found.resamples:,} resamples of {drawn}"
