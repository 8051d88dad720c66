"""Results, Verdict: a sentence for each dimension first, and the figures behind it for whoever unfolds them."""

from collections.abc import Sequence

import streamlit as st

from app.services.results.result_files import AgreementVerdict, VerdictKind, verdict_of
from app.services.results.results import DimensionResult
from pages.components.results.figures import basis_captions, coefficient_table, figures_picture, signatures
from pages.components.results.questions.weighted_scores import weighted_scores
from pages.components.results.unfolding import unfolding
from pages.components.shell.current import choose
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.result_choices import (
    DETAIL_RUN,
    LEVELS,
    ResultScope,
    cautions,
    offer_dataset,
    result_label,
)
from pages.components.shell.runs.run_words import method
from pages.components.shell.words import button_label, plain

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
    for result, verdict in zip(results, verdicts, strict=True):
        _sentence(scope, result, verdict)
    cautions(results, scope.several)
    _behind(scope, results)
    scope.look_ahead(results)


def _sentence(scope: ResultScope, result: DimensionResult, verdict: AgreementVerdict) -> None:
    key = f"{result.run.id}_{result.dimension.id}"
    with st.container(border=True, key=f"verdict_{key}"):
        words, way = st.columns([5, 1.5], gap="small", vertical_alignment="center")
        subject, _, said = verdict.about(result_label(result, scope.several)).partition(": ")
        grounds = " ".join(filter(None, (f"{method(result.run)}.", verdict.grounds, verdict.beside)))
        rests_on = f"  \n:small[:gray[{plain(grounds)}]]"
        words.markdown(
            f"{ICONS.get(verdict.kind, UNTOLD)} **{plain(subject)}**: {plain(said)}{rests_on}",
            help=VERDICT_HELP,
        )
        if result.compared or any(row.score is not None for row in result.rows):
            way.button(
                button_label(WORST if result.compared else SCORED, f"on {result_label(result, scope.several)}"),
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


def _behind(scope: ResultScope, results: Sequence[DimensionResult]) -> None:
    if section := unfolding("figures", "Figures: coefficients with their intervals"):
        with section:
            coefficient_table(results, scope.choices.level, scope.several)
            basis_captions(results, scope.several)
    if section := unfolding("picture", "The figures as a picture"):
        with section:
            figures_picture(results, scope.several)
    if any(result.weighted for result in results) and (
        section := unfolding("weights", "With the checklist's weights in place of equal ones")
    ):
        with section:
            weighted_scores(scope.workbench, results, scope.several)
    if section := unfolding("signature", "Signatures, with which others compute the same figures"):
        with section:
            signatures(results, scope.several)
