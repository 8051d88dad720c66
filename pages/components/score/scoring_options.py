"""Options of scoring: method, dimensions, judges, the texts drawn."""

from collections.abc import Sequence

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.services.data.projects import dimensions_named
from app.services.runtime.judges import JudgeAbility
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import CHECKLIST, NO_JUDGE, asks_a_judge, methods, needs_checklist
from app.services.scoring.runs import RunOptions
from pages.components.score.asking_options import Wishes, asking_options
from pages.components.score.checklist_readiness import dimensions_with_checklist
from pages.components.score.judge_choice import judge_choice
from pages.components.shell.guide.explained import more_in_guide
from pages.components.shell.runs.draw_options import DrawChoice, draw_options
from pages.components.shell.words import plain


def scoring_options(workbench: Workbench, project: Project) -> tuple[list[RunOptions], list[JudgeAbility]]:
    """A run for each judge, and the judges; no run, with a word on why, while the choice isn't complete."""
    titles = methods()
    evaluator = st.selectbox(
        "Method",
        list(titles),
        index=list(titles).index(CHECKLIST),
        format_func=titles.__getitem__,
        key="score_evaluator",
        help="How a text gets its score. Checklist: the judge answers every question, and the share of yes is put on "
        f"the scale of the dimension.{more_in_guide('methods')}",
    )
    place = st.container()  # which dimensions can be scored depends on the method's options, which stand below
    judges = judge_choice(workbench, project, evaluator) if asks_a_judge(evaluator) else []
    choice = draw_options(workbench, project)
    if choice.trials > 1:
        st.caption(f"{choice.trials} runs for each judge. What is counted on the right is one of them.")
    wishes = asking_options(evaluator, judges)
    with place:
        dimensions = _dimensions(workbench, project, wishes)
    if not dimensions:
        return [], judges
    if not asks_a_judge(evaluator):
        return [
            RunOptions(
                dimensions,
                NO_JUDGE,
                evaluator,
                None,
                choice.share,
                choice.seed,
                settings=wishes.settings,
                draw=choice.draw,
                trials=choice.trials,
                locked=choice.locked,
            )
        ], []
    return [_run(dimensions, judge, wishes, choice) for judge in judges], judges


def _run(dimensions: Sequence[Dimension], judge: JudgeAbility, wishes: Wishes, choice: DrawChoice) -> RunOptions:
    return RunOptions(
        tuple(dimensions),
        judge.name,
        wishes.evaluator,
        None,
        choice.share,
        choice.seed,
        wishes.asked_of(judge),
        wishes.budget,
        wishes.use_cache,
        wishes.settings,
        reuse=wishes.reuse,
        draw=choice.draw,
        trials=choice.trials,
        locked=choice.locked,
        model=wishes.model_of(judge),
        batch=wishes.batch_of(judge),
    )


def _dimensions(workbench: Workbench, project: Project, wishes: Wishes) -> tuple[Dimension, ...]:
    """Those chosen of those that the method can score; none, with a word on why."""
    if needs_checklist(wishes.evaluator, wishes.settings):
        ready = dimensions_with_checklist(workbench, project)
        offered = [dimension for dimension, _ in ready]
        names = {d.id: f"{d.name} · version {c.version}, {len(c.asked)} questions" for d, c in ready}
        about = "Each dimension is scored with its newest published checklist."
    else:
        offered = dimensions_named(workbench, project.name, "all")
        names = {dimension.id: dimension.name for dimension in offered}
        about = "This method needs no checklist, so every dimension can be scored."
        if not offered:
            st.info("This project has no dimension yet: say on Texts what quality the texts are judged on.")
    if not offered:  # where a checklist is what is missing, that has been said
        return ()
    chosen = st.pills(
        "Dimensions",
        list(names),
        selection_mode="multi",
        default=list(names),
        format_func=lambda key: plain(names[key]),
        key=f"score_dimensions_{'_'.join(map(str, names))}",
        wrap=True,
        help=about,
    )
    if not chosen:
        st.info("Choose at least one dimension.")
    return tuple(dimension for dimension in offered if dimension.id in chosen)
