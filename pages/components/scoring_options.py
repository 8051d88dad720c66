"""What to score and how: dimensions, method, judges, share of the texts."""

from collections.abc import Sequence

import streamlit as st

from app.domain.checklist import Checklist
from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.evaluating import CHECKLIST, NO_JUDGE, asks_a_judge, usable_methods
from app.services.judges import Judge, judge_named
from app.services.models import available_models
from app.services.scoring import RunOptions, list_runs
from app.services.workbench import Workbench
from pages.components.asking_options import asking_options
from pages.components.words import model_label, plain, show_error

JUDGE_HELP = (
    "Who answers the questions; with several, each gets a run of its own, one after another. “rules” is a set of fixed "
    "text rules, not an LLM: it needs no key and costs nothing, and it shows how everything works. Any other model can "
    "be typed as provider:name, for example openai:gpt-4o."
)


def scoring_options(
    workbench: Workbench, project: Project, ready: Sequence[tuple[Dimension, Checklist]]
) -> list[RunOptions]:
    """One for each judge; none, with a word on why, while the choice isn't complete."""
    names = {dimension.id: _described(dimension, checklist) for dimension, checklist in ready}
    chosen = st.pills(
        "Dimensions",
        list(names),
        selection_mode="multi",
        default=list(names),
        format_func=lambda key: names[key],
        key=f"score_dimensions_{'_'.join(map(str, names))}",
        wrap=True,
        help="Each dimension is scored with its newest published checklist.",
    )
    methods = usable_methods()
    evaluator = st.selectbox(
        "Method",
        list(methods),
        index=list(methods).index(CHECKLIST),
        format_func=lambda name: methods[name],
        key="score_evaluator",
        help="How a text gets its score. Checklist: the judge answers every question, and the share of yes is put on "
        "the scale of the dimension.",
    )
    judged = asks_a_judge(evaluator)
    judges = _judges(workbench, project) if judged else []
    share, seed = _share()
    wishes = asking_options(judges)
    dimensions = tuple(dimension for dimension, _ in ready if dimension.id in chosen)
    if not dimensions:
        st.info("Choose at least one dimension.")
        return []
    if not judged:
        return [RunOptions(dimensions, NO_JUDGE, evaluator, None, share, seed)]
    return [
        RunOptions(
            dimensions,
            judge.name,
            evaluator,
            None,
            share,
            seed,
            wishes.asked_of(judge),
            wishes.budget,
            wishes.use_cache,
        )
        for judge in judges
    ]


def _described(dimension: Dimension, checklist: Checklist) -> str:
    return plain(f"{dimension.name} · version {checklist.version}, {len(checklist.asked)} questions")


def _judges(workbench: Workbench, project: Project) -> list[Judge]:
    """Those chosen; none, with a word on why, where one of them can't be used."""
    chosen = st.multiselect(
        "Judges",
        _known_judges(workbench, project),
        default=["rules"],
        format_func=model_label,
        accept_new_options=True,
        wrap=True,
        placeholder="choose judges, or type provider:name",
        key="score_judge",
        help=JUDGE_HELP,
    )
    names = dict.fromkeys(name.strip() for name in chosen if name.strip())
    if not names:
        st.info("Choose a judge.")
    try:
        return [judge_named(workbench, name) for name in names]
    except WorkbenchError as error:
        show_error(error)
        return []


def _known_judges(workbench: Workbench, project: Project) -> list[str]:
    """The rules, what judged here before, and the suggested model of each provider that can be used."""
    suggested = [model.name for model in available_models(workbench) if model.usable and model.suggested]
    before = [run.judge for run in list_runs(workbench, project.id) if run.judge != NO_JUDGE]
    return list(dict.fromkeys(["rules", *before, *suggested]))


def _share() -> tuple[float, int]:
    """The share of the texts as a number above 0 up to 1, and the seed that draws it."""
    first, second = st.columns(2)
    percent = first.number_input(
        "Share of the texts, in %",
        min_value=1,
        max_value=100,
        value=100,
        step=5,
        key="score_share",
        help="Less than 100 draws a sample that keeps the spread of people's ratings (stratified): every level of "
        "rating stays as frequent as in the whole. Texts without a rating are not drawn.",
    )
    seed = second.number_input(
        "Seed of the draw",
        min_value=0,
        value=1,
        key="score_seed",
        disabled=percent == 100,
        help="The same seed draws the same texts again; another seed draws others.",
    )
    return percent / 100, seed
