"""Ids inside JSON follow their rows; what was deleted since is nobody's."""

from db.project_rows import build_state, change_steps, frozen_answers, ids_of, run_params

IDS = {
    "anchor_set": {2: 42},
    "attribute": {1: 11, 2: 12},
    "component": {1: 31},
    "dimension": {4: 14},
    "question": {1: 21, 2: 22},
    "scoring_run": {7: 17, 8: 18},
    "stage_run": {5: 15},
    "text": {3: 13},
}


def test_a_build_keeps_its_attributes_and_records_and_its_own_numbers() -> None:
    placed = {"attribute": 1, "components": [1], "reason": "", "origin": "generated", "offered": None}
    offered = {**placed, "attribute": 2, "offered": {**placed, "attribute": 2}}
    question = {"id": 3, "component": 1, "text": "Is it?", "attributes": [1, 2, 9]}
    state = {
        "condition": "comb",
        "placements": [placed, offered],
        "key_questions": [question],
        "sub_questions": [],
        "made_from": {"components": "a", "clusters/2": "b", "clusters/9": "c", "key-questions/1": "d"},
        "runs": {"components": [5, 6]},
        "last_id": 3,
    }
    found = build_state(state, IDS)
    assert [entry["attribute"] for entry in found["placements"]] == [11, 12]
    assert found["placements"][1]["offered"]["attribute"] == 12
    assert found["placements"][0]["components"] == [1], "components have numbers of the build's own"
    assert found["key_questions"] == [{**question, "attributes": [11, 12, -9]}]
    assert found["made_from"] == {"components": "a", "clusters/12": "b", "clusters/-9": "c", "key-questions/1": "d"}
    assert (found["runs"], found["condition"], found["last_id"]) == ({"components": [15]}, "comb", 3)


def test_a_change_is_about_the_same_questions_components_and_attributes() -> None:
    steps = [
        {
            "kind": "question",
            "id": 2,
            "before": {"text": "1", "component_id": None, "attributes": [1]},
            "after": {"text": "2", "component_id": 1, "parent_id": 1, "attributes": [1, 2], "position": 1},
        },
        {"kind": "component", "id": 1, "before": {"name": "A"}, "after": {"name": "B"}},
    ]
    assert change_steps(steps, IDS) == [
        {
            "kind": "question",
            "id": 22,
            "before": {"text": "1", "component_id": None, "attributes": [11]},
            "after": {"text": "2", "component_id": 31, "parent_id": 21, "attributes": [11, 12], "position": 1},
        },
        {"kind": "component", "id": 31, "before": {"name": "A"}, "after": {"name": "B"}},
    ]


def test_a_run_says_of_the_same_dimensions_how_they_were_asked_and_from_which_runs_it_took_answers() -> None:
    params = {
        "seed": 4,
        "asked_as": {"4": "digest"},
        "answers_from": {"4": [8, 6, 7]},
        "study_choices": {"dimensions": [4], "seed": 4},
        "anchors": 2,
    }
    assert run_params(params, IDS) == {
        "seed": 4,
        "asked_as": {"14": "digest"},
        "answers_from": {"14": [18, 17]},
        "study_choices": {"dimensions": [14], "seed": 4},
        "anchors": 42,
    }
    assert run_params({"seed": 4}, IDS) == {"seed": 4}


def test_what_was_deleted_leaves_a_list() -> None:
    assert ids_of("question")([2, 5, 1], IDS) == [22, 21]


def test_anchors_keep_their_texts_and_questions() -> None:
    assert frozen_answers([[3, 2, "yes"], [3, 1, "no"]], IDS) == [[13, 22, "yes"], [13, 21, "no"]]
