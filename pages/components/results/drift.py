"""Results, Drift: whether the judge has changed, look by look, compared with its own noise."""

import shlex
from collections.abc import Callable

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.chart_colours import JUDGE, NEUTRAL
from app.domain.expert_answer import DriftVerdict
from app.domain.model_call import model_label
from app.domain.roles_and_rights import Right
from app.services.drift.anchors import FEWEST, count_possible_anchors
from app.services.drift.drift_checks import (
    Asking,
    DriftState,
    begin_look,
    begin_reference,
    begin_successor,
    drift_state,
)
from app.services.runtime.judges import end_of, end_warning
from app.services.runtime.workbench import may
from app.services.scoring.scoring_jobs import job_key
from pages.components.shell.background import watch
from pages.components.shell.current import current_expert, was_pressed
from pages.components.shell.labels import ShownErrors, more_in_guide, number, plain, said
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.model_options import model_choice
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.tables import picture, show_table

STRONG, SOME = 0.5, 0.1
LOOKS_HELP = "However often you look, an unchanged judge is accused in at most 5 % of the cases."
ANEW_HELP = "From the experts' answers as they are now. The timeline begins anew; earlier looks stay on record."


def judge_drift(scope: ResultScope) -> None:
    busy = watch(scope.workbench, job_key(scope.project.id))
    state = drift_state(scope.workbench, scope.project.id, scope.dimension)
    st.subheader(plain(f"{scope.dimension.name}: {state.verdict or 'not looked at yet'}"), anchor=False)
    st.markdown(plain(state.sentence), help=LOOKS_HELP + more_in_guide("drift"))
    if warning := end_warning(state.judge):
        st.warning(plain(f"{warning} Freeze anchors while it answers: a successor can then be compared with it."))
        if not busy:
            _successor(scope, state)
    if state.anchors is None:
        st.caption(
            "Anchors are texts that experts answered and mostly agree on, at least two, better 10 to 40. They are "
            "frozen, and the judge is asked about each of them three times; a later look asks about each once."
        )
        link("answer", "Answer texts")
    if state.looks:
        _timeline(state)
        last = state.last
        if last["error_change"] is not None:
            change, low, high = (last[name] for name in ("error_change", "error_low", "error_high"))
            ends = "" if low is None or high is None else f" (95 % {100 * low:+z.1f} to {100 * high:+z.1f})"
            st.markdown(
                f"At the newest look {_percent(last['error'])} of the answers are unlike people's, "
                f"{100 * change:+.1f} points{ends} since the beginning; above 0 is worse."
            )
        if state.verdict is DriftVerdict.JUDGE_CHANGED:
            for wording, share in state.questions:
                st.markdown(plain(f"Changed on {_percent(share)} of the anchors: {wording}"))
        score = {"Mean score": st.column_config.NumberColumn(format="%.2f")}
        show_table(look_rows(state), "drift_looks", score)
    if not busy:
        _begin(scope, state)


def look_rows(state: DriftState) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Look": said(look.at),
                "Run": look.run,
                "Anchors answered": f"{look.figures['anchors']} of {look.figures['anchors'] + look.figures['failed']}",
                "Answers changed": _percent(look.figures["flips"]),
                "Evidence of a change": evidence_words(look.figures["capital"], state.limit),
                "Mean score": look.figures["score"],
                "So far": look.verdict,
            }
            for look in reversed(state.looks)
        ]
    )


def evidence_words(capital: float, limit: float) -> str:
    """Return in words how close the looks so far are to showing a change."""
    if capital >= limit:
        return "proof"
    if capital >= STRONG * limit:
        return "strong"
    return "some" if capital >= SOME * limit else "none"


def _timeline(state: DriftState) -> None:
    """Draw the share of changed answers at each look with the judge's own noise as a band, and the mean score."""
    looks = [{"look": f"{n}. {said(look.at, '%d %b')}", **look.figures} for n, look in enumerate(state.looks, start=1)]
    data = pd.DataFrame(looks)[["look", "flips", "score"]]
    top = state.reference["noise_high"]
    band = pd.DataFrame({"low": [0.0], "high": [top]})
    noise = alt.Chart(band).mark_rect(color=NEUTRAL, opacity=0.2).encode(y="low:Q", y2="high:Q")
    flips = _line(data, "flips:Q", "Answers changed", "%")
    score = _line(data, "score:Q", "Mean score of the anchors", ".2f")
    chart = alt.hconcat(alt.layer(noise, flips).properties(width=380), score.properties(width=380))
    caption = (
        f"n = {looks[-1]['anchors']:,} anchors. Grey: what the judge changes by itself. Asked again at the beginning "
        f"it changed {_percent(state.reference['noise'])} of its answers, at most {_percent(top)}. The test itself "
        "needs no such limit: it compares each look with all before."
    )
    picture(
        chart, "Answers changed and mean score by look", "drift", "drift_picture", caption, own_width=True, wide=True
    )


def _line(data: pd.DataFrame, what: str, title: str, form: str) -> alt.Chart:
    """Return a line chart over looks, equally spaced whatever the time between them."""
    look = alt.X("look:O", sort=None, title="Look", axis=alt.Axis(labelAngle=-40, labelOverlap="greedy"))
    scale = alt.Scale(zero=form == "%")
    line: alt.Chart = (
        alt.Chart(data)
        .mark_line(point=alt.OverlayMarkDef(color=JUDGE), color=JUDGE)
        .encode(
            x=look,
            y=alt.Y(what, title=title, scale=scale, axis=alt.Axis(format=form)),
            tooltip=[alt.Tooltip("look:O", title="Look"), alt.Tooltip(what, title=title, format=form)],
        )
    )
    return line


def _begin(scope: ResultScope, state: DriftState) -> None:
    """Draw one button for the next action; nothing for readers, who may not ask a judge."""
    if not may(scope.workbench, Right.FACILITATE, project_id=scope.project.id):
        return
    asking, ready = Asking(state.judge, state.against), state.has_reference
    anchors = len(state.anchors.texts) if state.anchors else 0
    who = "the judge" if state.against == state.judge else model_label(state.against)
    ask = f"Ask {who} three times" if anchors else "Freeze the anchors"
    cost = f"{number(anchors, 'request')} to the judge."
    missing = "" if state.anchors else _missing_answers(scope)
    with st.container(horizontal=True, vertical_alignment="center"):
        if ready and was_pressed("Look now", "drift_look", type="primary", help=cost):
            _start(lambda: begin_look(scope.workbench, scope.project.id, scope.dimension, asking))
        if not ready and was_pressed(ask, "drift_freeze", type="primary", disabled=bool(missing), help=missing or None):
            _start(lambda: _freeze(scope, asking.of_reference()))
        if anchors and was_pressed("Freeze others", "drift_anew", type="tertiary", help=ANEW_HELP):
            _start(lambda: _freeze(scope, asking.of_reference(), anew=True))
    st.caption(
        f"Judge: {plain(model_label(state.judge))}. However often one looks, an unchanged judge is accused in at "
        "most 5 % of the cases. Only the anchors are tested: what the judge does on other texts is not."
    )
    words = ["--project", scope.project.name, "--dimension", scope.dimension.name, "--judge", state.judge]
    words += ["--against", state.against] if state.against != state.judge else []
    st.caption("The same in the terminal, for a job that looks every night:")
    command = f"interacteval drift {shlex.join(words)} {'--run' if ready else '--freeze'}"
    st.code(command, language=None, wrap_lines=True)


def _successor(scope: ResultScope, state: DriftState) -> None:
    """Draw one button that freezes the ending judge's answers, and asks its successor the same."""
    if not may(scope.workbench, Right.FACILITATE, project_id=scope.project.id):
        return
    end = end_of(state.judge)
    chosen = model_choice(
        scope.workbench,
        "Successor",
        "drift_successor",
        "It is asked about each anchor once.",
        first=end.successor if end else "",
    )
    missing = "" if state.anchors else _missing_answers(scope)
    same = "A judge can't be its own successor." if chosen == state.judge else ""
    asks = "" if state.has_reference else "The judge is asked about each anchor three times, then "
    if was_pressed(
        "Compare the successor" if state.has_reference else "Freeze and compare",
        "drift_compare_successor",
        disabled=bool(missing or same) or not chosen,
        help=missing or same or (f"{asks}the successor once." if asks else "The successor is asked once."),
    ):
        asking = Asking(chosen, state.judge)
        _start(lambda: begin_successor(scope.workbench, scope.project.id, scope.dimension, asking, current_expert()))


def _missing_answers(scope: ResultScope) -> str:
    """Return what has to be answered before anchors can be frozen; "" if enough is."""
    found = count_possible_anchors(scope.workbench, scope.project.id, scope.dimension)
    if found >= FEWEST:
        return ""
    return f"{number(found, 'text')} so far on which experts mostly agree; at least {FEWEST} are needed."


def _freeze(scope: ResultScope, asking: Asking, *, anew: bool = False) -> None:
    begin_reference(scope.workbench, scope.project.id, scope.dimension, asking, current_expert(), anew=anew)


def _start(begin: Callable[[], None]) -> None:
    with ShownErrors():
        begin()
        st.rerun()


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f} %"
