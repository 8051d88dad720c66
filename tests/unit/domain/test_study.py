from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.condition import Family, StudyCondition, of_condition, study_conditions


def attributes(llms: int, people: int, excluded: str = "") -> list[Attribute]:
    who = [(f"model {n}", ContributorKind.LLM) for n in range(llms)]
    who += [(f"Person {n}", ContributorKind.HUMAN) for n in range(people)]
    return [
        Attribute(
            "coherence",
            name,
            kind,
            f"Attribute {number}",
            AttributeStatus.EXCLUDED if name == excluded else AttributeStatus.ACTIVE,
            id=number,
        )
        for number, (name, kind) in enumerate(who)
    ]


def keys(llms: int, people: int) -> list[str]:
    return [condition.key for condition in study_conditions(attributes(llms, people))]


def test_the_five_conditions_and_everybody_but_one() -> None:
    assert keys(2, 2) == [
        "sl:model 0",
        "sl:model 1",
        "sh:Person 0",
        "sh:Person 1",
        "ml",
        "mh",
        "comb",
        "without:model 0",
        "without:model 1",
        "without:Person 0",
        "without:Person 1",
    ]


def test_conditions_that_would_be_another_one_are_left_out() -> None:
    assert keys(1, 1) == ["sl:model 0", "sh:Person 0", "comb"]
    assert keys(3, 0) == [
        "sl:model 0",
        "sl:model 1",
        "sl:model 2",
        "ml",
        "without:model 0",
        "without:model 1",
        "without:model 2",
    ]
    assert keys(2, 1) == ["sl:model 0", "sl:model 1", "sh:Person 0", "ml", "comb", "without:model 0", "without:model 1"]
    assert keys(1, 0) == ["sl:model 0"]
    assert keys(0, 0) == []


def test_no_two_conditions_have_the_same_attributes_and_every_code_can_be_built() -> None:
    for llms in range(4):
        for people in range(4):
            said = attributes(llms, people)
            found = [frozenset(a.id for a in of_condition(said, code)) for code in study_conditions(said).values()]
            assert len(set(found)) == len(found), (llms, people)


def test_excluded_attributes_count_for_nobody() -> None:
    found = study_conditions(attributes(2, 1, excluded="model 1"))
    assert StudyCondition(Family.SL, "model 1") not in found
    assert StudyCondition(Family.ML) not in found
