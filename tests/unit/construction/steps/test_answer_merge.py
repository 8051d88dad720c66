"""What a new answer does to a build that people have worked on."""

from dataclasses import replace

import pytest

from app.construction.steps.edits import (
    accept_new_version,
    add_component,
    add_question,
    decide,
    describe_component,
    keep_own_edit,
    offers,
    place_attributes,
    reword_change,
    reword_question,
)
from app.construction.steps.result import Inputs
from app.construction.steps.stage_runner import StageAnswer, drop_orphans, merge_answer
from app.domain.attribute import Attribute, ContributorKind
from app.domain.build import Build, ChangeDecision, ChangeKind, Stage
from app.domain.checklist import QuestionOrigin
from app.domain.project import Dimension, Task
from app.errors import NotFoundError

INPUTS = Inputs(
    Task(),
    Dimension("coherence"),
    [Attribute("coherence", "Ada", ContributorKind.HUMAN, f"Point {n}.", id=n) for n in (11, 12, 13)],
)


def components(*names: str) -> StageAnswer:
    return StageAnswer(Stage.COMPONENTS, {"components": "d1"}, components=tuple((name, "") for name in names))


def placed(**at: tuple[int, ...]) -> StageAnswer:
    where = {int(name[1:]): (target, "" if target else "vague") for name, target in at.items()}
    return StageAnswer(Stage.CLUSTERS, {f"clusters/{id_}": "d2" for id_ in where}, placements=where)


def written(stage: Stage, **questions: tuple[str, ...]) -> StageAnswer:
    by_component = {int(name[1:]): tuple((text, (11,)) for text in texts) for name, texts in questions.items()}
    return StageAnswer(stage, {f"{stage}/{id_}": "d3" for id_ in by_component}, questions=by_component)


def reviewed(*changes: tuple[ChangeKind, tuple[int, ...], str]) -> StageAnswer:
    return StageAnswer(Stage.VALIDATION, {"validation": "d4"}, changes=tuple((*change, "why") for change in changes))


@pytest.fixture
def build() -> Build:
    """Order (1) and Links (2), key questions 3 and 4, sub-questions 5 to 7."""
    made = merge_answer(Build("comb", 5, dict.fromkeys(Stage, "rules")), components("Order", "Links"))
    made = merge_answer(made, placed(a11=(1,), a12=(1,), a13=(2,)))
    made = merge_answer(made, written(Stage.KEY_QUESTIONS, c1=("Ordered?",), c2=("Linked?",)))
    return merge_answer(made, written(Stage.SUB_QUESTIONS, c1=("First?", "Then?"), c2=("Tied?",)))


def texts(build: Build, stage: Stage = Stage.SUB_QUESTIONS) -> list[str]:
    return [question.text for question in build.questions(stage)]


def test_everything_gets_an_id_once_and_the_units_are_made(build: Build) -> None:
    assert [c.id for c in build.components] == [1, 2]
    assert [q.id for q in (*build.key_questions, *build.sub_questions)] == [3, 4, 5, 6, 7]
    assert build.last_id == 7
    assert set(build.made_from) >= {"components", "clusters/13", "key-questions/2", "sub-questions/1"}


def test_recognised_components_keep_their_ids_and_what_rests_on_them(build: Build) -> None:
    again = merge_answer(build, components("Unity", "order"))
    assert [(c.id, c.name) for c in again.components] == [(8, "Unity"), (1, "order")]
    assert texts(again) == ["First?", "Then?"]  # what stood under Links went with it
    assert [p.components for p in again.placements] == [(1,), (1,), ()]


def test_an_edited_component_stays_and_the_new_one_is_offered(build: Build) -> None:
    mine = describe_component(build, 1, "Sequence", "what comes when")
    again = merge_answer(mine, components("Order", "Links"))
    assert [c.name for c in again.components] == ["Sequence", "Links"]
    (offer,) = offers(again)
    assert (offer.stage, offer.mine, offer.new) == (Stage.COMPONENTS, "Sequence: what comes when", "Order")
    assert [c.name for c in accept_new_version(again, Stage.COMPONENTS, 1).components] == ["Order", "Links"]
    kept = keep_own_edit(again, Stage.COMPONENTS, 1)
    assert ([c.name for c in kept.components], offers(kept)) == (["Sequence", "Links"], [])


def test_a_component_with_a_persons_work_is_asked_about_before_it_goes_and_an_added_one_stays(build: Build) -> None:
    mine = add_component(reword_question(build, Stage.SUB_QUESTIONS, 7, "Bound?"), "Mine")
    again = merge_answer(mine, components("Order"))
    assert [c.name for c in again.components] == ["Order", "Links", "Mine"]
    assert [(o.item, o.new) for o in offers(again)] == [(2, "")]
    gone = accept_new_version(again, Stage.COMPONENTS, 2)
    assert [c.name for c in gone.components] == ["Order", "Mine"]
    assert texts(gone) == ["First?", "Then?"]


def test_taking_the_new_name_is_refused_where_another_component_has_it(build: Build) -> None:
    mine = add_component(describe_component(build, 1, "Sequence", ""), "Mine")
    again = merge_answer(mine, components("Order", "Links"))
    assert [c.name for c in again.components] == ["Sequence", "Links", "Mine"]


def test_a_placement_by_hand_stays_and_a_different_one_is_offered(build: Build) -> None:
    moved = place_attributes(build, INPUTS, [13], 1)
    same = merge_answer(moved, placed(a13=(1,)))
    assert offers(same) == []
    other = merge_answer(moved, placed(a13=(2,), a11=()))
    assert [(o.item, o.mine, o.new) for o in offers(other)] == [(13, "Order", "Links")]
    assert {p.attribute: p.components for p in other.placements} == {11: (), 12: (1,), 13: (1,)}
    assert {p.attribute: p.components for p in accept_new_version(other, Stage.CLUSTERS, 13).placements}[13] == (2,)


def test_an_edited_key_question_is_kept_and_only_another_answer_is_offered(build: Build) -> None:
    mine = reword_question(build, Stage.KEY_QUESTIONS, 3, "In sequence?")
    assert offers(merge_answer(mine, written(Stage.KEY_QUESTIONS, c1=("Ordered?",)))) == []
    again = merge_answer(mine, written(Stage.KEY_QUESTIONS, c1=("In a row?",), c2=("Joined?",)))
    assert texts(again, Stage.KEY_QUESTIONS) == ["In sequence?", "Joined?"]
    assert [o.new for o in offers(again)] == ["In a row?"]
    taken = accept_new_version(again, Stage.KEY_QUESTIONS, 3)
    assert (taken.key_questions[0].text, taken.key_questions[0].origin) == ("In a row?", QuestionOrigin.GENERATED)


def test_sub_questions_edited_and_added_by_hand_survive_others_are_replaced(build: Build) -> None:
    mine = reword_question(build, Stage.SUB_QUESTIONS, 5, "First things first?")
    mine = add_question(mine, INPUTS, Stage.SUB_QUESTIONS, 1, "By hand?")
    again = merge_answer(mine, written(Stage.SUB_QUESTIONS, c1=("New?", "Newer?")))
    assert texts(again) == ["New?", "Newer?", "First things first?", "By hand?", "Tied?"]
    assert [(o.mine, o.new) for o in offers(again)] == [("First things first?", "")]
    assert texts(accept_new_version(again, Stage.SUB_QUESTIONS, 5)) == ["New?", "Newer?", "By hand?", "Tied?"]
    same = merge_answer(mine, written(Stage.SUB_QUESTIONS, c1=("First?",)))  # what was edited is proposed again
    assert (texts(same)[0], offers(same)) == ("First things first?", [])


def test_components_that_went_meanwhile_are_left_out(build: Build) -> None:
    late = written(Stage.SUB_QUESTIONS, c99=("Late?",))
    after = merge_answer(build, late)
    assert texts(after) == texts(build)
    assert "sub-questions/99" not in after.made_from


def test_only_generated_questions_go_with_the_attributes(build: Build) -> None:
    mine = add_question(build, INPUTS, Stage.SUB_QUESTIONS, 2, "By hand?")
    assert texts(drop_orphans(mine, Stage.SUB_QUESTIONS, {2})) == ["First?", "Then?", "By hand?"]


def test_decisions_and_wordings_stand_where_the_same_is_proposed_again(build: Build) -> None:
    merge, drop = (ChangeKind.MERGED, (5, 6), "Both?"), (ChangeKind.DROPPED, (7,), "")
    made = merge_answer(build, reviewed(merge, drop))
    made = decide(made, made.changes[1].id, ChangeDecision.REFUSED)
    made = reword_change(made, made.changes[0].id, "In my words?")
    again = merge_answer(made, reviewed((ChangeKind.MERGED, (5, 6), "Other?"), drop))
    assert [(c.decision, c.mine) for c in again.changes] == [
        (ChangeDecision.ACCEPTED, "In my words?"),
        (ChangeDecision.REFUSED, ""),
    ]
    fresh = merge_answer(replace(build), reviewed(drop))
    assert fresh.changes[0].decision is ChangeDecision.OPEN


def test_what_was_decided_already_cannot_be_decided_again(build: Build) -> None:
    with pytest.raises(NotFoundError, match="decided already"):
        keep_own_edit(build, Stage.KEY_QUESTIONS, 3)
    with pytest.raises(NotFoundError, match="decided already"):
        accept_new_version(build, Stage.KEY_QUESTIONS, 3)
