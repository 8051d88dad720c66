"""`meta-eval` and `compare`: statistics for any scores and ratings, without a project."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.results.table_file import TableFile, read_table
from app.commands.shared import IntervalsDaskOption, JsonOption, counted, echo, p_cell, print_json, table
from app.errors import InputError
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.score_matrix import Constant, Duplicates, Floats, Level, Resampling

if TYPE_CHECKING:
    from app.meta_evaluation.comparison import Comparison, Difference
    from app.meta_evaluation.evaluation import Figure, MetaEvaluation
    from app.meta_evaluation.raters.human_ceiling import HumanSide


def raters_text(found: "HumanSide") -> str:
    alphas = [[each.method, each.value, _rater_interval(each.low, each.high), each.n] for each in found.alphas]
    pairs = found.pairwise
    agreement = [*alphas, [f"Spearman, mean over {pairs.pairs} pairs", pairs.value, None, found.shared]]
    ceiling = [
        [
            name,
            each.value,
            _rater_interval(each.low, each.high),
            *(
                (each.judge.value, each.judge.difference, _rater_interval(each.judge.low, each.judge.high))
                if each.judge
                else (None, None, None)
            ),
        ]
        for name, each in found.ceiling.items()
    ]
    strata = [
        [
            each.name,
            f"{each.low:.2f} to {each.high:.2f}",
            spearman.value,
            _rater_interval(spearman.low, spearman.high),
            each.n,
        ]
        for each in found.strata
        for spearman in [each.result.figures["spearman"]]
    ]
    scales = [[each.name, each.n, each.low, each.high, each.mean] for each in found.raters]
    parts = [
        "The raters\n" + table(["", "ratings", "lowest", "highest", "mean"], scales),
        "How well they agree\n" + table(["", "value", "95 % interval", "texts"], agreement),
        "One rater against the mean of the others, and the scores against the same\n"
        + table(["", "rater", "95 % interval", "scores", "scores - rater", "95 % interval"], ceiling),
        "The scores, by how far the raters disagree (spread of a text's ratings)\n"
        + table(["", "spread", "Spearman", "95 % interval", "texts"], strata),
        "\n".join(f"- {remark}" for remark in _remarks(found)),
    ]
    return "\n\n".join(part for part in parts if part)


def _remarks(found: "HumanSide") -> list[str]:
    judge = found.ceiling["spearman"].judge
    reasons = [found.pairwise.reason, *(each.reason for each in found.alphas)]
    reasons += [each.reason for each in found.ceiling.values()]
    reasons += [each.result.figures["spearman"].reason for each in found.strata]
    return [remark for remark in dict.fromkeys((*found.remarks, *reasons, judge.verdict if judge else "")) if remark]


def _rater_interval(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:.3f} to {high:.3f}"


NAMES = {"spearman": "Spearman", "kendall": "Kendall tau-b", "pearson": "Pearson", "mae": "MAE"}

File = Annotated[Path, typer.Argument(help="A table as `import` takes it: one row per text.", show_default=False)]
Human = Annotated[
    list[str],
    typer.Option(
        "--human",
        metavar="COL",
        help="human ratings; once for each rater, the target is their mean",
        show_default=False,
    ),
]
GroupOption = Annotated[str | None, typer.Option("--group", metavar="COL", help="the source of each text")]
SystemOption = Annotated[str | None, typer.Option("--system", metavar="COL", help="who wrote each text")]
ItemOption = Annotated[
    str | None, typer.Option("--item", metavar="COL", help="identifies a text, to recognise duplicates")
]
AtLevel = Annotated[
    Level, typer.Option("--level", help="inside each source and averaged; all texts pooled; or over the systems' means")
]
WithDuplicates = Annotated[
    Duplicates, typer.Option("--duplicates", help="rows of the same source and system: the first counts, or all")
]
WithConstant = Annotated[
    Constant, typer.Option("--constant", help="sources whose scores or ratings are all the same: left out, or 0")
]
Resample = Annotated[
    Resampling | None,
    typer.Option(
        "--resample", help="what the interval draws anew; by default what suits the level", show_default=False
    ),
]
Resamples = Annotated[int, typer.Option("--resamples", min=0, help="bootstrap resamples; 0 for no intervals")]
Permutations = Annotated[int, typer.Option("--permutations", min=0, help="of the permutation test")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="the same seed gives the same figures")]


def meta_eval(
    file: File,
    pred: Annotated[str, typer.Option("--pred", metavar="COL", help="scores to judge", show_default=False)],
    human: Human,
    group: GroupOption = None,
    system: SystemOption = None,
    item: ItemOption = None,
    level: AtLevel = "per-source",
    duplicates: WithDuplicates = "once",
    constant: WithConstant = "skip",
    resample: Resample = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    dask: IntervalsDaskOption = None,
    json_: JsonOption = False,
) -> None:
    """Measure how well scores agree with human ratings.

    With several --human columns also the raters' agreement, and one rater's compared with the scores'.

    Example: interacteval meta-eval scores.csv --pred judge --human expert1 --human expert2 --group doc_id
    """
    import numpy as np

    from app.meta_evaluation.agreement_verdict import agreement_verdict
    from app.meta_evaluation.bootstrap import AgreementDesign
    from app.meta_evaluation.evaluation import evaluate
    from app.meta_evaluation.raters.human_ceiling import human_side, mean_rating

    columns = read_table(file)
    ratings = _ratings(columns, human)
    keys = (columns.keys(group), columns.keys(system), columns.keys(item))
    by = AgreementDesign(*keys, level, duplicates, constant, resample, resamples, seed)
    result = evaluate(columns.numbers(pred), mean_rating(ratings), by)
    _check_any_row_counts(columns, result, [pred], human)
    raters = None
    if len(human) > 1:
        scores = np.array(columns.numbers(pred), dtype=np.float64)
        raters = human_side(ratings, human, scores, replace(by, resampling=None))
    ceiling = raters.ceiling["spearman"] if raters else None
    # One column may be one rater's, or a mean of many: it doesn't say.
    verdict = agreement_verdict(result, ceiling, len(human) if raters else 0)
    if json_:
        said = {"verdict": verdict.to_json(pred)}
        print_json(result.to_json() | said | ({"human_side": raters.to_json()} if raters else {}))
        return
    echo(f"{verdict.about(pred)}\n")
    echo(_evaluation_text(result, pred, " and ".join(human)))
    if raters:
        echo(f"\n{raters_text(raters)}")


def compare(
    file: File,
    pred_a: Annotated[str, typer.Option("--pred-a", metavar="COL", help="scores A", show_default=False)],
    pred_b: Annotated[str, typer.Option("--pred-b", metavar="COL", help="scores B", show_default=False)],
    human: Human,
    group: GroupOption = None,
    system: SystemOption = None,
    item: ItemOption = None,
    level: AtLevel = "per-source",
    duplicates: WithDuplicates = "once",
    constant: WithConstant = "skip",
    resample: Resample = None,
    resamples: Resamples = RESAMPLES,
    permutations: Permutations = 10_000,
    seed: Seed = 0,
    dask: IntervalsDaskOption = None,
    json_: JsonOption = False,
) -> None:
    """Test whether scores A agree with human ratings better than scores B.

    Example: interacteval compare scores.csv --pred-a new --pred-b old --human expert --group doc_id
    """
    from app.meta_evaluation.bootstrap import AgreementDesign
    from app.meta_evaluation.comparison import compare_scores
    from app.meta_evaluation.raters.human_ceiling import mean_rating

    columns = read_table(file)
    keys = (columns.keys(group), columns.keys(system), columns.keys(item))
    result = compare_scores(
        columns.numbers(pred_a),
        columns.numbers(pred_b),
        mean_rating(_ratings(columns, human)),
        AgreementDesign(*keys, level, duplicates, constant, resample, resamples, seed),
        permutations=permutations,
    )
    _check_any_row_counts(columns, result, [pred_a, pred_b], human)
    if json_:
        print_json(result.to_json())
    else:
        echo(_comparison_text(result, pred_a, pred_b, " and ".join(human)))


def _ratings(columns: TableFile, human: Sequence[str]) -> "Floats":
    """Return (raters, rows) ratings, NaN for an empty cell."""
    import numpy as np

    twice = next((name for name in human if human.count(name) > 1), None)
    if twice:
        raise InputError(f"The column {twice!r} is named twice as a rater.", "Name each rater's column once.")
    return np.array([columns.numbers(name) for name in human], dtype=np.float64)


def _check_any_row_counts(
    columns: TableFile, result: "MetaEvaluation | Comparison", preds: Sequence[str], human: Sequence[str]
) -> None:
    """Raise InputError that says what is missing, if no row has all compared values."""
    if result.basis.n:
        return
    intake = result.intake
    counts = {
        **{repr(name): count for name, count in zip(preds, intake.missing_pred, strict=True)},
        " and ".join(map(repr, human)): intake.missing_human,
        "the source or system": intake.missing_key,
    }
    lacking = ", ".join(f"{count} lack {name}" for name, count in counts.items() if count)
    raise InputError(
        f"No row of {columns.name} has both a score and a human rating: of {counted(intake.rows, 'row')}, {lacking}.",
        "Name other columns, or fill these.",
    )


def _evaluation_text(result: "MetaEvaluation", pred: str, human: str) -> str:
    figures = [*result.figures.values(), result.mae]
    rows = [[name, f.value, _interval(f), f.n] for name, f in zip(NAMES.values(), figures, strict=True)]
    reasons = dict.fromkeys(figure.reason for figure in figures if figure.reason)
    return _page(
        f"{pred} against {human}",
        result.caption,
        table(["", "value", "95 % interval", "texts"], rows) if any(f.value is not None for f in figures) else "",
        [*reasons, *result.cautions],
        f"signature  {result.signature}",
    )


def _comparison_text(result: "Comparison", pred_a: str, pred_b: str, human: str) -> str:
    rows: list[list[object]] = [
        [
            NAMES[name],
            *_difference(tested.figure),
            *(p_cell(test.p) for test in (tested.permutation, tested.williams, tested.fisher)),
        ]
        for name, tested in result.differences.items()
    ]
    header = ["", "A", "B", "A - B", "95 % interval", "p permutation", "p Williams", "p Fisher"]
    figures = [*(tested.figure for tested in result.differences.values()), result.mae]
    reasons = dict.fromkeys(figure.reason for figure in figures if figure.reason)
    untested = dict.fromkeys(
        f"{test.method}: {test.reason}"
        for tested in result.differences.values()
        for test in (tested.permutation, tested.williams, tested.fisher)
        if test.reason and not tested.figure.reason
    )
    mae = [NAMES["mae"], *_difference(result.mae), None, None, None]
    swapped = result.design.resampling.replace("both", "sources and systems")
    return _page(
        f"A = {pred_a}, B = {pred_b}, against {human}",
        result.caption,
        table(header, [*rows, mae]) if any(f.difference is not None for f in figures) else "",
        [*reasons, *untested, *result.cautions],
        f"signature  {result.signature}; {result.permutations:,} permutations of {swapped}",
    )


def _page(title: str, caption: str, cells: str, remarks: Sequence[str], last: str) -> str:
    said = "\n".join(f"- {remark}" for remark in remarks)
    return "\n\n".join(part for part in (f"{title}\n{caption}", cells, said, last) if part)


def _difference(figure: "Difference") -> list[object]:
    return [figure.a, figure.b, figure.difference, _interval(figure)]


def _interval(figure: "Figure | Difference") -> str | None:
    return None if figure.low is None or figure.high is None else f"{figure.low:.3f} to {figure.high:.3f}"
