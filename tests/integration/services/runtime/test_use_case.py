"""Every use case, called by every role, on what is theirs, on another expert's and on another project's."""

import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from app.domain.attribute import AttributeStanding, AttributeStatus, ContributorKind
from app.domain.checklist import Checklist, Question
from app.domain.expert_answer import AnchorSet, AnswerDraw
from app.domain.project import Dimension, Project, Task, Text
from app.domain.roles_and_rights import LOCAL_OWNER, NOBODY, Actor, Membership, Right, Role
from app.domain.room import RoomStage
from app.domain.run import RunDimension, RunSummary
from app.errors import NotAllowedError
from app.services.runtime.workbench import DEPTH, KINDS, NO_PROJECT, Workbench, check
from db.models.checklist import (
    BuildRow,
    DecisionRow,
    ImprovementRow,
    ProposalRow,
    QuestionCommentRow,
    RoomRow,
    SideBySideRow,
)
from db.models.columns import now
from db.models.think_aloud import ProposedAttributeRow, TranscriptRow
from db.unit_of_work import UnitOfWork
from tests.support.projects import small_checklist, workbench_at
from tests.support.use_cases import FoundUseCase, use_cases

ANA, BEN = "Ana", "Ben"
FACILITATOR = Actor(1, "Fay", memberships={1: Membership(Role.FACILITATOR, "Fay")})
EXPERT = Actor(2, ANA, memberships={1: Membership(Role.EXPERT, ANA)})
DONE = Actor(3, BEN, memberships={1: Membership(Role.EXPERT, BEN)})
READER = Actor(4, "Rea", memberships={1: Membership(Role.READER, "Rea")})
STRANGER = Actor(5, "Sue")
OWNER = Actor(6, "Olga", owner=True)

MAY: Mapping[Right, set[str]] = {
    Right.ARRIVE: {"facilitator", "expert", "done", "reader", "stranger", "owner", "nobody"},
    Right.ENTER: {"facilitator", "expert", "done", "reader", "stranger", "owner"},
    Right.SEE: {"facilitator", "expert", "done", "reader", "owner"},
    Right.TAKE_PART: {"facilitator", "expert", "done", "owner"},
    Right.ANSWER: {"facilitator", "done", "owner"},  # Ana has begun and is not done
    Right.REVIEW: {"facilitator", "done", "reader", "owner"},
    Right.EDIT: {"facilitator", "done", "owner"},
    Right.READ: {"facilitator", "reader", "owner"},
    Right.FACILITATE: {"facilitator", "owner"},
    Right.SET_UP: {"facilitator", "owner"},
    Right.BEGIN: {"facilitator", "owner"},
    Right.SERVE: {"owner"},
}
ROLES = {
    "facilitator": FACILITATOR,
    "expert": EXPERT,
    "done": DONE,
    "reader": READER,
    "stranger": STRANGER,
    "owner": OWNER,
    "nobody": NOBODY,
}


@dataclasses.dataclass(frozen=True)
class World:
    """One project with one thing of each kind; what experts have is theirs who is named."""

    project: Project
    ids: Mapping[str, int]
    values: Mapping[type, Any]


def made(work: UnitOfWork, name: str, author: str) -> World:
    project = work.projects.add(name, Task("summary", "article"))
    dimension = work.projects.add_dimension(project.id, Dimension("coherence", "How the parts fit together."))
    text = Text("d1", "A text.", "s1")
    work.texts.add_many(project.id, [text])
    text_id = work.texts.ids_by_key(project.id)[text.key]
    checklist = small_checklist(work, dimension.id)
    person = work.think_aloud.contributor(project.id, author, ContributorKind.HUMAN)
    attribute = work.think_aloud.add_attributes(dimension.id, person.id, ["Order."])[0]
    run = work.runs.create(project.id, "checklist", "rules", {}, [RunDimension(dimension.id, checklist.id, texts=())])
    ids = {
        "attribute": attribute,
        "checklist": checklist.id,
        "component": checklist.components[0].id,
        "dimension": dimension.id,
        "project": project.id,
        "question": checklist.questions[0].id,
        "run": run,
        "text": text_id,
    }
    whose = {"dimension_id": dimension.id, "contributor_id": person.id}
    ids["build"] = _add(work, BuildRow(dimension_id=dimension.id, condition="comb"))
    ids["comment"] = _add(work, QuestionCommentRow(question_id=ids["question"], text="Why?"))
    ids["comparison"] = _add(work, SideBySideRow(**whose, people_are_a=True, people=[], llms=[]))
    ids["decision"] = _add(work, DecisionRow(question_id=ids["question"], text_id=text_id, answer="yes"))
    ids["room"] = _add(work, RoomRow(question_id=ids["question"], texts=[text_id], stage=RoomStage.VOTE.value))
    ids["improvement"] = _add(
        work, ImprovementRow(question_id=ids["question"], model="rules", judge="rules", text="Is it in its place?")
    )
    ids["proposal"] = _add(work, ProposalRow(checklist_id=checklist.id, action="merge", model="rules"))
    ids["transcript"] = _add(work, TranscriptRow(**whose, text="I look at order."))
    ids["proposed attribute"] = _add(
        work, ProposedAttributeRow(transcript_id=ids["transcript"], text="Order.", words="order")
    )
    draw = AnswerDraw(1, checklist.id, (), 1, False, now(), ())
    values: dict[type, Any] = {
        AnchorSet: AnchorSet(1, dimension.id, checklist.id, (), {}, "", "", now()),
        AnswerDraw: draw,
        AttributeStanding: AttributeStanding(attribute, dimension.id, "Order.", AttributeStatus.ACTIVE),
        Checklist: checklist,
        Dimension: dimension,
        Project: project,
        Question: checklist.questions[0],
        RunSummary: next(found for found in work.runs.all(project.id) if found.id == run),
        Text: dataclasses.replace(text, id=text_id),
    }
    return World(project, ids, values)


def _add(work: UnitOfWork, row: Any) -> int:
    session = work._session
    session.add(row)
    session.flush()
    return int(row.id)


class Rights:
    """What people may in the database of a workbench, checked once for all use cases that take the same."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self._checked: dict[tuple[str, Right, str, str], bool] = {}

    def may(self, found: FoundUseCase, actor: Actor, given: Mapping[str, Any]) -> bool:
        assert found.right is not None
        said = sorted((name, repr(value)) for name, value in given.items() if value is not None)
        key = (actor.name, found.right, found.project, repr(said))
        if key not in self._checked:
            self._checked[key] = self._may(actor, found.right, given, found.project)
        return self._checked[key]

    def _may(self, actor: Actor, right: Right, given: Mapping[str, Any], project: str) -> bool:
        try:
            check(as_actor(self.bench, actor), right, given, project)
        except NotAllowedError:
            return False
        return True


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Rights, Mapping[str, World]]]:
    """Ana's and Ben's things in a project where both are experts and Ben is done, and a project that isn't theirs."""
    bench = workbench_at(tmp_path_factory.mktemp("roles"))
    with bench.database.write() as work:
        found = {"ana": made(work, "One", ANA)}
        ben = work.think_aloud.contributor(1, BEN, ContributorKind.HUMAN)
        work.independence.set_done(found["ana"].ids["dimension"], ben.id, True)
        found["other"] = made(work, "Two", BEN)
        for actor in (FACILITATOR, EXPERT, DONE, READER, STRANGER, OWNER):
            assert work.people.add("invite", actor.name, actor.name, actor.owner).id == actor.person
            for project, membership in actor.memberships.items():
                work.people.join(actor.person, project, membership.role, membership.name)
    yield Rights(bench), found
    bench.database.close()


def arguments(found: FoundUseCase, world: World, expert: str) -> dict[str, Any]:
    """What says where the use case is called; all else is missing."""
    given: dict[str, Any] = {}
    for name, kind in found.parameters.items():
        if name == found.project:
            given[name] = world.project.name
        elif name == "expert":
            given[name] = expert
        elif name in KINDS and kind in (int, int | None):
            given[name] = world.ids[KINDS[name]]
        elif name in KINDS and kind == Sequence[int]:
            given[name] = [world.ids[KINDS[name]]]
        else:
            given[name] = _value(kind, world, DEPTH)
    return given


def _value(kind: Any, world: World, depth: int) -> Any:
    """A value of this type as far as it tells where it belongs; None for what tells nothing."""
    if typing.get_origin(kind) is Callable:
        return None
    if kind in world.values:
        return world.values[kind]
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _hollow(kind, world, depth) if depth else None
    held = [value for part in typing.get_args(kind) if (value := _value(part, world, depth)) is not None]
    return tuple(held) or None


def _hollow(kind: type, world: World, depth: int) -> Any:
    """An instance with nothing in it but what tells where it belongs."""
    made_up = object.__new__(kind)
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        object.__setattr__(made_up, field.name, _value(hints[field.name], world, depth - 1))
    return made_up


def as_actor(bench: Workbench, actor: Actor) -> Workbench:
    return dataclasses.replace(bench, actor=actor)


def test_each_role_may_what_its_rights_say(worlds: tuple[Rights, Mapping[str, World]]) -> None:
    rights, world = worlds
    wrong = []
    for found in use_cases():
        assert found.right is not None, found.name
        for role, actor in ROLES.items():
            given = arguments(found, world["ana"], actor.name)
            own = role != "done" or not touches_an_authors(found)  # Ben is called on what is Ana's
            if rights.may(found, actor, given) != (role in MAY[found.right] and own):
                wrong.append((found.name, role))
    assert wrong == []


def test_nobody_may_anything_in_another_project(worlds: tuple[Rights, Mapping[str, World]]) -> None:
    rights, world = worlds
    wrong = []
    for found in use_cases():
        for actor in (FACILITATOR, EXPERT, DONE, READER):  # whoever has no part is a stranger in the test above
            given = arguments(found, world["other"], actor.name)
            theirs = found.right is Right.BEGIN and any(given.values())  # a new project of another's dimensions
            free = found.right in NO_PROJECT and not theirs
            if rights.may(found, actor, given) != (free and rights.may(found, actor, {})):
                wrong.append((found.name, actor.name))
    assert wrong == []


def test_who_may_not_is_refused_before_anything_is_done(worlds: tuple[Rights, Mapping[str, World]]) -> None:
    rights, world = worlds
    nobody, allowed = as_actor(rights.bench, NOBODY), []
    for found in (each for each in use_cases() if each.right is not Right.ARRIVE):  # which everybody has
        given = arguments(found, world["other"], ANA)
        kinds = {name: one.kind for name, one in inspect.signature(inspect.unwrap(found.function)).parameters.items()}
        in_order = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        first = [value for name, value in given.items() if kinds[name] in in_order]
        named = {name: value for name, value in given.items() if kinds[name] not in in_order}
        try:
            found.function(nobody, *first, **named)
        except NotAllowedError:
            continue
        allowed.append(found.name)
    assert allowed == []


def touches_an_authors(found: FoundUseCase) -> bool:
    authored = {"attribute", "comparison", "transcript", "proposed attribute"}
    named = {KINDS.get(name) for name in found.parameters}
    return found.right is Right.TAKE_PART and bool(authored & named)


def test_an_expert_can_not_speak_for_another_nor_for_nobody(
    worlds: tuple[Rights, Mapping[str, World]], subtests: pytest.Subtests
) -> None:
    rights, world = worlds
    own = [each for each in use_cases() if each.right in (Right.TAKE_PART, Right.ANSWER)]
    for found in (each for each in own if "expert" in each.parameters):
        # Ana's things are Ana's; a sheet is closed to her while she thinks aloud, and Ben is done.
        who, other = (DONE, ANA) if found.right is Right.ANSWER else (EXPERT, BEN)
        with subtests.test(found.name):
            assert rights.may(found, who, arguments(found, world["ana"], who.name))
            assert not rights.may(found, who, arguments(found, world["ana"], other))
            assert not rights.may(found, who, arguments(found, world["ana"], ""))
            assert rights.may(found, FACILITATOR, arguments(found, world["ana"], other))


def test_the_owner_of_the_computer_is_asked_nothing(worlds: tuple[Rights, Mapping[str, World]]) -> None:
    rights, _ = worlds
    assert rights.bench.actor is LOCAL_OWNER
    assert all(LOCAL_OWNER.has(right, project) for right in Right for project in (None, 1, 999))
