"""An opened question: its editor and its origin."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app.domain.checklist import (
    LONGEST_EXAMPLE,
    MOST_EXAMPLES,
    Checklist,
    ChecklistStatus,
    Example,
    Question,
    QuestionOrigin,
)
from app.domain.passage import Passage
from app.domain.version_changes import word_changes
from app.errors import ConflictError, WorkbenchError
from app.services.checklists.checklists import ChecklistView, hints_on
from app.services.checklists.draft_edits import (
    QuestionWording,
    edit_question,
    question_in,
    remove_question,
    restore_question,
    write_examples,
)
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import (
    dropped_typing,
    focus_if_wanted,
    known_typing,
    save_typing,
    saved_typing,
)
from pages.components.shell.contributor_choice import said_by
from pages.components.shell.current import current_expert, keep, signed_in_as, was_pressed
from pages.components.shell.labels import QUOTED, ShownErrors, button_label, example_lines, plain, show_saved_error

CHOICES = "question_choices_"
"""Prefix of the keys of these drafts; no field has such a key."""
Choices = tuple[str, float, bool, bool, float | None, str]


_CHOSEN = ("component", "weight", "may_not_apply", "must_not", "cap", "grade")


def choice_keys_of(question_id: int) -> tuple[str, ...]:
    """Return the widget keys of component, weight, "may not apply" and how the answer counts."""
    return tuple(f"question_{field}_{question_id}" for field in _CHOSEN)


def draft_choices(seen: Question) -> Choices:
    """Return the draft; without one, or where the question was changed since, the saved choices of the question."""
    saved, key = _of(seen), f"{CHOICES}{seen.id}"
    try:
        before, chosen = json.loads(st.session_state.get(key, known_typing().get(key)) or "[[], []]")
        return _typed_choices(*(chosen if before == list(saved) else saved))
    except (TypeError, ValueError):  # the browser may hold anything
        return saved


def choices_of(seen: Question) -> Choices:
    """Return what the fields hold; for a closed question its draft."""
    kept = zip(choice_keys_of(seen.id), draft_choices(seen), strict=True)
    return _typed_choices(*(st.session_state.get(key, value) for key, value in kept))


def _typed_choices(
    component: object, weight: Any, may_not_apply: object, must_not: object, cap: Any, grade: object
) -> Choices:
    most = None if cap is None else float(cap)
    return str(component or ""), float(weight or 0.0), bool(may_not_apply), bool(must_not), most, str(grade or "")


def show_choices(seen: Question) -> None:
    """Fill the fields from the draft. Call before they are drawn; they are filled once for each draft."""
    kept, shown = draft_choices(seen), f"shown_choices_{seen.id}"
    brought = st.session_state.get(shown) != kept
    st.session_state[shown] = kept
    for key, value in zip(choice_keys_of(seen.id), kept, strict=True):
        if brought or key not in st.session_state:
            st.session_state[key] = value or None if key.startswith("question_component_") else value


def save_choices(seen: Question) -> None:
    """Keep the draft. Callback of the fields."""
    chosen, key = choices_of(seen), f"{CHOICES}{seen.id}"
    if chosen == _of(seen):
        drop_choices(seen.id)
        return
    st.session_state[key] = json.dumps([_of(seen), chosen])
    save_typing(key, st.session_state[key])


def drop_choices(question_id: int) -> None:
    """Delete the draft, because it was saved or discarded."""
    key = f"{CHOICES}{question_id}"
    st.session_state[key] = ""  # the browser may still tell of the old ones
    dropped_typing(key)


def _of(question: Question) -> Choices:
    return _typed_choices(*(getattr(question, field) for field in _CHOSEN))


def marked(before: str, after: str) -> tuple[str, str]:
    """Return Markdown of both: words only in the old one are struck through, words only in the new one are bold.

    The marks don't rest on colour alone, and people's words are shown literally.
    """
    pieces = word_changes(before, after)
    old = "".join(
        _mark(p.text, ":red[~~{}~~]") if p.kind == "old" else _spaced(p.text) for p in pieces if p.kind != "new"
    )
    new = "".join(
        _mark(p.text, ":green[**{}**]") if p.kind == "new" else _spaced(p.text) for p in pieces if p.kind != "old"
    )
    return old.strip(), new.strip()


def _mark(text: str, form: str) -> str:
    """Return the text with the mark but spaces outside: Markdown ignores marks beside a space."""
    words = text.strip()
    if not words:
        return " "
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{' ' if before else ''}{form.format(plain(words))}{' ' if after else ''}"


def _spaced(text: str) -> str:
    before, after = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' if before else ''}{plain(text)}{' ' if after else ''}" if text.strip() else " "


_UNSAVED = "unsaved_wordings"
_UNSAVED_PROBLEM = "unsaved_problem"


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What a person typed into a draft, the question they had seen, and why it isn't saved."""

    checklist: int
    seen: Question
    mine: QuestionWording
    why: str


def unsaved_of(question_id: int) -> Unsaved | None:
    return _all().get(question_id)


def unsaved_wordings(workbench: Workbench, checklist: Checklist, who: str) -> None:
    """Draw unsaved wordings above the draft, until the person chooses one."""
    show_saved_error(_UNSAVED_PROBLEM)
    for unsaved in _all().values():
        if unsaved.checklist != checklist.id:
            continue
        now = question_in(checklist, unsaved.seen.id)
        with st.container(border=True, key=f"unsaved_{unsaved.seen.id}"):
            st.warning(f"**Your change is not saved yet.** {plain(unsaved.why)}", icon=":material/group:")
            _both(unsaved.mine, now)
            _choices(workbench, checklist, unsaved, now, who)


def _all() -> dict[int, Unsaved]:
    found: dict[int, Unsaved] = st.session_state.get(_UNSAVED, {})
    return found


def _drop(unsaved: Unsaved) -> None:
    dropped_typing(f"question_text_{unsaved.seen.id}", f"question_guidance_{unsaved.seen.id}")
    drop_choices(unsaved.seen.id)
    st.session_state[_UNSAVED] = {id_: other for id_, other in _all().items() if id_ != unsaved.seen.id}


def _both(mine: QuestionWording, now: Question | None) -> None:
    there, yours = st.columns(2)
    theirs = QuestionWording.of(now) if now else QuestionWording("")
    old, new = marked(theirs.text, mine.text)
    there.caption("What is there now")
    there.markdown(old if now else "The question was removed.")
    yours.caption("What you wrote")
    yours.markdown(new)
    for name, of_theirs, of_mine in (
        ("How to decide", theirs.guidance, mine.guidance),
        ("Weight", f"{theirs.weight:g}", f"{mine.weight:g}"),
        ("Component", theirs.component, mine.component),
        ("May not apply", *("yes" if wording.may_not_apply else "no" for wording in (theirs, mine))),
        ("A yes costs the point", *("yes" if wording.must_not else "no" for wording in (theirs, mine))),
        ("Cap", *("" if wording.cap is None else f"{wording.cap:g}" for wording in (theirs, mine))),
        ("Grade", theirs.grade, mine.grade),
    ):
        if now is not None and of_theirs != of_mine:
            there.caption(plain(f"{name}: {of_theirs or 'none'}"))
            yours.caption(plain(f"{name}: {of_mine or 'none'}"))


def _choices(workbench: Workbench, checklist: Checklist, unsaved: Unsaved, now: Question | None, who: str) -> None:
    place = st.container(horizontal=True)
    if checklist.status is ChecklistStatus.PUBLISHED:
        place.markdown("This version was published meanwhile. Start a new draft from it to bring your wording in.")
    else:
        verb = "Keep mine" if now else "Put it back with my wording"

        def keep() -> None:
            if now is None:
                restore_question(workbench, unsaved.seen.id, who)
            edit_question(workbench, now or unsaved.seen, unsaved.mine, who)

        place.button(verb, key=f"keep_mine_{unsaved.seen.id}", on_click=_do, args=[unsaved, keep])
    place.button(
        "Leave it as it is now", key=f"keep_theirs_{unsaved.seen.id}", type="tertiary", on_click=_drop, args=[unsaved]
    )


def _do(unsaved: Unsaved, action: Callable[[], None]) -> None:
    with ShownErrors(_UNSAVED_PROBLEM):
        action()
        _drop(unsaved)


OPENED = "opened_question"
QUESTION = "question"  # in the address
_SEEN = "seen_question"
_PROBLEM = "question_problem"
NO_COMPONENT = "Without a component"


@dataclass(frozen=True, slots=True)
class Editing:
    """The context of every part of the editor. `who` is the name under which edits are saved."""

    workbench: Workbench
    view: ChecklistView
    who: str
    draft: bool

    @property
    def components(self) -> list[str]:
        return [component.name for component in self.view.checklist.components]


def opened_question() -> int | None:
    """Return the id of the question opened on this screen, or named in the address by another one."""
    wanted = st.session_state.get(OPENED, st.query_params.get(QUESTION, ""))
    return int(wanted) if str(wanted).isdecimal() else None


def open_question(question: Question | None) -> None:
    """Open a question for reading and editing, and remember its present words as what the person has seen."""
    open_without_address(question)
    keep(QUESTION, str(question.id) if question else "", "")


def open_without_address(question: Question | None) -> None:
    """Open a question as open_question, without setting the address: for a screen that links here."""
    st.session_state[OPENED] = question.id if question else ""
    st.session_state[_SEEN] = question


def question_detail(editing: Editing, question: Question) -> None:
    if editing.draft and not unsaved_of(question.id):
        _editor(editing, question)
    if question.guidance and not editing.draft:
        st.caption("How to decide")
        st.text(question.guidance)
    if question.may_not_apply and not editing.draft:
        why = f": {question.not_apply_reason}" if question.not_apply_reason else "."
        st.caption(plain(f"It may not apply{why}"))
    if question.counting and not editing.draft:
        st.caption(plain(f"{question.counting[:1].upper()}{question.counting[1:]}."))
    _examples(editing, question)
    if question.original and question.original != question.text:
        st.caption("First wording")
        st.text(question.original)
    if question.reason:
        st.caption(plain(f"Reason: {question.reason}"))
    st.caption("Why this question: the attributes behind it")
    behind = [editing.view.attributes[id_] for id_ in question.attributes if id_ in editing.view.attributes]
    for attribute in behind:
        st.markdown(f"- {plain(attribute.text)} :gray[{said_by(attribute)}]")
        if attribute.passage and editing.draft and not unsaved_of(question.id):
            st.button(
                button_label("Quote as example", attribute.passage.quote[:QUOTED]),
                key=f"quote_{question.id}_{attribute.id}",
                type="tertiary",
                icon=":material/format_quote:",
                help="Adds the quote to “How to decide” and saves the question.",
                on_click=_quote,
                args=[editing, seen_question(question), attribute.passage],
            )
    if not behind:
        st.markdown("None: it was added by hand." if question.origin is QuestionOrigin.ADDED else "None on record.")


def _examples(editing: Editing, question: Question) -> None:
    """Draw the question's examples and, in a draft, fields for a pair of one's own."""
    example_lines(question)
    if editing.draft and len(question.examples) + len(_PAIR) <= MOST_EXAMPLES:
        with st.expander("Write examples", key=f"write_examples_{question.id}"):
            _pair(editing, question)
    if editing.draft and question.examples:
        st.button(
            "Remove examples",
            key=f"remove_examples_{question.id}",
            type="tertiary",
            on_click=_without_examples,
            args=[editing, question],
        )
    show_saved_error(_EXAMPLES_PROBLEM)


_EXAMPLES_PROBLEM = "examples_problem"
_PAIR = ("yes", "no")


def _pair(editing: Editing, question: Question) -> None:
    """Draw fields for one example of each answer, so that they stay balanced."""
    st.caption(
        "The judge reads them with the question. Choose texts, or passages, close to the line between yes and no. "
        "Texts decided before can't prove them: you have read them."
    )
    for answer, column in zip(_PAIR, st.columns(2), strict=True):
        text, reason = _pair_keys(question.id, answer)
        column.text_area(f"Answered {answer}", height=80, key=text, max_chars=LONGEST_EXAMPLE)
        column.text_input("Why", key=reason, max_chars=LONGEST_EXAMPLE, placeholder="optional")
    st.button("Add examples", key=f"add_examples_{question.id}", on_click=_add_pair, args=[editing, question])


def _pair_keys(question_id: int, answer: str) -> tuple[str, str]:
    return f"example_{answer}_{question_id}", f"example_reason_{answer}_{question_id}"


def _add_pair(editing: Editing, question: Question) -> None:
    keys = {answer: _pair_keys(question.id, answer) for answer in _PAIR}
    new = [Example(st.session_state[text], answer, st.session_state[why]) for answer, (text, why) in keys.items()]
    if _examples_written(editing, question, (*question.examples, *new)):
        for key in (key for each in keys.values() for key in each):
            st.session_state[key] = ""
            dropped_typing(key)


def _without_examples(editing: Editing, question: Question) -> None:
    _examples_written(editing, question, ())


def _examples_written(editing: Editing, question: Question, examples: Sequence[Example]) -> bool:
    with ShownErrors(_EXAMPLES_PROBLEM):
        write_examples(editing.workbench, question, examples, editing.who)
        return True
    return False


def seen_question(question: Question) -> Question:
    """Return the question as this person saw it when they opened it, if it is open; else as it is now."""
    seen: Question | None = st.session_state.get(_SEEN)
    return seen if seen is not None and seen.id == question.id else question


def _seen(question: Question) -> Question:
    """Return the question as it was when this person opened it; if they came by an address, as it is now."""
    seen: Question | None = st.session_state.get(_SEEN)
    if seen is None or seen.id != question.id:
        st.session_state[_SEEN] = seen = question
    return seen


def _editor(editing: Editing, question: Question) -> None:
    """Draw the editor, outside a form, so that remarks follow what is typed."""
    seen, key = _seen(question), question.id
    show_saved_error(_PROBLEM)
    st.text_area("Wording", seen.text, height=80, key=f"question_text_{key}")
    focus_if_wanted(key)
    st.text_area(
        "How to decide",
        seen.guidance,
        height=80,
        key=f"question_guidance_{key}",
        placeholder="optional: what counts as yes, and what as no",
        help="The judge reads this below the question. Changing it changes what the judge is asked, so answers from "
        "before don't count for it any more.",
    )
    show_choices(seen)
    left, right = st.columns(2)
    left.selectbox(
        "Component",
        [*editing.components, ""],
        index=None,
        format_func=lambda name: name or NO_COMPONENT,
        key=f"question_component_{key}",
        placeholder=NO_COMPONENT,
        on_change=save_choices,
        args=[seen],
    )
    right.number_input(
        "Weight",
        min_value=0.0,
        step=0.5,
        key=f"question_weight_{key}",
        on_change=save_choices,
        args=[seen],
        help="1 counts like every other question. The weighted score is shown beside the score in which all count "
        "alike, and never instead of it.",
    )
    st.checkbox(
        "May not apply",
        key=f"question_may_not_apply_{key}",
        on_change=save_choices,
        args=[seen],
        help="“Does not apply” is then an answer for judge and experts, neither yes nor no; it plays no part in the "
        "score. Changing this changes what the judge is asked, so answers from before don't count for it any more.",
    )
    _counting(editing, seen)
    if seen.not_apply_reason:
        st.caption(plain(f"The model that wrote it says why it may not: {seen.not_apply_reason}"))
    with st.container(horizontal=True):
        st.button("Save question", key=f"save_question_{key}", on_click=_save, args=[editing, seen])
        st.button("Cancel", key=f"cancel_question_{key}", type="tertiary", on_click=_cancel, args=[key])
        st.button(
            "Remove question",
            key=f"remove_question_{key}",
            type="tertiary",
            icon=":material/delete:",
            help="It stays in the draft's history and can be put back.",
            on_click=_remove,
            args=[editing, seen],
        )
    remarks([hint.message for hint in hints_on(editing.workbench, editing.view, _typed(seen), key)])


def _counting(editing: Editing, seen: Question) -> None:
    """Draw how the answer counts, which no judge is told."""
    scale = editing.view.dimension
    with st.expander("How the answer counts", key=f"question_counting_{seen.id}", expanded=bool(seen.counting)):
        st.checkbox(
            "A yes costs the point",
            key=f"question_must_not_{seen.id}",
            on_change=save_choices,
            args=[seen],
            help="For what must not be there: a no earns the point. The judge is asked the same.",
        )
        left, right = st.columns(2)
        left.number_input(
            "Cap where it fails",
            value=None,
            min_value=float(scale.low),
            max_value=float(scale.high),
            step=0.5,
            key=f"question_cap_{seen.id}",
            placeholder="not required",
            on_change=save_choices,
            args=[seen],
            help="Makes the question required: a text that fails it scores this at most.",
        )
        right.text_input(
            "Grade",
            key=f"question_grade_{seen.id}",
            max_chars=100,
            placeholder="none",
            on_change=save_choices,
            args=[seen],
            help="The quality of which this is one of two or three thresholds, lowest first, such as “at least "
            "understandable” and “at least good”. Together they count as one question.",
        )


def remarks(said: Sequence[str]) -> None:
    """Draw hints on a wording; they never block."""
    if said:
        st.markdown("  \n".join(f":small[:gray[:material/lightbulb: {plain(hint)}]]" for hint in said))


def typed_keys_of(question_id: int) -> tuple[str, str]:
    """Return the keys of a question's text fields."""
    return f"question_text_{question_id}", f"question_guidance_{question_id}"


def _typed(seen: Question) -> QuestionWording:
    text, guidance = (str(st.session_state[key]) for key in typed_keys_of(seen.id))
    return wording_of(seen, text, guidance)


def wording_of(seen: Question, text: str, guidance: str) -> QuestionWording:
    """Return these words with what the other fields hold."""
    component, weight, may_not_apply, must_not, cap, grade = choices_of(seen)
    return QuestionWording(text, component, guidance, weight, may_not_apply, must_not, cap, grade)


def drop_edit(question_id: int) -> None:
    """Delete the question's drafts, because they were saved or discarded."""
    keys = typed_keys_of(question_id)
    dropped_typing(*keys)
    drop_choices(question_id)
    for key in (*keys, *choice_keys_of(question_id)):
        st.session_state.pop(key, None)  # else this drawing still takes them for typed


def close_reworded(question_id: int) -> None:
    """Close the editor of a question that was reworded elsewhere: its fields hold the old words. What was typed there
    stays a draft in the browser."""
    for key in typed_keys_of(question_id):
        st.session_state.pop(key, None)  # else this drawing takes the old words for an edit
    open_question(None)


def _cancel(question_id: int) -> None:
    drop_edit(question_id)
    open_question(None)


def _save(editing: Editing, seen: Question) -> None:
    mine = _typed(seen)
    if _try(editing, seen, mine, lambda: edit_question(editing.workbench, seen, mine, editing.who)):
        saved_typing(*typed_keys_of(seen.id))
        drop_choices(seen.id)


def _quote(editing: Editing, seen: Question, passage: Passage) -> None:
    """Add the passage to the guidance, saved with what else was typed; the question stays open."""
    mine = _typed(seen).with_example(passage.quote)
    if _try(editing, seen, mine, lambda: edit_question(editing.workbench, seen, mine, editing.who)):
        saved_typing(*typed_keys_of(seen.id))
        drop_choices(seen.id)
        st.session_state[f"question_guidance_{seen.id}"] = mine.tidy().guidance
        st.session_state[OPENED], st.session_state[_SEEN] = seen.id, None
        st.query_params[QUESTION] = str(seen.id)


def _remove(editing: Editing, seen: Question) -> None:
    if _try(editing, seen, _typed(seen), lambda: remove_question(editing.workbench, seen, editing.who)):
        drop_edit(seen.id)


def _try(editing: Editing, seen: Question, mine: QuestionWording, action: Callable[[], object]) -> bool:
    """Carry out an action; return whether it was done. What was typed stays: in the editor after an error, beside the
    other's words after a conflict."""
    try:
        action()
    except ConflictError as error:
        unsaved = Unsaved(editing.view.checklist.id, seen, mine, error.message)
        st.session_state[_UNSAVED] = {**_all(), unsaved.seen.id: unsaved}
        open_question(None)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
    else:
        open_question(None)
        return True
    return False


EDITOR = "editor"


def known_editor() -> str:
    """Return the name of the signed-in person, else the name given on Checklist or while thinking aloud, else ""."""
    return signed_in_as() or str(st.session_state.get(EDITOR) or st.query_params.get(EDITOR, "") or current_expert())


def current_editor() -> str:
    """Return known_editor's name, kept in session and address."""
    if (name := known_editor()) and not signed_in_as():
        st.session_state[EDITOR] = st.query_params[EDITOR] = name
    return name


def editor_name(name: str) -> None:
    """Draw the name under which edits are saved, and a field to change it."""
    if signed_in_as():
        st.caption(f"You edit as {plain(name)}")
        return
    label = f"You edit as {plain(name)}" if name else "You edit without a name"
    with st.popover(label, type="tertiary", icon=":material/person_edit:", key="editor_popover"):
        st.caption("Edits stand in the draft's history under this name, so that all who edit see who changed what.")
        with st.form("editor_form", border=False):
            typed = st.text_input("Your name", name, key="editor_typed")
            if was_pressed("Use this name", key="editor_submit", form=True):
                st.session_state[EDITOR] = typed.strip()
                saved_typing("editor_typed")
                st.query_params.pop(EDITOR, None)
                st.rerun()
