"""What somebody typed into a build and hasn't saved: it is saved before anything is made from the build."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from app.domain.build import ChangeDecision, Stage
from app.services.building.build_edits import describe_component, reword_change, reword_question
from app.services.building.build_state import BuildView
from app.services.runtime.workbench import Workbench
from pages.components.build.change import BuildEdit, do_edit
from pages.components.shell.browser.kept_typing import known_typing

EDITED_HERE = ("component_name_", "component_description_", "build_wording_", "change_wording_")
"""How the keys of the text fields of a build begin."""


@dataclass(frozen=True, slots=True)
class _OpenEdit:
    what: str
    keys: Sequence[str]
    action: BuildEdit


def save_open_edits(workbench: Workbench, view: BuildView) -> bool:
    """For callbacks: whether all are saved. Undo takes each back, and says why one couldn't be saved."""
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
    """What the fields say, in a form or in the browser; empty where that is what is saved."""
    known = known_typing()
    words = [str(known.get(key, st.session_state.get(key, old))) for key, old in zip(keys, saved, strict=True)]
    differs = any(new.split() != old.split() for new, old in zip(words, saved, strict=True))
    return words if differs else []
