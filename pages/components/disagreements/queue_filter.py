"""Which disagreements to look at: the version, what is open or decided, kind, question, judge, component."""

from typing import cast, get_args

import streamlit as st

from app.domain.checklist import Checklist
from app.domain.project import Dimension
from app.services.disagreements.queue import (
    DisagreementQueue,
    PartedKind,
    QueueFilter,
    QueueState,
    decidable_versions,
)
from app.services.runtime.workbench import Workbench
from pages.components.disagreements.place import show_pair
from pages.components.shell.address import keep, prepare
from pages.components.shell.frame import empty
from pages.components.shell.navigation.screens import link
from pages.components.shell.words import model_label, number

KINDS = {
    PartedKind.EXPERTS: "Experts disagree",
    PartedKind.JUDGE: "Judge disagrees with experts",
    PartedKind.REPEATS: "Judge's repeats differ",
}
STATES = {"open": "To decide", "decided": "Decided", "contradicting": "Contradicting decisions"}
ALL = "all"
VERSION = "of_version"


def chosen_version(workbench: Workbench, dimension: Dimension) -> Checklist:
    """The newest published version that anybody answered; the screen says so and ends where there is none."""
    versions = {str(each.version): each for each in decidable_versions(workbench, dimension.id)}
    if not versions:
        empty("No version of the checklist is published yet.", "Publish one first.", "checklist", "Go to Checklist")
        st.stop()
    first = next(iter(versions))
    if len(versions) > 1:
        prepare(VERSION, list(versions), first)
        chosen: str = st.selectbox("Version", list(versions), key=VERSION, width=160, on_change=show_pair, args=[None])
        keep(VERSION, chosen, first)
        return versions[chosen]
    return versions[first]


def queue_filter(queue: DisagreementQueue) -> QueueFilter:
    """Every choice is in the address."""
    with st.container(horizontal=True, vertical_alignment="top", key="queue_filter"):
        state = _state(queue)
        kind = _one_of("kind", "Kind", {kind.value: words for kind, words in KINDS.items()})
        numbers = queue.checklist.numbers
        asked = {str(numbers[each.id]): f"{numbers[each.id]}. {each.text}" for each in queue.checklist.asked}
        question = _one_of("asked", "Question", asked)
        judge = _one_of("by_judge", "Judge", {name: model_label(name) for name in queue.judges})
        parts = dict.fromkeys(each.component for each in queue.checklist.asked if each.component)
        part = _one_of("part", "Component", {name: name for name in parts}) if len(parts) > 1 else ""
    return QueueFilter(PartedKind(kind) if kind else None, int(question) if question else None, judge, part, state)


def nothing_here(queue: DisagreementQueue) -> None:
    """Why there is nothing to decide, and what now."""
    version = f"version {queue.checklist.version}"
    if not queue.answered and not queue.runs and not queue.pairs:
        empty(
            f"Nobody has answered {version} yet, neither an expert nor a judge.",
            "Draw texts for your experts on Answer, or score texts.",
            "answer",
            "Go to Answer",
        )
    elif not queue.pairs:
        who = [number(queue.answered, "expert")] if queue.answered else []
        who += [number(len(queue.runs), "judge")] if queue.runs else []
        st.markdown(f"**Nothing parts.** {' and '.join(who)} answered {version}, and where several did they agree.")
        link("answer", "Let more experts answer")
    elif not queue.counted("open") and not queue.counted("contradicting"):
        st.markdown(
            f"**Everything is decided.** {number(queue.counted('decided'), 'decision')} can be looked at above."
        )
        link("results", "See what that does to the figures", parameters={"view": "questions"})
    else:
        st.markdown("No disagreement fits this choice. Choose another kind, question, judge or component.")


def _state(queue: DisagreementQueue) -> QueueState:
    states = [each for each in get_args(QueueState) if each != "contradicting" or queue.counted(each)]
    prepare("standing", states, "open")
    chosen = st.segmented_control(
        "Which",
        states,
        format_func=lambda state: f"{STATES[state]} ({queue.counted(state):,})",
        required=True,
        key="standing",
        on_change=show_pair,
        args=[None],
    )
    keep("standing", str(chosen), "open")
    return cast("QueueState", chosen)


def _one_of(key: str, label: str, words: dict[str, str]) -> str:
    """ "" for all of them."""
    prepare(key, [ALL, *words], ALL)
    chosen: str = st.selectbox(
        label,
        [ALL, *words],
        format_func=lambda each: words.get(each, "All"),
        key=key,
        width=190,
        on_change=show_pair,
        args=[None],
    )
    keep(key, chosen, ALL)
    return "" if chosen == ALL else chosen
