"""How well the raters agree, what one of them reaches, and the judge beside them."""

import pandas as pd
import streamlit as st

from app.services.results.raters import HumanSide, human_side_of
from app.services.results.stand_in import stand_in_for_rater
from pages.components.results.interval_chart import NAMES
from pages.components.results.people.rater_strata import rater_strata
from pages.components.results.stand_in import stand_in
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.interval_words import interval
from pages.components.shell.runs.result_scope import ResultScope
from pages.components.shell.tables import csv_download
from pages.components.shell.words import plain

RELIABLE, TENTATIVE = 0.8, 0.667
ALPHA_HELP = (
    "Krippendorff's alpha: 1 is perfect agreement, 0 what chance would give, below 0 worse than chance. “Interval” "
    "takes a rating of 5 to be as far from 4 as 2 from 1; “ordinal” counts only the order. In brackets: 95 % interval."
)
CEILING_HELP = (
    "Each rater is compared with the mean of the others, as if that rater were the judge; the mean over raters is what "
    "a judge as good as one person reaches. The judge beside it is compared with the same means of the others, so "
    "that neither has an advantage; its figure can therefore differ from the one under Verdict."
)


def result_people(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    result = scope.one("people")
    if result is None:
        return
    with st.spinner("Comparing the raters"):
        found = human_side_of(scope.workbench, result)
    for remark in found.remarks:
        st.warning(plain(remark), icon=":material/warning:")
    if len(found.raters) > 1:
        _ceiling(found)
        _agreement(found)
        if test := stand_in_for_rater(scope.workbench, result):
            stand_in(test, "On each text: whose score lies nearer to the others' ratings?", "raters")
        rater_strata(found.strata)
    if found.raters:
        _raters(found)


def _ceiling(found: HumanSide) -> None:
    st.markdown("**What one person reaches, and the judge beside**", help=CEILING_HELP + more_in_guide("ceiling"))
    rows = [
        {
            "Coefficient": NAMES[name],
            "One rater": interval(each.value, each.low, each.high),
            "Judge": interval(each.judge.value if each.judge else None),
            "Judge less rater": interval(each.judge.difference, each.judge.low, each.judge.high)
            if each.judge
            else "none",
            "Texts": each.n,
        }
        for name, each in found.ceiling.items()
    ]
    spearman = found.ceiling["spearman"]
    if spearman.value is None:
        st.markdown(plain(spearman.reason))
        return
    st.dataframe(pd.DataFrame(rows), hide_index=True, placeholder="–", key="ceiling")
    if spearman.judge:
        st.markdown(spearman.judge.verdict)
    compared = len(found.raters) - spearman.n_undefined
    said = f"Mean over {compared} of {len(found.raters)} raters, each against the mean of the others."
    st.caption(plain(" ".join(part for part in (said, spearman.reason) if part)))


def _agreement(found: HumanSide) -> None:
    st.markdown("**How well the raters agree with each other**", help=ALPHA_HELP + more_in_guide("alpha"))
    rows = [
        {
            "Measure": each.method,
            "Value": interval(each.value, each.low, each.high),
            "Texts": each.n,
            "Why": each.reason,
        }
        for each in found.alphas
    ]
    pairs = found.pairwise
    rows.append(
        {
            "Measure": f"Mean Spearman over {pairs.pairs} pairs of raters",
            "Value": interval(pairs.value),
            "Texts": found.shared,
            "Why": pairs.reason,
        }
    )
    table = pd.DataFrame(rows)
    st.dataframe(
        table if table["Why"].any() else table.drop(columns="Why"),
        hide_index=True,
        placeholder="–",
        key="rater_agreement",
    )
    ordinal = found.alphas[-1].value
    if ordinal is not None:
        st.caption(_in_words(ordinal))


def _in_words(alpha: float) -> str:
    if alpha >= RELIABLE:
        return "Raters agree well: an alpha from .8 is commonly called reliable."
    if alpha >= TENTATIVE:
        return "Raters agree fairly: between .667 and .8, conclusions are commonly called tentative."
    return (
        "Raters agree little: below .667, ratings are commonly not relied on. A judge can hardly agree with them more "
        "than they do with each other; the rubric may leave too much open."
    )


def _raters(found: HumanSide) -> None:
    st.markdown("**Each rater**")
    by_rater = dict(zip((each.name for each in found.raters), found.ceiling["spearman"].by_rater, strict=False))
    table = pd.DataFrame(
        [
            {
                "Rater": each.name,
                "Ratings": each.n,
                "Lowest": each.low,
                "Highest": each.high,
                "Mean": each.mean,
                "Spearman with the others": by_rater.get(each.name),
            }
            for each in found.raters
        ]
    )
    decimals = st.column_config.NumberColumn(format="%.2f")
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        key="raters",
        column_config={"Mean": decimals, "Spearman with the others": st.column_config.NumberColumn(format="%.3f")},
    )
    csv_download("Raters (CSV)", table, "raters")
