"""Publishing a checklist, and the words of a build."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import streamlit as st

from app.domain.build import Stage
from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionKind, QuestionOrigin
from app.domain.model_call import model_label
from app.domain.roles_and_rights import Right
from app.domain.version_changes import DiffKind, QuestionChange, compare_checklists
from app.errors import WorkbenchError
from app.services.building.build_state import BuildView, StageState
from app.services.checklists.checklists import (
    ChecklistView,
    check_unchanged,
    get_checklist,
    new_draft,
    publish,
    runs_with,
)
from app.services.checklists.draft_edits import Heading, OpenEdits, QuestionWording
from app.services.checklists.expert_answers import answers_taken_over
from app.services.runtime.judges import end_warning
from app.services.runtime.workbench import Workbench, may
from pages.components.shell import labels as local_time
from pages.components.shell.browser.page_scripts import dropped_typing, known_typing
from pages.components.shell.checklists.question_editor import (
    CHOICES,
    drop_edit,
    known_editor,
    marked,
    seen_question,
    typed_keys_of,
    wording_of,
)
from pages.components.shell.current import field_anew, keep, listed_choice, set_anew, was_pressed
from pages.components.shell.labels import ShownErrors, number, plain, show_error
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.run_words import condition_label, short_title

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
ORIGINS = {QuestionOrigin.GENERATED: "", QuestionOrigin.EDITED: "edited by hand", QuestionOrigin.ADDED: "added by hand"}


def step_label(view: BuildView, stage: Stage) -> str:
    """Return a stage's number, name and state, for the stepper."""
    position = list(Stage).index(stage) + 1
    return f"{position} {TITLES[stage]} {_mark(view.states[stage])}".strip()


def _mark(state: StageState) -> str:
    if not state.made:
        return ""
    return ":material/update:" if state.stale else ":material/check:"


def stale_words(state: StageState) -> str:
    """Return what of a stage is outdated, in a few words: all of it, or how many of its items."""
    edited, missing, gone = len(state.edited), len(state.missing), len(state.gone)
    if state.stage in (Stage.COMPONENTS, Stage.VALIDATION):
        return "what it was made from has changed"
    noun = "attribute" if state.stage is Stage.CLUSTERS else "component"
    said = [f"{number(edited, noun)} to go over again"] if edited else []
    said += [f"{number(missing, noun)} new"] if missing else []
    said += [f"{number(gone, noun)} without attributes now"] if gone else []
    return ", ".join(said)


def build_summary(view: BuildView, stage: Stage) -> str:
    """Return the numbers of a stage's items."""
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
class ResultsLink:
    """The way back to Results. `address` is that of Results as it was left; `texts` are those viewed there, the largest
    disagreement first, on which the changed questions can be asked again."""

    dimension: int
    run: int
    texts: tuple[int, ...]
    address: Mapping[str, str]

    @property
    def to_a_text(self) -> bool:
        return "text" in self.address


def remember_results_link(way: ResultsLink) -> None:
    st.session_state[_WAY] = way


def results_link(dimension_id: int) -> ResultsLink | None:
    """Return the way back to a result of this dimension, of this session."""
    way: ResultsLink | None = st.session_state.get(_WAY)
    return way if way is not None and way.dimension == dimension_id else None


def forget_results_link() -> None:
    st.session_state.pop(_WAY, None)


def version_comparison(versions: Sequence[Checklist], shown: Checklist) -> None:
    """Draw the comparison of two versions; initially of the shown one with the one it was made from."""
    if len(versions) < 2:
        st.markdown("There is only one version so far. A new draft can start from it once it is published.")
        return
    by_number = {str(version.version): version for version in versions}
    parent = next((v for v in versions if v.id == shown.parent), None)
    usual = parent or next((v for v in versions if v.version < shown.version), versions[-1])
    left, right = st.columns(2)
    with left:
        before = listed_choice("compare_from", list(by_number), str(usual.version), "From", "Version {}".format)
    with right:
        after = listed_choice("compare_to", list(by_number), str(shown.version), "To", "Version {}".format)
    found = compare_checklists(by_number[before], by_number[after])
    if found.empty:
        st.markdown("Nothing is different.")
        return
    st.markdown(f"**{plain(str(found))}**")
    for change in found.questions:
        _question(change)
    if found.new_key_questions or found.gone_key_questions:
        st.markdown("**Key questions**")
        lines = [f"- :red[~~{plain(text)}~~]" for text in found.gone_key_questions]
        lines += [f"- :green[**{plain(text)}**]" for text in found.new_key_questions]
        st.markdown("\n".join(lines))


def _question(change: QuestionChange) -> None:
    """Draw a change, before on the left, after on the right; what is equal is shown once."""
    with st.container(border=True):
        what = ", ".join(kind.value for kind in change.kinds)
        st.caption(plain(f"{what[:1].upper()}{what[1:]} · {change.question.component or 'without a component'}"))
        old, new = change.before, change.after
        if old is None or new is None:
            text = plain(change.question.text)
            st.markdown(f":green[**{text}**]" if old is None else f":red[~~{text}~~]")
            return
        left, right = st.columns(2)
        if DiffKind.REWORDED in change.kinds:
            for column, text in zip((left, right), marked(old.text, new.text), strict=True):
                column.markdown(text)
        else:
            left.markdown(plain(new.text))
        if DiffKind.GUIDANCE in change.kinds:
            for column, text in zip((left, right), marked(old.guidance, new.guidance), strict=True):
                column.markdown(f":small[How to decide: {text or 'not said'}]")
        if DiffKind.EXAMPLES in change.kinds:
            left.markdown(f":small[{number(len(old.examples), 'example')}]")
            right.markdown(f":small[**{number(len(new.examples), 'example')}**]")
        if DiffKind.WEIGHT in change.kinds:
            left.markdown(f":small[Weight {old.weight:g}]")
            right.markdown(f":small[Weight **{new.weight:g}**]")
        if DiffKind.COUNTS in change.kinds:
            left.markdown(f":small[{plain(old.counting or 'a yes earns the point')}]")
            right.markdown(f":small[**{plain(new.counting or 'a yes earns the point')}**]")
        if DiffKind.COMPONENT in change.kinds:
            left.markdown(f":small[Under {plain(old.component or 'no component')}]")
            right.markdown(f":small[Under **{plain(new.component or 'no component')}**]")


def changed_since(parent: Checklist, shown: Checklist) -> str:
    """Return a line about the differences of a version from the one it was made from."""
    found = compare_checklists(parent, shown)
    if found.empty:
        return f"Nothing is changed against version {parent.version}, from which this one started."
    return f"Against version {parent.version}: {found}."


EDITED_HERE = ("question_text_", "question_guidance_", CHOICES, "component_", "new_question")
"""Prefixes of the keys of a checklist's drafts."""
_ASKED = "publish_asked"
_PROBLEM = "publish_problem"
_NEW = "new_question"


def publish_steps(
    workbench: Workbench, checklist: Checklist, label: str, key: str, look: Literal["primary", "secondary"] = "primary"
) -> None:
    """Draw the button and, once it is pressed, what would be published. The screen calls
    `unsaved_typing(*EDITED_HERE)`."""
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
    """Ask for confirmation, in a callback; `seen` is the draft that the person was looking at."""
    try:
        check_unchanged(workbench, seen)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = (seen.id, error)
    else:
        st.session_state[_ASKED] = seen.id


def _stop_asking() -> None:
    st.session_state.pop(_ASKED, None)


def _publish(workbench: Workbench, seen: Checklist, shown: OpenEdits, save: bool) -> None:
    """Publish, in a callback, what the person was looking at. What was typed since is asked about first."""
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
    """Return what this person typed into the draft and hasn't saved, on this screen or in their browser's drafts."""
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
    """Return whether the browser keeps an edit of this question that isn't saved."""
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
    """Return the question's words in the editor or in the browser's drafts, else as they were seen."""
    text, guidance = typed_keys_of(seen.id)
    return wording_of(seen, _words(text, seen.text), _words(guidance, seen.guidance))


def _tidy(wording: QuestionWording) -> QuestionWording:
    text, guidance = (" ".join(words.split()) for words in (wording.text, wording.guidance))
    return replace(wording, text=text, guidance=guidance)


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


VERSION = "version"
_DIMENSION = "checklist_of"
_RUNS_SHOWN = 5


def show_version(version: int, dimension_id: int) -> None:
    """Choose this version at the next drawing; for links from other screens."""
    set_anew(f"version_{dimension_id}", version)
    st.query_params.pop(VERSION, None)


def choose_version(versions: Sequence[Checklist], dimension_id: int) -> int:
    """Draw the choice and return the version's number, initially the newest or the one in the address. It stays in the
    address, which is about the dimension that was on the screen last."""
    key, given = field_anew(f"version_{dimension_id}", 0)
    numbers = [checklist.version for checklist in versions]
    if st.session_state.get(_DIMENSION, dimension_id) != dimension_id:
        st.query_params.pop(VERSION, None)
    st.session_state[_DIMENSION] = dimension_id
    linked = [n for n in numbers if str(n) == st.query_params.get(VERSION)]
    wanted = (st.session_state.get(key), *linked, given, numbers[0])
    st.session_state[key] = next(version for version in wanted if version in numbers)
    labels = {checklist.version: _label(checklist) for checklist in versions}
    chosen = int(st.selectbox("Version", numbers, format_func=labels.__getitem__, key=key))
    keep(VERSION, str(chosen), str(numbers[0]))
    return chosen


def _label(checklist: Checklist) -> str:
    moment = _moment(checklist)
    when = f" · {local_time.said(moment, '%d %b')}" if moment else ""
    return f"Version {checklist.version} · {checklist.status.value}{when}"


def _moment(checklist: Checklist) -> datetime | None:
    return checklist.published_at or checklist.created_at


def standing(workbench: Workbench, view: ChecklistView) -> None:
    """Draw the version's origin, number of questions, and uses, with buttons to publish it or start a draft from it."""
    checklist = view.checklist
    switched_off = sum(1 for q in checklist.questions if not q.enabled)
    asked = f"**{number(len(checklist.asked), 'question')}** to be asked"
    st.markdown(asked + (f", {switched_off} switched off" if switched_off else ""))
    moment = _moment(checklist)
    when = local_time.said(moment, local_time.LONG) if moment else ""
    model = model_label(checklist.model) if checklist.model else ""
    st.caption(plain(" · ".join(part for part in (condition_label(checklist.condition), model, when) if part)))
    if checklist.parent is not None:
        st.caption(plain(changed_since(get_checklist(workbench, checklist.parent), checklist)))
    if checklist.status is ChecklistStatus.DRAFT:
        _draft(workbench, checklist)
    else:
        st.markdown("Published: it stays as it is, so that scores stay comparable.")
        if carried := answers_taken_over(workbench, checklist.id):
            st.caption(f"Experts: {carried}")
        if may(workbench, Right.EDIT, checklist_id=checklist.id) and was_pressed(
            f"Start a new draft from version {checklist.version}",
            type="primary" if may(workbench, Right.FACILITATE, checklist_id=checklist.id) else "secondary",
            key="new_draft",
            help="A copy that can be edited. An older version is restored in the same way; none is ever lost.",
        ):
            _do(lambda: new_draft(workbench, checklist.id))
        runs = runs_with(workbench, view.project.id, view.checklist.id)
        if not runs:
            st.caption("No text was scored with this version yet.")
            return
        st.caption(f"Used by {number(len(runs), 'run')}")
        for warning in filter(None, map(end_warning, dict.fromkeys(run.judge for run in runs))):
            st.caption(plain(f"{warning} Freeze drift anchors while it answers."))
        for run in runs[:_RUNS_SHOWN]:
            address = {"project": view.project.name, "dimension": view.dimension.name, "run": str(run.id)}
            link("results", plain(short_title(run)), parameters=address, disabled=not run.done)


def _draft(workbench: Workbench, checklist: Checklist) -> None:
    if not may(workbench, Right.FACILITATE, checklist_id=checklist.id):
        st.caption("A draft: the project's facilitator publishes it.")
        return
    publish_steps(workbench, checklist, f"Publish version {checklist.version}", "publish")
    st.caption(
        "Texts are scored with published versions. Once published it can't be changed any more, so that scores stay "
        "comparable; a new draft can start from it."
    )


def _do(action: Callable[[], Checklist]) -> None:
    """Carry out the action and show the resulting version."""
    with ShownErrors():
        show_next(action())
        st.rerun()


def show_next(checklist: Checklist) -> None:
    """Show this version from the next rerun on."""
    show_version(checklist.version, st.session_state[_DIMENSION])
