"""What to score and how: dimensions, method, judge, share of the texts."""

from collections.abc import Sequence

import streamlit as st

from app.domain.checklist import Checklist
from app.domain.project import Project
from app.domain.task import Dimension
from app.services.evaluating import CHECKLIST, NO_JUDGE, usable_methods
from app.services.models import available_models
from app.services.scoring import RunOptions, list_runs
from app.services.workbench import Workbench
from pages.components.words import model_label, plain

JUDGE_HELP = (
    "Who answers the questions. “rules” is a set of fixed text rules, not an LLM: it needs no key and costs nothing, "
    "and it shows how everything works. Any other model can be typed as provider:name, for example openai:gpt-4o."
)


def scoring_options(
    workbench: Workbench, project: Project, ready: Sequence[tuple[Dimension, Checklist]]
) -> RunOptions | None:
    """None, with a word on why, while the choice isn't complete."""
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
    first, second = st.columns(2)
    evaluator = first.selectbox(
        "Method",
        list(methods),
        index=list(methods).index(CHECKLIST),
        format_func=lambda name: methods[name],
        key="score_evaluator",
        help="How a text gets its score. Checklist: the judge answers every question, and the share of yes is put on "
        "the scale of the dimension.",
    )
    judge = second.selectbox(
        "Judge",
        _judges(workbench, project),
        format_func=model_label,
        accept_new_options=True,
        key="score_judge",
        help=JUDGE_HELP,
    )
    share, seed = _share()
    dimensions = tuple(dimension for dimension, _ in ready if dimension.id in chosen)
    if not dimensions:
        st.info("Choose at least one dimension.")
        return None
    if not judge:
        st.info("Choose a judge.")
        return None
    return RunOptions(dimensions, judge.strip(), evaluator, None, share, seed)


def _described(dimension: Dimension, checklist: Checklist) -> str:
    return plain(f"{dimension.name} · version {checklist.version}, {len(checklist.asked)} questions")


def _judges(workbench: Workbench, project: Project) -> list[str]:
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
