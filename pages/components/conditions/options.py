"""Options of a study of conditions, what it would cost, and the button that starts it."""

from collections.abc import Sequence

import streamlit as st

from app.domain.people.actor import Right
from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.building.build import COMPONENTS, USUAL_COMPONENTS
from app.services.conditions.study import StudyOptions, StudyPlan, last_study
from app.services.conditions.study_forecast import estimate_study
from app.services.conditions.study_worker import begin_study, stop_study, stopping_study
from app.services.runtime.model_options import USUAL
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from app.services.scoring.last_models import last_model
from pages.components.shell.money import about
from pages.components.shell.runs.draw_options import DrawChoice, draw_options, preset_draw
from pages.components.shell.runs.model_choice import model_choice
from pages.components.shell.runs.model_options import more_options, preset_model_options
from pages.components.shell.runs.study_words import FAMILIES
from pages.components.shell.words import number, plain, show_error

FAMILIES_HELP = (
    "Whose attributes feed a checklist (InteractEval, section 4.2). Single: one checklist for each, and their mean. "
    "Everybody but one: what each person or LLM adds to the rest."
)
COMPONENTS_HELP = (
    "At most this many key sub-concepts per checklist, 3 to 9. The paper found 5 best (section 5.1.2). Another number "
    "builds other checklists; those that are there stay."
)
TRIALS_HELP = "Each trial draws texts of its own, with the next seed; figures are shown for each and as a mean."
KEY, PRESET = "study", "study_preset_for"


def condition_options(workbench: Workbench, project: Project, dimensions: Sequence[Dimension]) -> StudyOptions | None:
    """The choices, at first those of the last study. None, with a word on why, while they aren't complete."""
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
    components = number.number_input(
        "Components", COMPONENTS[0], COMPONENTS[-1], key="study_components", help=COMPONENTS_HELP
    )
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
    if not (wanted and families and model and answers):
        st.markdown("Choose at least one dimension and one condition, and two models that are set up.")
        return None
    order = tuple(family for family in FAMILIES if family in families)
    return StudyOptions(
        wanted,
        model,
        answers,
        order,
        components,
        choice.share,
        choice.seed,
        budget,
        choice.draw,
        choice.trials,
        asking,
    )


def _preset(project: Project, last: StudyOptions | None) -> None:
    """Before the widgets exist: what the project's last study chose, until a person chooses otherwise."""
    state, another = st.session_state, st.session_state.get(PRESET) != project.id
    state[PRESET] = project.id
    usual = {
        "study_families": list(last.families if last else FAMILIES),
        "study_components": last.components if last else USUAL_COMPONENTS,
        **({"study_model": last.model, "study_judge": last.judge} if last else {}),
    }
    for key, value in usual.items():
        if another or key not in state:
            state[key] = value
    if another or f"{KEY}_timeout" not in state:
        preset_model_options(KEY, last.asking if last else USUAL)
    if another or f"{KEY}_texts" not in state:
        chosen = DrawChoice(last.share, last.seed, last.draw, last.trials) if last else DrawChoice()
        preset_draw(KEY, chosen, only_missing=not another)


def study_start(
    workbench: Workbench, project: Project, options: StudyOptions, plans: Sequence[StudyPlan], running: bool
) -> None:
    """What is there, what is missing and what it would cost; start, or stop while it goes on. Raises as estimating."""
    plan, cells = plans[0], sum(len(each.cells) for each in plans)
    to_score = sum(len(each.to_score) for each in plans)
    conditions = number(len(plan.conditions), "condition")
    compared = {cell.dimension.id for cell in plan.cells}
    in_trials = f" in {number(len(plans), 'trial')}" if len(plans) > 1 else ""
    st.markdown(f"**{conditions} on {number(len(compared), 'dimension')}{in_trials}**")
    checklists = number(len(plan.cells), "checklist")
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
    if st.button(f"Build and score what is missing ({to_score:,})", type="primary", key="start_study"):
        try:
            begin_study(workbench, project, options)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.rerun()


def _on_other_texts(count: int) -> None:
    if count:
        st.caption(
            f"{count:,} more were scored on other texts: on another draw, or before documents were locked or texts "
            "came in. What was answered isn't paid again."
        )


def _stop_button(workbench: Workbench, project: Project) -> None:
    ending = stopping_study(workbench, project.id)
    if st.button("Stop", key="stop_study", disabled=ending, help="What is built and scored stays."):
        stop_study(workbench, project.id)
        st.rerun()
    if ending:
        st.caption("Stopping: the checklist being built is finished, answers on their way are kept.")
