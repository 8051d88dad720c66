"""Choices of Results: the runs, the level, and how special cases are treated."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NoReturn

import streamlit as st

from app.domain.project import Dimension, Project
from app.domain.run import RunSummary
from app.errors import WorkbenchError
from app.services.data.projects import dimensions_named
from app.services.results.method_grid import method_labels, result_words
from app.services.results.results import (
    USUAL,
    Choices,
    Constant,
    DimensionResult,
    Duplicates,
    Level,
    Resampling,
    cached_results,
    default_runs,
    has_probabilities,
    newer_trial_words,
)
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from pages.components.shell.current import keep, numbers, one_of, prepare_number
from pages.components.shell.frame import empty
from pages.components.shell.labels import more_in_guide, plain
from pages.components.shell.runs.model_options import left_out_systems
from pages.components.shell.runs.run_words import started, state, title, with_version

LEVELS: dict[Level, str] = {"per-source": "Per source", "dataset": "Dataset", "system": "System"}
LEVEL_HELP = """The same word means different things in different papers, so it is named here.

- **Per source**: do judge and people put the texts of *one* source in the same order? One coefficient inside each
  source, then their mean.
- **Dataset**: do they put *all* texts in the same order? One coefficient over everything.
- **System**: do they put the *writers* of the texts in the same order? One coefficient over the mean of each system."""
CONSTANTS: dict[Constant, str] = {"skip": "Leave them out", "zero": "Count them as 0"}
CONSTANT_LABEL = "Sources where all scores or all ratings are the same"
CONSTANT_HELP = (
    "A source whose texts all have the same score or the same rating has no order, so it has no coefficient. "
    "Published figures usually leave such sources out; counting them as 0 is stricter."
)
DUPLICATES: dict[Duplicates, str] = {"once": "Count the first", "keep": "Count each"}
DUPLICATE_LABEL = "Several texts of the same source and system"
DUPLICATE_HELP = (
    "The same text twice is no second piece of evidence. Counting each reproduces figures that were published so."
)
RESAMPLING: dict[Resampling, str] = {"sources": "Sources", "systems": "Systems", "both": "Both", "texts": "Texts"}
RESAMPLING_HELP = (
    "An interval says how far a figure would move had other sources or other systems been drawn. Draw what your "
    "conclusion is meant to hold for: new sources, new systems, or both (the widest, the most careful)."
)
MOST_RESAMPLES, MOST_SEED = 10_000, 2**31 - 1
RESAMPLES_LABEL = "Resamples for the intervals"
RESAMPLES_HELP = "How often the data are drawn anew. More make the ends of an interval steadier; 0 gives no intervals."
SEED_HELP = "The same seed gives the same intervals."
PARTIAL: dict[str, str] = {"no": "Leave them out", "yes": "Include them"}
PARTIAL_LABEL = "Texts with unanswered questions"
PARTIAL_HELP = (
    "A text with unanswered questions has a score from fewer answers than the others. It is left out unless this is on."
)
SCORES_FROM = {"answers": "Answers", "probabilities": "Probabilities (soft)"}
SOFT_HELP = (
    "From the answers: a yes counts 1, a no counts 0. From the probabilities: each question counts as much as the "
    "judge held yes to be likely, so an unsure yes counts less than a sure one. Everything below follows the choice."
)


def result_choices(
    workbench: Workbench, project: Project, runs: Sequence[RunSummary], dimension: str
) -> tuple[tuple[RunSummary, ...], Choices]:
    """Draw and return the chosen runs and how figures are computed. `runs` have scores, newest first; by default those
    of each method and judge on the dimension.

    No run if nothing is chosen and only studies of conditions have scored anything.
    """
    row = st.container(horizontal=True, vertical_alignment="bottom", key="result_choices")
    first = row.container(width="content")
    with row.popover("Runs", icon=":material/playlist_add_check:", key="run_choices"):
        chosen = _runs(runs, dimension)
    if not chosen:
        return (), Choices()
    with first:
        level = one_of("level", LEVELS, "per-source", "Level", LEVEL_HELP + more_in_guide("levels"))
        soft = _soft(chosen)
    with row.popover("Calculation", icon=":material/tune:", key="figure_choices"):
        awkward, intervals = st.columns(2, gap="large")
        with awkward:
            constant = one_of(
                "constant", CONSTANTS, "skip", CONSTANT_LABEL, CONSTANT_HELP, disabled=level != "per-source"
            )
            duplicates = one_of("duplicates", DUPLICATES, "once", DUPLICATE_LABEL, DUPLICATE_HELP)
            partial = one_of("partial", PARTIAL, "no", PARTIAL_LABEL, PARTIAL_HELP + more_in_guide("coverage"))
        with intervals:
            systems = left_out_systems(workbench, project, "without", "Their texts are not compared.")
            resampling = _resampling(level)
            resamples = _whole_number("resamples", RESAMPLES_LABEL, USUAL.resamples, MOST_RESAMPLES, RESAMPLES_HELP)
            seed = _whole_number("seed", "Seed", 0, MOST_SEED, SEED_HELP)
    return chosen, Choices(level, constant, duplicates, partial == "yes", soft, resampling, resamples, seed, systems)


def _runs(runs: Sequence[RunSummary], dimension: str) -> tuple[RunSummary, ...]:
    by_id = {run.id: run for run in runs}
    key = "run"
    usual = [run.id for run in usual_runs(runs, dimension)]
    known = [run for run in st.session_state.get(key) or [] if run in by_id]
    st.session_state[key] = known or [run for run in numbers(key) if run in by_id] or usual
    chosen: list[int] = st.multiselect(
        "Runs",
        list(by_id),
        format_func=lambda run: f"{with_version(by_id[run])} · {started(by_id[run])}",
        wrap=True,
        key=key,
        help="Of each method and judge the run with most texts of the newest checklist, unless you choose others; a "
        "trial only where no run scored all texts. "
        "Several stand side by side. Runs of a study of conditions are named by their condition, those that compare "
        "ways of asking by their way; both are shown when you choose them.",
    )
    shown = chosen or usual
    keep(key, ",".join(map(str, shown)), "")
    return tuple(run for run in runs if run.id in shown)


def usual_runs(runs: Sequence[RunSummary], dimension: str) -> list[RunSummary]:
    """Return the runs shown on a dimension by default."""
    own = [run for run in runs if not run.apart]
    return default_runs(own, dimension) or own[:1]


def _soft(chosen: Sequence[RunSummary]) -> bool:
    """Draw and return the choice of soft scores, offered if a judge gave probabilities."""
    if not any(has_probabilities(run) for run in chosen):
        return False
    soft = one_of("score_from", SCORES_FROM, "answers", "Score from", SOFT_HELP) == "probabilities"
    without = ", ".join(str(run.id) for run in chosen if not has_probabilities(run))
    if soft and without:
        st.caption(f"Without probabilities, so still from the answers: run {without}.")
    return soft


def _resampling(level: Level) -> Resampling | None:
    """Draw and return what is resampled; None for the level's default. Single texts are offered only without groups to
    keep together."""
    offered = {name: words for name, words in RESAMPLING.items() if name != "texts" or level == "dataset"}
    usual: Resampling = "systems" if level == "system" else "sources"
    before = st.session_state.get("usual_resampling", usual)
    if usual != before == st.session_state.get("resampling"):  # not chosen by the person, but what suited another level
        del st.session_state["resampling"]
    st.session_state["usual_resampling"] = usual
    chosen = one_of(
        "resampling", offered, usual, "What the intervals draw anew", RESAMPLING_HELP + more_in_guide("intervals")
    )
    return None if chosen == usual else chosen


def _whole_number(key: str, label: str, default: int, most: int, help_: str) -> int:
    prepare_number(key, default, 0, most)
    value: int = st.number_input(label, 0, most, step=1, key=key, help=help_, width=200)
    keep(key, str(value), str(default))
    return value


def choose_dataset() -> None:
    """Choose the dataset level, in a callback, before the widgets of the next run exist."""
    st.session_state["level"] = "dataset"
    st.session_state.pop("resampling", None)
    st.query_params.pop("resampling", None)


DETAIL_RUN = "detail_run"  # in the session and the address
_MADE = "levels_made"


@dataclass(frozen=True, slots=True)
class ResultScope:
    """The results that are shown. `runs` are the chosen ones, newest first. `usual`: the default runs by dimension, if
    nobody chose any."""

    workbench: Workbench
    project: Project
    dimension: Dimension
    runs: tuple[RunSummary, ...]
    choices: Choices
    usual: Mapping[int, Sequence[RunSummary]] = field(default_factory=dict)  # dimension -> runs

    def every_dimension(self) -> list[DimensionResult]:
        """Return results of all dimensions, the runs of one dimension together. If that is impossible, say so and end
        the screen."""
        try:
            found = self._cached(self.usual or None)
        except WorkbenchError as error:
            self._impossible(error)
        return sorted(found, key=lambda result: result.dimension.position)

    def look_ahead(self, shown: Sequence[DimensionResult]) -> None:
        """Compute the other levels of what is shown, once all is drawn: people look at them next.

        Those of many texts are computed on request: others wait for the same processes.
        """
        if any(result.many_texts for result in shown):
            return
        made = (*(result.reading for result in shown), replace(self.choices, level="dataset"))
        if st.session_state.get(_MADE) == made:
            return
        for level in LEVELS:
            for run in self.runs:
                with suppress(WorkbenchError):  # the texts have no systems, for example; said on that level
                    cached_results(self.workbench, [run.id], replace(self.choices, level=level))
        st.session_state[_MADE] = made

    def this_dimension(self) -> list[DimensionResult]:
        """Return the results of the current dimension, of the runs that scored it."""
        try:
            return self._cached({self.dimension.id: self.runs})
        except WorkbenchError as error:
            self._impossible(error)

    def _cached(self, on: Mapping[int, Sequence[RunSummary]] | None) -> list[DimensionResult]:
        """Return the results of the runs on these dimensions; None for all that the chosen runs scored."""
        wanted = {dimension: [run.id for run in runs] for dimension, runs in on.items()} if on else None
        every = dict.fromkeys(run.id for runs in (on.values() if on else [self.runs]) for run in runs)
        return cached_results(self.workbench, list(every), self.choices, wanted) if every else []

    def one(self, section: str) -> DimensionResult | None:
        """Return the result that a section shows: the current dimension's, of the chosen run if several scored it.

        Each open section offers the choice, and all show the same run.
        """
        by_run = {result.run.id: result for result in self.this_dimension()}
        if not by_run:
            st.markdown("The chosen run did not score this dimension. Choose another dimension above, or another run.")
            return None
        if len(by_run) == 1:
            return next(iter(by_run.values()))
        if st.session_state.get(DETAIL_RUN) not in by_run:
            wanted = st.query_params.get(DETAIL_RUN, "")
            picked = int(wanted) if wanted.isdecimal() else 0
            # What is looked into has questions and answers, so a method without them isn't the first to be shown.
            first = next((run for run, result in by_run.items() if result.version), next(iter(by_run)))
            st.session_state[DETAIL_RUN] = picked if picked in by_run else first
        key = f"{DETAIL_RUN}_{section}"
        run = st.session_state[key] = st.session_state[DETAIL_RUN]
        labels = method_labels(list(by_run.values()))
        st.radio(
            "Method",
            list(by_run),
            horizontal=True,
            key=key,
            format_func=lambda number: plain(labels[number]),
            on_change=_pick_run,
            args=[key],
        )
        keep(DETAIL_RUN, str(run), str(next(iter(by_run))))
        return by_run[run]

    def _impossible(self, error: WorkbenchError) -> NoReturn:
        offer_dataset(f"Results at the level “{LEVELS[self.choices.level].lower()}” are not possible here: {error}")
        st.stop()


def chosen_results(workbench: Workbench, project: Project, dimension: Dimension) -> ResultScope:
    """Draw the choice of runs and of how figures are computed; without runs, say so and end the screen."""
    runs = [run for run in list_runs(workbench, project.id) if run.done and not run.locked]
    if not runs:
        empty("No text of this project has been scored yet.", "Score some first.", "scores", "Go to Scores")
        st.stop()
    chosen, choices = result_choices(workbench, project, runs, dimension.name)
    if not chosen and not any(run.study for run in runs):
        empty(
            "Only a comparison of ways of asking has scored texts of this project.",
            "Score texts first, or choose one of its runs above to look into it.",
            "scores",
            "Go to Scores",
        )
        st.stop()
    if not chosen:
        empty(
            "Only studies of conditions have scored texts of this project.",
            "Conditions compares them; choose a run above to look into one, or score with a checklist of your own.",
            "conditions",
            "Go to Conditions",
        )
        st.stop()
    if trial := newer_trial_words(workbench, project.id, chosen, dimension.name):
        with st.container(key="newer_trial"):
            st.caption(plain(trial))
    for run in chosen:
        if run.done < run.all:
            st.caption(plain(f"{title(run)} · {state(run)}, {run.done:,} of {run.all:,} scored so far"))
    usual: dict[int, Sequence[RunSummary]] = {}
    if [run.id for run in chosen] == [run.id for run in usual_runs(runs, dimension.name)]:
        own = [run for run in runs if not run.apart]
        usual = {each.id: default_runs(own, each.name) for each in dimensions_named(workbench, project.name, "all")}
    return ResultScope(workbench, project, dimension, chosen, choices, usual)


def _pick_run(key: str) -> None:
    """Choose a run, in a callback: every section that offers the choice shows it."""
    st.session_state[DETAIL_RUN] = st.session_state[key]


def offer_dataset(why: str) -> None:
    st.info(plain(why), icon=":material/info:")
    st.button("Show the dataset level", key="show_dataset", on_click=choose_dataset)


def cautions(results: Sequence[DimensionResult]) -> None:
    """Draw each caution once, with the results it is about, or with those it isn't about if these are fewer."""
    said: dict[str, list[str]] = {}
    for result in results:
        for caution in result.meta.cautions:
            said.setdefault(caution, []).append(result_words(result, results))
    lines = []
    for caution, names in said.items():
        others = [name for result in results if (name := result_words(result, results)) not in names]
        few, start = (others, "All but ") if len(others) < len(names) else (names, "")
        lines.append(f"{start}{plain(', '.join(few))}: {plain(caution)}" if others else plain(caution))
    if lines:
        st.warning("  \n".join(lines), icon=":material/warning:")
