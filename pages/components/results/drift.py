"""Has the judge changed? What came of each look at the anchors, beside the judge's own noise."""

import shlex

import altair as alt
import pandas as pd
import streamlit as st

from app.services.drift.state import DriftState, DriftVerdict, drift_state
from pages.components.shell.local_time import local, said
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.interval_words import interval
from pages.components.shell.runs.result_scope import ResultScope
from pages.components.shell.words import model_label, plain

LINE, BAND = "#0072B2", "#8a93a0"
STRONG, SOME = 0.5, 0.1


def judge_drift(scope: ResultScope) -> None:
    state = drift_state(scope.workbench, scope.project.id, scope.dimension)
    st.subheader(plain(f"{scope.dimension.name}: {state.verdict or 'not looked at yet'}"), anchor=False)
    st.markdown(plain(state.sentence))
    if state.anchors is None:
        st.caption(
            "Anchors are texts that experts answered and mostly agree on, at least two, better 10 to 40. They are "
            "frozen, and the judge is asked about them three times; each later look costs one request for each."
        )
        link("answer", "Answer texts")
    if state.looks:
        _timeline(state)
        _worth(state)
        st.dataframe(look_rows(state), placeholder="–", hide_index=True, key="drift_looks")
    _commands(scope, state)


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
    """How near the looks so far have come to showing a change, in words."""
    if capital >= limit:
        return "proof"
    if capital >= STRONG * limit:
        return "strong"
    return "some" if capital >= SOME * limit else "none"


def _timeline(state: DriftState) -> None:
    """Answers changed at each look with the judge's own noise as a band, and the mean score beside it."""
    looks = [{"at": local(look.at), **look.figures} for look in state.looks]
    data = pd.DataFrame(looks)[["at", "flips", "score"]]
    top = state.reference["noise_high"]
    band = pd.DataFrame({"from": [data["at"].min()], "to": [data["at"].max()], "low": [0.0], "high": [top]})
    at = alt.X("at:T", title="Look")
    noise = alt.Chart(band).mark_rect(color=BAND, opacity=0.2).encode(x="from:T", x2="to:T", y="low:Q", y2="high:Q")
    flips = _line(data, at, "flips:Q", "Answers changed", "%")
    score = _line(data, at, "score:Q", "Mean score of the anchors", ".2f")
    st.altair_chart(alt.hconcat(alt.layer(noise, flips).properties(width=380), score.properties(width=380)))
    st.caption(
        "Grey: what the judge changes by itself. Asked again at the beginning it changed "
        f"{state.reference['noise']:.1%} of its answers, at most {top:.0%}. The test itself needs no such limit: "
        "it compares each look with all before."
    )


def _line(data: pd.DataFrame, at: alt.X, what: str, title: str, form: str) -> alt.Chart:
    scale = alt.Scale(zero=form == "%")
    line: alt.Chart = (
        alt.Chart(data)
        .mark_line(point=True, color=LINE)
        .encode(
            x=at,
            y=alt.Y(what, title=title, scale=scale, axis=alt.Axis(format=form)),
            tooltip=[alt.Tooltip("at:T", title="Look"), alt.Tooltip(what, title=title, format=form)],
        )
    )
    return line


def _worth(state: DriftState) -> None:
    """Better or worse in the eyes of people, and where."""
    last = state.last
    if last["error_change"] is not None:
        change = interval(last["error_change"], last["error_low"], last["error_high"])
        st.markdown(
            f"At the newest look {last['error']:.0%} of the answers are unlike people's; the change since the "
            f"beginning is {change} (a share; above 0 is worse)."
        )
    if state.verdict is DriftVerdict.JUDGE_CHANGED:
        for wording, share in state.questions:
            st.markdown(plain(f"Changed on {share:.0%} of the anchors: {wording}"))


def _commands(scope: ResultScope, state: DriftState) -> None:
    """Looks are begun in the terminal, where a night's job can do it."""
    ready = state.has_reference
    st.markdown(
        "Looks are begun in the terminal, by hand or in a night's job:"
        if ready
        else "Anchors are frozen in the terminal, where the judge is then asked about them:"
    )
    words = ["--project", scope.project.name, "--dimension", scope.dimension.name, "--judge", state.judge]
    words += ["--against", state.against] if state.against != state.judge else []
    st.code(f"interacteval drift {shlex.join(words)} {'--run' if ready else '--freeze'}", language=None)
    st.caption(
        f"Judge: {plain(model_label(state.judge))}. However often one looks, an unchanged judge is accused in at "
        "most 5 % of the cases. Only the anchors are tested: what the judge does on other texts is not."
    )


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.1%}"
