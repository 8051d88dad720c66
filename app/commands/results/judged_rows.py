"""Rows of a table with judge's and people's answers, for `estimate`, `alt-test` and `panel`; and the printed difference
of two systems."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.commands.results.table_file import PeopleAnswers, TableFile, read_people, read_values, row_names
from app.commands.shared import interval_cell, page, table
from app.errors import InputError
from app.meta_evaluation.judges.difference import (
    EstimatedDifference,
    difference,
    difference_cautions,
    difference_verdict,
)
from app.meta_evaluation.judges.estimate import ComparedSide, SystemMean
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure, drawn_weights
from app.meta_evaluation.score_matrix import Correction, Floats


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRows:
    """The rows that the judge answered, in the file's order; a column that wasn't named is None.

    `people`: who answered, and how several answers are combined, over all rows. `remarks`: what was left out or doesn't
    apply -> number of rows.
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
        """Return a side for each system, in the order of the file."""
        return [self._side(name) for name in dict.fromkeys(self.system or ())]

    def difference(self, a: str, b: str, *, resamples: int, seed: int) -> EstimatedDifference:
        """Return the difference of two systems. Raises InputError for an unknown one."""
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
    """Read the rows. Raises InputError for an invalid answer, probability or name, and if the judge has no answer."""
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
    """Return the two systems of --between; None without it.

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
    """Return a figure as .553 (.340 to .760), None without a value."""
    if found is None or found.value is None:
        return None
    ends = interval_cell(found.low, found.high)
    return f"{found.value:.3f} ({ends})" if ends else f"{found.value:.3f}"
