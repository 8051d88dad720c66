"""From attributes in files to a published checklist and its next version: by an LLM's stand-in, and by the rules.

Somebody changes what each of the five stages made, rebuilds what became stale by it, publishes, rewords one question,
publishes again, reads the difference, and scores the new version, for which only that question is asked.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from app.domain.build import Stage
from app.domain.checklist import Question, QuestionOrigin
from app.services.building.build_state import build_history, builds_of
from app.services.checklists.checklists import view_checklist
from app.services.data.projects import dimensions_named
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from tests.e2e.conftest import App, served
from tests.e2e.screen import at, button, choose, choose_judge, click, first_of, reading, screen, settled
from tests.support.fake_llm.behaviour import Answer, all_yes
from tests.support.fake_llm.checklist_builder import build_answer, stage_of
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.made_data import made_data
from tests.support.projects import workbench_at
from tests.support.small_project import OPTIONS, small_csv

PLACE = ("--project", "News", "--dimension", "coherence")
TEXTS = 18
BY_HAND = "Does the text contain confusing sentences?"  # a yes speaks against the text: the rules turn it round
KEPT = "Does every event stand in its place?"
MINE = "Do the parts stand where a reader expects them?"
QUESTION = "[class*='st-key-open_']:not([class*='open_component'])"


def _answer(received: Received) -> Answer:
    """As the builder of a checklist, and as a judge who finds everything good."""
    return build_answer(received) if stage_of(received) else Answer(all_yes)


@pytest.fixture(scope="module")
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(usual=_answer) as server:
        yield server


@pytest.fixture(scope="module")
def app(llm: FakeLlm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Served for both builders, with the attributes and a few texts to score."""
    home = tmp_path_factory.mktemp("home")
    with served(home, {"LLAMA_BASE_URL": f"{llm.url}/v1"}) as running:
        running.command("import", str(small_csv(home / "small.csv")), "--project", "News", *OPTIONS)
        for kind in ("llm", "human"):
            file = made_data(f"interacteval_attributes_coherence_{kind}.txt")
            running.command("attributes", "add", str(file), *PLACE, "--contributor", f"the {kind}", "--kind", kind)
        yield running


def _begin(page: Page, app: App, builder: str) -> None:
    page.goto(f"{app.url}/how_it_was_made?project=News&dimension=coherence")
    model, another = at(page, "build_model").get_by_role("combobox"), button(page, "Start a new build")
    expect(model.or_(another)).to_be_visible()
    settled(page)
    if another.count():
        click(another, shows=model)
    choose(model, builder)
    click(button(page, "Go step by step"), shows=button(page, "Make the components"))


def _make(page: Page, stage: str, then: str) -> None:
    """The stage is made once the next thing to do is offered."""
    click(button(page, f"Make the {stage}"), shows=button(page, then))


def _openers(page: Page, item: str) -> Locator:
    """Of all components, or of all questions."""
    return page.locator(f"[class*='st-key-open_'][class*='_{item}_']").get_by_role("button")


def _reword(page: Page, opener: Locator, save: str, wording: str) -> None:
    field = page.get_by_role("textbox", name="Wording")
    click(opener, shows=field)
    field.fill(wording)
    click(button(page, save), hides=field)
    expect(reading(page, wording)).to_be_visible()


def _change_a_component(page: Page) -> None:
    described = first_of(page, "component_description_").get_by_role("textbox")
    click(_openers(page, "component").first, shows=described)
    described.fill("What comes when, and why.")
    click(button(page, "Save component"), shows=reading(page, "What comes when, and why."))


def _leave_an_attribute_out(page: Page) -> None:
    leave_out = button(page, "Leave out 1 attribute")
    click(page.locator("[data-row] input").first, shows=leave_out)
    click(leave_out, shows=page.get_by_text("1 attribute left out."))
    reason = button(page, "says the same as another")
    click(reason, hides=reason)


def _add_a_question(page: Page) -> None:
    field = at(page, "new_question_sub-questions").get_by_role("textbox")
    click(page.get_by_text("Add a question", exact=True), shows=field)
    field.fill(BY_HAND)
    click(button(page, "Add question"), shows=reading(page, BY_HAND))


def _decide(page: Page) -> None:
    """The first of the validator's proposals, in words of one's own."""
    field = page.get_by_role("textbox", name="Wording")
    click(page.get_by_role("button", name="In other words").first, shows=field)
    field.fill(MINE)
    click(button(page, "Accept in these words"), shows=page.get_by_text("In your words."))


def _through_the_stages(page: Page) -> None:
    _make(page, "components", "Make the clusters")
    _change_a_component(page)
    _make(page, "clusters", "Make the key questions")
    _leave_an_attribute_out(page)
    _make(page, "key questions", "Make the sub-questions")
    _reword(page, _openers(page, "question").last, "Save wording", "Can the order be followed?")
    _make(page, "sub-questions", "Make the validation")
    _reword(page, _openers(page, "question").last, "Save wording", KEPT)
    _add_a_question(page)
    _make(page, "validation", "Make the checklist")
    _decide(page)


def _rebuild(page: Page) -> None:
    """A key question is changed when all is made: what was made from it is stale."""
    heading = page.get_by_role("heading", level=3, name="Key questions", exact=True)
    click(at(page, "step_key-questions").get_by_role("button"), shows=heading)
    _reword(page, _openers(page, "question").last, "Save wording", "Do the parts hang together?")
    click(button(page, "Rebuild only what is out of date"), shows=button(page, "Make the checklist"))


def _make_the_checklist(page: Page) -> int:
    """The number of its version."""
    link = page.get_by_role("button", name=re.compile("^Open version"))
    click(button(page, "Make the checklist"), shows=link)
    version = int(link.inner_text().split()[-1])
    click(link, shows=page.get_by_role("heading", level=1, name="Checklist"))
    return version


def _publish(page: Page) -> None:
    click(at(page, "publish").get_by_role("button"), shows=at(page, "publish_now"))
    click(at(page, "publish_now").get_by_role("button"), shows=at(page, "new_draft"))


def _next_version(page: Page, wording: str) -> None:
    """One question is worded anew, and the difference read."""
    click(at(page, "new_draft").get_by_role("button"), shows=at(page, "publish"))
    _reword(page, page.locator(QUESTION).get_by_role("button", name="Edit").first, "Save question", wording)
    _publish(page)
    part = page.get_by_role("radio", name="Against another version").or_(
        page.get_by_role("button", name="Against another version")
    )
    click(part, shows=page.get_by_text("1 reworded", exact=True))
    expect(reading(page, wording)).to_be_visible()


def _score(page: Page, app: App, llm: FakeLlm) -> Counter[int]:
    """The newest version, on the Score screen; how many requests asked so many questions."""
    llm.requests.clear()
    screen(page, "Scores")
    choose_judge(page, "llama:judge", f"{TEXTS} calls")
    done = page.get_by_text(re.compile(f"Run {_runs(app) + 1} is done"))
    click(at(page, "start_scoring").get_by_role("button"), shows=done)
    said = (json.dumps(request.body).replace("\\n", "\n") for request in llm.requests)
    return Counter(len(re.findall(r"^q\d+: ", words, re.MULTILINE)) for words in said)


@contextmanager
def _read(app: App) -> Iterator[tuple[Workbench, int]]:
    """The workbench beside the running server, and the dimension's id."""
    workbench = workbench_at(app.home)
    yield workbench, dimensions_named(workbench, "News", "coherence")[0].id
    workbench.database.close()


def _stages_made(app: App) -> list[str]:
    """In the newest build, the oldest first."""
    with _read(app) as (workbench, dimension_id):
        steps = [step.what for step in build_history(workbench, builds_of(workbench, dimension_id)[0].id)]
    return [step.split(" made by ")[0] for step in reversed(steps) if " made by " in step]


def _runs(app: App) -> int:
    with _read(app) as (workbench, _):
        return len(list_runs(workbench))


def _questions(app: App, version: int) -> list[Question]:
    with _read(app) as (workbench, dimension_id):
        return list(view_checklist(workbench, dimension_id, version).checklist.asked)


@pytest.mark.long
@pytest.mark.parametrize("builder", ["llama:builder", "rules, not an LLM"])
def test_attributes_become_a_checklist_and_its_next_version(page: Page, app: App, llm: FakeLlm, builder: str) -> None:
    llm.requests.clear()
    _begin(page, app, builder)
    _through_the_stages(page)
    _rebuild(page)
    made = [stage.value for stage in Stage] + [Stage.SUB_QUESTIONS.value]
    assert _stages_made(app) == made
    assert [stage_of(request) for request in llm.requests] == ([] if builder.startswith("rules") else made)

    version = _make_the_checklist(page)
    for words in (KEPT, MINE):
        expect(reading(page, words)).to_be_visible()
    _publish(page)
    assert _score(page, app, llm) == {len(_questions(app, version)): TEXTS}
    screen(page, "Checklist")
    _next_version(page, f"Is it clear how part {version} begins?")
    assert _score(page, app, llm) == {1: TEXTS}
    for question in (*_questions(app, version), *_questions(app, version + 1)):
        assert question.attributes or question.origin is QuestionOrigin.ADDED, question
