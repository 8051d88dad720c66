"""`estimate`, `alt-test` and `panel`: what any judge's answers are worth beside people's, without a project."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from app.commands.output import JsonOption, counted, echo, print_json, table
from app.commands.results.meta_eval import File, Resamples, Seed
from app.commands.results.table_file import PeopleAnswers, TableFile, read_people, read_table, read_values, row_names
from app.errors import InputError
from app.meta_evaluation.judges.difference import (
    EstimatedDifference,
    difference,
    difference_cautions,
    difference_verdict,
)
from app.meta_evaluation.judges.estimate import ComparedSide, SystemMean
from app.meta_evaluation.judges.figures import EstimatedFigure, drawn_weights
from app.meta_evaluation.score_matrix import EPSILON, RESAMPLES, AltMetric, Correction, Floats

if TYPE_CHECKING:
    from app.meta_evaluation.judges.estimate import CorrectedEstimate
    from app.meta_evaluation.judges.panel import AltTest, Panel


def interval_cell(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:.3f} to {high:.3f}"


def page(verdict: str, cells: str, remarks: Sequence[str], last: str) -> str:
    """What follows, the table it rests on, what weakens it, and how it was computed; without the parts that are ""."""
    said = "\n".join(f"- {remark}" for remark in remarks)
    return "\n\n".join(part for part in (verdict, cells, said, last) if part)


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


def register(cli: typer.Typer) -> None:
    """Add the three commands to the root command."""
    cli.command("estimate")(estimate_share)
    cli.command("alt-test")(run_alt_test)
    cli.command("panel")(weigh_panel)


def estimate_share(
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
    """The share of yes, or the mean score, of all rows: the judge's, corrected by the rows that people answered.

    Example: interacteval estimate answers.csv --judge gpt --human expert --group doc_id

    Two systems: interacteval estimate scores.csv --judge gpt --human expert --group doc_id --system model --between A
    --between B
    """
    from app.meta_evaluation.judges.estimate import estimate, system_means
    from app.meta_evaluation.judges.words import estimate_cautions, estimate_forecast, estimate_verdict

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


def run_alt_test(
    file: File,
    judge: OneJudge,
    human: People,
    metric: WithMetric = "accuracy",
    epsilon: Epsilon = EPSILON,
    json_: JsonOption = False,
) -> None:
    """May the judge stand in for one of the people? The alternative annotator test (Calderon et al. 2025).

    Example: interacteval alt-test answers.csv --judge gpt --human ada --human ben --human cleo
    """
    import numpy as np

    from app.commands.results.table_file import read_labels, read_values
    from app.meta_evaluation.judges.panel import alt_test
    from app.meta_evaluation.judges.words import alt_test_verdict

    rows = read_table(file)
    _each_once([judge, *human])
    if metric == "accuracy":
        answers, _ = read_labels(rows, [judge, *human])
    else:
        answers = np.stack([read_values(rows, name).numbers for name in (judge, *human)])
    found = alt_test(answers[0], answers[1:], human, metric=metric, epsilon=epsilon)
    if json_:
        print_json(found.to_json() | {"verdict": alt_test_verdict(found)})
        return
    skipped = [f"{person.name} is left out: {person.n} rows, {person.reason}." for person in found.skipped]
    curve = ", ".join(f"{rate:.2f} at {ahead:g}" for ahead, rate in found.curve)
    last = f"winning rate over epsilon: {curve}" if curve else ""
    echo(page(alt_test_verdict(found), _people_table(found), [*skipped, INDEPENDENT], last))


def weigh_panel(
    file: File,
    judge: Judges,
    human: Reference,
    group: DocumentOption = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    json_: JsonOption = False,
) -> None:
    """How many votes several judges are worth, and whether their majority beats the best of them.

    Example: interacteval panel answers.csv --judge gpt --judge claude --judge gemini --human expert --group doc_id
    """
    from app.commands.results.table_file import majority_label, read_labels, row_names
    from app.meta_evaluation.judges.panel import panel
    from app.meta_evaluation.judges.words import panel_verdict

    rows = read_table(file)
    _each_once([*judge, *human])
    answers, _ = read_labels(rows, [*judge, *human])
    documents = row_names(rows, group, "document")
    people = majority_label(human, answers[len(judge) :])
    found = panel(answers[: len(judge)], people.answers, judge, group=documents, resamples=resamples, seed=seed)
    if json_:
        print_json(found.to_json() | {"verdict": panel_verdict(found), "people": people.to_json()})
        return
    remarks = [people.sentence] if people.sentence else []
    if found.uniform:
        remarks.append(f"Always right or always wrong, so without a correlation: {', '.join(found.uniform)}.")
    if found.ties:
        remarks.append(f"In {counted(found.ties, 'row')} no answer has most votes; each tied one counts its share.")
    echo(page(panel_verdict(found), _panel_table(found), remarks, _panel_basis(found)))


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
    rows = [
        [each.name, each.n, each.advantage, "< .001" if each.p < 0.001 else f"{each.p:.3f}", each.rejected]
        for each in found.annotators
    ]
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


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRows:
    """The rows that the judge answered, in the file's order; a column that wasn't named is None.

    `people`: who answered, and how several count as one, over all rows of the table.
    `remarks`: what was left out or doesn't apply, with the number of rows.
    """

    judge: Floats
    human: Floats
    people: PeopleAnswers
    group: list[str] | None
    probability: Floats | None
    system: list[str] | None
    item: list[str] | None
    remarks: dict[str, int]

    def sides(self) -> list[ComparedSide]:
        """One a system, in the order in which the file names them."""
        return [self._side(name) for name in dict.fromkeys(self.system or ())]

    def difference(self, a: str, b: str, *, resamples: int, seed: int) -> EstimatedDifference:
        """Raises InputError for a system that isn't there."""
        there = list(dict.fromkeys(self.system or ()))
        for name in (a, b):
            if name not in there:
                shown = ", ".join(there[:10]) + (" ..." if len(there) > 10 else "")
                raise InputError(f"No row belongs to the system {name!r}.", f"There are {shown}.")
        return difference(self._side(a), self._side(b), resamples=resamples, seed=seed)

    def _side(self, name: str) -> ComparedSide:
        rows = np.flatnonzero(np.array([each == name for each in self.system or ()]))
        documents = [self.group[row] for row in rows] if self.group else None
        items = [self.item[row] for row in rows] if self.item else None
        key = documents if items is None else list(zip(documents or items, items, strict=True))
        probability = None if self.probability is None else self.probability[rows]
        return ComparedSide(name, self.judge[rows], self.human[rows], key, documents, probability)


def read_judged_rows(
    table: TableFile,
    judge: str,
    human: Sequence[str],
    group: str | None = None,
    probability: str | None = None,
    system: str | None = None,
    item: str | None = None,
) -> JudgedRows:
    """Raises InputError for a cell that is no answer, no probability or no name, and where the judge has no answer."""
    judged = read_values(table, judge)
    answered = ~np.isnan(judged.numbers)
    people = read_people(table, human)
    if not answered.any():
        raise InputError(f"{table.name}, column {judge!r}, holds no answer of the judge.", "Name another column.")
    chances = None if probability is None else read_values(table, probability).numbers
    if chances is not None:
        drawn_weights(np.where(answered, people.answers, np.nan), chances)

    columns = " and ".join(repr(name) for name in human)

    def names(column: str | None, what: str) -> list[str] | None:
        found = row_names(table, column, what)
        return found and [name for name, used in zip(found, answered, strict=True) if used]

    return JudgedRows(
        judged.numbers[answered],
        people.answers[answered],
        people,
        names(group, "document"),
        None if chances is None else chances[answered],
        names(system, "system"),
        names(item, "item"),
        {
            f"left out: no answer in {judge!r}": int(judged.empty.sum()),
            f"left out: the answer in {judge!r} is that it does not apply": int(judged.not_applicable.sum()),
            f"without a yes or no of people: the answer in {columns} is that it does not apply": people.not_applicable,
        },
    )


def two_systems(between: Sequence[str] | None, system: str | None, method: Correction) -> tuple[str, str] | None:
    """What was asked for by --between; None where nothing was.

    Raises:
        InputError: not two different ones, no --system, or Rogan-Gladen.
    """
    if not between:
        return None
    if system is None:
        raise InputError("--between compares systems, and no column names them.", "Name it: --system COL.")
    if len(between) != 2 or between[0] == between[1]:
        raise InputError("A difference needs two systems.", "Name each once: --between A --between B.")
    if method == "rogan-gladen":
        raise InputError("Differences are corrected by PPI++ alone.", "Leave out --method, or --between.")
    return between[0], between[1]


READ = {"judge_only": "judge alone", "human_only": "people alone", "corrected": "corrected"}


def systems_table(systems: Sequence[SystemMean]) -> str:
    rows = []
    for each in systems:
        found = each.estimate
        figures = [each.judge_only, *([found.human_only, found.corrected] if found else [None, None])]
        rows.append([each.system, each.n, each.n_human, *(_figure(one) for one in figures), READ[each.advised]])
    why = [f"{each.system}: {each.reason}" for each in systems if each.reason]
    return page("", table(["system", "rows", "by people", *READ.values(), "read"], rows), why, "")


def difference_page(found: EstimatedDifference) -> str:
    figures = {name: getattr(found, name) for name in READ}
    rows = [[READ[name], each.value, interval_cell(each.low, each.high)] for name, each in figures.items() if each]
    cells = table([f"{found.a} less {found.b}", "value", "95 % interval"], rows)
    of = "pairs" if found.paired else "rows of the smaller side"
    how = f"; resamples of {found.documents:,} documents" if found.documents else ""
    basis = f"{found.n:,} {of}, {found.n_human:,} with answers of people{how}"
    return page(difference_verdict(found), cells, difference_cautions(found), basis)


def difference_json(found: EstimatedDifference) -> dict[str, Any]:
    return found.to_json() | {"verdict": difference_verdict(found), "cautions": difference_cautions(found)}


def _figure(found: EstimatedFigure | None) -> str | None:
    """.553 (.340 to .760)"""
    if found is None or found.value is None:
        return None
    ends = interval_cell(found.low, found.high)
    return f"{found.value:.3f} ({ends})" if ends else f"{found.value:.3f}"
