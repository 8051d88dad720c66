"""Results, People: how well raters agree, by group, and whether the judge may stand in for them."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.chart_colours import JUDGE, NEUTRAL
from app.services.results.method_grid import FIGURES
from app.services.results.raters import AltTest, HumanSide, Stratum, alt_test_verdict, human_side_of, stand_in_for_rater
from pages.components.shell.labels import more_in_guide, plain
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.runs.run_words import interval
from pages.components.shell.tables import Chart, csv_download, picture, show_table

_STAND_IN_HELP = (
    "The alternative annotator test: each person is left out in turn and compared with the judge. {} Since a person "
    "costs time, the judge may be a little worse: epsilon says how much, .2 for experts, .15 for skilled people, .1 "
    "for a crowd."
) + more_in_guide("alt-test")


def alt_test_section(found: AltTest, question: str, people: str) -> None:
    """Draw the alternative annotator test. `question`: how the better one is decided; `people`: the plural word for
    them."""
    st.markdown(f"**May the judge stand in for one of the {people}?**", help=_STAND_IN_HELP.format(question))
    st.markdown(plain(alt_test_verdict(found)))
    rows = [
        {
            "Left out": person.name,
            "Answers": person.n,
            "Judge at least as good": person.advantage,
            "p": "below .001" if person.p < 0.001 else f"{person.p:.3f}",
            "Judge holds up": "yes" if person.rejected else "no",
        }
        for person in found.annotators
    ]
    for person in found.skipped:
        st.caption(plain(f"{person.name} is left out: {person.n} answers, {person.reason}."))
    if not rows:
        return
    left, right = st.columns([3, 2], gap="large")
    columns = {"Judge at least as good": st.column_config.NumberColumn(format="percent")}
    left.dataframe(pd.DataFrame(rows), hide_index=True, placeholder="–", key="stand_in", column_config=columns)
    with right:
        data = pd.DataFrame(found.curve, columns=["epsilon", "rate"])
        base = alt.Chart(data).encode(
            x=alt.X("epsilon:Q", title="Epsilon: what the judge is given ahead"),
            y=alt.Y("rate:Q", title="Winning rate", scale=alt.Scale(domain=[0, 1])),
            tooltip=[alt.Tooltip("epsilon:Q", format=".2f"), alt.Tooltip("rate:Q", title="Winning rate", format=".2f")],
        )
        line = base.mark_line(color=JUDGE, point=alt.OverlayMarkDef(color=JUDGE))
        bar = alt.Chart(pd.DataFrame({"rate": [0.5]})).mark_rule(strokeDash=[4, 4], color=NEUTRAL).encode(y="rate:Q")
        picture(
            alt.layer(bar, line).properties(height=200),
            "Winning rate by epsilon",
            "winning-rate",
            "stand_in_picture",
            "Dashed: the winning rate from which the judge passes.",
        )


HELP = (
    "The texts in three parts by how far their raters are apart (standard deviation of a text's ratings). A judge "
    "that agrees with people only where they agree is no worse than the ratings allow."
)
WORDS = {"low": "Raters at one", "middle": "In between", "high": "Raters far apart"}


def rater_strata(strata: Sequence[Stratum]) -> None:
    if not strata:
        return
    st.markdown("**The judge, by how far the raters disagree**", help=HELP + more_in_guide("correlation"))
    if len(strata) == 1:
        st.markdown("The raters are equally far apart on every text, so there are no parts to tell apart.")
        return
    table = pd.DataFrame([_row(each) for each in strata])
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_table(table, "strata")
        for each in strata:
            reason = each.result.figures["spearman"].reason
            if reason:
                st.caption(plain(f"{WORDS[each.name]}: {reason}"))
    with right:
        figures = [(WORDS[each.name], each.result.figures["spearman"], each.n) for each in strata]
        drawn = pd.DataFrame(
            [
                {"where": where, "value": f.value, "low": f.low, "high": f.high, "texts": n}
                for where, f, n in figures
                if f.value is not None
            ]
        )
        if not drawn.empty:
            texts = ", ".join(f"{WORDS[each.name].lower()} {each.n:,}" for each in strata)
            caption = f"Line: 95 % interval. Texts: {texts}."
            picture(_chart(drawn), "Spearman by how far raters disagree", "strata", "strata_picture", caption)


def _row(each: Stratum) -> dict[str, object]:
    figure = each.result.figures["spearman"]
    return {
        "Texts where": WORDS[each.name],
        "Spread of ratings": f"{each.low:.2f} to {each.high:.2f}",
        "Spearman": interval(figure.value, figure.low, figure.high),
        "Texts": f"{each.result.basis.n_used:,} of {each.n:,}",
    }


def _chart(drawn: pd.DataFrame) -> Chart:
    base = alt.Chart(drawn).encode(
        y=alt.Y("where:N", sort=list(WORDS.values()), title=None),
        tooltip=[
            alt.Tooltip("where:N", title="Texts where"),
            alt.Tooltip("value:Q", title="Spearman", format=".3f"),
            alt.Tooltip("low:Q", title="95 % from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"),
            alt.Tooltip("texts:Q", title="Texts", format=","),
        ],
    )
    colour = JUDGE
    rule = base.mark_rule(color=colour, strokeWidth=2).encode(
        x=alt.X("low:Q", title="Spearman", scale=alt.Scale(nice=True, padding=12)), x2="high:Q"
    )
    point = base.mark_point(filled=True, size=70, opacity=1, color=colour).encode(x="value:Q")
    return alt.layer(rule, point).properties(height=150)


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
            alt_test_section(test, "On each text: whose score lies nearer to the others' ratings?", "raters")
        rater_strata(found.strata)
    if found.raters:
        _raters(found)


def _ceiling(found: HumanSide) -> None:
    st.markdown("**Human ceiling, and the judge beside it**", help=CEILING_HELP + more_in_guide("ceiling"))
    rows = [
        {
            "Coefficient": FIGURES[name],
            "One rater": interval(each.value, each.low, each.high),
            "Judge": interval(each.judge.value if each.judge else None),
            "Judge − rater": interval(each.judge.difference, each.judge.low, each.judge.high) if each.judge else "none",
            "Texts": each.n,
        }
        for name, each in found.ceiling.items()
    ]
    spearman = found.ceiling["spearman"]
    if spearman.value is None:
        st.markdown(plain(spearman.reason))
        return
    show_table(rows, "ceiling")
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
    show_table(table, "rater_agreement", drop_empty="Why")
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
    show_table(
        table, "raters", {"Mean": decimals, "Spearman with the others": st.column_config.NumberColumn(format="%.3f")}
    )
    csv_download("Raters (CSV)", table, "raters")
