"""Runs compared with a baseline: which agrees better with people, by how much, and with what interval."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.domain.chart_colours import JUDGE, NEUTRAL
from app.domain.condition import StudyCondition
from app.domain.model_call import model_label
from app.services.results.run_comparison import Coefficient, RunComparison, ScoreSet, compare_runs, score_sets
from app.services.scoring.run_labels import variant_of
from pages.components.shell.current import listed_choice, numbers, one_of
from pages.components.shell.labels import number, plain
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.runs.run_words import condition_label, condition_words, started
from pages.components.shell.tables import Chart, csv_download, picture, show_table

COEFFICIENTS: dict[Coefficient, str] = {"spearman": "Spearman", "kendall": "Kendall tau-b", "pearson": "Pearson"}
AT_FIRST = 4  # compared before anybody chooses: each takes about a second
ROW_HEIGHT, MARGIN = 34, 60
LEAST = 0.05  # half the width of a picture without any difference
P_HELP = {
    "p": "Permutation test: how often swapping the two runs' scores at random gives a difference as large. Two-sided.",
    "p (Holm)": "The same after Holm's correction for all comparisons in this table: with many, some look good by "
    "chance. * below .05, ** below .01, *** below .001.",
    "p (Williams)": "Williams' t for two correlations that share the human ratings; for ranks an approximation.",
    "z (Fisher)": "Fisher's z with its stars, as in Table 11 of the InteractEval paper. It treats the two correlations "
    "as if they came from different texts, so it misses differences.",
}


def run_comparison(scope: ResultScope) -> None:
    """Draw the choice of runs of the current dimension and their comparison."""
    workbench, dimension = scope.workbench, scope.dimension
    sets = score_sets(workbench, scope.project.id, dimension.id)
    if len(sets) < 2:
        st.markdown(
            f"**There are no two runs on {plain(dimension.name)} to compare.** Score the same texts again with "
            "another judge, method, checklist version or condition, and both appear here."
        )
        return
    baseline, others, coefficient = _chosen(sets, [run.id for run in scope.runs])
    if not others:
        st.markdown("Choose at least one run to compare with the baseline.")
        return
    with st.spinner("Comparing: 1,000 resamples and 10,000 permutations for each pair"):
        found = compare_runs(workbench, dimension.id, baseline, others, scope.choices)
    names = set_labels(sets)
    for line in verdicts(found, coefficient, names):
        st.markdown(line)
    rows = comparison_rows(found, coefficient, names)
    _picture(rows, names[baseline.run.id], COEFFICIENTS[coefficient])
    show_table(rows.drop(columns="Signature"), "run_comparison", _columns())
    made = [each for each in found if each.comparison is not None]
    lines = []
    for each in made:
        assert each.comparison is not None
        out = each.only_baseline + each.only_other
        left = f"; {out:,} texts scored in only one of the two are left out" if out else ""
        lines.append(f"**{plain(names[each.other.run.id])}**: {plain(each.comparison.caption)}{left}.")
        lines.append(f"`{each.comparison.signature}`")
    st.caption("  \n".join(lines))
    for caution in dict.fromkeys(caution for each in made if each.comparison for caution in each.comparison.cautions):
        st.caption(plain(caution))
    csv_download("Comparison (CSV)", rows.assign(coefficient=coefficient, level=scope.choices.level), "comparison")


def set_labels(sets: Sequence[ScoreSet]) -> dict[int, str]:
    """Return run -> what distinguishes it from the others, not escaped for Markdown."""
    parts = [_parts(each) for each in sets]
    common = set.intersection(*(set(words) for words in parts))
    return {
        each.run.id: " · ".join([f"Run {each.run.id}", *(word for word in words if word not in common)])
        for each, words in zip(sets, parts, strict=True)
    }


def _parts(scores: ScoreSet) -> list[str]:
    run = scores.run
    if run.study:
        parts = [condition_words(StudyCondition.parse(run.study))]
    elif scores.version is not None:
        parts = [f"checklist {scores.version}, {condition_label(scores.condition)}", *variant_of(run)]
    else:
        parts = [", ".join((run.evaluator, *variant_of(run)))]
    if run.asking_way:
        parts.append(run.asking_way.words)
    if run.judge != "none":
        parts.append(model_label(run.judge))
    if run.params.get("sample", 1) != 1:
        parts.append(f"{run.params['sample']:.0%} of the texts, seed {run.params.get('seed')}")
    elif run.drawn and not run.apart:
        parts.append(f"trial on {number(run.texts, 'text')}")
    return [*parts, started(run)]


def verdicts(found: Sequence[RunComparison], coefficient: Coefficient, names: dict[int, str]) -> list[str]:
    """Return one sentence a comparison, as Markdown."""
    made = sum(1 for each in found if each.comparison is not None)
    return [
        f"**{plain(names[each.other.run.id])}**: "
        + plain(each.verdict(coefficient, f"run {each.other.run.id}", f"run {each.baseline.run.id}", made))
        for each in found
    ]


def comparison_rows(found: Sequence[RunComparison], coefficient: Coefficient, names: dict[int, str]) -> pd.DataFrame:
    return pd.DataFrame([_row(each, coefficient, names[each.other.run.id]) for each in found])


def _row(each: RunComparison, coefficient: Coefficient, name: str) -> dict[str, object]:
    counts = {"Shared": each.shared, "Left out": each.only_baseline + each.only_other}
    if each.comparison is None:
        return {"Run": name, **counts, "Signature": ""}
    tested, basis = each.comparison.differences[coefficient], each.comparison.basis
    figure, fisher = tested.figure, tested.fisher
    return {
        "Run": name,
        "Its figure": figure.a,
        "Baseline": figure.b,
        "Difference": figure.difference,
        "From": figure.low,
        "To": figure.high,
        "p": tested.permutation.p,
        "p (Holm)": None if tested.p_holm is None else f"{tested.p_holm:.4f}{tested.stars}",
        "p (Williams)": tested.williams.p,
        "z (Fisher)": None if fisher.statistic is None else f"{fisher.statistic:.3f}{fisher.stars}",
        **counts,
        "Counted": basis.n_used,
        "Sources used": f"{basis.groups_used:,} of {basis.groups_all:,}",
        "Signature": str(each.comparison.signature),
    }


def _chosen(sets: Sequence[ScoreSet], shown: Sequence[int]) -> tuple[ScoreSet, list[ScoreSet], Coefficient]:
    """Draw the choices; return baseline, the others and the coefficient. All three stay in the address."""
    by_run = {each.run.id: each for each in sets}
    names = set_labels(sets)
    left, right = st.columns([3, 2], gap="large", vertical_alignment="bottom")
    with left:
        # The first of those with most texts: what came before others is what they are compared with.
        whole = [each.run for each in sets if not each.run.study and not each.run.drawn] or [sets[-1].run]
        usual = str(whole[-1].id)
        help_ = "The others are compared with this one: above 0 they agree better with people."
        listed = [str(run) for run in by_run]
        first = int(listed_choice("baseline", listed, usual, "Baseline", lambda run: names[int(run)], help=help_))
        key, rest = "against", [run for run in by_run if run != first]
        known = [run for run in st.session_state.get(key) or [] if run in rest]
        asked = [run for run in numbers(key) if run in rest]
        st.session_state[key] = (
            known
            or asked
            or [run for run in shown if run in rest]
            or ([run for run in rest if not by_run[run].run.study] or list(rest))[:AT_FIRST]
        )
        against: list[int] = st.multiselect("Compared with it", rest, format_func=names.__getitem__, key=key)
    with right:
        coefficient = one_of("coefficient", COEFFICIENTS, "spearman", "Coefficient", label_visibility="visible")
    st.query_params[key] = ",".join(map(str, against))
    return by_run[first], [by_run[run] for run in against], coefficient


def _picture(rows: pd.DataFrame, baseline: str, coefficient: str) -> None:
    drawn = rows.dropna(subset=["Difference"]) if "Difference" in rows else rows.iloc[:0]
    if drawn.empty:
        return
    caption = f"{coefficient} minus that of the baseline ({baseline}); line: its paired 95 % interval."
    picture(
        difference_chart(drawn),
        f"Difference in {coefficient} to the baseline",
        "comparison",
        "comparison_picture",
        caption,
    )


def difference_chart(rows: pd.DataFrame) -> Chart:
    """Return a chart of differences with their intervals around 0; a line is grey if it includes 0."""
    ends = rows[["From", "To", "Difference"]].astype(float)  # without an interval, as from one source, they are None
    drawn = rows.assign(**ends, apart=(ends["From"] > 0) | (ends["To"] < 0))
    base = alt.Chart(drawn).encode(
        y=alt.Y("Run:N", sort=list(rows["Run"]), title=None, axis=alt.Axis(labelLimit=420)),
        color=alt.condition("datum.apart", alt.value(JUDGE), alt.value(NEUTRAL)),
        tooltip=[
            alt.Tooltip("Run:N"),
            alt.Tooltip("Difference:Q", format="+.3f"),
            alt.Tooltip("From:Q", title="95 % from", format="+.3f"),
            alt.Tooltip("To:Q", title="to", format="+.3f"),
            alt.Tooltip("Counted:Q", title="Texts", format=","),
        ],
    )
    axis = alt.Axis(format="+.2f", tickCount=8)
    widest = max(LEAST, float(ends.abs().max().max()))
    scale = alt.Scale(domain=[-widest, widest])
    line = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("From:Q", title="Difference: to the right it agrees better than the baseline", axis=axis, scale=scale),
        x2="To:Q",
    )
    point = base.mark_point(filled=True, size=80, opacity=1).encode(x="Difference:Q")
    zero = alt.Chart(pd.DataFrame({"x": [0.0]})).mark_rule(strokeDash=[4, 4], color=NEUTRAL).encode(x="x:Q")
    return alt.layer(zero, line, point).properties(height=MARGIN + ROW_HEIGHT * len(rows))


def _columns() -> dict[str, ColumnConfig | str | None]:
    number, signed = "%.3f", "%+.3f"
    return {
        "Run": st.column_config.TextColumn(width="medium"),
        "Its figure": st.column_config.NumberColumn(format=number),
        "Baseline": st.column_config.NumberColumn(format=number),
        "Difference": st.column_config.NumberColumn(format=signed, help="Above 0: agrees better than the baseline."),
        "From": st.column_config.NumberColumn(format=signed, help="Paired bootstrap, 95 %: the same texts for both."),
        "To": st.column_config.NumberColumn(format=signed),
        "p": st.column_config.NumberColumn(format="%.4f", help=P_HELP["p"]),
        "p (Holm)": st.column_config.TextColumn(help=P_HELP["p (Holm)"]),
        "p (Williams)": st.column_config.NumberColumn(format="%.4f", help=P_HELP["p (Williams)"]),
        "z (Fisher)": st.column_config.TextColumn(help=P_HELP["z (Fisher)"]),
        "Shared": st.column_config.NumberColumn(help="Texts that both runs scored."),
        "Left out": st.column_config.NumberColumn(help="Texts that only one of the two scored."),
        "Counted": st.column_config.NumberColumn(help="Texts in sources that have a coefficient in both."),
    }
