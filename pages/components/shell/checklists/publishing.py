"""Publishing a draft: what it contains is confirmed first, and edits that aren't saved are asked about."""

from typing import Literal

import streamlit as st

from app.domain.checklist import Checklist, Component, Question, QuestionKind
from app.errors import WorkbenchError
from app.services.checklists.checklists import check_unchanged, get_checklist, publish
from app.services.checklists.component_edits import Heading
from app.services.checklists.draft_edits import QuestionWording
from app.services.checklists.open_edits import OpenEdits
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.kept_typing import dropped_typing, known_typing
from pages.components.shell.checklists.checklist_comparison import changed_since
from pages.components.shell.checklists.editor_name import known_editor
from pages.components.shell.checklists.question_choices import CHOICES, choices_of
from pages.components.shell.checklists.question_editor import drop_edit, seen_question, typed_keys_of
from pages.components.shell.words import number, plain, show_error

EDITED_HERE = ("question_text_", "question_guidance_", CHOICES, "component_", "new_question")
"""Prefixes of the keys of a checklist's drafts."""
_ASKED = "publish_asked"
_PROBLEM = "publish_problem"
_NEW = "new_question"


def publish_steps(
    workbench: Workbench,
    checklist: Checklist,
    label: str,
    key: str,
    look: Literal["primary", "secondary"] = "primary",
) -> None:
    """The button, and once it is pressed what would be published. The screen calls `unsaved_typing(*EDITED_HERE)`."""
    if st.session_state.get(_PROBLEM, (0, None))[0] == checklist.id:
        show_error(st.session_state.pop(_PROBLEM)[1])
    if st.session_state.get(_ASKED) != checklist.id:
        st.button(label, type=look, key=key, on_click=_ask, args=[workbench, checklist])
        return
    edits = open_edits(checklist)
    with st.container(border=True, key="publishing"):
        components = {question.component for question in checklist.asked if question.component}
        asked = f"{number(len(checklist.asked), 'question')} in {number(len(components), 'component')}"
        st.markdown(f"**Publish version {checklist.version}?** {asked}.")
        if checklist.parent is not None:
            st.caption(plain(changed_since(get_checklist(workbench, checklist.parent), checklist)))
        if edits:
            st.warning(plain(f"Not saved yet: {', '.join(_names(checklist, edits))}."), icon=":material/edit_note:")
        with st.container(horizontal=True):
            args = [workbench, checklist, edits]
            if edits:
                st.button(
                    "Save and publish", key="publish_saved", type="primary", on_click=_publish, args=[*args, True]
                )
            st.button(
                "Publish without" if edits else "Publish",
                key="publish_now",
                type="secondary" if edits else "primary",
                on_click=_publish,
                args=[*args, False],
            )
            st.button("Cancel", key="publish_cancel", type="tertiary", on_click=_stop_asking)


def _ask(workbench: Workbench, seen: Checklist) -> None:
    """As a callback it gets the draft that the person was looking at."""
    try:
        check_unchanged(workbench, seen)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = (seen.id, error)
    else:
        st.session_state[_ASKED] = seen.id


def _stop_asking() -> None:
    st.session_state.pop(_ASKED, None)


def _publish(workbench: Workbench, seen: Checklist, shown: OpenEdits, save: bool) -> None:
    """As a callback it gets what the person was looking at. What was typed since is asked about first."""
    if open_edits(seen) != shown:
        return
    keys = [key for component, _, _ in shown.components for key in _component_keys(component)]
    keys += [_NEW] if shown.added else []
    try:
        publish(workbench, seen.id, seen, shown if save else None, known_editor())
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = (seen.id, error)
    else:
        dropped_typing(*keys)
        for question, _ in shown.questions:
            drop_edit(question.id)
    _stop_asking()


def open_edits(checklist: Checklist) -> OpenEdits:
    """What this person typed into the draft and hasn't saved, on this screen or as their browser keeps it."""
    questions = [seen_question(question) for question in checklist.questions if question.kind is QuestionKind.SUB]
    typed = [(seen, _typed(seen)) for seen in questions]
    headings = [(c.id, Heading.of(checklist, c), _heading(checklist, c)) for c in checklist.components]
    new = _words(_NEW, "")
    place = str(st.session_state.get("new_question_component") or "")
    return OpenEdits(
        tuple((seen, mine) for seen, mine in typed if _tidy(mine) != _tidy(QuestionWording.of(seen))),
        tuple((id_, before, after) for id_, before, after in headings if _parts(after) != _parts(before)),
        QuestionWording(new, place) if new.strip() else None,
    )


def is_unsaved(question: Question) -> bool:
    """Whether the browser keeps an edit of this question that isn't saved."""
    return _tidy(_typed(question)) != _tidy(QuestionWording.of(question))


def _names(checklist: Checklist, edits: OpenEdits) -> list[str]:
    numbers = checklist.numbers
    named = [f"question {numbers[q.id]}" if q.id in numbers else "a question" for q, _ in edits.questions]
    named += [f"component {before.name}" for _, before, _ in edits.components]
    return [*named, *(["a new question"] if edits.added else [])]


def _words(key: str, saved: str) -> str:
    found = known_typing().get(key, st.session_state.get(key))
    return saved if found is None else str(found)


def _typed(seen: Question) -> QuestionWording:
    """As it stands in the editor or in the browser; what is in neither is as it was seen."""
    text, guidance = typed_keys_of(seen.id)
    component, weight, may_not_apply = choices_of(seen)
    return QuestionWording(_words(text, seen.text), component, _words(guidance, seen.guidance), weight, may_not_apply)


def _tidy(wording: QuestionWording) -> tuple[object, ...]:
    text, guidance = (" ".join(words.split()) for words in (wording.text, wording.guidance))
    return text, wording.component, guidance, wording.weight, wording.may_not_apply


def _component_keys(component_id: int) -> tuple[str, str, str]:
    name, description, question = (f"component_{f}_{component_id}" for f in ("name", "description", "key_question"))
    return name, description, question


def _heading(checklist: Checklist, component: Component) -> Heading:
    saved = Heading.of(checklist, component)
    name, description, question = _component_keys(component.id)
    return Heading(
        _words(name, saved.name), _words(description, saved.description), _words(question, saved.key_question)
    )


def _parts(heading: Heading) -> list[str]:
    return [" ".join(part.split()) for part in (heading.name, heading.description, heading.key_question)]
