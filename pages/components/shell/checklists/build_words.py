"""The five stages in words, the same wherever a build shows."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from app.domain.build import Stage
from app.domain.checklist import QuestionOrigin
from app.services.building.build_state import BuildView, StageState
from pages.components.shell.words import number

TITLES = {
    Stage.COMPONENTS: "Components",
    Stage.CLUSTERS: "Clusters",
    Stage.KEY_QUESTIONS: "Key questions",
    Stage.SUB_QUESTIONS: "Sub-questions",
    Stage.VALIDATION: "Validation",
}
PURPOSES = {
    Stage.COMPONENTS: "The few themes that the attributes keep coming back to.",
    Stage.CLUSTERS: "Each attribute under the component it speaks about, or left out with a reason.",
    Stage.KEY_QUESTIONS: "One yes/no question for each component.",
    Stage.SUB_QUESTIONS: "Each key question broken down into what a judge can answer.",
    Stage.VALIDATION: "A second look: merge questions about the same thing, drop irrelevant ones. You decide on each.",
}
STAGE_NAMES = {stage.value: title.lower() for stage, title in TITLES.items()}
ORIGINS = {
    QuestionOrigin.GENERATED: "",
    QuestionOrigin.EDITED: "edited by hand",
    QuestionOrigin.ADDED: "added by hand",
}


def step_label(view: BuildView, stage: Stage) -> str:
    """A stage with its number and how it stands, as the stepper shows it."""
    position = list(Stage).index(stage) + 1
    return f"{position} {TITLES[stage]} {_mark(view.states[stage])}".strip()


def _mark(state: StageState) -> str:
    if not state.made:
        return ""
    return ":material/update:" if state.stale else ":material/check:"


def stale_words(state: StageState) -> str:
    """What of a stage is out of date, in a few words: all of it, or how many of its items."""
    edited, missing, gone = len(state.edited), len(state.missing), len(state.gone)
    if state.stage in (Stage.COMPONENTS, Stage.VALIDATION):
        return "what it was made from has changed"
    noun = "attribute" if state.stage is Stage.CLUSTERS else "component"
    said = [f"{number(edited, noun)} to go over again"] if edited else []
    said += [f"{number(missing, noun)} new"] if missing else []
    said += [f"{number(gone, noun)} without attributes now"] if gone else []
    return ", ".join(said)


def build_summary(view: BuildView, stage: Stage) -> str:
    """What a stage holds, counted."""
    build = view.build
    match stage:
        case Stage.COMPONENTS:
            return number(len(build.components), "component")
        case Stage.CLUSTERS:
            in_use = set(view.in_use)
            shown = [p for p in build.placements if p.attribute in in_use]
            left_out = sum(not p.components for p in shown)
            return f"{number(len(shown) - left_out, 'attribute')} placed, {left_out} left out"
        case Stage.VALIDATION:
            changes = [change for change in build.changes if change.kind != "kept"]
            return f"{number(len(changes), 'change')} proposed, {len(build.changes) - len(changes)} questions kept"
    return number(len(build.questions(stage)), TITLES[stage].lower().removesuffix("s"))


_WAY = "way_back_to_result"


@dataclass(frozen=True, slots=True)
class WayBack:
    """`address` is that of Results as it was left; `texts` are those the person was looking at, furthest from people
    first, on which the changed questions can be asked again."""

    dimension: int
    run: int
    texts: tuple[int, ...]
    address: Mapping[str, str]

    @property
    def to_a_text(self) -> bool:
        return "text" in self.address


def remember_way(way: WayBack) -> None:
    st.session_state[_WAY] = way


def way_back(dimension_id: int) -> WayBack | None:
    """Of this session, to a result of this dimension."""
    way: WayBack | None = st.session_state.get(_WAY)
    return way if way is not None and way.dimension == dimension_id else None


def forget_way() -> None:
    st.session_state.pop(_WAY, None)
