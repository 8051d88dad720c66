"""Results, Verdict: the table of methods and its picture, then a line for each method and dimension."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.services.results.method_grid import method_and_judge, result_words
from app.services.results.preferences import dimensions_with_pairs
from app.services.results.question_analysis import weighted_agreement
from app.services.results.result_files import AgreementVerdict, VerdictKind, verdict_of
from app.services.results.results import DimensionResult, Figure
from app.services.runtime.workbench import Workbench
from pages.components.results.figures import basis_captions, coefficient_table, preference_tables, signatures
from pages.components.results.method_table import method_table
from pages.components.results.unfolding import unfolding
from pages.components.shell.current import choose
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.result_choices import (
    DETAIL_RUN,
    LEVELS,
    ResultScope,
    cautions,
    offer_dataset,
)
from pages.components.shell.runs.run_words import interval
from pages.components.shell.words import button_label, plain


def weighted_scores(workbench: Workbench, results: Sequence[DimensionResult]) -> None:
    found = [(result, meta) for result in results if (meta := weighted_agreement(workbench, result)) is not None]
    if not found:
        return
    rows = [
        {
            "Dimension": result_words(result, results),
            "Questions count": how,
            "Spearman": _shown(figures.figures["spearman"]),
            "Kendall tau-b": _shown(figures.figures["kendall"]),
            "Pearson": _shown(figures.figures["pearson"]),
            "MAE": _shown(figures.mae),
        }
        for result, meta in found
        for how, figures in (("alike", result.meta), ("by their weights", meta))
    ]
    st.dataframe(pd.DataFrame(rows), placeholder="–", hide_index=True, key="weighted_scores")
    st.caption(
        "The same texts and resamples. The score in which all questions count alike is the one that is reported; a "
        "small difference between the two lines is no evidence for the weights."
    )


def _shown(figure: Figure) -> str:
    return interval(figure.value, figure.low, figure.high)


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
        verdicts = [verdict_of(scope.workbench, result) for result in results]
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
    """One line; it unfolds to what it rests on."""
    key, label = f"{result.run.id}_{result.dimension.id}", result_words(result, results)
    with st.container(key=f"verdict_{key}"):
        words, way = st.columns([5, 1.5], gap="small", vertical_alignment="center")
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
    """Before the next run's widgets exist: its dimension, its run, and the tab with the texts."""
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
    if section := unfolding("signature", "Signatures, with which others compute the same figures"):
        with section:
            signatures(results)
