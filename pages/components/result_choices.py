"""Which runs, at which level, with which treatment of the awkward cases."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from app.domain.run import RunSummary
from app.services.results import Constant, Level, asks_soft
from pages.components.address import keep, numbers, prepare
from pages.components.run_words import short_title, started

LEVELS: dict[Level, str] = {"per-source": "Per source", "dataset": "Dataset", "system": "System"}
LEVEL_HELP = """The same word means different things in different papers, so it is named here.

- **Per source**: do judge and people put the texts of *one* source in the same order? One coefficient inside each
  source, then their mean.
- **Dataset**: do they put *all* texts in the same order? One coefficient over everything.
- **System**: do they put the *writers* of the texts in the same order? One coefficient over the mean of each system."""
CONSTANTS: dict[Constant, str] = {"skip": "Leave them out", "zero": "Count them as 0"}
CONSTANT_HELP = (
    "A source whose texts all have the same score or the same rating has no order, so it has no coefficient. "
    "Published figures usually leave such sources out; counting them as 0 is stricter."
)
PARTIAL_HELP = (
    "A text with unanswered questions has a score from fewer answers than the others. It is left out unless this is on."
)
SCORES_FROM = {"answers": "Answers", "probabilities": "Probabilities (soft)"}
SOFT_HELP = (
    "From the answers: a yes counts 1, a no counts 0. From the probabilities: each question counts as much as the "
    "judge held yes to be likely, so an unsure yes counts less than a sure one. Everything below follows the choice."
)


@dataclass(frozen=True, slots=True)
class ResultChoices:
    runs: tuple[int, ...]
    level: Level
    constant: Constant
    include_partial: bool
    soft: bool


def result_choices(runs: Sequence[RunSummary]) -> ResultChoices:
    """`runs` are those with scores, newest first; the newest is chosen unless the address or the person says else."""
    left, right = st.columns([3, 2], gap="large", vertical_alignment="bottom")
    with left:
        chosen = _runs(runs)
    with right:
        level = _level()
    soft = _soft([run for run in runs if run.id in chosen])
    with st.expander("How awkward cases count", key="awkward_cases"):
        prepare("constant", list(CONSTANTS), "skip")
        constant: Constant = st.radio(
            "Sources where all scores or all ratings are the same",
            list(CONSTANTS),
            format_func=lambda name: CONSTANTS[name],
            horizontal=True,
            key="constant",
            help=CONSTANT_HELP,
            disabled=level != "per-source",
        )
        prepare("partial", ["no", "yes"], "no")
        partial = st.radio(
            "Texts with unanswered questions",
            ["no", "yes"],
            format_func={"no": "Leave them out", "yes": "Include them"}.__getitem__,
            horizontal=True,
            key="partial",
            help=PARTIAL_HELP,
        )
    keep("constant", constant, "skip")
    keep("partial", partial, "no")
    return ResultChoices(tuple(chosen), level, constant, partial == "yes", soft)


def _runs(runs: Sequence[RunSummary]) -> list[int]:
    by_id = {run.id: run for run in runs}
    key, newest = "run", runs[0].id
    known = [run for run in st.session_state.get(key) or [] if run in by_id]
    st.session_state[key] = known or [run for run in numbers(key) if run in by_id] or [newest]
    chosen: list[int] = st.multiselect(
        "Runs",
        list(by_id),
        format_func=lambda run: f"{short_title(by_id[run])} · {started(by_id[run])}",
        key=key,
        help="The newest with scores, unless you choose others. Several stand side by side.",
    )
    shown = chosen or [newest]
    st.query_params[key] = ",".join(map(str, shown))
    return shown


def _soft(chosen: Sequence[RunSummary]) -> bool:
    """Offered where a judge said how sure it was; remembered as a part of the address."""
    if not any(asks_soft(run) for run in chosen):
        return False
    prepare("score_from", list(SCORES_FROM), "answers")
    source = st.segmented_control(
        "Score from",
        list(SCORES_FROM),
        format_func=SCORES_FROM.__getitem__,
        required=True,
        key="score_from",
        help=SOFT_HELP,
    )
    keep("score_from", source or "answers", "answers")
    soft = source == "probabilities"
    without = ", ".join(str(run.id) for run in chosen if not asks_soft(run))
    if soft and without:
        st.caption(f"Without probabilities, so still from the answers: run {without}.")
    return soft


def _level() -> Level:
    prepare("level", list(LEVELS), "per-source")
    level = st.segmented_control(
        "Level",
        list(LEVELS),
        format_func=lambda name: LEVELS[name],
        required=True,
        key="level",
        help=LEVEL_HELP,
    )
    assert level is not None  # required
    keep("level", level, "per-source")
    return level


def choose_dataset() -> None:
    """For a button's on_click: before the widgets of the next run exist."""
    st.session_state["level"] = "dataset"
