"""The checklist that comes out of a build, and the build as a document."""

import json
from dataclasses import replace

import pytest

from app.construction.steps.edits import decide, decide_all, reword_change
from app.construction.steps.result import Inputs, as_checklist, from_document, to_document
from app.domain.attribute import Attribute, ContributorKind
from app.domain.build import (
    Build,
    BuildComponent,
    BuildQuestion,
    ChangeDecision,
    ChangeKind,
    Placement,
    ProposedChange,
    Stage,
)
from app.domain.checklist import QuestionKind, QuestionOrigin
from app.domain.project import Dimension, Task
from app.errors import InputError, NotReadyError

INPUTS = Inputs(
    Task(),
    Dimension("coherence"),
    [Attribute("coherence", "Ada", ContributorKind.HUMAN, f"Point {n}.", id=n) for n in (11, 12, 13, 14, 15)],
)
HAND = QuestionOrigin.ADDED


@pytest.fixture
def build() -> Build:
    return Build(
        "mh",
        5,
        dict.fromkeys(Stage, "rules"),
        components=(BuildComponent(1, "Order"), BuildComponent(2, "Links"), BuildComponent(9, "Empty")),
        placements=(
            Placement(11, (1,)),
            Placement(12, (1, 2)),
            Placement(13, (2,)),
            Placement(14, (), "too vague"),
            Placement(15, ()),
        ),
        key_questions=(BuildQuestion(3, 1, "Ordered?", (11, 12)), BuildQuestion(4, 2, "Linked?", (12, 13))),
        sub_questions=(
            BuildQuestion(5, 1, "First?", (11,)),
            BuildQuestion(6, 1, "Then?", (12,)),
            BuildQuestion(7, 2, "Tied?", (13,)),
            BuildQuestion(8, 2, "By hand?", origin=HAND),
        ),
        changes=(
            ProposedChange(20, ChangeKind.MERGED, (5, 6), "Both?", "same"),
            ProposedChange(21, ChangeKind.DROPPED, (7,), "", "off topic"),
            ProposedChange(22, ChangeKind.KEPT, (8,), "By hand?"),
        ),
        last_id=22,
    )


def asked(build: Build) -> list[tuple[str, tuple[int, ...]]]:
    return [(q.text, q.attributes) for q in as_checklist(build, INPUTS, "rules").asked]


def test_changes_nobody_decided_are_taken_as_proposed_with_their_attributes(build: Build) -> None:
    made = as_checklist(build, INPUTS, "rules")
    assert asked(build) == [("Both?", (11, 12)), ("By hand?", ())]
    assert [(q.kind, q.text) for q in made.questions[:2]] == [
        (QuestionKind.KEY, "Ordered?"),
        (QuestionKind.KEY, "Linked?"),
    ]
    assert [q.position for q in made.questions] == [0, 1, 2, 3]
    assert [(c.name, c.attributes) for c in made.components] == [("Order", (11, 12)), ("Links", (12, 13))]
    assert (made.condition, made.model) == ("mh", "rules")


def test_every_attribute_left_out_is_on_record_with_stage_and_reason(build: Build) -> None:
    dropped = as_checklist(build, INPUTS, "rules").dropped
    assert [(d.attribute, d.stage, d.reason) for d in dropped] == [
        (14, "clusters", "too vague"),
        (15, "clusters", "not placed by the model"),
        (13, "validation", "off topic"),
    ]


def test_refusing_a_change_restores_its_questions(build: Build) -> None:
    refused = decide(build, 20, ChangeDecision.REFUSED)
    assert asked(refused)[:2] == [("First?", (11,)), ("Then?", (12,))]
    all_refused = decide_all(build, ChangeDecision.REFUSED)
    assert [text for text, _ in asked(all_refused)] == ["First?", "Then?", "Tied?", "By hand?"]
    assert 13 not in {d.attribute for d in as_checklist(all_refused, INPUTS, "rules").dropped}


def test_a_change_in_a_persons_words_is_accepted_and_edited(build: Build) -> None:
    worded = reword_change(build, 20, "  In   order? ")
    question = as_checklist(worded, INPUTS, "rules").asked[0]
    assert (question.text, question.origin, question.original) == ("In order?", QuestionOrigin.EDITED, "Both?")
    assert worded.changes[0].decision is ChangeDecision.ACCEPTED
    with pytest.raises(InputError, match="drops a question"):
        reword_change(build, 21, "Back?")


def test_deciding_the_rest_leaves_what_was_decided(build: Build) -> None:
    some = decide_all(decide(build, 20, ChangeDecision.REFUSED), ChangeDecision.ACCEPTED)
    assert [c.decision for c in some.changes[:2]] == [ChangeDecision.REFUSED, ChangeDecision.ACCEPTED]


def test_questions_added_meanwhile_stay_and_every_question_has_a_source_or_is_by_hand(build: Build) -> None:
    more = replace(build, sub_questions=(*build.sub_questions, BuildQuestion(30, 1, "Late?", origin=HAND)))
    questions = as_checklist(more, INPUTS, "rules").asked
    assert "Late?" in [q.text for q in questions]
    assert all(q.attributes or (q.origin is HAND and q.reason == "added by hand") for q in questions)


def test_without_questions_there_is_no_checklist(build: Build) -> None:
    with pytest.raises(NotReadyError, match="no questions"):
        as_checklist(replace(build, sub_questions=()), INPUTS, "rules")


def test_a_build_is_the_same_after_a_journey_through_json(build: Build) -> None:
    offered = replace(
        build,
        components=(replace(build.components[0], offered=("", "")), *build.components[1:]),
        placements=(replace(build.placements[0], offered=Placement(11, (), "vague")), *build.placements[1:]),
        key_questions=(replace(build.key_questions[0], offered="New?"), *build.key_questions[1:]),
        made_from={"components": "d"},
        runs={Stage.COMPONENTS: (1, 2)},
    )
    assert from_document(json.loads(json.dumps(to_document(offered)))) == offered
