"""One call for all questions or one each: the difference on this checklist, from a comparison that can be started
here."""

import pandas as pd
import streamlit as st

from app.domain.model_call import model_label
from app.domain.project import Dimension, Project
from app.domain.run import AskingWay
from app.errors import WorkbenchError
from app.services.checklists.checklists import published_checklist
from app.services.results.asking_cost import AskingResult, asking_result
from app.services.runtime.judges import JudgeAbility
from app.services.runtime.workbench import Workbench
from app.services.scoring.asking_runs import (
    TEXTS,
    AskingOptions,
    asking_forecast,
    asking_runs,
    asking_sets,
    begin_asking,
)
from app.services.scoring.evaluators import CHECKLIST
from app.services.scoring.runs import RunOptions
from app.services.scoring.scoring_jobs import is_scoring, running_run
from pages.components.shell.current import was_pressed
from pages.components.shell.labels import ShownErrors, about, more_in_guide, number, plain, show_error
from pages.components.shell.tables import show_table

KEY = "asking_ways"
ALONE_OPTION, REVERSED_OPTION = (f"option_{CHECKLIST}_{name}" for name in ("per_question", "reversed_order"))
HELP = (
    "Asked all its questions in one call, a judge may let answers lean on each other, or on where a question stands. "
    "Asked each alone it can't, at several times the cost. The same texts are asked both ways, and once more with the "
    "last question first."
)
COLUMNS = {
    "Asked": st.column_config.TextColumn(width=190),
    "Agreement": st.column_config.NumberColumn(format="%.2f", help="Spearman's coefficient with people's ratings."),
    "As most experts": st.column_config.TextColumn(help="The share of answers that most experts gave too."),
    "Calls": st.column_config.NumberColumn(format="localized", help="For 1,000 texts on this dimension."),
    "Dollars": st.column_config.NumberColumn(format="%.2f", help="For 1,000 texts on this dimension."),
}


def asking_ways(workbench: Workbench, project: Project, wishes: list[RunOptions], judges: list[JudgeAbility]) -> None:
    """Draw the comparison once it is opened; draw nothing for methods without a checklist."""
    if not wishes or wishes[0].evaluator != CHECKLIST:
        return
    section = st.expander("One call or one each?", key=KEY, on_change="rerun")
    if not section.open:
        return
    with section:
        st.caption(HELP, help=more_in_guide("asking"))
        models = [judge for judge in judges if judge.is_llm]
        if not models:
            st.caption("The rules answer each question by itself. Choose an LLM as the judge to compare.")
            return
        wish, judge, dimension = _chosen(wishes, models)
        result = _newest(workbench, project, dimension, judge)
        if result is not None:
            _show(result, wish.asking.per_question)
        _start(workbench, project, AskingOptions(dimension, judge.name, budget=wish.budget, model=wish.model), judge)


def _chosen(wishes: list[RunOptions], models: list[JudgeAbility]) -> tuple[RunOptions, JudgeAbility, Dimension]:
    """Draw the choice of what to compare on, if there are several; return it."""
    dimensions, place, judge = wishes[0].dimensions, 0, models[0]
    if len(dimensions) > 1:
        names = [plain(dimension.name) for dimension in dimensions]
        place = st.selectbox("On", range(len(names)), format_func=names.__getitem__, key="asking_ways_dimension")
    if len(models) > 1:
        judge = st.selectbox("Judge", models, format_func=lambda each: model_label(each.name), key="asking_ways_judge")
    return next(wish for wish in wishes if wish.judge == judge.name), judge, dimensions[place]


def _newest(workbench: Workbench, project: Project, dimension: Dimension, judge: JudgeAbility) -> AskingResult | None:
    """The newest comparison of this judge on the newest published version."""
    checklist = published_checklist(workbench, dimension.id)
    sets = asking_sets(workbench, project.id, dimension.id, checklist.id, judge.name)
    if not sets:
        st.caption(f"Version {checklist.version} hasn't been compared with this judge yet.")
        return None
    with st.spinner("Comparing the ways to ask"):
        return asking_result(workbench, project.id, dimension.id, sets[0])


def _show(found: AskingResult, alone: bool) -> None:
    if found.verdict is None or found.comparison is None:
        st.caption(plain(found.problem))
        return
    st.markdown(f"**{plain(found.verdict.sentence)}**")
    _use(found.verdict.choice, alone)
    show_table(_ways(found), "asking_ways_table", COLUMNS)
    st.markdown(plain(f"Asked alone, {found.comparison.changed.percent} of the answers change. {found.beside[0]}"))
    st.caption(plain(" ".join([*found.beside[1:], *found.cautions])))
    show_table(_questions(found), "asking_ways_questions")


def _use(choice: str | None, alone: bool) -> None:
    if choice is None:
        return
    if (choice == "alone") == alone:
        st.caption("The next run is set to ask so.")
        return
    words = "one call for each question" if choice == "alone" else "all questions in one call"
    st.button(f"Use this: {words}", key="asking_ways_use", on_click=_set_option, args=(choice == "alone",))


def _set_option(alone: bool) -> None:
    st.session_state[ALONE_OPTION] = alone
    st.session_state[REVERSED_OPTION] = False


def _start(workbench: Workbench, project: Project, options: AskingOptions, judge: JudgeAbility) -> None:
    """Draw what the comparison would ask and cost, and the button that starts or resumes it."""
    if judge.obstacle:
        st.caption(plain(judge.obstacle))
        return
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    texts = left.number_input("Texts to compare on", min_value=1, value=TEXTS, step=10, key="asking_ways_texts")
    options = AskingOptions(options.dimension, options.judge, texts=texts, budget=options.budget, model=options.model)
    try:
        runs = asking_runs(workbench, project.id, options)
        if runs and all(run.done == run.all for run in runs.values()):
            right.caption("Compared on so many texts already. Ask for more texts to narrow the interval.")
            return
        ahead = list(asking_forecast(workbench, project.id, options).values())
    except WorkbenchError as error:
        show_error(error)
        return
    new, costs = sum(each.calls - each.calls_cached for each in ahead), [each.cost_usd for each in ahead]
    cost = "unknown price" if None in costs else about(sum(each or 0.0 for each in costs))
    limit = " The budget above is for all three." if options.budget else ""
    right.caption(f"Three runs, {number(new, 'new call')}, {cost}.{limit}")
    busy = running_run(workbench, project.id) is not None or is_scoring(workbench, project.id)
    label = "Go on with the comparison" if runs else f"Compare on {number(texts, 'text')}"
    if was_pressed(label, "asking_ways_start", disabled=busy):
        with ShownErrors():
            begin_asking(workbench, project.id, options)
            st.rerun()


def _ways(found: AskingResult) -> pd.DataFrame:
    assert found.comparison is not None  # else nothing is shown
    rows = []
    for way in AskingWay:
        figures, cost = found.comparison.ways[way], found.costs[way]
        rows.append(
            {
                "Asked": way.words.capitalize(),
                "Agreement": figures.spearman,
                "As most experts": figures.accuracy.percent if figures.accuracy else None,
                "Yes": figures.yes.percent,
                "Calls": cost.calls,
                "Dollars": cost.cost_usd,
            }
        )
    table = pd.DataFrame(rows)
    return table if table["As most experts"].notna().any() else table.drop(columns="As most experts")


def _questions(found: AskingResult) -> pd.DataFrame:
    assert found.comparison is not None  # else nothing is shown
    pairs = zip(found.questions, found.comparison.by_question, strict=True)
    return pd.DataFrame(
        [
            {
                "Question": question.text,
                "Changed alone": change.alone.percent,
                "Changed in reversed order": change.reversed.percent,
            }
            for question, change in pairs
        ]
    )
