"""What is stale after which change, and not any more once the change is taken back."""

from dataclasses import replace

import pytest

from app.construction.steps.edits import describe_component, place_attributes, reword_question
from app.construction.steps.result import Inputs, accept_units, digests, states
from app.domain.attribute import Attribute, ContributorKind
from app.domain.build import Build, BuildComponent, BuildQuestion, Placement, Stage
from app.domain.project import Dimension, Task

TEXTS = {11: "Facts come in order.", 12: "Events follow each other.", 13: "Sentences are linked."}


@pytest.fixture
def inputs() -> Inputs:
    attributes = [Attribute("coherence", "Ada", ContributorKind.HUMAN, text, id=id_) for id_, text in TEXTS.items()]
    return Inputs(Task("summary", "article"), Dimension("coherence", "Hangs together."), attributes)


@pytest.fixture
def build(inputs: Inputs) -> Build:
    """Two components, everything made and up to date."""
    made = Build(
        "comb",
        5,
        dict.fromkeys(Stage, "rules"),
        components=(BuildComponent(1, "Order", first="Order"), BuildComponent(2, "Links", first="Links")),
        placements=(Placement(11, (1,)), Placement(12, (1,)), Placement(13, (2,))),
        key_questions=(
            BuildQuestion(3, 1, "Is it in order?", (11, 12), first="Is it in order?"),
            BuildQuestion(4, 2, "Is it linked?", (13,), first="Is it linked?"),
        ),
        sub_questions=(
            BuildQuestion(5, 1, "Do facts come in order?", (11,), first="Do facts come in order?"),
            BuildQuestion(6, 2, "Are sentences linked?", (13,), first="Are sentences linked?"),
        ),
        last_id=6,
    )
    return replace(made, made_from=digests(made, inputs))


def edited(build: Build, inputs: Inputs) -> dict[str, tuple[str, ...]]:
    return {stage.value: state.edited for stage, state in states(build, inputs).items() if state.edited}


def test_what_was_just_made_is_not_stale(build: Build, inputs: Inputs) -> None:
    assert edited(build, inputs) == {}
    assert not any(state.stale for state in states(build, inputs).values())


def test_a_new_build_waits_for_its_components_only(inputs: Inputs) -> None:
    empty = Build("comb", 5, dict.fromkeys(Stage, "rules"))
    found = states(empty, inputs)
    assert [stage for stage, state in found.items() if state.ready] == [Stage.COMPONENTS]
    assert found[Stage.COMPONENTS].missing == ("components",)


def test_a_renamed_component_makes_all_clusters_and_its_own_questions_stale_until_it_is_taken_back(
    build: Build, inputs: Inputs
) -> None:
    renamed = describe_component(build, 1, "Sequence", "")
    assert edited(renamed, inputs) == {
        "clusters": ("clusters/11", "clusters/12", "clusters/13"),
        "key-questions": ("key-questions/1",),
        "sub-questions": ("sub-questions/1",),
        "validation": ("validation",),
    }
    assert edited(describe_component(renamed, 1, "Order", ""), inputs) == {}


def test_a_reworded_key_question_touches_its_sub_questions_only(build: Build, inputs: Inputs) -> None:
    reworded = reword_question(build, Stage.KEY_QUESTIONS, 4, "Are its parts linked?")
    assert edited(reworded, inputs) == {"sub-questions": ("sub-questions/2",)}


def test_a_reworded_sub_question_touches_validation_only(build: Build, inputs: Inputs) -> None:
    reworded = reword_question(build, Stage.SUB_QUESTIONS, 5, "Are facts in a good order?")
    assert edited(reworded, inputs) == {"validation": ("validation",)}


def test_a_moved_attribute_touches_both_components(build: Build, inputs: Inputs) -> None:
    found = edited(place_attributes(build, inputs, [12], 2), inputs)
    assert found["key-questions"] == ("key-questions/1", "key-questions/2")
    assert "clusters" not in found  # the person placed it; nothing about its input changed


def test_a_new_attribute_is_missing_in_the_clusters_and_changes_the_components_input(
    build: Build, inputs: Inputs
) -> None:
    more = replace(
        inputs, attributes=[*inputs.attributes, Attribute("coherence", "Ada", ContributorKind.HUMAN, "New.", id=14)]
    )
    found = states(build, more)
    assert found[Stage.COMPONENTS].edited == ("components",)
    assert found[Stage.CLUSTERS].missing == ("clusters/14",)
    assert found[Stage.KEY_QUESTIONS].edited == ()


def test_a_component_that_lost_its_attributes_leaves_questions_behind(build: Build, inputs: Inputs) -> None:
    left = states(place_attributes(build, inputs, [13], 1), inputs)
    assert left[Stage.KEY_QUESTIONS].gone == ("key-questions/2",)
    assert left[Stage.SUB_QUESTIONS].gone == ("sub-questions/2",)


def test_another_rubric_makes_everything_stale_another_model_nothing(build: Build, inputs: Inputs) -> None:
    other = replace(inputs, dimension=Dimension("coherence", "Something else."))
    assert all(state.stale for stage, state in states(build, other).items() if stage is not Stage.VALIDATION)
    assert edited(replace(build, models=dict.fromkeys(Stage, "openai:x")), inputs) == {}


def test_what_a_person_keeps_as_it_is_is_not_stale_any_more(build: Build, inputs: Inputs) -> None:
    renamed = describe_component(build, 1, "Sequence", "")
    kept = replace(renamed, made_from=accept_units(renamed, inputs, Stage.CLUSTERS))
    assert "clusters" not in edited(kept, inputs)
    assert "key-questions" in edited(kept, inputs)
