"""Every function of the services that a screen or a command calls says what right it asks of the caller."""

import ast
import dataclasses
import inspect
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from app.domain.roles_and_rights import Right
from app.services.runtime import workbench as identities
from app.services.runtime.workbench import NO_PROJECT
from tests.support.repository import parsed
from tests.support.use_cases import FoundUseCase, use_cases


def test_use_cases_are_found() -> None:
    assert len(use_cases()) > 250


def test_every_use_case_says_what_right_it_asks_for() -> None:
    missing = [found.name for found in use_cases() if found.right is None]
    assert missing == [], "put @use_case(Right....) before them"


def test_what_a_project_decides_names_the_project() -> None:
    """Else nobody but the owner could ever call it."""
    lost = [found.name for found in use_cases() if found.right not in NO_PROJECT and not _names_a_place(found)]
    assert lost == []


def test_what_no_project_decides_names_none() -> None:
    """A project's own would be open to everybody who has signed in."""
    asked = {Right.ARRIVE, Right.ENTER, Right.SET_UP}
    open_to_all = [found.name for found in use_cases() if found.right in asked and _names_a_place(found)]
    assert open_to_all == []


def test_what_changes_anything_is_no_mere_reading() -> None:
    reading = {Right.ENTER, Right.SEE, Right.REVIEW, Right.READ}
    found = [one.name for one in use_cases() if one.right in reading and _writes(one)]
    assert set(found) == BOOKS


# They keep the books of what goes on in the background and what arrives, whoever it is.
BOOKS = {
    "background.jobs.forget_job",
    "background.jobs.is_active",
    "background.jobs.job_state",
    "people.upload_limits.count_upload",
}
# What an expert writes of their own is kept with its time and author, as is what only prepares or records.
NO_ACT = {
    "building.build.build",  # what it calls has its entry
    "building.build.begin_builds",  # likewise
    "drift.drift_checks.look_ahead",  # likewise
    "checklists.checklist_files.import_checklist_file",  # likewise
    "background.runner.work_on_jobs",  # what it does has one
    "data.imports.forget_report",  # it only puts away what somebody was told
    "runtime.judges.set_model_options",
    "scoring.own_scores.import_answer_upload",  # what it calls has its entry
    "scoring.runs.work_on",  # whoever began has it
    "think_aloud.samples.ensure_samples",
    "think_aloud.samples.give_verdict",
    "attributes.pairs.say_preference",
    "attributes.side_by_side.answer_side_by_side",
    "checklists.expert_answers.save_entries",
    "people.api_tokens.api_caller",  # it notes when a program came last
    "people.invitations.accept_invitation",  # its entry names who came in, whom nobody knew before
    "people.ways_to_sign_in.sign_in_with_code",  # likewise
    "people.sign_ins.end_sign_in",
    "think_aloud.independence.add_own_attribute",
    "think_aloud.independence.add_expert",
    "think_aloud.independence.note_sample",
    "think_aloud.independence.restore_own_attribute",
    "think_aloud.independence.remove_own_attribute",
    "think_aloud.independence.reorder",
    "think_aloud.transcripts.accept",
    "think_aloud.transcripts.ask_follow_up",
    "think_aloud.transcripts.decline",
    "think_aloud.transcripts.save_recording",
    "think_aloud.transcripts.save_transcript",
    "think_aloud.transcripts.propose_attributes",
    "think_aloud.transcripts.transcribe",
}


def test_what_changes_anything_leaves_a_trail() -> None:
    found = {one.name for one in use_cases() if not one.act and _writes(one)}
    assert found - NO_ACT - BOOKS == set()
    assert NO_ACT - {one.name for one in use_cases()} == set()


@cache
def _writes(found: FoundUseCase) -> bool:
    """Whether it, or a function of its module that it calls, opens the database for writing."""
    module = parsed(Path(inspect.getfile(inspect.unwrap(found.function))))
    functions = {one.name: one for one in module.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    waiting, seen = [found.function.__name__], set[str]()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for node in ast.walk(functions[name]):
            if (
                isinstance(node, ast.Attribute)
                and node.attr == "write"
                and ast.unparse(node).endswith("database.write")
            ):
                return True
            if isinstance(node, ast.Name) and node.id in functions.keys() - seen:
                waiting.append(node.id)
    return False


def _names_a_place(found: FoundUseCase) -> bool:
    return bool(found.project) or any(
        (name in identities.KINDS and int in _parts(kind)) or _holds(kind, identities.DEPTH)
        for name, kind in found.parameters.items()
    )


def _holds(kind: Any, depth: int) -> bool:
    """Whether a value of this type names what it belongs to, itself or in what it holds."""
    for part in _parts(kind):
        if part in identities.NAMED:
            return True
        if depth and dataclasses.is_dataclass(part):
            hints = typing.get_type_hints(part)
            if any(_holds(hints[field.name], depth - 1) for field in dataclasses.fields(part)):
                return True
    return False


def _parts(kind: Any) -> Iterator[Any]:
    """A type, and those that a union or a collection of it is made of."""
    yield kind
    for part in typing.get_args(kind):
        yield from _parts(part)
