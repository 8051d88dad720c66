"""The stages of a build on the screen: their output and its edits."""

import re
from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from app.domain.attribute import Attribute
from app.domain.build import BuildComponent, ChangeDecision, ChangeKind, Placement, ProposedChange, Stage
from app.domain.model_call import model_label
from app.domain.run import StageRun
from app.services.attributes.attribute_changes import ActKind, AttributeAct
from app.services.building.build_state import (
    BuildView,
    accept_new_version,
    add_build_component,
    decide,
    decide_all,
    describe_component,
    keep_own_edit,
    place_attributes,
    remove_build_component,
    reword_change,
)
from app.services.runtime.prompts import sent_prompt
from app.services.runtime.workbench import Workbench
from pages.components.how_it_was_made.options import build_place, open_item, opened_item, row, save_edit, to_before
from pages.components.shell import labels as local_time
from pages.components.shell.attribute_list.attribute_list import (
    ActResult,
    ListContents,
    ListedAttribute,
    ListedGroup,
    attribute_list,
)
from pages.components.shell.checklists.publishing import ORIGINS, TITLES
from pages.components.shell.checklists.question_editor import current_editor, marked
from pages.components.shell.contributor_choice import contributor_words, said_by
from pages.components.shell.current import listed_choice
from pages.components.shell.labels import button_label, failure_address, guide_link, number, plain
from pages.components.shell.undo import show_problem

LEFT_OUT, WAITING = "left-out", "waiting"
PLACES_WITHOUT_COMPONENT = {LEFT_OUT: "Left out", WAITING: "Waiting to be placed"}
SHOWN, ALL = "cluster", "all"


def clusters(workbench: Workbench, view: BuildView) -> None:
    show_problem()
    titles = {str(c.id): c.name for c in view.build.components} | PLACES_WITHOUT_COMPONENT
    more = {"width": 360, "label_visibility": "collapsed"}
    group = listed_choice(SHOWN, [ALL, *titles], ALL, "Show", lambda key: titles.get(key, "All clusters"), **more)
    rows = [row for row in _rows(view) if group in (ALL, row.group)]
    there = {row.group for row in rows}
    about = {str(c.id): c.description for c in view.build.components}
    contents = ListContents(
        label="Clusters",
        groups=[
            ListedGroup(key, title, about=about.get(key, ""))
            for key, title in titles.items()
            if key in there or (key in about and group in (ALL, key))
        ],
        rows=rows,
        words={ActKind.MOVE: "Move", ActKind.EXCLUDE: "Leave out"},
        targets=[(component.id, component.name) for component in view.build.components],
        total=len(view.in_use),
        empty="No attribute is here.",
    )
    attribute_list(f"clusters_{view.id}", build_place(view.id), contents, partial(_perform, workbench, view))


def _rows(view: BuildView) -> list[ListedAttribute]:
    """Return the list's rows; an attribute under several components has a row under each."""
    placed = {p.attribute: p for p in view.build.placements}
    names = {c.id: c.name for c in view.build.components}
    return [row for id_ in view.in_use for row in _rows_of(view.attributes[id_], placed.get(id_), names)]


def _rows_of(attribute: Attribute, at: Placement | None, names: Mapping[int, str]) -> list[ListedAttribute]:
    under = [id_ for id_ in at.components if id_ in names] if at else []
    apart = LEFT_OUT if at and (at.components or at.reason) else WAITING
    found = []
    for group in [str(id_) for id_ in under] or [apart]:
        others = [names[id_] for id_ in under if str(id_) != group]
        notes = [f"also under {name}" for name in others]
        notes += [at.reason] if at and at.reason else []
        notes += ["placed by hand"] if at and under and ORIGINS[at.origin] else []
        acts = [ActKind.MOVE, *([ActKind.EXCLUDE] if apart != LEFT_OUT or under else [])]
        found.append(
            ListedAttribute(
                attribute.id,
                group,
                attribute.text,
                contributor_words(attribute),
                acts,
                state=", ".join(notes),
                in_use=group != LEFT_OUT,
            )
        )
    return found


def _perform(workbench: Workbench, view: BuildView, act: AttributeAct) -> ActResult:
    out = act.kind is ActKind.EXCLUDE
    target = None if out else act.target
    made = place_attributes(workbench, view.id, act.ids, target, act.text, who=current_editor())
    if not made:
        return ActResult("", "Nothing to change.")
    name = next((c.name for c in view.build.components if c.id == target), "")
    what = f"left out {number(len(act.ids), 'attribute')}" if out else f"moved {number(len(act.ids), 'attribute')}"
    said = f"{number(len(act.ids), 'attribute')} {'left out' if out else f'moved to {name}'}."
    return ActResult(what, said, partial(to_before, workbench, view.id, made))


def components(workbench: Workbench, view: BuildView) -> None:
    for component in view.build.components:
        members = view.build.members(component.id, view.in_use)
        counted = number(len(members), "attribute") if view.build.placements else ""
        notes = " · ".join(note for note in (counted, ORIGINS[component.origin]) if note)
        described = f": {plain(component.description)}" if component.description else ""
        small = f"  \n:small[:gray[{notes}]]" if notes else ""
        line, typed = f"**{plain(component.name)}**{described}{small}", _keys(view.id, component)
        if row(view.id, f"component_{component.id}", line, component.name, typed):
            _editor(workbench, view, component)
    with (
        st.expander("Add a component", key="add_component"),
        st.form(f"add_component_{view.id}", border=False, clear_on_submit=True),
    ):
        st.text_input("Name", key="new_component_name", placeholder="one to four words")
        st.text_input("What it covers", key="new_component_description")
        st.form_submit_button("Add component", key="add_component_submit", on_click=partial(_add, workbench, view.id))


def _editor(workbench: Workbench, view: BuildView, component: BuildComponent) -> None:
    key = f"{view.id}_{component.id}"
    with st.form(f"component_{key}"):
        st.text_input("Name", component.name, key=f"component_name_{key}")
        st.text_area("What it covers", component.description, height=80, key=f"component_description_{key}")
        if component.first and component.first != component.name:
            st.caption(f"First named: {plain(component.first)}")
        with st.container(horizontal=True):
            st.form_submit_button(
                "Save component", key=f"save_component_{key}", on_click=partial(_save, workbench, view.id, component)
            )
            st.form_submit_button(
                "Remove component",
                key=f"remove_component_{key}",
                help="Its questions go with it; its attributes wait to be placed again. Undo brings all of it back.",
                on_click=partial(_remove, workbench, view.id, component),
            )


def _keys(build_id: int, component: BuildComponent) -> list[str]:
    return [f"component_{field}_{build_id}_{component.id}" for field in ("name", "description")]


def _save(workbench: Workbench, build_id: int, component: BuildComponent) -> None:
    keys = _keys(build_id, component)
    name, described = (st.session_state[key] for key in keys)
    what = f"described {component.name}"
    describe = partial(describe_component, workbench, build_id, component.id, name, described)
    save_edit(workbench, build_id, what, describe, keys)


def _remove(workbench: Workbench, build_id: int, component: BuildComponent) -> None:
    what = f"removed {component.name}"
    save_edit(workbench, build_id, what, partial(remove_build_component, workbench, build_id, component.id))


def _add(workbench: Workbench, build_id: int) -> None:
    name, described = st.session_state["new_component_name"], st.session_state["new_component_description"]
    add = partial(add_build_component, workbench, build_id, name, described)
    save_edit(workbench, build_id, "added a component", add, ["new_component_name", "new_component_description"])


VERBS = {ChangeKind.MERGED: "Merge", ChangeKind.REWORDED: "Reword", ChangeKind.DROPPED: "Drop"}
# Validators begin a reason with what they did, which the verb before it says already.
_SAID_TWICE = re.compile(r"^(merged?|reword(ed)?|drop(ped)?)\s*:\s*", re.IGNORECASE)
STANDING = {ChangeDecision.OPEN: "not decided", ChangeDecision.ACCEPTED: "accepted", ChangeDecision.REFUSED: "refused"}
UNDECIDED = "Changes you don't decide on are taken as proposed when the checklist is made."


def review(workbench: Workbench, view: BuildView) -> None:
    proposed = [change for change in view.build.changes if change.kind is not ChangeKind.KEPT]
    kept = [change for change in view.build.changes if change.kind is ChangeKind.KEPT]
    waiting = len(view.build.undecided)
    if not proposed:
        st.markdown("The second look found nothing to change.")
    if waiting:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{number(waiting, 'change')} to decide. {UNDECIDED}")
            for decision, label in ((ChangeDecision.ACCEPTED, "Accept all"), (ChangeDecision.REFUSED, "Refuse all")):
                st.button(
                    label,
                    key=f"all_{decision}_{view.id}",
                    on_click=save_edit,
                    args=[workbench, view.id, label.lower(), partial(decide_all, workbench, view.id, decision)],
                )
    texts = {question.id: question.text for question in view.build.sub_questions}
    for change in proposed:
        with st.container(border=True, key=f"change_{view.id}_{change.id}"):
            _change(workbench, view, change, texts)
    if kept:
        with st.expander(f"{number(len(kept), 'question')} kept as written", key=f"kept_{view.id}"):
            st.markdown("\n".join(f"- {plain(change.after)}" for change in kept))


def _change(workbench: Workbench, view: BuildView, change: ProposedChange, texts: dict[int, str]) -> None:
    words, decision = st.columns([5, 2], gap="medium")
    subject = change.mine or change.after or next((texts[id_] for id_ in change.before if id_ in texts), "")
    what = f"the change “{subject}”"
    with words:
        st.markdown(f"**{VERBS[change.kind]}**: {plain(_SAID_TWICE.sub('', change.reason))}")
        st.markdown("\n".join(f"- {line}" for line in _lines(change, texts)))
        if change.mine:
            st.caption(f"In your words. The model wrote: {plain(change.after)}")
    with decision:
        st.caption(STANDING[change.decision])
        with st.container(horizontal=True):
            _button(workbench, view.id, change, ChangeDecision.ACCEPTED, button_label("Accept", what))
            _button(workbench, view.id, change, ChangeDecision.REFUSED, button_label("Refuse", what))
            if change.after:
                item = f"change_{change.id}"
                st.button(
                    button_label("In other words", what),
                    key=f"reword_{view.id}_{change.id}",
                    type="tertiary",
                    on_click=open_item,
                    args=[view.id, "" if opened_item(view.id) == item else item],
                )
    if opened_item(view.id) == f"change_{change.id}":
        _rewording(workbench, view.id, change)


def _lines(change: ProposedChange, texts: dict[int, str]) -> list[str]:
    """Return a change before and after; if one question became one other, with different words marked."""
    before = [texts[id_] for id_ in change.before if id_ in texts]
    after = change.mine or change.after
    if change.kind is ChangeKind.REWORDED and len(before) == 1:
        old, new = marked(before[0], after)
        return [f"Before: {old}", f"After: {new}"]
    return [*(f"Before: {plain(text)}" for text in before), *([f"After: **{plain(after)}**"] if after else [])]


def _button(workbench: Workbench, build_id: int, change: ProposedChange, decision: ChangeDecision, label: str) -> None:
    what = f"{STANDING[decision]} a change"
    st.button(
        label,
        key=f"{decision}_{build_id}_{change.id}",
        disabled=change.decision is decision,
        on_click=save_edit,
        args=[workbench, build_id, what, partial(decide, workbench, build_id, change.id, decision)],
    )


def _rewording(workbench: Workbench, build_id: int, change: ProposedChange) -> None:
    key = f"{build_id}_{change.id}"
    with st.form(f"reword_{key}", border=False):
        st.text_area("Wording", change.mine or change.after, height=80, key=f"change_wording_{key}")
        st.form_submit_button(
            "Accept in these words", key=f"reword_{key}_submit", on_click=partial(_reword, workbench, build_id, change)
        )


def _reword(workbench: Workbench, build_id: int, change: ProposedChange) -> None:
    key = f"change_wording_{build_id}_{change.id}"
    reword = partial(reword_change, workbench, build_id, change.id, st.session_state[key])
    save_edit(workbench, build_id, "reworded a change", reword, [key])


def offers(workbench: Workbench, view: BuildView, stage: Stage) -> None:
    found = [offer for offer in view.offers if offer.stage is stage]
    if not found:
        return
    with st.container(border=True, key=f"offers_{view.id}_{stage}"):
        st.markdown(
            f"**The new answer differs from {number(len(found), 'edit')} of yours.** Yours stands until you choose."
        )
        for offer in found:
            key = f"{view.id}_{stage}_{offer.item}"
            words, keep, take = st.columns([6, 1.3, 1.3], vertical_alignment="center")
            said = f"**{plain(view.attributes[offer.item].text)}**  \n" if stage is Stage.CLUSTERS else ""
            words.markdown(f"{said}Yours: {plain(offer.mine)}  \nNew: {plain(offer.new) or '*none any more*'}")
            about = f"for {view.attributes[offer.item].text}" if stage is Stage.CLUSTERS else offer.mine
            keep.button(
                button_label("Keep mine", about),
                key=f"keep_{key}",
                on_click=save_edit,
                args=[
                    workbench,
                    view.id,
                    "kept an edit",
                    partial(keep_own_edit, workbench, view.id, stage, offer.item),
                ],
            )
            take.button(
                button_label("Take the new one", about),
                key=f"take_{key}",
                on_click=save_edit,
                args=[
                    workbench,
                    view.id,
                    "took a new answer",
                    partial(accept_new_version, workbench, view.id, stage, offer.item),
                ],
            )


HEIGHT = 360


def record(workbench: Workbench, view: BuildView, stage: Stage) -> None:
    with st.expander("Input, prompt and answers", key=f"record_{view.id}_{stage}"):
        _inputs(view, stage)
        runs = view.records[stage]
        if not runs:
            st.caption("No model was asked yet.")
            return
        labels = {run.id: _label(run) for run in runs}
        chosen = st.selectbox(
            f"Answers on record ({len(runs)})",
            list(labels),
            format_func=labels.__getitem__,
            key=f"record_run_{view.id}_{stage}",
            help="Asking again never overwrites: every answer stays here.",
        )
        _run(workbench, view.project.id, next(run for run in runs if run.id == chosen))


def _inputs(view: BuildView, stage: Stage) -> None:
    build, names = view.build, {c.id: c.name for c in view.build.components}
    match stage:
        case Stage.COMPONENTS:
            lines = [
                f"{plain(view.attributes[id_].text)} :gray[{said_by(view.attributes[id_])}]" for id_ in view.in_use
            ]
            what = number(len(view.in_use), "attribute")
        case Stage.CLUSTERS:
            lines = [f"**{plain(c.name)}** {plain(c.description)}" for c in build.components]
            what = f"{number(len(build.components), 'component')} and {number(len(view.in_use), 'attribute')}"
        case Stage.KEY_QUESTIONS:
            lines = [
                f"**{plain(c.name)}** with {number(len(build.members(c.id, view.in_use)), 'attribute')}"
                for c in build.components
            ]
            what = "The components with their attributes"
        case Stage.SUB_QUESTIONS:
            lines = [f"**{plain(names.get(q.component, ''))}** {plain(q.text)}" for q in build.key_questions]
            what = f"{number(len(lines), 'key question')} with the attributes of their components"
        case Stage.VALIDATION:
            lines = [plain(question.text) for question in build.sub_questions]
            what = number(len(lines), "sub-question")
    st.markdown(f"**Input now:** {what}")
    with st.container(height=min(HEIGHT, 40 + 28 * max(len(lines), 1)), border=False, key=f"inputs_{view.id}_{stage}"):
        st.markdown("\n".join(f"- {line}" for line in lines))


def _label(run: StageRun) -> str:
    when = local_time.said(run.created_at, "%d %b, %H:%M:%S") if run.created_at else ""
    return f"{when} · {model_label(run.model)}{' · failed' if run.error_kind else ''}"


def _run(workbench: Workbench, project_id: int, run: StageRun) -> None:
    if run.error_kind:
        st.error(_with_more(plain(run.error), run), icon=":material/error:")
        return
    tokens = f" · {run.input_tokens:,} tokens in, {run.output_tokens:,} out" if run.input_tokens else ""
    st.caption(plain(f"{model_label(run.model)} · prompt {run.prompt} ({run.prompt_digest[:8]}){tokens}"))
    given, answered = st.columns(2)
    prompt = sent_prompt(workbench, project_id, run)
    given.caption("The prompt as it was sent")
    sent = f"{prompt.system}\n\n{prompt.user}" if prompt else "The wording of this prompt is not on record any more."
    given.code(sent, None, wrap_lines=True, height=HEIGHT)
    answered.caption("The answer as it came")
    answered.code(run.output, "json", wrap_lines=True, height=HEIGHT)


def failure(runs: Sequence[StageRun], stage: Stage) -> None:
    """Draw the error of a stage whose newest request failed."""
    if runs and runs[0].error_kind:
        st.error(_with_more(plain(f"{TITLES[stage]} failed: {runs[0].error}"), runs[0]), icon=":material/error:")


def _with_more(said: str, run: StageRun) -> str:
    return f"{said}\n\n{guide_link(failure_address(run.error_kind))}"
