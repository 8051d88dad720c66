"""Conditions: a study of whose attributes make the better checklist."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.domain.chart_colours import LLM, METHODS, NEUTRAL, PERSON
from app.domain.condition import Family, StudyCondition
from app.domain.model_call import model_label
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.services.building.build import COMPONENTS, USUAL_COMPONENTS
from app.services.conditions.study import StudyOptions, StudyPlan, last_study
from app.services.conditions.study_figures import (
    MEANS,
    NOTES,
    Coefficient,
    ConditionFigures,
    FamilyDifference,
    Measure,
    StudyFigures,
    TrialFigures,
    TrialMean,
    single_contributors,
    sweep_figures,
    trial_figures,
)
from app.services.conditions.study_tables import SWEEP, SWEEP_TITLE, figure_rows, sweep_chart, sweep_points, sweep_table
from app.services.conditions.study_worker import begin_study, estimate_study, stop_study, stopping_study
from app.services.results.results import Figure, Level
from app.services.runtime.judges import USUAL
from app.services.runtime.workbench import Workbench, may
from app.services.scoring.last_models import last_model
from pages.components.shell.current import one_of, was_pressed
from pages.components.shell.labels import ShownErrors, about, more_in_guide, number, plain
from pages.components.shell.runs.model_options import (
    DrawChoice,
    draw_options,
    model_choice,
    more_options,
    preset_draw,
    preset_model_options,
)
from pages.components.shell.runs.run_comparison import COEFFICIENTS, P_HELP
from pages.components.shell.runs.run_words import FAMILIES, condition_words, figure_cells, row_label
from pages.components.shell.tables import Chart, csv_download, picture, show_table


def condition_differences(found: StudyFigures) -> None:
    if not found.differences:
        return
    st.subheader("Significant differences", anchor=False, help=P_HELP["p (Holm)"] + more_in_guide("difference"))
    coefficient = one_of("coefficient", COEFFICIENTS, "spearman", "Coefficient", "Everything below follows the choice.")
    told = [each for each in found.differences if each.tested[coefficient].is_significant]
    count = found.comparisons(coefficient)
    if count:
        st.markdown(f"{len(told)} of {count} comparisons are significantly different (Holm).")
    else:
        st.markdown("No two conditions can be compared here; the last column says why.")
    for each in told:
        sentence = found.verdict(each, coefficient, f"“{_label(each, False)}”", f"“{_label(each, True)}”")
        st.markdown(f"**{plain(each.first.dimension.name)}**: {plain(sentence)}")
    rows = pd.DataFrame([_row(each, coefficient) for each in found.differences])
    if not rows["Not computed"].any():
        rows = rows.drop(columns="Not computed")
    show_table(rows, "condition_differences", _columns())
    st.caption("  \n".join(plain(note) for note in NOTES))
    csv_download("Comparisons (CSV)", rows.assign(coefficient=coefficient, level=found.level), "condition_differences")


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


def _label(each: FamilyDifference, first: bool) -> str:
    row = each.first if first else each.second
    return row_label(row)


def _columns() -> dict[str, ColumnConfig | str | None]:
    signed = "%+.3f"
    return {
        "Difference": st.column_config.NumberColumn(
            format=signed, help="Second − first: above 0 the second agrees better with people."
        ),
        "From": st.column_config.NumberColumn(format=signed, help="Paired bootstrap, 95 %: the same texts for both."),
        "To": st.column_config.NumberColumn(format=signed),
        "p": st.column_config.NumberColumn(format="%.4f", help=P_HELP["p"]),
        "p (Holm)": st.column_config.TextColumn(help=P_HELP["p (Holm)"]),
        "z (Fisher)": st.column_config.TextColumn(help=P_HELP["z (Fisher)"]),
    }


COLOURS = {
    Family.SL: LLM,
    Family.ML: LLM,
    Family.SH: PERSON,
    Family.MH: PERSON,
    Family.COMB: METHODS[1],
    Family.WITHOUT: NEUTRAL,
}
MARGIN = 80  # for the axis, which counts in the height of a picture as wide as its place
ROW_HEIGHT, WIDTH = 30, 290  # two panels with their labels fit beside the sidebar on a small screen

ABOUT = "One checklist for each condition, all answered by one judge on the same texts."


def condition_figures(workbench: Workbench, plans: Sequence[StudyPlan], level: Level) -> StudyFigures:
    """Draw the available figures; return those of the shown trial, for the parts below."""
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
    show_table(figure_table(found.rows), "condition_figures")
    if found.averages:
        st.markdown("**Means over dimensions**")
        means = figure_table(found.averages).drop(columns=["Checklists", "Runs"])
        show_table(means, "condition_averages")
    _missing(found.rows)
    lines = []
    for caution in found.cautions:
        about = ", ".join(condition_words(StudyCondition.parse(key)) for key in caution.about)
        who = f"{caution.dimension.name}, {about}" if about else caution.dimension.name
        lines.append(f"{plain(who)}: {plain(caution.text)}")
    if lines:
        st.warning("  \n".join(lines), icon=":material/warning:")
    members = member_table(found.with_averages)
    if len(members):
        st.markdown("**Each contributor alone**")
        show_table(members, "condition_members")
    csv_download("Conditions and contributors (CSV)", pd.DataFrame(figure_rows(everything)), "condition_figures")
    return found


def component_sweep(workbench: Workbench, plans: Sequence[StudyPlan], level: Level) -> None:
    """Draw agreement by the number of components, as Fig. 6 of the paper."""
    with st.spinner("Computing the figures of each number of components"):
        found = sweep_figures(workbench, plans, level, permutations=0)
    points = [point for point in sweep_points(found) if point["figures"]["spearman"][0] is not None]
    st.subheader("Number of components", anchor=False, help=ABOUT + more_in_guide("conditions"))
    if points:
        chart = sweep_chart(points, "spearman")
        picture(chart, SWEEP_TITLE, "components", "component_sweep", f"Spearman; {SWEEP}", own_width=True, wide=True)
    headings, rows = sweep_table(found)
    show_table(pd.DataFrame(rows, columns=headings), "component_figures")
    everything = [row for each in found.values() for row in figure_rows(each)]
    csv_download("Conditions and contributors (CSV)", pd.DataFrame(everything), "condition_figures")


def _of_trials(everything: TrialFigures) -> StudyFigures:
    """Draw the means over several trials, and the choice of a trial; return the chosen one."""
    if not everything.several:
        return everything.trials[0]
    show_table(mean_table(everything), "condition_means")
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
                "MAE, mean": _spread(mean, "mae"),
                "Trials": f"{len(mean.known('spearman'))} of {len(everything.trials)}",
            }
            for mean in everything.means
        ]
    )


def _whose(mean: TrialMean) -> str:
    return f"{model_label(mean.member.condition.name)} alone" if mean.member else row_label(mean.row)


def _spread(mean: TrialMean, measure: Measure) -> str | None:
    value, deviation = mean.spread(measure)
    return None if value is None else f"{value:.3f} ({deviation:.3f})"


def _missing(rows: Sequence[ConditionFigures]) -> None:
    """Draw why figures or their intervals are missing, each sentence once with its conditions."""
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
                "Checklists": row.checklists,
                "Runs": ", ".join(str(member.run) for member in row.members if member.run),
            }
            for row in rows
        ]
    )


def member_table(rows: Sequence[ConditionFigures]) -> pd.DataFrame:
    """Return the figures of each single LLM and person, as in Table 10 of the paper."""
    return pd.DataFrame(
        [
            {
                "Dimension": row.dimension.name,
                "Contributor": model_label(member.condition.name),
                "Condition": row_label(row),
                **_figures(member.figures),
                "Checklist": member.version or None,
                "Run": member.run or None,
            }
            for row in rows
            for member in single_contributors(row)
        ]
    )


def _figures(figures: Mapping[Measure, Figure]) -> dict[str, object]:
    spearman = figures["spearman"]
    return {**figure_cells(figures), "Sources used": spearman.signature.groups.split()[0], "Texts": spearman.n}


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
    chart = figure_chart(pd.DataFrame(rows))
    picture(chart, "Spearman by condition", "conditions", "condition_study", caption, own_width=several)


def _points(row: ConditionFigures) -> list[dict[str, object]]:
    """Return the condition's point, and one for each member if there are several."""
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
    """Return a chart with intervals and a panel a dimension, as Figs. 8 and 9 of the paper."""
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
        .encode(
            x=alt.X("From:Q", title="Agreement with people (Spearman)", axis=alt.Axis(format=".2~f", tickCount=8)),
            x2="To:Q",
        )
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


FAMILIES_HELP = (
    "Whose attributes feed a checklist (InteractEval, section 4.2). Single: one checklist for each, and their mean. "
    "Everybody but one: what each person or LLM adds to the rest."
)
COMPONENTS_HELP = (
    "At most this many key sub-concepts per checklist, 3 to 9. The paper found 5 best (section 5.1.2). Another number "
    "builds other checklists; those that are there stay. Several are compared on the same texts."
)
TRIALS_HELP = "Each trial draws texts of its own, with the next seed; figures are shown for each and as a mean."
KEY, PRESET = "study", "study_preset_for"


def condition_options(workbench: Workbench, project: Project, dimensions: Sequence[Dimension]) -> StudyOptions | None:
    """Draw the choices, initially those of the last study. Return None, with the reason shown, while they aren't
    complete."""
    last = last_study(workbench, project)
    _preset(project, last)
    names = {dimension.id: dimension.name for dimension in dimensions}
    chosen = st.pills(
        "Dimensions",
        list(names),
        selection_mode="multi",
        default=[d.id for d in last.dimensions if d.id in names] if last else list(names),
        format_func=names.__getitem__,
        key=f"study_dimensions_{project.id}",
        wrap=True,
    )
    families = st.pills(
        "Conditions",
        list(FAMILIES),
        selection_mode="multi",
        format_func=FAMILIES.__getitem__,
        key="study_families",
        help=FAMILIES_HELP,
        wrap=True,
    )
    builder, judge = st.columns(2)
    with builder:
        model = model_choice(
            workbench,
            "Builds the checklists",
            "study_model",
            "Makes every checklist the same way.",
            first=last_model(workbench, project.id, "build"),
        )
    with judge:
        answers = model_choice(
            workbench,
            "Judge",
            "study_judge",
            "Answers every checklist for the same texts.",
            first=last_model(workbench, project.id, "judge"),
        )
    choice = draw_options(workbench, project, KEY, locked=False, trials_help=TRIALS_HELP)
    number, limit = st.columns(2)
    numbers = number.pills(
        "Components", list(COMPONENTS), selection_mode="multi", key="study_components", help=COMPONENTS_HELP, wrap=True
    )
    budget = None
    if may(workbench, Right.FACILITATE, project_id=project.id):
        budget = limit.number_input(
            "Budget in US dollars",
            min_value=0.01,
            value=None,
            key="study_budget",
            placeholder="no limit",
            help="The study stops once what it asks from now on has cost this much. Start again to go on.",
        )
    asking = more_options(KEY, [name for name in (model, answers) if name])
    wanted = tuple(dimension for dimension in dimensions if dimension.id in chosen)
    if not (wanted and families and model and answers and numbers):
        st.markdown(
            "Choose at least one dimension, one condition and one number of components, and two models that are set up."
        )
        return None
    order = tuple(family for family in FAMILIES if family in families)
    return StudyOptions(
        wanted,
        model,
        answers,
        order,
        numbers[0],
        choice.share,
        choice.seed,
        budget,
        choice.draw,
        choice.trials,
        asking,
        tuple(sorted(numbers)) if len(numbers) > 1 else (),
    )


def _preset(project: Project, last: StudyOptions | None) -> None:
    """Set the choices, before their widgets exist, to those of the project's last study, until a person changes
    them."""
    state, another = st.session_state, st.session_state.get(PRESET) != project.id
    state[PRESET] = project.id
    usual = {
        "study_families": list(last.families if last else FAMILIES),
        "study_components": list(last.sweep or (last.components,)) if last else [USUAL_COMPONENTS],
        **({"study_model": last.model, "study_judge": last.judge} if last else {}),
    }
    for key, value in usual.items():
        state[key] = value if another else state.get(key, value)
    if another or f"{KEY}_timeout" not in state:
        preset_model_options(KEY, last.asking if last else USUAL)
    if another or f"{KEY}_texts" not in state:
        chosen = DrawChoice(last.share, last.seed, last.draw, last.trials) if last else DrawChoice()
        preset_draw(KEY, chosen, only_missing=not another)


def study_start(
    workbench: Workbench, project: Project, options: StudyOptions, plans: Sequence[StudyPlan], running: bool
) -> None:
    """Draw what exists, what is missing and its cost; start, or stop a running study. Raises as estimating."""
    plan, cells = plans[0], sum(len(each.cells) for each in plans)
    numbers = {each.options.components: each for each in plans}
    to_score = sum(len(each.to_score) for each in plans)
    conditions = number(len(plan.conditions), "condition")
    compared = {cell.dimension.id for cell in plan.cells}
    in_trials = f" in {number(options.trials, 'trial')}" if options.trials > 1 else ""
    tried = f", {len(numbers)} numbers of components" if len(numbers) > 1 else ""
    st.markdown(f"**{conditions} on {number(len(compared), 'dimension')}{in_trials}{tried}**")
    checklists = number(sum(len(each.cells) for each in numbers.values()), "checklist")
    of = f"{cells:,} scored so far: {checklists}{in_trials}" if in_trials else f"{checklists} scored so far"
    st.markdown(f"{cells - to_score:,} of {of}.")
    _on_other_texts(sum(each.elsewhere for each in plans))
    without = [dimension.name for dimension in options.dimensions if dimension.id not in compared]
    if without:
        st.caption(plain(f"Nothing to compare on {', '.join(without)}: too few have said what to look for."))
    if not may(workbench, Right.FACILITATE, project_id=project.id):
        return
    if running:
        _stop_button(workbench, project)
        return
    if not to_score:
        st.markdown("Everything is built and scored. Choose other texts or another judge to go further.")
        return
    found = estimate_study(workbench, options, plans)
    if found.checklists:
        st.markdown(f"To build: {number(found.checklists, 'checklist')}, {number(found.build_calls, 'call')}.")
    st.markdown(f"To score: {number(found.texts_scored, 'text')}, {number(found.judge_calls, 'answer sheet')}.")
    if found.input_tokens:
        cost = "price unknown" if found.cost_usd is None else about(found.cost_usd)
        st.markdown(f"About {found.input_tokens:,} tokens in, {found.output_tokens:,} out: {cost}.")
        if found.reasoning:
            st.caption(plain(f"{found.reasoning.capitalize()}."))
        st.caption("A guess where a checklist isn't built yet: its number of questions is not known before.")
    else:
        st.markdown("The models are rules, not LLMs: nothing is paid.")
    if was_pressed(f"Build and score what is missing ({to_score:,})", "start_study", type="primary"):
        with ShownErrors():
            begin_study(workbench, project, options)
            st.rerun()


def _on_other_texts(count: int) -> None:
    if count:
        st.caption(
            f"{count:,} more were scored on other texts: on another draw, or before documents were locked or texts "
            "came in. What was answered isn't paid again."
        )


def _stop_button(workbench: Workbench, project: Project) -> None:
    ending = stopping_study(workbench, project.id)
    if was_pressed("Stop", "stop_study", disabled=ending, help="What is built and scored stays."):
        stop_study(workbench, project.id)
        st.rerun()
    if ending:
        st.caption("Stopping: the checklist being built is finished, answers on their way are kept.")
