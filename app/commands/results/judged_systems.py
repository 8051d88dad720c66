"""What `estimate` prints of systems: the mean of each, and the difference of two."""

from collections.abc import Sequence
from typing import Any

from app.commands.output import table
from app.commands.results.judge_pages import interval_cell, page
from app.meta_evaluation.judges.difference import EstimatedDifference
from app.meta_evaluation.judges.difference_words import difference_cautions, difference_verdict
from app.meta_evaluation.judges.figures import EstimatedFigure
from app.meta_evaluation.judges.system_means import SystemMean

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
