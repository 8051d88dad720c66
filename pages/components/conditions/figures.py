"""Agreement with people by condition: the table and the picture of a study."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd
import streamlit as st

from app.services.conditions.study import Family, StudyCondition, StudyPlan
from app.services.conditions.study_figures import Coefficient, ConditionFigures, StudyFigures
from app.services.conditions.study_trials import (
    MEANS,
    TrialFigures,
    TrialMean,
    figure_rows,
    single_contributors,
    trial_figures,
)
from app.services.results.results import Figure, Level
from app.services.runtime.workbench import Workbench
from pages.components.shell.csv_download import csv_download
from pages.components.shell.guide.explained import more_in_guide
from pages.components.shell.kind_colours import BLUES, GREY, ORANGES
from pages.components.shell.picture import Chart, picture
from pages.components.shell.runs.interval_words import interval
from pages.components.shell.runs.study_words import condition_words, row_label
from pages.components.shell.words import model_label, plain

COLOURS = {
    Family.SL: ORANGES[0],
    Family.ML: ORANGES[0],
    Family.SH: BLUES[0],
    Family.MH: BLUES[0],
    Family.COMB: "#009E73",
    Family.WITHOUT: GREY,
}
MARGIN = 80  # for the axis, which counts in the height of a picture as wide as its place
ROW_HEIGHT, WIDTH = 30, 290  # two panels with their labels fit beside the sidebar on a small screen

ABOUT = "One checklist for each condition, all answered by one judge on the same texts."


def condition_figures(workbench: Workbench, plans: Sequence[StudyPlan], level: Level) -> StudyFigures:
    """Shown as far as they are there; returned, of the trial that is looked at, for what stands below."""
    with st.spinner("Comparing the conditions: 1,000 resamples and 2,000 permutations for each pair"):
        everything = trial_figures(workbench, plans, level)
    found = everything.trials[0]
    if any(trial.rows for trial in everything.trials):
        st.subheader("Agreement with people", anchor=False, help=ABOUT + more_in_guide("conditions"))
        found = _of_trials(everything)
    for problem in found.problems:
        st.info(plain(problem), icon=":material/info:")
    plan = plans[everything.trials.index(found)]
    if not found.rows:
        return found
    if plan.to_score:
        elsewhere = f", {plan.elsewhere:,} of them only on other texts" if plan.elsewhere else ""
        st.caption(
            f"{len(plan.to_score):,} of {len(plan.cells):,} checklists are not scored yet{elsewhere} and have no "
            "figure here."
        )
    _picture(found)
    st.dataframe(figure_table(found.rows), placeholder="–", hide_index=True, key="condition_figures")
    _missing(found.rows)
    _cautions(found)
    members = member_table(found.rows)
    if len(members):
        st.markdown("**Each contributor alone**")
        st.dataframe(members, placeholder="–", hide_index=True, key="condition_members")
    csv_download("Conditions and contributors (CSV)", pd.DataFrame(figure_rows(everything)), "condition_figures")
    return found


def _of_trials(everything: TrialFigures) -> StudyFigures:
    """The means where there are several, and the choice of the trial that is shown below."""
    if not everything.several:
        return everything.trials[0]
    st.dataframe(mean_table(everything), placeholder="–", hide_index=True, key="condition_means")
    st.caption(f"{MEANS} In brackets the standard deviation over trials.")
    trial = st.segmented_control(
        "Trial",
        list(range(len(everything.trials))),
        format_func=lambda number: f"{number + 1} (seed {everything.trials[number].seed})",
        default=0,
        required=True,
        key="study_trial",
        help="Everything below is about this trial alone.",
    )
    return everything.trials[trial or 0]


def mean_table(everything: TrialFigures) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Dimension": mean.row.dimension.name,
                "Condition": _whose(mean),
                "Spearman, mean": _spread(mean, "spearman"),
                **{
                    f"Trial {number + 1}": None if value is None else f"{value:.3f}"
                    for number, value in enumerate(mean.values["spearman"])
                },
                "Kendall tau-b, mean": _spread(mean, "kendall"),
                "Pearson, mean": _spread(mean, "pearson"),
                "Trials": f"{len(mean.known('spearman'))} of {len(everything.trials)}",
            }
            for mean in everything.means
        ]
    )


def _whose(mean: TrialMean) -> str:
    return f"{model_label(mean.member.condition.name)} alone" if mean.member else row_label(mean.row)


def _spread(mean: TrialMean, coefficient: Coefficient) -> str | None:
    value, deviation = mean.spread(coefficient)
    return None if value is None else f"{value:.3f} ({deviation:.3f})"


def _cautions(found: StudyFigures) -> None:
    """As on Results; a sentence that isn't about all conditions names those that it is about."""
    for caution in found.cautions:
        about = ", ".join(condition_words(StudyCondition.parse(key)) for key in caution.about)
        who = f"{caution.dimension.name}, {about}" if about else caution.dimension.name
        st.warning(f"{plain(who)}: {plain(caution.text)}", icon=":material/warning:")


def _missing(rows: Sequence[ConditionFigures]) -> None:
    """Why figures or their intervals are missing, each sentence once with the conditions it is about."""
    about: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if reason := row.figures["spearman"].reason:
            about.setdefault((row.dimension.name, reason), []).append(row_label(row))
    for (dimension, reason), labels in about.items():
        of_dimension = sum(row.dimension.name == dimension for row in rows)
        who = "" if len(labels) == of_dimension else f", {plain(', '.join(labels))}"
        st.markdown(f"**{plain(dimension)}**{who}: {plain(reason)}")


def figure_table(rows: Sequence[ConditionFigures]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Dimension": row.dimension.name,
                "Condition": row_label(row),
                **_figures(row.figures),
                "Checklists": len(row.members),
                "Runs": ", ".join(str(member.run) for member in row.members),
            }
            for row in rows
        ]
    )


def member_table(rows: Sequence[ConditionFigures]) -> pd.DataFrame:
    """Those behind the means of single LLMs and single people, as in Table 10 of the paper."""
    return pd.DataFrame(
        [
            {
                "Dimension": row.dimension.name,
                "Contributor": model_label(member.condition.name),
                "Condition": row_label(row),
                **_figures(member.figures),
                "Checklist": member.version,
                "Run": member.run,
            }
            for row in rows
            for member in single_contributors(row)
        ]
    )


def _figures(figures: Mapping[Coefficient, Figure]) -> dict[str, object]:
    spearman = figures["spearman"]
    return {
        "Spearman": _shown(spearman),
        "Kendall tau-b": _shown(figures["kendall"]),
        "Pearson": _shown(figures["pearson"]),
        "Sources used": spearman.signature.groups.split()[0],
        "Texts": spearman.n,
    }


def _shown(figure: Figure) -> str:
    return interval(figure.value, figure.low, figure.high)


def _picture(found: StudyFigures) -> None:
    rows = [drawn for row in found.rows for drawn in _points(row)]
    if not rows:
        return
    texts = "; ".join(
        f"{row.dimension.name}: {found.shared[row.dimension.id]:,} texts that every condition scored"
        + (f", {left:,} left out" if (left := found.left_out[row.dimension.id]) else "")
        for row in {row.dimension.id: row for row in found.rows}.values()
    )
    caption = (
        "Filled point: the condition; line: its 95 % interval. For single LLMs and single people the point is the "
        f"mean, and hollow points are the single ones. {texts}."
    )
    several = len({row.dimension.id for row in found.rows}) > 1
    picture(figure_chart(pd.DataFrame(rows)), "conditions", "condition_study", caption, own_width=several)


def _points(row: ConditionFigures) -> list[dict[str, object]]:
    """The condition's point, and one for each member where there are several."""
    colour, label = COLOURS[row.family], row_label(row)
    common = {"Dimension": row.dimension.name, "Condition": label, "colour": colour}
    figure = row.figures["spearman"]
    points: list[dict[str, object]] = []
    if len(row.members) > 1:
        points += [
            {**common, "what": "single", "Who": model_label(m.condition.name), "Spearman": m.figures["spearman"].value}
            for m in row.members
            if m.figures["spearman"].value is not None
        ]
    if figure.value is not None:
        spread = {"From": figure.low, "To": figure.high, "Texts": figure.n}
        points.append({**common, "what": "condition", "Who": label, "Spearman": figure.value, **spread})
    return points


def figure_chart(rows: pd.DataFrame) -> Chart:
    """A panel a dimension, as Figs. 8 and 9 of the paper, with intervals."""
    order = list(dict.fromkeys(rows["Condition"]))
    dimensions = list(dict.fromkeys(rows["Dimension"]))
    base = alt.Chart(rows).encode(
        y=alt.Y("Condition:N", sort=order, title=None, axis=alt.Axis(labelLimit=260, labelOverlap=False)),
        color=alt.Color("colour:N", scale=None),
        tooltip=[
            alt.Tooltip("Dimension:N"),
            alt.Tooltip("Who:N", title="Condition"),
            alt.Tooltip("Spearman:Q", format=".3f"),
            alt.Tooltip("From:Q", title="95 % from", format=".3f"),
            alt.Tooltip("To:Q", title="to", format=".3f"),
            alt.Tooltip("Texts:Q", format=","),
        ],
    )
    of_condition, single = alt.datum.what == "condition", alt.datum.what == "single"
    line = (
        base.transform_filter(of_condition)
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("From:Q", title="Agreement with people (Spearman)", axis=alt.Axis(format=".2~f")), x2="To:Q")
    )
    point = base.transform_filter(of_condition).mark_point(filled=True, size=90, opacity=1).encode(x="Spearman:Q")
    members = base.transform_filter(single).mark_point(filled=False, size=45, opacity=0.9).encode(x="Spearman:Q")
    layers = alt.layer(line, members, point)
    height = ROW_HEIGHT * len(order)
    if len(dimensions) == 1:
        return layers.properties(height=height + MARGIN)
    chart: Chart = layers.properties(width=WIDTH, height=height).facet(
        facet=alt.Facet("Dimension:N", sort=dimensions, title=None), columns=2
    )
    return chart
