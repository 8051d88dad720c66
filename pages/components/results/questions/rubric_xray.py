"""What the answers at hand show against the questions: a summary, badges with their evidence, missing criteria."""

from typing import Literal

import streamlit as st

from app.services.results.rubric_xray import ModeFinding, RubricXray
from pages.components.shell.guide import more_in_guide
from pages.components.shell.words import model_label, plain

HELP = (
    "A badge is given only where the figure's whole 95 % interval lies beyond a limit, and says on how many texts it "
    "was measured. No badge is no proof that a question is good: the answers at hand may be too few. The kinds of "
    "faults are those of RIFT, eight ways in which a rubric fails."
)
MODES: dict[str, str] = {
    "misaligned or rigid": "the answers don't mean what people mean",
    "subjective": "people answer it differently",
    "ungrounded": "the text alone doesn't decide it",
    "hackable": "it can be answered yes for something else than quality",
    "redundant": "another question says the same",
    "low signal": "the answers tell texts hardly apart",
    "non-atomic": "it asks several things at once",
    "missing criteria": "something people look for isn't asked",
}
WRONG = ("misaligned or rigid", "subjective", "ungrounded")


def xray_summary(found: RubricXray) -> None:
    """What to look at first; where nothing was found, what would let one look further."""
    st.markdown(f"**{plain(found.summary)}**", help=HELP + more_in_guide("discrimination"))
    if found.further and not found.flagged:
        st.caption(plain(f"To look further: {'; '.join(found.further)}."))
    st.caption(plain(f"Looked at {found.basis}"))


def question_findings(found: RubricXray, place: int) -> None:
    """Each badge of one question with its evidence and what to do."""
    for finding in found.of_question(place):
        _finding(finding)


def missing_criteria(found: RubricXray) -> None:
    """The attributes that no question serves, in full, and where they came from."""
    finding = next((each for each in found.findings if each.question is None), None)
    if finding is None:
        return
    with st.expander(f"Missing criteria: {finding.badge}", key="missing_criteria"):
        st.markdown(plain(f"{finding.evidence} {finding.advice}"))
        for each in found.unserved:
            reason = f": {each.reason}" if each.reason else ""
            st.markdown(f"- {plain(each.text)}")
            st.caption(plain(f"{model_label(each.contributor)}; {each.where}{reason}"))


def _finding(finding: ModeFinding) -> None:
    st.badge(plain(finding.badge), icon=":material/search:", color=_color(finding), help=_term(finding))
    st.markdown(plain(finding.evidence))
    st.markdown(f"**What to do:** {plain(finding.advice)}")


def _term(finding: ModeFinding) -> str:
    return f"RIFT calls it {finding.mode}: {MODES[finding.mode]}."


def _color(finding: ModeFinding) -> Literal["gray", "orange", "blue"]:
    if finding.by_wording:
        return "gray"
    return "orange" if finding.mode in WRONG else "blue"
