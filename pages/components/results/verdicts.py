"""Results, Verdict: the table of methods and its chart, then a line for each method and dimension."""

from collections.abc import Mapping, Sequence
from functools import partial

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.chart_colours import FONT_SIZE, JUDGE, NEUTRAL, PERSON
from app.services.results.method_grid import (
    FIGURES,
    METHOD,
    Ceiling,
    Comparisons,
    FigureName,
    GridRow,
    MethodGrid,
    ceilings_of,
    cell,
    comparisons_with,
    difference,
    grid_notes,
    method_and_judge,
    method_grid,
    result_words,
)
from app.services.results.preferences import dimensions_with_pairs
from app.services.results.question_analysis import weighted_agreement
from app.services.results.raters import TOO_LITTLE_RATED, scores_on_rating_scale
from app.services.results.result_files import AgreementVerdict, VerdictKind, latex_file, mapped_csv, verdicts_of
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench
from pages.components.results.details import (
    FIGURE_HELP,
    basis_captions,
    coefficient_table,
    preference_tables,
    signatures,
    unfolding,
)
from pages.components.shell.current import choose, listed_choice, one_of
from pages.components.shell.labels import button_label, more_in_guide, plain
from pages.components.shell.runs.result_choices import DETAIL_RUN, LEVELS, ResultScope, cautions, offer_dataset
from pages.components.shell.runs.run_words import figure_cells
from pages.components.shell.tables import Chart, file_download, picture, show_table

AXES: dict[FigureName, str] = {
    "spearman": "Spearman correlation with the mean rating",
    "kendall": "Kendall's tau-b with the mean rating",
    "pearson": "Pearson correlation with the mean rating",
    "mae": "Mean absolute error (points of the rating scale)",
}
INTERVAL, CEILING = "method, 95 % interval", "human ceiling"
SCREEN_WIDTH, PAPER_WIDTH = 1000, 460  # pixels for labels and panels together
LABELS, LETTER = 240, 7  # pixels: for the labels of methods at most, and for each letter
ROW, MARGIN = 28, 0.04  # pixels; share of the axis left free at its ends


def forest_chart(
    grid: MethodGrid, name: FigureName, ceilings: Mapping[tuple[str, str], Ceiling], on_paper: bool = False
) -> Chart | None:
    """Return the chart; None if no method has the figure. on_paper: two panels a row, so that letters are readable in a
    column."""
    rows = _rows(grid, name, ceilings)
    if rows.empty:
        return None
    dimensions = [name for name in grid.dimensions if name in set(rows["dimension"])]
    panels = min(len(dimensions), 2 if on_paper else 4)
    methods = [row.label for row in grid.rows]
    labels = min(LABELS, LETTER * max(map(len, methods)) + 20)
    width = max(120, ((PAPER_WIDTH if on_paper else SCREEN_WIDTH) - labels) // panels - 20)
    scale = alt.Scale(domain=_domain(rows), nice=False, zero=False)
    x = alt.X("value:Q", scale=scale, title=None, axis=alt.Axis(format=".2~f", tickCount=max(3, width // 55)))
    y = alt.Y("method:N", sort=methods, title=None, axis=alt.Axis(labelLimit=LABELS))
    with_ceiling = rows["ceiling"].notna().any()
    marks = {INTERVAL: JUDGE} | ({CEILING: PERSON} if with_ceiling else {})
    shown = alt.Scale(domain=list(marks), range=list(marks.values()))
    base = alt.Chart().encode(y=y, tooltip=_tooltip(name))
    legend = alt.Legend(orient="bottom", title=None, labelLimit=0, offset=6)
    colour = alt.Color("shown:N", scale=shown, legend=legend)

    def named(what: str) -> alt.Chart:
        """Return the base chart with `what` as its name in the legend."""
        found: alt.Chart = base.transform_calculate(shown=f"'{what}'").encode(color=colour)
        return found

    ceiling = named(CEILING).mark_tick(thickness=2.5, size=ROW, opacity=0.9).encode(x=alt.X("ceiling:Q", scale=scale))
    line = named(INTERVAL).mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=scale), x2="high:Q")
    dot = named(INTERVAL).mark_point(filled=True, size=70, opacity=1).encode(x=x)
    layers = [ceiling, line, dot] if with_ceiling else [line, dot]
    if scale.domain[0] < 0 < scale.domain[1]:
        zero = (
            alt.Chart()
            .mark_rule(strokeDash=[4, 4], color=NEUTRAL, aria=False)
            .encode(x=alt.datum(0, type="quantitative"))
        )
        layers.insert(0, zero)
    header = alt.Header(
        title=AXES[name],
        titleOrient="bottom",
        titleFontSize=FONT_SIZE,
        titleFontWeight="normal",
        labelFontSize=FONT_SIZE + 1,
        labelFontWeight="bold",
        labelPadding=4,
    )
    chart: Chart = (
        alt.layer(*layers, data=rows)
        .properties(width=width, height=alt.Step(ROW))
        .facet(facet=alt.Facet("dimension:N", sort=dimensions, header=header), columns=panels, spacing=20)
    )
    return chart


def forest_caption(grid: MethodGrid, name: FigureName, ceilings: Mapping[tuple[str, str], Ceiling]) -> str:
    """Return what the marks are, and the number of texts of each panel."""
    counts = []
    for dimension in grid.dimensions:
        found = sorted({f.n for row in grid.rows if (f := row.figure(dimension, name)) and f.value is not None})
        if found:
            counts.append(f"{dimension} {found[0]:,}" + (f" to {found[-1]:,}" if len(found) > 1 else ""))
    human = " Human ceiling: what one rater reaches against the others, on the method's texts." if ceilings else ""
    return f"Dot: {FIGURES[name]}; line: its 95 % interval.{human} n (texts): {', '.join(counts)}."


def _rows(grid: MethodGrid, name: FigureName, ceilings: Mapping[tuple[str, str], Ceiling]) -> pd.DataFrame:
    rows = []
    for row in grid.rows:
        for dimension, result in row.results.items():
            figure = row.figure(dimension, name)
            if figure is None or figure.value is None:
                continue
            ceiling = ceilings.get((row.label, dimension))
            rows.append(
                {
                    "dimension": dimension,
                    "method": row.label,
                    "run": result.run.id,
                    "value": figure.value,
                    "low": figure.low,
                    "high": figure.high,
                    "n": figure.n,
                    "ceiling": None if ceiling is None else ceiling.value,
                }
            )
    numbers = ["value", "low", "high", "ceiling"]
    return pd.DataFrame(rows).astype(dict.fromkeys(numbers, float)) if rows else pd.DataFrame()


def _domain(rows: pd.DataFrame) -> list[float]:
    """Return the lowest and the highest value drawn, with a margin."""
    drawn = rows[["value", "low", "high", "ceiling"]]
    low, high = float(drawn.min().min()), float(drawn.max().max())
    margin = MARGIN * (high - low) or 0.05
    return [low - margin, high + margin]


def _tooltip(name: FigureName) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("method:N", title="Method"),
        alt.Tooltip("dimension:N", title="Dimension"),
        alt.Tooltip("value:Q", title=FIGURES[name], format=".3f"),
        alt.Tooltip("low:Q", title="95 % from", format=".3f"),
        alt.Tooltip("high:Q", title="to", format=".3f"),
        alt.Tooltip("ceiling:Q", title="Human ceiling", format=".3f"),
        alt.Tooltip("n:Q", title="Texts", format=","),
        alt.Tooltip("run:N", title="Run"),
    ]


def method_table(scope: ResultScope, results: Sequence[DimensionResult]) -> None:
    grid = method_grid(results)
    row = st.container(horizontal=True, vertical_alignment="center", key="grid_choices")
    with row:
        name, reference = _choices(grid)
    compared: Comparisons = {}
    if reference:
        with st.spinner("Comparing: 1,000 resamples and 10,000 permutations for each pair"):
            compared = comparisons_with(scope.workbench, scope.project.id, grid, reference, scope.choices)
    with row:
        latex = partial(latex_file, scope.project, grid, (name,), reference, compared)
        file_download("Table (LaTeX)", latex, "methods.tex", "download_method_table")
    st.table(grid_frame(grid, name, compared), border="horizontal", hide_index=True)
    notes = plain(" ".join(grid_notes(grid, (name,), reference)))
    st.caption(notes, help=FIGURE_HELP[FIGURES[name]] + more_in_guide("correlation"))
    ceilings = ceilings_of(scope.workbench, scope.project.id, grid, name)
    chart = forest_chart(grid, name, ceilings)
    if chart is not None:
        on_paper = forest_chart(grid, name, ceilings, on_paper=True)
        caption = forest_caption(grid, name, ceilings)
        title = f"{FIGURES[name]} by method and dimension"
        picture(chart, title, "results", "forest", caption, own_width=True, on_paper=on_paper, wide=True)


def grid_frame(grid: MethodGrid, name: FigureName, compared: Comparisons) -> pd.DataFrame:
    """Return a row a method, as Markdown."""
    return pd.DataFrame(
        [
            {METHOD: plain(row.label)} | {plain(column): _cell(row, column, name, compared) for column in grid.columns}
            for row in grid.rows
        ]
    )


def _cell(row: GridRow, column: str, name: FigureName, compared: Comparisons) -> str:
    apart = difference(compared, row.label, column, name)
    shown = plain(cell(row.figure(column, name))).replace(", ", ",\u00a0")  # a narrow column breaks before the interval
    return f"{shown}  \n{plain(str(apart))}" if apart else shown


def _choices(grid: MethodGrid) -> tuple[FigureName, str]:
    """Draw the choices; return the figure, and the row that the others are compared with, "" for none. Both stay in the
    address."""
    methods = [row.label for row in grid.rows]
    name = one_of("coefficient", FIGURES, "spearman", "Figure")
    if len(methods) < 2:
        return name, ""

    def shown(label: str) -> str:
        return f"Difference to {label}" if label else "Difference to: none"

    hidden = {"label_visibility": "collapsed", "width": 340}
    return name, listed_choice("reference", ["", *methods], "", "Difference to", shown, **hidden)


def weighted_scores(workbench: Workbench, results: Sequence[DimensionResult]) -> None:
    found = [(result, meta) for result in results if (meta := weighted_agreement(workbench, result)) is not None]
    if not found:
        return
    rows = [
        {
            "Dimension": result_words(result, results),
            "Questions count": how,
            **figure_cells(figures.figures, figures.mae),
        }
        for result, meta in found
        for how, figures in (("alike", result.meta), ("by their weights", meta))
    ]
    show_table(rows, "weighted_scores")
    st.caption(
        "The same texts and resamples. The score in which all questions count alike is the one that is reported; a "
        "small difference between the two lines is no evidence for the weights."
    )


def scores_on_rating_scales(workbench: Workbench, results: Sequence[DimensionResult]) -> None:
    found = [(result, scale) for result in results if (scale := scores_on_rating_scale(workbench, result)) is not None]
    st.caption(
        "A judge may order texts as people do and still be too mild or too strict. A rising map from scores to ratings "
        "mends that; each text is judged by a map that its source played no part in. Coefficients stay as they are.",
        help="Raw and mapped scores are both kept and named." + more_in_guide("scale"),
    )
    if not found:
        st.markdown(TOO_LITTLE_RATED)
        return
    for result, scale in found:
        st.markdown(f"**{plain(result_words(result, results))}**: {plain(scale.sentence)}")
    offered = [(result, scale) for result, scale in found if scale.found.offered]
    if offered:
        file_download(
            "Scores and mapped scores (CSV)",
            lambda: mapped_csv(offered),
            "scores_on_peoples_scale.csv",
            "download_mapped",
            help="The column score holds the judge's scores as they are, mapped_score those on people's scale.",
        )


ICONS: dict[VerdictKind, str] = {
    "better": ":green[:material/check_circle:]",
    "as well": ":green[:material/check_circle:]",
    "weaker": ":blue[:material/trending_up:]",
    "open": ":blue[:material/trending_up:]",
    "no ceiling": ":blue[:material/trending_up:]",
    "little": ":orange[:material/do_not_disturb_on:]",
    "not found": ":orange[:material/do_not_disturb_on:]",
    "negative": ":red[:material/trending_down:]",
}
UNTOLD = ":gray[:material/help:]"  # the other kinds: nothing is known yet
VERDICT_HELP = "What the figures allow to say, and what to do then." + more_in_guide("verdict")
WORST, SCORED = "Texts furthest from people", "See the scores"


def result_verdicts(scope: ResultScope) -> None:
    results, level = scope.every_dimension(), scope.choices.level
    if all(r.headline[0] is None for r in results) and any(r.dataset_may_help for r in results):
        reasons = sorted({result.meta.figures["spearman"].reason for result in results})
        offer_dataset(f"At the level “{LEVELS[level].lower()}” there is no coefficient: {' '.join(reasons)}")
    with st.spinner("Comparing the judge with the raters"):
        verdicts = verdicts_of(scope.workbench, results)
    method_table(scope, results)
    for result, verdict in zip(results, verdicts, strict=True):
        _sentence(scope, result, verdict, results)
    if binary := [result for result in results if result.dimension.binary]:
        st.button(
            "Failure rates", key="to_failure_rates", on_click=_look_at_questions, args=[scope.project.name, binary[0]]
        )
    cautions(results)
    _behind(scope, results)
    scope.look_ahead(results)


def _sentence(
    scope: ResultScope, result: DimensionResult, verdict: AgreementVerdict, results: Sequence[DimensionResult]
) -> None:
    """Draw a verdict in one line that unfolds to what it rests on."""
    key, label = f"{result.run.id}_{result.dimension.id}", result_words(result, results)
    with st.container(key=f"verdict_{key}"):
        words, way = st.columns([5.6, 1.3], gap="small", vertical_alignment="center")
        subject = f"{label[:1].upper()}{label[1:]}"
        line = f"{ICONS.get(verdict.kind, UNTOLD)} **{plain(subject)}**: {plain(verdict.sentence)}"
        grounds = " ".join(filter(None, (f"{method_and_judge(result.run)}.", verdict.grounds, verdict.beside)))
        with words.expander(line, type="compact"):
            st.markdown(plain(grounds), help=VERDICT_HELP)
        if result.compared or any(row.score is not None for row in result.rows):
            way.button(
                button_label(WORST if result.compared else SCORED, f"on {label}"),
                key=f"worst_{key}",
                type="tertiary",
                icon=":material/arrow_forward:",
                on_click=_look_at_texts,
                args=[scope.project.name, result],
            )


def _look_at_texts(project: str, result: DimensionResult) -> None:
    """Select the dimension, the run, and the tab with the texts, before the next run's widgets exist."""
    choose(project, result.dimension.name)
    st.session_state[DETAIL_RUN] = result.run.id
    st.session_state["view"] = "texts"


def _look_at_questions(project: str, result: DimensionResult) -> None:
    choose(project, result.dimension.name)
    st.session_state[DETAIL_RUN] = result.run.id
    st.session_state["view"] = "questions"


def _behind(scope: ResultScope, results: Sequence[DimensionResult]) -> None:
    if section := unfolding("figures", "Figures: coefficients with their intervals"):
        with section:
            coefficient_table(results, scope.choices.level)
            basis_captions(results)
    compared = dimensions_with_pairs(scope.workbench, scope.project.id)
    if (of_pairs := [result for result in results if result.dimension.id in compared]) and (
        section := unfolding("preferences", "Preferences: has the text that people found better the higher score?")
    ):
        with section:
            preference_tables(scope.workbench, of_pairs)
    if any(result.weighted for result in results) and (
        section := unfolding("weights", "With the checklist's weights in place of equal ones")
    ):
        with section:
            weighted_scores(scope.workbench, results)
    if any(result.on_scale and result.compared for result in results) and (
        section := unfolding("scale", "On people's scale: scores mapped to the ratings")
    ):
        with section:
            scores_on_rating_scales(scope.workbench, results)
    if section := unfolding("signature", "Signatures, with which others compute the same figures"):
        with section:
            signatures(results)
