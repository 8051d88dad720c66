"""Building step by step against an LLM on this machine: what is asked, what is kept, what survives."""

import itertools
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.domain.build import ChangeDecision, ChangeKind, Stage
from app.domain.checklist import QuestionOrigin
from app.domain.project import Dimension, Task
from app.errors import ConflictError, InputError, NotReadyError, WorkbenchError, WrongSchemaError
from app.services.attributes.attribute_changes import edit_attribute, exclude_attributes
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.building.build import build, make_checklist, regenerate, run_stages, start_build
from app.services.building.build_state import (
    BuildView,
    accept_new_version,
    accept_stage,
    add_build_component,
    add_build_question,
    build_history,
    builds_of,
    decide,
    describe_component,
    place_attributes,
    remove_build_component,
    remove_build_question,
    return_to,
    reword_question,
    set_model,
    view_build,
)
from app.services.data.projects import create_project, dimensions_named, get_project
from app.services.runtime.prompts import sent_prompt
from app.services.runtime.workbench import Workbench
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.checklist_builder import build_answer, stage_of
from tests.support.fake_llm.server import FakeLlm, Received, Usual
from tests.support.prepared import Prepared, prepared
from tests.support.projects import workbench_at

MODEL = "llama:builder"
POINTS = [f"Point number {n} of what matters." for n in range(1, 13)]


@pytest.fixture
def usual() -> Usual:
    return build_answer


def _with_attributes(workbench: Workbench) -> Dimension:
    create_project(workbench, "P", Task("summary", "article"), (Dimension("coherence", "How the parts fit."),))
    found = dimensions_named(workbench, "P", "all")[0]
    add_attributes(workbench, found.id, "Ada", ContributorKind.HUMAN, POINTS[:8])
    add_attributes(workbench, found.id, "some:llm", ContributorKind.LLM, POINTS[8:])
    return found


@pytest.fixture(scope="module")
def begun() -> Prepared[Dimension]:
    """A dimension with attributes."""
    return prepared(_with_attributes)


@pytest.fixture(scope="module")
def built(begun: Prepared[Dimension]) -> Prepared[int]:
    """The same with a build whose five stages are done."""
    with FakeLlm(usual=build_answer) as llm:

        def opened(folder: Path) -> Workbench:
            begun.copy(folder)
            return workbench_at(folder, f"{llm.url}/v1")

        def build_all(workbench: Workbench) -> int:
            build_id = start_build(workbench, begun.made, MODEL)
            run_stages(workbench, build_id)
            return build_id

        return prepared(build_all, opened)


@pytest.fixture
def workbench(request: pytest.FixtureRequest, llm: FakeLlm, tmp_path: Path) -> Iterator[Workbench]:
    """A copy of the project; with the build for a test that takes `made`."""
    there: Prepared[object] = request.getfixturevalue("built" if "made" in request.fixturenames else "begun")
    there.copy(tmp_path)
    made = workbench_at(tmp_path, f"{llm.url}/v1")
    yield made
    made.database.close()


@pytest.fixture
def dimension(begun: Prepared[Dimension]) -> Dimension:
    return begun.made


@pytest.fixture
def made(built: Prepared[int]) -> int:
    return built.made


def asked(llm: FakeLlm) -> dict[str, int]:
    return dict(Counter(map(stage_of, llm.requests)))


def rebuilt(workbench: Workbench, build_id: int) -> BuildView:
    run_stages(workbench, build_id)
    return view_build(workbench, build_id)


def test_a_build_asks_once_a_stage_and_leaves_nothing_stale(workbench, dimension, llm) -> None:
    build_id = start_build(workbench, dimension, MODEL)
    assert view_build(workbench, build_id).next_stage is Stage.COMPONENTS
    run_stages(workbench, build_id, [Stage.COMPONENTS])
    assert view_build(workbench, build_id).next_stage is Stage.CLUSTERS
    with pytest.raises(NotReadyError, match="key questions first"):
        run_stages(workbench, build_id, [Stage.SUB_QUESTIONS])
    assert asked(llm) == {"components": 1}
    heard: list[tuple[str, int, int]] = []
    run_stages(workbench, build_id, on_stage=lambda *said: heard.append(said))
    view = view_build(workbench, build_id)
    assert asked(llm) == {stage.value: 1 for stage in Stage}
    assert (view.next_stage, view.stale, view.offers) == (None, [], [])
    assert heard[-1] == ("validation", 5, 5)
    run_stages(workbench, build_id)
    assert len(llm.requests) == 5


def test_a_reworded_key_question_asks_for_its_own_sub_questions_and_the_review_only(workbench, made, llm) -> None:
    view = view_build(workbench, made)
    others = [q for q in view.build.sub_questions if q.component != 2]
    reword_question(workbench, made, Stage.KEY_QUESTIONS, view.build.key_questions[1].id, "Do the parts hang together?")
    after = rebuilt(workbench, made)
    # The stand-in writes the same sub-questions again, so the review's input is as it was.
    assert asked(llm) == {"sub-questions": 1}
    sent = llm.requests[0].wire.said_by_user(llm.requests[0].body)
    assert "Do the parts hang together?" in sent
    assert "Is the order of the text good?" not in sent
    assert [q for q in after.build.sub_questions if q.component != 2] == others
    assert after.build.key_questions[1].text == "Do the parts hang together?"


def test_a_moved_attribute_asks_about_the_two_components_only(workbench, made, llm) -> None:
    attribute = view_build(workbench, made).in_use[0]
    place_attributes(workbench, made, [attribute], 3)
    after = rebuilt(workbench, made)
    assert asked(llm) == {"key-questions": 1, "sub-questions": 1}
    assert llm.requests[0].wire.said_by_user(llm.requests[0].body).count("begin component") == 2
    assert attribute in after.build.members(3, after.in_use)


def test_a_new_attribute_is_placed_alone_where_the_components_are_kept(workbench, dimension, made, llm) -> None:
    add_attributes(workbench, dimension.id, "Ada", ContributorKind.HUMAN, ["One more point."])
    view = view_build(workbench, made)
    assert view.stale[:2] == [Stage.COMPONENTS, Stage.CLUSTERS]
    accept_stage(workbench, made, Stage.COMPONENTS)
    after = rebuilt(workbench, made)
    assert "components" not in asked(llm)
    placing = next(r for r in llm.requests if stage_of(r) == "clusters")
    said = placing.wire.said_by_user(placing.body)
    assert "One more point." in said
    assert POINTS[0] not in said
    assert after.stale == []


def test_an_edit_is_undone_without_a_request_unless_somebody_worked_on(workbench, made, llm) -> None:
    number = describe_component(workbench, made, 1, "Sequence", "")
    assert view_build(workbench, made).stale
    return_to(workbench, made, number - 1, only_after=number)
    assert rebuilt(workbench, made).stale == []
    mine = describe_component(workbench, made, 1, "Mine", "")
    describe_component(workbench, made, 2, "Theirs", "")
    with pytest.raises(ConflictError, match="changed meanwhile"):
        return_to(workbench, made, mine - 1, only_after=mine)
    return_to(workbench, made, mine - 1)
    assert view_build(workbench, made).build.components[0].name == "Order"
    assert llm.requests == []


def test_a_persons_edits_survive_a_rebuild_or_are_asked_about(workbench, made, llm) -> None:
    view = view_build(workbench, made)
    question = view.build.sub_questions[0]
    reword_question(workbench, made, Stage.SUB_QUESTIONS, question.id, "Is it mine?")
    added = "Does this question come from a person?"
    add_build_question(workbench, made, Stage.SUB_QUESTIONS, 1, added)
    describe_component(workbench, made, 1, "Sequence", "what comes when")
    regenerate(workbench, made, Stage.COMPONENTS)
    after = rebuilt(workbench, made)
    texts = [q.text for q in after.build.sub_questions]
    assert "Is it mine?" in texts
    assert added in texts
    assert after.build.components[0].name == "Sequence"
    assert {(o.stage, o.new) for o in after.offers} == {
        (Stage.COMPONENTS, "Order: What belongs to order."),
        (Stage.SUB_QUESTIONS, ""),
    }
    accept_new_version(workbench, made, Stage.SUB_QUESTIONS, question.id)
    assert "Is it mine?" not in [q.text for q in view_build(workbench, made).build.sub_questions]


def test_questions_go_with_their_attributes_and_by_hand_and_stay_away(workbench, made, llm) -> None:
    view = view_build(workbench, made)
    for attribute in view.build.members(2, view.in_use):
        place_attributes(workbench, made, [attribute], None, "not needed")
    first = next(question for question in view.build.sub_questions if question.component == 1)
    remove_build_question(workbench, made, first.id)
    after = rebuilt(workbench, made)
    assert 2 not in {q.component for q in after.build.sub_questions}
    assert first.text not in [q.text for q in after.build.sub_questions]
    assert asked(llm) == {"validation": 1}


def test_removing_a_component_makes_its_attributes_wait_and_a_name_is_free_once(workbench, made) -> None:
    members = view_build(workbench, made).build.members(1, view_build(workbench, made).in_use)
    remove_build_component(workbench, made, 1)
    view = view_build(workbench, made)
    assert {f"clusters/{id_}" for id_ in members} <= set(view.states[Stage.CLUSTERS].missing)
    with pytest.raises(InputError, match="already"):
        add_build_component(workbench, made, "links")


def test_decisions_on_the_review_are_kept_and_made_into_the_checklist(workbench, made) -> None:
    view = view_build(workbench, made)
    merge = next(c for c in view.build.changes if c.kind is ChangeKind.MERGED)
    drop = next(c for c in view.build.changes if c.kind is ChangeKind.DROPPED)
    decide(workbench, made, merge.id, ChangeDecision.REFUSED)
    decide(workbench, made, drop.id, ChangeDecision.ACCEPTED)
    checklist = make_checklist(workbench, made)
    texts = {q.id: q.text for q in view.build.sub_questions}
    asked_now = [q.text for q in checklist.asked]
    assert all(texts[id_] in asked_now for id_ in merge.before)
    assert texts[drop.before[0]] not in asked_now
    assert all(q.attributes or q.origin is QuestionOrigin.ADDED for q in checklist.questions)
    assert build_history(workbench, made)[0].checklist == checklist.version == 1
    assert make_checklist(workbench, made).parent == checklist.id


def test_the_history_says_who_did_what(workbench, dimension, llm) -> None:
    build_id = start_build(workbench, dimension, MODEL, who="Ana")
    run_stages(workbench, build_id, [Stage.COMPONENTS], who="Ben")
    number = describe_component(workbench, build_id, 1, "Sequence", "", who="Ana")
    return_to(workbench, build_id, number - 1, who="Ben")
    describe_component(workbench, build_id, 1, "Course", "")
    steps = [(step.what, step.who) for step in reversed(build_history(workbench, build_id))]
    assert steps == [
        ("Started", "Ana"),
        (f"components made by {MODEL}", "Ben"),
        ("Component described: Sequence", "Ana"),
        ("Went back to step 2", "Ben"),
        ("Component described: Course", ""),
    ]


def test_each_stage_asks_its_own_model_and_the_checklist_names_them(workbench, dimension, llm) -> None:
    checklist = build(
        workbench, get_project(workbench, "P"), dimension, MODEL, stage_models={Stage.COMPONENTS: "rules"}
    )
    assert checklist.model == f"rules, {MODEL}"
    assert "components" not in asked(llm)
    build_id = builds_of(workbench, dimension.id)[0].id
    set_model(workbench, build_id, "rules", Stage.VALIDATION)
    regenerate(workbench, build_id, Stage.VALIDATION)
    assert view_build(workbench, build_id).records[Stage.VALIDATION][0].model == "rules"


def test_what_was_sent_can_be_read_again_word_for_word(workbench, made, dimension) -> None:
    view = view_build(workbench, made)
    record = view.records[Stage.COMPONENTS][0]
    prompt = sent_prompt(workbench, view.project.id, record)
    assert prompt is not None
    assert prompt.label == record.prompt
    assert POINTS[0] in prompt.user
    assert "How the parts fit." in prompt.system


def test_a_change_made_while_a_model_answers_is_not_lost(workbench, made, llm) -> None:
    first = view_build(workbench, made).build.sub_questions[0]
    began, go_on = threading.Event(), threading.Event()

    def slowly(received):
        began.set()
        assert go_on.wait(10)
        return build_answer(received)

    llm.usual = slowly
    asking = threading.Thread(target=regenerate, args=(workbench, made, Stage.SUB_QUESTIONS))
    asking.start()
    assert began.wait(10)
    reword_question(workbench, made, Stage.SUB_QUESTIONS, first.id, "Written meanwhile?")
    go_on.set()
    asking.join(10)
    assert "Written meanwhile?" in [q.text for q in view_build(workbench, made).build.sub_questions]


AROUND = (
    lambda text: f"```json\n{text}\n```",
    lambda text: f"Here is what you asked for:\n{text}\nI hope it helps.",
)


def test_answers_in_odd_words_and_with_words_around_them_are_read(workbench, dimension, llm) -> None:
    around = itertools.cycle(AROUND)

    def oddly(received: Received) -> Answer:
        return Answer(next(around)(build_answer(received).text.replace("Order", "Ordnung und Reihenfolge – 順序")))

    llm.usual = oddly
    checklist = build(workbench, get_project(workbench, "P"), dimension, MODEL)
    assert len(llm.requests) == 5
    assert checklist.asked


FORTY = '{"components": [' + ", ".join(f'{{"name": "N{n}", "description": ""}}' for n in range(40)) + "]}"
BAD = {
    "forty components": (FORTY, "40 components"),
    "an empty list": ('{"components": []}', "no component"),
    "a key twice": ('{"components": [], "components": []}', "twice"),
    "code": ("__import__('os').system('true')", "JSON"),
}


def test_answers_that_cannot_be_used_are_asked_again_then_said_and_the_build_goes_on(
    workbench, dimension, llm, subtests
) -> None:
    build_id = start_build(workbench, dimension, MODEL)
    for what, (text, said) in BAD.items():
        llm.requests.clear()
        llm.usual = Answer(text)
        with subtests.test(what):
            with pytest.raises(WrongSchemaError, match=said):
                run_stages(workbench, build_id)
            view = view_build(workbench, build_id)
            assert (len(llm.requests), view.next_stage) == (3, Stage.COMPONENTS)
            assert view.records[Stage.COMPONENTS][0].error_kind == "wrong-schema"
    llm.usual = build_answer
    run_stages(workbench, build_id)
    assert make_checklist(workbench, build_id).asked


def test_asking_again_keeps_what_was_there_also_when_it_fails(workbench, made, llm) -> None:
    regenerate(workbench, made, Stage.SUB_QUESTIONS, 1)
    view = view_build(workbench, made)
    assert asked(llm) == {"sub-questions": 1}
    assert len(view.records[Stage.SUB_QUESTIONS]) == 2
    assert len(view.records[Stage.COMPONENTS]) == 1
    llm.usual = Answer('{"questions": []}')
    with pytest.raises(WorkbenchError):
        regenerate(workbench, made, Stage.KEY_QUESTIONS)
    after = view_build(workbench, made).build
    assert (after.key_questions, after.sub_questions) == (view.build.key_questions, view.build.sub_questions)


def test_attributes_excluded_or_reworded_show_where_they_matter(workbench, dimension, made) -> None:
    project = get_project(workbench, "P")
    said = attributes_of(workbench, project.id, dimension.id)
    edit_attribute(workbench, said[0].id, "Another wording.")
    view = view_build(workbench, made)
    assert view.states[Stage.CLUSTERS].edited == (f"clusters/{said[0].id}",)
    edit_attribute(workbench, said[0].id, said[0].text)
    assert view_build(workbench, made).stale == []
    exclude_attributes(workbench, [said[0].id], "no")
    assert Stage.KEY_QUESTIONS in view_build(workbench, made).stale


def test_a_build_of_somebody_without_attributes_left_is_still_shown(workbench, dimension) -> None:
    for number in (2, 10):  # components; from three to nine can be asked for
        with pytest.raises(InputError, match="can't be asked for"):
            start_build(workbench, dimension, MODEL, max_components=number)
    build_id = start_build(workbench, dimension, "rules", "sh:Ada")
    run_stages(workbench, build_id)
    for attribute in attributes_of(workbench, get_project(workbench, "P").id, dimension.id):
        exclude_attributes(workbench, [attribute.id], "no")
    assert view_build(workbench, build_id).in_use == []
    with pytest.raises(WorkbenchError):
        regenerate(workbench, build_id, Stage.COMPONENTS)
