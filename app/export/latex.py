"""Results as a booktabs table for a paper: intervals beside coefficients, and a caption that says what they rest on."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.storable_text import shown_directions

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "[": "{[}",
    "]": "{]}",
}
_SPECIAL = re.compile("|".join(map(re.escape, _ESCAPES)))
_COEFFICIENTS = {"spearman": r"Spearman $\rho$", "kendall": r"Kendall $\tau_b$", "pearson": r"Pearson $r$"}
_NONE = "--"


def latex_escaped(text: str) -> str:
    """Escape text for LaTeX, on one line. Marks that turn its direction are written as codes, such as U+202E."""
    shown = shown_directions(text).replace("⟨", "<").replace("⟩", ">")
    return _SPECIAL.sub(lambda found: _ESCAPES[found[0]], " ".join(shown.split()))


def latex_table(
    title: str, notices: Sequence[str], results: Sequence[Mapping[str, Any]], means: Sequence[Mapping[str, Any]] = ()
) -> str:
    """One row a run and dimension, in the form of `results --json`, and one for each of the `means` over dimensions.

    It needs \\usepackage{booktabs}.

    The signatures stand as comments below, each line with the row it reproduces.
    """
    rows = [_row(result) for result in results]
    averages = [_mean_row(mean, several=len(means) > 1) for mean in means]
    caption = " ".join([f"{latex_escaped(title)}.", *_rests_on(results), *map(latex_escaped, notices)])
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        "\\small",
        f"\\caption{{{caption}}}",
        "\\begin{tabular}{llrrrrrr}",
        "\\toprule",
        " & ".join(["Dimension", "Evaluator (judge)", *_COEFFICIENTS.values(), "MAE", "Groups", "$n$"]) + r" \\",
        "\\midrule",
        *rows,
        *(["\\midrule", *averages] if averages else []),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
        *(f"% {' '.join(str(result['dimension']).split())}: {result['signature']}" for result in results),
    ]
    return "\n".join(lines) + "\n"


def latex_tabular(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain cells, which are escaped; the first two columns are text, the others figures. An empty cell has
    a dash."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(latex_escaped(cell) or _NONE for cell in cells) + r" \\"

    lines = [
        "\\begin{table}",
        "\\centering",
        "\\small",
        f"\\caption{{{latex_escaped(caption)}}}",
        f"\\begin{{tabular}}{{ll{'r' * (len(headings) - 2)}}}",
        "\\toprule",
        line(headings),
        "\\midrule",
        *map(line, rows),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def interval_shown(value: float | None, low: float | None, high: float | None) -> str:
    """A figure with its interval in brackets, as a cell of latex_tabular; "" without a figure."""
    if value is None:
        return ""
    return f"{value:.3f}" + ("" if low is None or high is None else f" [{low:.3f}, {high:.3f}]")


def _row(result: Mapping[str, Any]) -> str:
    judge = "rules, not an LLM" if result["judge"] == "rules" else result["judge"]
    method = ", ".join((result["evaluator"], *result["variant"]))
    evaluator = f"{method} ({judge})" if judge else method
    groups = f"{result['groups_used']}/{result['groups_all']}" if result["groups_all"] else _NONE
    figures = [_figure(result[name]) for name in (*_COEFFICIENTS, "mae")]
    used = str(result["spearman"]["n"])
    cells = [latex_escaped(str(result["dimension"])), latex_escaped(evaluator), *figures, groups, used]
    return " & ".join(cells) + r" \\"


def _mean_row(mean: Mapping[str, Any], several: bool) -> str:
    """`several`: of more than one run."""
    run = f", run {mean['run']}" if several else ""
    figures = [_figure(mean[name]) for name in (*_COEFFICIENTS, "mae")]
    cells = [f"Mean of {mean['dimensions']} dimensions{run}", "", *figures, _NONE, str(mean["spearman"]["n"])]
    return " & ".join(cells) + r" \\"


def _figure(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return _NONE
    known = figure["low"] is not None and figure["high"] is not None
    return f"${figure['value']:.3f}" + (f"\\ [{figure['low']:.3f}, {figure['high']:.3f}]$" if known else "$")


def _rests_on(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Level, intervals, and for each row what it rests on and to beware of, each sentence once."""
    said = [
        f"Correlation with the mean human rating, level: {latex_escaped(str(level))}."
        for level in dict.fromkeys(result["level"] for result in results)
    ]
    said.append("In brackets 95\\,\\% bootstrap intervals; groups used of all; $n$ texts compared.")
    for result in results:
        dimension, rests = latex_escaped(str(result["dimension"])), latex_escaped(str(result["caption"]))
        said.append(f"{dimension}: {rests}.")
        missing = [result[name].get("reason") for name in _COEFFICIENTS if result[name]["value"] is None]
        said += [latex_escaped(str(reason)) for reason in dict.fromkeys(missing) if reason]
        said += [latex_escaped(str(caution)) for caution in result["cautions"]]
    return list(dict.fromkeys(said))
