"""Options of a build, its start, and edits of it, which Undo reverses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import streamlit as st

from app.domain.attribute import Attribute, ContributorKind
from app.domain.build import BuildSummary, ChangeDecision, Revision, Stage
from app.domain.project import Dimension, Project
from app.services.building.build import COMPONENTS, begin_builds, start_build
from app.services.building.build_state import (
    BuildView,
    build_history,
    describe_component,
    return_to,
    reword_change,
    reword_question,
)
from app.services.data.projects import dimensions_named
from app.services.runtime.judges import ModelOptions
from app.services.runtime.workbench import Workbench
from app.services.scoring.last_models import RULES, last_model
from pages.components.shell import labels
from pages.components.shell.browser.page_scripts import known_typing, page_script, run_in_page, saved_typing
from pages.components.shell.checklists.question_editor import current_editor
from pages.components.shell.contributor_choice import contributor_choice
from pages.components.shell.current import keep, numbers, was_pressed
from pages.components.shell.frame import nothing_yet
from pages.components.shell.labels import ShownErrors, button_label, plain
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.model_options import model_choice, more_options, preset_model_options
from pages.components.shell.runs.run_words import condition_label
from pages.components.shell.tables import show_table
from pages.components.shell.undo import change

ROW = [6, 1]  # what is read, what is done


def build_place(build_id: int) -> str:
    """Return the place under which Undo keeps changes to this build."""
    return f"build_{build_id}"


class BuildEdit(Protocol):
    """An edit; returns the number of the state it made, 0 if nothing changed."""

    def __call__(self, *, who: str) -> int: ...


def save_edit(workbench: Workbench, build_id: int, what: str, action: BuildEdit, typed: Sequence[str] = ()) -> None:
    """Save an edit, in a callback; the history names the person who edits here. typed: the keys of the fields that it
    saves."""
    if do_edit(workbench, build_id, what, action, typed):
        open_item(build_id, "")


def do_edit(workbench: Workbench, build_id: int, what: str, action: BuildEdit, typed: Sequence[str] = ()) -> bool:
    """Save an edit as `save_edit`, leaving open what is open; return whether it was saved."""
    made: list[int] = []

    def back() -> None:
        if made[0]:
            to_before(workbench, build_id, made[0])

    done = change(build_place(build_id), what, lambda: made.append(action(who=current_editor())), back)
    if done:
        saved_typing(*typed)
    return done


def to_before(workbench: Workbench, build_id: int, made: int) -> None:
    """Restore the state before this edit. Raises ConflictError if somebody made a later one."""
    return_to(workbench, build_id, made - 1, only_after=made, who=current_editor())


def open_item(build_id: int, item: str) -> None:
    """Open one item for editing, and close the others; "" opens none."""
    st.session_state[f"build_open_{build_id}"] = item


def opened_item(build_id: int) -> str:
    found: str = st.session_state.get(f"build_open_{build_id}", "")
    return found


def row(build_id: int, item: str, text: str, what: str, typed: Sequence[str] = ()) -> bool:
    """Draw an item's line with the button that opens it; return True while it is open.

    what: the item in plain text; typed: the keys of its fields.
    """
    is_open = opened_item(build_id) == item
    if not is_open and known_typing().keys() & set(typed):
        text += "  \n:small[:orange[not saved yet]]"
    words, action = st.columns(ROW, vertical_alignment="center")
    words.markdown(text)
    action.container(horizontal=True, horizontal_alignment="right").button(
        button_label("Close" if is_open else "Edit", what),
        key=f"open_{build_id}_{item}",
        type="tertiary",
        on_click=open_item,
        args=[build_id, "" if is_open else item],
    )
    return is_open


EDITED_HERE = ("component_name_", "component_description_", "build_wording_", "change_wording_")
"""Prefixes of the keys of a build's text fields."""


@dataclass(frozen=True, slots=True)
class _OpenEdit:
    what: str
    keys: Sequence[str]
    action: BuildEdit


def save_open_edits(workbench: Workbench, view: BuildView) -> bool:
    """Save open edits, in a callback; return whether all were saved. Undo reverses each, and shows why one couldn't be
    saved."""
    return all(do_edit(workbench, view.id, edit.what, edit.action, edit.keys) for edit in _open_edits(workbench, view))


def _open_edits(workbench: Workbench, view: BuildView) -> Iterator[_OpenEdit]:
    for component in view.build.components:
        keys = [f"component_{field}_{view.id}_{component.id}" for field in ("name", "description")]
        if typed := _typed(keys, (component.name, component.description)):
            action = partial(describe_component, workbench, view.id, component.id, *typed)
            yield _OpenEdit(f"described {component.name}", keys, action)
    for stage in (Stage.KEY_QUESTIONS, Stage.SUB_QUESTIONS):
        for question in view.build.questions(stage):
            keys = [f"build_wording_{view.id}_{question.id}"]
            if typed := _typed(keys, [question.text]):
                action = partial(reword_question, workbench, view.id, stage, question.id, *typed)
                yield _OpenEdit("reworded a question", keys, action)
    for made in view.build.changes:
        keys = [f"change_wording_{view.id}_{made.id}"]
        if made.decision is ChangeDecision.OPEN and (typed := _typed(keys, [made.mine or made.after])):
            action = partial(reword_change, workbench, view.id, made.id, *typed)
            yield _OpenEdit("reworded a change", keys, action)


def _typed(keys: Sequence[str], saved: Sequence[str]) -> list[str]:
    """Return what the fields contain, in a form or in the browser; [] if that is saved."""
    known = known_typing()
    words = [str(known.get(key, st.session_state.get(key, old))) for key, old in zip(keys, saved, strict=True)]
    differs = any(new.split() != old.split() for new, old in zip(words, saved, strict=True))
    return words if differs else []


SHOWN = "build_shown"
STEP, ADDRESS = "stage", "build"
_NEWEST = "newest_build"


def show_build(build_id: int) -> None:
    """Show this build from the next rerun on."""
    st.session_state[SHOWN] = build_id
    st.session_state.pop(STEP, None)
    st.query_params.pop(STEP, None)


def chosen_build(builds: Sequence[BuildSummary]) -> int | None:
    """Return the build a person chose, else the newest; None without any."""
    if not builds:
        return None
    there = {build.id for build in builds}
    if st.session_state.get(_NEWEST) in there - {builds[0].id}:  # a build was just made: it replaces the one chosen
        show_build(builds[0].id)
    st.session_state[_NEWEST] = builds[0].id
    wanted = st.session_state.get(SHOWN) or next(iter(numbers(ADDRESS)), None)
    st.session_state[SHOWN] = wanted if wanted in there else builds[0].id
    found: int = st.session_state[SHOWN]
    return found


def older_builds(versions: Sequence[int]) -> None:
    """Say, if no build can be continued, whether nothing was built, or only before builds were stored by steps."""
    stages = "These are the stages that a build goes through:"
    if not versions:
        nothing_yet("build", f"**Nothing was built yet.** {stages}")
        return
    made = ("version " if len(versions) == 1 else "versions ") + ", ".join(map(str, versions))
    st.markdown(
        f"**Older builds are on record, none is in progress.** They made {made} of the checklist before builds were "
        "kept step by step, so they can't be continued here. Where their questions come from is under “Why these "
        "questions”."
    )
    link("why_these_questions", "See where the questions come from")
    st.markdown(f"A new build leaves them as they are. {stages}")


def shown_build(builds: Sequence[BuildSummary], llms: str) -> int:
    """Draw the choice among several builds; return the chosen one."""
    labels = {build.id: _label(build, llms) for build in builds}
    # Named after the newest: the browser's message about an older list can't undo that a new build is shown.
    key, there = f"{SHOWN}_{builds[0].id}", list(labels)
    st.session_state[key] = st.session_state[SHOWN]
    chosen = st.selectbox("Build", there, format_func=labels.__getitem__, key=key, on_change=_choose_build, args=[key])
    keep(ADDRESS, str(chosen), str(builds[0].id))
    return chosen


def _choose_build(key: str) -> None:
    show_build(st.session_state[key])


def _label(build: BuildSummary, llms: str) -> str:
    """Return a label with the build's number: two builds with one label would be one choice."""
    made = f"made version {', '.join(map(str, build.versions))}" if build.versions else "no version yet"
    return f"Build {build.id} · {condition_label(build.condition, llms)} · {labels.said(build.created_at)} · {made}"


def history(workbench: Workbench, build_id: int) -> None:
    """Draw every step with its time; any of them can be restored."""
    steps = build_history(workbench, build_id)
    show_table(
        [_row(step) for step in steps],
        f"history_{build_id}",
        {
            "Step": st.column_config.NumberColumn(width=45),
            "What": st.column_config.TextColumn(width=270),
            "Who": st.column_config.TextColumn(width=100),
            "When": st.column_config.DatetimeColumn(format="D MMM, HH:mm", width=115),
        },
        width=560,
        height=min(300, 38 + 35 * len(steps)),
    )
    earlier = [step.number for step in steps[1:]]
    if earlier:
        st.selectbox("Go back to step", earlier, key=f"back_to_{build_id}")
        st.button("Go back", key=f"go_back_{build_id}", on_click=partial(_back, workbench, build_id))


def _row(step: Revision) -> dict[str, object]:
    return {"Step": step.number, "What": step.what, "Who": step.who, "When": labels.clock(step.at)}


def _back(workbench: Workbench, build_id: int) -> None:
    number = st.session_state[f"back_to_{build_id}"]
    save_edit(workbench, build_id, f"went back to step {number}", partial(return_to, workbench, build_id, number))


STAGES_KEY = "build"
NEW_BUILD = "new_build"
_STARTED = "build_started"
_CLOSE = page_script(f"""(() => {{
  document.querySelector(".st-key-{NEW_BUILD} button[aria-expanded='true']")?.click();
}})();""")


@dataclass(frozen=True, slots=True)
class BuildOptions:
    condition: str
    model: str
    components: int

    @property
    def complete(self) -> bool:
        return bool(self.condition and self.model)


def new_build(
    workbench: Workbench, project: Project, dimension: Dimension, attributes: Sequence[Attribute], busy: bool
) -> None:
    """Draw the options, and the buttons unless something is being built."""
    options = _options(workbench, project, attributes, dimension.id)
    _without_llms(attributes, dimension)
    asking = more_options("new_build", [options.model])
    if not busy:
        if was_pressed("Go step by step", "start_build", type="primary", disabled=not options.complete):
            preset_model_options(STAGES_KEY, asking)
            with ShownErrors():
                show_build(
                    start_build(
                        workbench, dimension, options.model, options.condition, options.components, who=current_editor()
                    )
                )
                st.session_state[_STARTED] = True
                st.rerun()
        _all_at_once(replace(workbench, asking=asking), project, dimension, options)


def close_when_started() -> None:
    """Close the popover with the options after a build was started in it: on a phone it covers the build."""
    if st.session_state.pop(_STARTED, False):
        run_in_page(_CLOSE)


def stage_options(models: Sequence[str]) -> ModelOptions:
    """Draw and return the model options of this build's next requests; initially those of its start."""
    return more_options(STAGES_KEY, models)


def _without_llms(attributes: Sequence[Attribute], dimension: Dimension) -> None:
    """Say that the checklist would lack LLMs' attributes, as long as none was asked."""
    asked = {one.contributor for one in attributes if one.kind is ContributorKind.LLM}
    if asked - {RULES}:
        return
    nobody = "Only the built-in rules, and no LLM, were" if asked else "No LLM was"
    with st.container(key="no_llms_asked"):
        st.info(f"{nobody} asked yet what to look for in {plain(dimension.name)}.", icon=":material/forum:")
        link("ask_llms", "Ask LLMs first")


def _options(
    workbench: Workbench, project: Project, attributes: Sequence[Attribute], dimension_id: int
) -> BuildOptions:
    _, condition = contributor_choice(attributes, f"condition_{dimension_id}")
    last = last_model(workbench, project.id, "build")
    purpose = "It groups the attributes and writes the questions."
    model = model_choice(workbench, "Model", "build_model", purpose, first=last)
    components = st.select_slider(
        "At most this many components",
        list(COMPONENTS),
        value=5,
        key="components",
        help="A component is a key sub-concept of the dimension; each gets a key question and its sub-questions. The "
        "paper takes at most five and studied three to nine.",
    )
    return BuildOptions(condition.code, model, components)


def _all_at_once(workbench: Workbench, project: Project, dimension: Dimension, options: BuildOptions) -> None:
    """Draw the build of all stages of this dimension, or of all dimensions; a failing one doesn't stop the others."""
    dimensions = dimensions_named(workbench, project.name, "all")
    if was_pressed(
        "Run all stages",
        "build",
        disabled=not options.complete,
        help="Makes a draft of the checklist at once; the changes of the last stage are taken as proposed. The "
        "stages can be changed afterwards.",
    ):
        preset_model_options(STAGES_KEY, workbench.asking)
        _begin(workbench, project, [dimension], options)
    if len(dimensions) > 1 and was_pressed(
        f"Run all stages for all {len(dimensions)} dimensions", "build_all", disabled=not options.complete
    ):
        _begin(workbench, project, dimensions, options)


def _begin(workbench: Workbench, project: Project, dimensions: Sequence[Dimension], options: BuildOptions) -> None:
    with ShownErrors():
        begin_builds(
            workbench, project, dimensions, options.model, options.condition, options.components, who=current_editor()
        )
        st.session_state[_STARTED] = True
        st.rerun()
