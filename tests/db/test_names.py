"""Names of people, wherever they stand, on both databases."""

from sqlalchemy import String
from sqlmodel import SQLModel

from app.domain.attribute import ContributorKind
from app.domain.people import PendingAct
from app.domain.project import Dimension, Task
from app.domain.roles_and_rights import Role
from db.repositories.people import PLACES
from db.unit_of_work import Database, UnitOfWork

NAME, NEW = "Zoë Quill", "Expert 1"


def _project(work: UnitOfWork) -> tuple[int, int]:
    project = work.projects.add("P", Task()).id
    dimension = work.projects.add_dimension(project, Dimension("order")).id
    who = work.think_aloud.contributor(project, NAME, ContributorKind.HUMAN)
    work.think_aloud.add_attributes(dimension, who.id, [f"As {NAME} says.", "Zoë Quills are birds."])
    person = work.people.add("invite", "1", NAME)
    work.people.join(person.id, project, Role.EXPERT, NAME)
    work.audit_log.add(PendingAct(project, None, "Fay", "gave dimensions to an expert", f"order, {NAME}"))
    work.audit_log.add(PendingAct(project, person.id, NAME, "came in by a link"))
    return project, person.id


def test_a_name_gives_way_wherever_it_stands_alone_and_is_found_among_other_words(database: Database) -> None:
    with database.write() as work:
        project, person = _project(work)
        other, _ = work.projects.add("Q", Task()).id, work.audit_log.add(PendingAct(None, person, NAME, "signed in"))
        work.think_aloud.contributor(other, NAME, ContributorKind.HUMAN)
        assert work.names.bearers(project, NAME) == [person]
        assert work.names.replace(project, NAME, NEW) == 4
        assert work.names.taken(project) == {NEW, "Fay"}
        assert work.names.taken(other) == {NAME}, "another project's people are its own"
        assert work.names.mentions(project, NAME) == {"attribute": 1}
        assert [(one.who, one.about) for one in work.audit_log.of(project)] == [(NEW, ""), ("Fay", f"order, {NEW}")]
        work.names.replace_person(person, NAME, NEW)
        assert (work.people.get(person).name, work.audit_log.of(None)[0].who) == (NEW, NEW)


def test_every_column_that_says_who_is_known() -> None:
    said = {
        (table.name, column.name)
        for table in SQLModel.metadata.sorted_tables
        for column in table.c
        if isinstance(column.type, String)
        and (column.name in ("who", "rater", "condition") or column.name.endswith("_by"))
    }
    # Texts that are still being read become nobody's, and "chosen_by" and the like name no person.
    assert said - {("staged_rating", "rater"), ("think_aloud_sample", "chosen_by")} <= set(PLACES)
