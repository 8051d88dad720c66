"""One text with everything that was said about it: text left, what judge and people said right."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.domain.attribute import ContributorKind
from app.domain.checklist import Question
from app.domain.improvement import Decision
from app.domain.judgment import Answer, Judgment
from app.domain.people import Right
from app.domain.project import Dimension, Project, text_title
from app.domain.run import ScoredText
from app.errors import InputError, WorkbenchError
from app.services.attributes.attributes import add_attributes
from app.services.checklists.checklists import versions_of
from app.services.results.result_texts import Disagreement, TextDetail, disagreements, draft_to_edit, judged_text
from app.services.results.results import DimensionResult
from app.services.results.run_answers import QuotedAnswer, quoted_answers
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from pages.components.shell.blinding import all_open
from pages.components.shell.browser.page_scripts import saved_typing, want_focus
from pages.components.shell.checklists.build_words import WayBack, remember_way
from pages.components.shell.checklists.publishing import VERSION, show_version
from pages.components.shell.checklists.question_editor import EDITOR, QUESTION, known_editor, note_opened
from pages.components.shell.current import was_pressed
from pages.components.shell.expert import own_name, signed_in_as
from pages.components.shell.navigation.screens import go
from pages.components.shell.reading import part_with_places, quote_line
from pages.components.shell.words import button_label, model_label, plain, show_error

_ADDED = "attribute_added"
_PROBLEM = "attribute_problem"


def add_attribute(workbench: Workbench, dimension: Dimension, text_id: int) -> None:
    """It is kept under the person's name, with this text as what prompted it; only for those who run the project."""
    if not may(workbench, Right.FACILITATE, dimension_id=dimension.id):
        return
    with st.popover("Add an attribute", icon=":material/add:", key=f"add_attribute_{text_id}"):
        st.markdown(f"What should one look for in **{plain(dimension.name)}** that this text shows?")
        with st.form(f"attribute_form_{text_id}", border=False):
            st.text_area("Attribute", key=_words(text_id))
            own_name(_name(text_id))
            st.form_submit_button(
                "Add", key=f"attribute_save_{text_id}", on_click=_save, args=(workbench, dimension, text_id)
            )
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    if st.session_state.pop(_ADDED, False):
        st.success("Added to the attributes, with this text noted. The next build can take it in.")


def _save(workbench: Workbench, dimension: Dimension, text_id: int) -> None:
    """Before the form is drawn again: what couldn't be kept stays typed."""
    words = str(st.session_state[_words(text_id)])
    name = signed_in_as() or str(st.session_state[_name(text_id)]).strip()
    try:
        if not name:
            raise InputError("Nobody is named.", "Say who you are: it stays with the attribute.")
        add_attributes(workbench, dimension.id, name, ContributorKind.HUMAN, [words], prompted_by=text_id)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
        return
    saved_typing(_words(text_id), _name(text_id))
    st.session_state[_words(text_id)] = ""
    st.session_state[_ADDED] = True


def _words(text_id: int) -> str:
    return f"attribute_words_{text_id}"


def _name(text_id: int) -> str:
    return f"attribute_by_{text_id}"


ASKED_AGAIN = 20  # texts, as many as a page of the list holds


def edit_question(
    workbench: Workbench,
    result: DimensionResult,
    question: Question,
    key: str,
    listed: Iterable[Disagreement] | None = None,
) -> None:
    """One click leads to the Checklist screen, where this question is open in a draft and ready to type in.

    `listed` are the texts that the person looks at, furthest from people first; all of the result without. The
    Checklist's own address says what it shows and nothing of this screen.
    """
    if not may(workbench, Right.EDIT, dimension_id=result.dimension.id) or not was_pressed(
        button_label("Edit this question", question.text),
        key=key,
        icon=":material/edit:",
        type="tertiary",
        help="In the newest draft that holds it; one is started if there is none.",
    ):
        return
    dimension_id = result.dimension.id
    try:
        draft, there = draft_to_edit(workbench, dimension_id, question)
    except WorkbenchError as error:
        show_error(error)
        return
    found = disagreements(result.compared) if listed is None else listed
    texts = tuple(each.row.text for each in found)[:ASKED_AGAIN]
    remember_way(WayBack(dimension_id, result.run.id, texts, st.query_params.to_dict()))
    show_version(draft.version)
    note_opened(there)
    want_focus(there.id)
    address = {QUESTION: str(there.id)}
    if draft.version != versions_of(workbench, dimension_id)[0].version:
        address[VERSION] = str(draft.version)
    if name := known_editor():
        address[EDITOR] = name
    go("checklist", address)


ALL = "all"


def evidence_choice(quoted: Sequence[QuotedAnswer], scope: str) -> list[QuotedAnswer]:
    """The chosen ones of those that are found; nothing to choose where one is."""
    found = [each for each in quoted if each.place is not None]
    if len(found) < 2:
        return found
    words = {
        str(place): f"{each.judgment.answer.capitalize()} · {each.question.text}" for place, each in enumerate(found)
    }
    chosen = st.selectbox(
        "Evidence",
        [ALL, *words],
        format_func=lambda one: words.get(one, "Of all answers"),
        key=f"evidence_{scope}",
        help="What the judge quotes is looked up, and highlighted where it stands.",
    )
    return found if chosen == ALL or chosen not in words else [found[int(chosen)]]


TITLES = {
    "aspects": "Aspects",
    "probabilities": "Probability of each score",
    "outside": "Probability outside the scale",
    "answers": "Answers",
    "rated": "Mean log-probabilities",
    "p_yes": "Probability of yes",
    "yes": "Probability of yes, sentence by sentence",
    "cut": "The text was longer than the model reads, and was cut",
    "abstained": "No score: the judge said",
    "weighted": "Score with the checklist's weights",
}


def score_details(details: Mapping[str, Any]) -> None:
    for name, value in details.items():
        title = TITLES.get(name, name.replace("_", " ").capitalize())
        rows = _rows(value)
        if rows is None:
            st.markdown(f"**{plain(title)}**" if value is True else f"**{plain(title)}**: {plain(_shown(value))}")
            continue
        st.markdown(f"**{plain(title)}**")
        st.dataframe(pd.DataFrame(rows), hide_index=True, key=f"details_{name}", placeholder="–")


def _rows(value: Any) -> list[dict[str, str]] | None:
    """A list or a mapping as rows of words; None for a single value."""
    if isinstance(value, Mapping):
        return [{"What": str(key), "Value": _shown(inner)} for key, inner in value.items()]
    if not isinstance(value, list):
        return None
    if all(isinstance(entry, Mapping) for entry in value):
        return [{str(key).capitalize(): _shown(inner) for key, inner in entry.items()} for entry in value]
    return [{"No.": str(number), "Value": _shown(entry)} for number, entry in enumerate(value, start=1)]


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


ANSWERS = {
    Answer.YES: ":green[Yes]",
    Answer.NO: ":orange[No]",
    Answer.NOT_APPLICABLE: ":gray[Does not apply]",
    Answer.UNANSWERED: ":gray[No answer]",
}
CANNOT_TELL = ":gray[Can't tell]"


def opened_text(
    workbench: Workbench, project: Project, result: DimensionResult, row: ScoredText, listed: Sequence[Disagreement]
) -> None:
    """`listed` are the texts that it is one of, furthest from people first."""
    try:
        found = judged_text(workbench, result.run.id, result.dimension.id, row.text)
    except WorkbenchError as error:
        show_error(error)
        return
    st.markdown(f"**{plain(text_title(found.text))}**")
    st.caption(plain(" · ".join(part for part in found.text.key if part)))
    quoted = quoted_answers(found.text, found.answers)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _reading(project, found, evidence_choice(quoted, f"{result.run.id}_{row.text}"))
    with right:
        _scores(result, row, found)
        add_attribute(workbench, result.dimension, row.text)
        _answers(workbench, project, result, found, listed, quoted)
        score_details(found.details)


def _reading(project: Project, found: TextDetail, quoted: Sequence[QuotedAnswer]) -> None:
    places = [each.place for each in quoted if each.place is not None]
    st.caption(plain(project.task.text_name.capitalize()))
    here, there = ([(p.start, p.end) for p in places if p.in_source is source] for source in (False, True))
    part_with_places(found.text, "text", "opened_text", here)
    if found.text.source:
        with st.expander(plain(project.task.source_name.capitalize()), expanded=True, key="opened_source"):
            part_with_places(found.text, "source", "opened_source", there)


def _scores(result: DimensionResult, row: ScoredText, found: TextDetail) -> None:
    judge, people = st.columns(2)
    score = "none" if row.score is None else f"{row.score:.2f}"
    if row.nothing_applies and not result.soft:
        st.markdown("**Nothing applies:** no question that is answered applies to this text, so it has no score.")
    judge.metric("Judge", score, help=model_label(result.run.judge))
    people.metric("People", "none" if row.human is None else f"{row.human:.2f}", help="The mean over the raters.")
    scale = f"Scale of the ratings: {result.dimension.low:g} to {result.dimension.high:g}."
    raters = ", ".join(f"{rater}: {value:g}" for rater, value in found.ratings)
    st.caption(plain(f"{scale} Raters: {raters}." if raters else f"{scale} Nobody rated this text."))
    if row.coverage is not None and row.coverage < 1:
        st.caption(f"{row.coverage:.0%} of the questions have an answer.")


def _answers(
    workbench: Workbench,
    project: Project,
    result: DimensionResult,
    found: TextDetail,
    listed: Sequence[Disagreement],
    quoted: Sequence[QuotedAnswer],
) -> None:
    if result.version is None:
        return
    st.markdown(f"**Answers of {plain(model_label(result.run.judge))}**")
    if not found.answers:
        st.markdown("The judge gave no answer about this text.")
    # Whoever still answers would be led by what was decided.
    decided = found.decided if all_open(workbench, project, result.dimension) else {}
    again = any(judgment.origin for _, given in found.answers for judgment in given)
    for question, given in found.answers:
        said = ", ".join(_said(judgment) + _how_sure(judgment) + _origin(judgment, again) for judgment in given)
        st.markdown(f"**{said}** · {plain(question.text)}")
        for reason in dict.fromkeys(judgment.rationale for judgment in given if judgment.rationale):
            st.caption(plain(reason))
        for each in quoted:
            if each.question.id == question.id:
                st.caption(quote_line(each.judgment.quote, each.place, project.task.source_name or "source"))
        if question.id in decided:
            st.markdown(_decided(decided[question.id]))
        edit_question(workbench, result, question, f"edit_question_{question.id}", listed)


def _decided(decision: Decision) -> str:
    why = f": {plain(decision.why)}" if decision.why else ""
    return f":material/gavel: :small[Decided: {ANSWERS[decision.answer]}{why}]"


def _said(judgment: Judgment) -> str:
    return CANNOT_TELL if judgment.cannot_tell else ANSWERS[judgment.answer]


def _how_sure(judgment: Judgment) -> str:
    return "" if judgment.p_yes is None else f" (yes {judgment.p_yes:.0%})"


def _origin(judgment: Judgment, again: bool) -> str:
    """An answer that counts again says which run asked; beside such ones the others are new. `again`: there are any."""
    if judgment.origin:
        return f" :small[:gray[from run {judgment.origin}]]"
    return " :small[:gray[new]]" if again else ""
