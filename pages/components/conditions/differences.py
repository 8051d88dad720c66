"""Differences between conditions: the comparisons of Table 11, and each contributor against everybody."""

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.services.conditions.study_figures import NOTES, Coefficient, FamilyDifference, StudyFigures
from pages.components.shell.csv_download import csv_download
from pages.components.shell.guide.explained import more_in_guide
from pages.components.shell.runs.result_choices import one_of
from pages.components.shell.runs.run_comparison import COEFFICIENTS, P_HELP
from pages.components.shell.runs.study_words import row_label
from pages.components.shell.words import plain


def condition_differences(found: StudyFigures) -> None:
    if not found.differences:
        return
    st.subheader("Which conditions are told apart", anchor=False, help=P_HELP["p (Holm)"] + more_in_guide("difference"))
    coefficient = one_of("coefficient", COEFFICIENTS, "spearman", "Coefficient", "Everything below follows the choice.")
    told = [each for each in found.differences if _told(each, coefficient)]
    count = found.comparisons(coefficient)
    if count:
        st.markdown(f"{len(told)} of {count} comparisons are told apart after correction for their number.")
    else:
        st.markdown("No two conditions can be compared here; the last column says why.")
    for each in told:
        sentence = found.verdict(each, coefficient, f"“{_label(each, False)}”", f"“{_label(each, True)}”")
        st.markdown(f"**{plain(each.first.dimension.name)}**: {plain(sentence)}")
    rows = difference_rows(found, coefficient)
    if not rows["Not computed"].any():
        rows = rows.drop(columns="Not computed")
    st.dataframe(rows, placeholder="–", hide_index=True, key="condition_differences", column_config=_columns())
    st.caption("  \n".join(plain(note) for note in NOTES))
    csv_download("Comparisons (CSV)", rows.assign(coefficient=coefficient, level=found.level), "condition_differences")


def difference_rows(found: StudyFigures, coefficient: Coefficient) -> pd.DataFrame:
    return pd.DataFrame([_row(each, coefficient) for each in found.differences])


def _row(each: FamilyDifference, coefficient: Coefficient) -> dict[str, object]:
    tested = each.tested[coefficient]
    figure, fisher = tested.figure, tested.fisher
    return {
        "Dimension": each.first.dimension.name,
        "First": _label(each, True),
        "Second": _label(each, False),
        "Difference": figure.difference,
        "From": figure.low,
        "To": figure.high,
        "p": tested.permutation.p,
        "p (Holm)": None if tested.p_holm is None else f"{tested.p_holm:.4f}{tested.stars}",
        "z (Fisher)": None if fisher.statistic is None else f"{fisher.statistic:.3f}{fisher.stars}",
        "Texts": figure.n,
        "Not computed": figure.reason,
    }


def _told(each: FamilyDifference, coefficient: Coefficient) -> bool:
    return each.tested[coefficient].told_apart


def _label(each: FamilyDifference, first: bool) -> str:
    row = each.first if first else each.second
    return row_label(row)


def _columns() -> dict[str, ColumnConfig | str | None]:
    signed = "%+.3f"
    return {
        "Difference": st.column_config.NumberColumn(
            format=signed, help="The second less the first: above 0 the second agrees better with people."
        ),
        "From": st.column_config.NumberColumn(format=signed, help="Paired bootstrap, 95 %: the same texts for both."),
        "To": st.column_config.NumberColumn(format=signed),
        "p": st.column_config.NumberColumn(format="%.4f", help=P_HELP["p"]),
        "p (Holm)": st.column_config.TextColumn(help=P_HELP["p (Holm)"]),
        "z (Fisher)": st.column_config.TextColumn(help=P_HELP["z (Fisher)"]),
    }
