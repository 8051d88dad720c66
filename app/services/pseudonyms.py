"""Pseudonyms: replacing a person's name everywhere in a project, at their request."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.attribute import ContributorKind
from app.domain.people import PENDING, free_pseudonym
from app.domain.roles_and_rights import Right
from app.domain.storable_text import checked_name, quoted
from app.errors import ConflictError, NotFoundError
from app.services.conditions.study import builds_of_studies, update_build_digests
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class ReplacedName:
    """The result of replacing a name. `places` counts fields that held only the name. `mentions`: kind of text -> how
    many still mention it. `elsewhere` counts other projects they are in under their own name."""

    pseudonym: str
    places: int
    mentions: Mapping[str, int]
    elsewhere: int


# What people wrote, as they know it; other tables go by their own names.
_WRITTEN = {
    "attribute": "attributes",
    "build_revision": "states of builds",
    "checklist_change": "changes to checklists",
    "component": "components",
    "contributor": "experts' backgrounds",
    "expert_answer": "notes to answers",
    "model_call": "replies of models",
    "passage": "passages of texts",
    "preference": "reasons of preferences",
    "proposed_attribute": "proposed attributes",
    "question": "questions",
    "question_comment": "comments",
    "room": "lines that rooms agreed on",
    "room_member": "lines said in rooms",
    "side_by_side": "comparisons",
    "side_by_side_answer": "answers in comparisons",
    "stage_run": "questions put to models",
    "transcript": "transcripts",
}


@use_case(Right.FACILITATE)
def people_named(workbench: Workbench, project_id: int) -> list[str]:
    """Return the names of everybody who is or was in the project, sorted."""
    with workbench.database.read() as work:
        return sorted(_names(work, project_id), key=str.casefold)


@use_case(Right.FACILITATE)
def proposed_pseudonym(workbench: Workbench, project_id: int) -> str:
    """Return a pseudonym that nobody in the project has."""
    with workbench.database.read() as work:
        return free_pseudonym(work.names.taken(project_id))


@use_case(Right.FACILITATE, act="replaced a name by a pseudonym", about="pseudonym")
def replace_name(workbench: Workbench, project_id: int, name: str, pseudonym: str) -> ReplacedName:
    """Replace a person's name in the project, except where people mention it in their own texts.

    A person without any project is deleted; others can still sign in. Raises NotFoundError for an unknown name,
    ConflictError for a taken pseudonym, and while a job runs that will write the name.
    """
    new = checked_name(pseudonym, "person", "Say what to call them instead.")
    with workbench.database.read() as work:
        project = work.projects.by_id(project_id)
    built = builds_of_studies(workbench, project)
    with workbench.database.write() as work:
        if name not in _names(work, project_id):
            raise NotFoundError(f"Nobody called {quoted(name)} has or had a part in this project.")
        if new.casefold() in {one.casefold() for one in work.names.taken(project_id)}:
            raise ConflictError(f"{quoted(new)} is a name in this project already.", "Choose another pseudonym.")
        if title := work.names.job_under_way(name):
            raise ConflictError(f"“{title}” goes on under this name.", "Wait until it is over, or stop it.")
        people = work.names.bearers(project_id, name)
        places = work.names.replace(project_id, name, new)
        work.names.replace_in_jobs(name, new)
        elsewhere = sum(_call_otherwise(work, project_id, person, new) for person in people)
        acting = PENDING.get()
        if acting is not None and (acting.who == name or acting.person in people):
            acting.who = new
        found = work.names.mentions(project_id, name)
    update_build_digests(workbench, project, built)
    mentions = {_WRITTEN.get(table, table.replace("_", " ")): count for table, count in sorted(found.items())}
    return ReplacedName(new, places, mentions, elsewhere)


def remaining_mentions(done: ReplacedName) -> list[str]:
    """Return sentences on where the name remains for people to change by hand; [] for nowhere."""
    lines = []
    if done.mentions:
        where = ", ".join(f"{count:,} {what}" for what, count in done.mentions.items())
        lines.append(f"Among other words, as somebody wrote it, the name still stands in: {where}.")
    if done.elsewhere:
        projects = "another project" if done.elsewhere == 1 else f"{done.elsewhere} other projects"
        lines.append(f"They have a part in {projects} too, where their name stays.")
    return lines


def _names(work: UnitOfWork, project_id: int) -> set[str]:
    """Return the names of members, contributors and everybody in the audit log."""
    humans = (one.name for one in work.think_aloud.contributors(project_id) if one.kind is ContributorKind.HUMAN)
    members = (one.name for one in work.people.members(project_id))
    acted = (one.who for one in work.audit_log.of(project_id))
    return {*humans, *members, *acted} - {""}


def _call_otherwise(work: UnitOfWork, project_id: int, person_id: int, pseudonym: str) -> int:
    """Replace the person's own name, and delete them if they have no project. Returns in how many other projects they
    are, whose facilitators decide about their names."""
    work.names.replace_acts(project_id, person_id, pseudonym)
    actor = work.people.actor(person_id)
    others = [part for project, part in actor.memberships.items() if project != project_id]
    if not actor.memberships and not actor.owner:
        work.names.replace_person(person_id, actor.name, pseudonym)
        work.people.forget(person_id)
    elif actor.name not in {part.name for part in others}:
        work.names.replace_person(person_id, actor.name, pseudonym)
    return len(others)
