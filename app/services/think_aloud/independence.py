"""Independence of experts: each sees others' attributes on a dimension only after saying "done"."""

from collections.abc import Iterable, Sequence

from app.construction.question_hints import sample_hints
from app.domain.attribute import Attribute, AttributeStatus, Contributor, ContributorKind, ExpertProgress, Sample
from app.domain.passage import Passage
from app.domain.project import Dimension
from app.domain.repeated_attributes import same_attribute
from app.domain.roles_and_rights import Right
from app.errors import ConflictError, InputError, NotReadyError, RepeatedError
from app.services.runtime.workbench import Workbench, use_case
from app.think_aloud.elicitation import sample_passage
from db.unit_of_work import UnitOfWork

REMOVED = "removed by its author"


@use_case(Right.FACILITATE)
def add_expert(workbench: Workbench, project_id: int, name: str, role: str = "", background: str = "") -> Contributor:
    """Add a person who will think aloud; role and background are optional and can be given later.

    Raises ConflictError if an LLM has the name, InputError for no name.
    """
    with workbench.database.write() as work:
        who = work.think_aloud.contributor(project_id, name, ContributorKind.HUMAN)
        if role.strip() or background.strip():
            work.think_aloud.describe(who.id, role.strip() or who.role, background.strip() or who.background)
        return who


@use_case(Right.TAKE_PART, act="changed their answers about themselves")
def describe_expert(workbench: Workbench, project_id: int, expert: str, role: str, background: str) -> None:
    """Store what a person says about themselves, replacing earlier words; blank deletes them."""
    with workbench.database.write() as work:
        who = work.think_aloud.contributor(project_id, expert, ContributorKind.HUMAN)
        work.think_aloud.describe(who.id, role, background)


@use_case(Right.TAKE_PART)
def is_done(workbench: Workbench, project_id: int, dimension_id: int, expert: str) -> bool:
    """Return whether the expert said "done"; False for an unknown expert."""
    with workbench.database.read() as work:
        person = _person(work, project_id, expert)
        return person is not None and work.independence.is_done(dimension_id, person.id)


@use_case(Right.TAKE_PART)
def is_thinking_aloud(workbench: Workbench, dimension_id: int, expert: str) -> bool:
    """Return whether the expert has begun on the dimension and isn't done."""
    with workbench.database.read() as work:
        return work.independence.is_thinking(dimension_id, expert)


@use_case(Right.TAKE_PART)
def unfinished_dimensions(workbench: Workbench, project_id: int, expert: str) -> list[Dimension]:
    """Return the expert's dimensions on which they haven't said "done"; [] if the project has no texts."""
    with workbench.database.read() as work:
        person = _person(work, project_id, expert)
        given = work.assignments.given(project_id)
        if not work.texts.count(project_id):
            return []
        return [
            dimension
            for dimension in work.projects.dimensions(project_id)
            if dimension.id in given.get(expert, (dimension.id,))
            and not (person and work.independence.is_done(dimension.id, person.id))
        ]


def insert_attributes(
    work: UnitOfWork,
    dimension_id: int,
    who: Contributor,
    texts: Sequence[str],
    round_number: int = 1,
    stage_id: int | None = None,
    prompted_by: int | None = None,
    passages: Sequence[Passage | None] = (),
    about_pairs: bool = False,
) -> list[int]:
    """Store a contributor's attributes word for word; every way of adding attributes ends here. Returns their ids.

    Adding an attribute reopens the dimension for this person: others' attributes are hidden until the next “done”.
    Reasons for preferring one text of a pair (about_pairs) don't reopen it, because comparing is a separate task.
    prompted_by: the text that prompted them. stage_id: of an LLM's answer. passages: one for each attribute, () for
    none; the caller checks them.
    """
    if who.kind is ContributorKind.HUMAN and texts and not about_pairs:
        work.independence.set_done(dimension_id, who.id, False)
    return work.think_aloud.add_attributes(dimension_id, who.id, texts, round_number, stage_id, prompted_by, passages)


@use_case(Right.TAKE_PART)
def add_own_attribute(
    workbench: Workbench,
    dimension_id: int,
    expert: str,
    text: str,
    prompted_by: int | None = None,
    passage: Passage | None = None,
) -> int:
    """Store one attribute word for word. This reopens the dimension for this expert. Returns its id.

    prompted_by: the sample text that prompted it. passage: the words of a sample that did; the same attribute on the
    same passage is stored once, because a browser repeats unconfirmed messages. Raises InputError for a blank attribute
    and for a passage that is in no sample, RepeatedError for an attribute this expert already has, word for word.
    """
    if not text.strip():
        raise InputError("There is nothing on the line yet.", "Write one attribute.")
    with workbench.database.write() as work:
        project = work.projects.project_of(dimension_id)
        who = work.think_aloud.contributor(project.id, expert, ContributorKind.HUMAN)
        marked = sample_passage(work.think_aloud.samples(dimension_id), passage) if passage else None
        attributes = not_removed(_written(work, project.id, dimension_id, expert))
        if number := same_attribute(text, attributes):
            if marked and attributes[number - 1].passage == marked:
                return attributes[number - 1].id
            raise RepeatedError(f"You have said this already, as your attribute {number}.")
        return insert_attributes(work, dimension_id, who, [text.strip()], prompted_by=prompted_by, passages=[marked])[0]


@use_case(Right.TAKE_PART)
def passages_of(workbench: Workbench, dimension_id: int, expert: str) -> list[Attribute]:
    """Return attributes with a passage in a text that this expert may see: their own, and everybody's once they are
    done. Removed and excluded attributes are left out."""
    with workbench.database.read() as work:
        project = work.projects.project_of(dimension_id)
        found = {a.id: a for a in _written(work, project.id, dimension_id, expert)}
        if work.independence.is_done_by(dimension_id, expert):
            found |= {a.id: a for a in work.think_aloud.attributes(project.id, dimension_id)}
    return [a for a in standing(found.values()) if a.passage and a.passage.text_id is not None]


@use_case(Right.TAKE_PART)
def own_attributes_of(workbench: Workbench, project_id: int, dimension_id: int, expert: str) -> list[Attribute]:
    """Return this expert's attributes on the dimension in their own order, with removed, excluded, merged and moved
    ones; for the expert only."""
    with workbench.database.read() as work:
        return _written(work, project_id, dimension_id, expert)


@use_case(Right.TAKE_PART)
def own_attributes_by_dimension(
    workbench: Workbench, project_id: int, expert: str
) -> list[tuple[Dimension, list[Attribute]]]:
    """Return each dimension on which this expert has attributes, with them."""
    with workbench.database.read() as work:
        found = [
            (one, not_removed(_written(work, project_id, one.id, expert)))
            for one in work.projects.dimensions(project_id)
        ]
    return [(dimension, attributes) for dimension, attributes in found if attributes]


@use_case(Right.TAKE_PART)
def merged_into(workbench: Workbench, project_id: int, expert: str, attributes: Sequence[Attribute]) -> dict[int, str]:
    """Return attribute id -> text of the attribute it was merged into, if this expert may read that."""
    targets = {a.id: a.merged_into for a in attributes if a.merged_into is not None}
    if not targets:
        return {}
    with workbench.database.read() as work:
        done = [one.id for one in work.projects.dimensions(project_id) if work.independence.is_done_by(one.id, expert)]
        texts = {a.id: a.text for dimension in done for a in work.think_aloud.attributes(project_id, dimension)}
        texts |= {a.id: a.text for a in work.think_aloud.attributes(project_id, contributor=expert)}
    return {id_: texts[target] for id_, target in targets.items() if target in texts}


def _written(work: UnitOfWork, project_id: int, dimension_id: int, expert: str) -> list[Attribute]:
    found = work.think_aloud.written_about(project_id, dimension_id, expert)
    return [a for a in found if a.kind is ContributorKind.HUMAN]


def not_removed(written: Iterable[Attribute]) -> list[Attribute]:
    """Return an expert's attributes without removed ones; the index here, from 1, is an attribute's number."""
    return [a for a in written if not removed_by_author(a)]


def standing(written: Iterable[Attribute]) -> list[Attribute]:
    """Return the attributes that weren't removed or excluded."""
    return [a for a in written if a.status not in (AttributeStatus.EXCLUDED, AttributeStatus.WITHDRAWN)]


@use_case(Right.TAKE_PART)
def remove_own_attribute(workbench: Workbench, attribute_id: int) -> None:
    """Remove an attribute for its author, who can restore it. One that nobody could see yet stays hidden for ever
    (WITHDRAWN); one that was visible stays on record as excluded.

    Raises ConflictError if a facilitator excluded or merged it.
    """
    with workbench.database.write() as work:
        if not _in_use(work, attribute_id):
            return  # removed already
        shown = work.independence.is_revealed(attribute_id)
        status = AttributeStatus.EXCLUDED if shown else AttributeStatus.WITHDRAWN
        work.think_aloud.set_status(attribute_id, status, REMOVED)


@use_case(Right.TAKE_PART)
def restore_own_attribute(workbench: Workbench, attribute_id: int) -> None:
    """Restore an attribute that its author removed. Raises ConflictError if somebody else excluded or merged it."""
    with workbench.database.write() as work:
        if not _in_use(work, attribute_id):
            work.think_aloud.set_status(attribute_id, AttributeStatus.ACTIVE)


def removed_by_author(attribute: Attribute) -> bool:
    return attribute.status is not AttributeStatus.ACTIVE and attribute.reason == REMOVED


def _in_use(work: UnitOfWork, attribute_id: int) -> bool:
    """Return whether it is active; False if its author removed it. Raises ConflictError if a facilitator excluded
    it."""
    found = work.think_aloud.standing([attribute_id])[attribute_id]
    if found.status is AttributeStatus.ACTIVE:
        return True
    if found.reason == REMOVED:
        return False
    raise ConflictError("A facilitator has left this attribute out.", "Ask them to include it again.")


@use_case(Right.TAKE_PART)
def reorder(workbench: Workbench, attribute_ids: Sequence[int]) -> None:
    with workbench.database.write() as work:
        work.think_aloud.reorder(attribute_ids)


@use_case(Right.TAKE_PART)
def note_sample(workbench: Workbench, attribute_id: int, text_id: int | None) -> None:
    """Store which sample text prompted an attribute; None for none."""
    with workbench.database.write() as work:
        work.think_aloud.note_prompt(attribute_id, text_id)


def sample_hint(text: str, samples: Sequence[Sample], language: str) -> str:
    """Return a hint if an attribute names contents of a sample instead of a general attribute, else ""."""
    contents = [part for s in samples for part in (s.text.source, s.text.text)]
    return next((hint.message for hint in sample_hints(text, contents, language)), "")


@use_case(Right.TAKE_PART, act="finished thinking aloud")
def mark_done(workbench: Workbench, dimension_id: int, expert: str) -> None:
    """Mark the expert as done: they now see others' attributes on the dimension. Raises NotReadyError without
    attributes."""
    with workbench.database.write() as work:
        project = work.projects.project_of(dimension_id)
        person = _person(work, project.id, expert)
        if person is None or not not_removed(_written(work, project.id, dimension_id, expert)):
            raise NotReadyError("You have written nothing on this dimension yet.", "Write down at least one attribute.")
        work.independence.set_done(dimension_id, person.id, True)


@use_case(Right.SEE)
def visible_attributes(
    workbench: Workbench, project_id: int, dimension_id: int, expert: str = ""
) -> tuple[list[Attribute], bool]:
    """Return the attributes that this expert may see, and whether these are all.

    Without a name (for the owner) all are returned; an expert sees only their own until they are done.
    """
    with workbench.database.read() as work:
        person = _person(work, project_id, expert) if expert else None
        if not expert or (person is not None and work.independence.is_done(dimension_id, person.id)):
            return work.think_aloud.attributes(project_id, dimension_id), True
        return (work.think_aloud.attributes(project_id, dimension_id, expert) if person else []), False


@use_case(Right.FACILITATE)
def experts_progress(workbench: Workbench, project_id: int) -> list[ExpertProgress]:
    with workbench.database.read() as work:
        return work.independence.progress(project_id)


def _person(work: UnitOfWork, project_id: int, name: str) -> Contributor | None:
    people = (c for c in work.think_aloud.contributors(project_id) if c.kind is ContributorKind.HUMAN)
    return next((c for c in people if c.name == name), None)
