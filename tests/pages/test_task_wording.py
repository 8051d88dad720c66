"""What a project calls its texts and their sources is what every screen and every prompt calls them."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import prompts
from app.domain.attribute import ContributorKind
from app.domain.project import Project, Task
from app.services.attributes.attributes import add_attributes
from app.services.data.projects import get_project, save_task
from app.services.data.texts import text_page
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.llm_think_aloud import ask_models
from pages.components.shell.navigation.screens import NAVIGATION, RESEARCH
from pages.components.texts.text_list import OPEN_TEXT
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score

Open = Callable[[str], AppTest]
FIRST, NOW = Task("summary", "article"), Task("ode", "muse", "Songs about birds.", "German")
OTHERS_WORDS = re.compile(r"\b(summar(y|ies)|articles?|essays?)\b", re.IGNORECASE)
FIXED_FORMS = {"gptscore-question", "gptscore-task"}  # the paper's forms of four tasks, which have no name of a text
PROMPTS = sorted(Path(prompts.__file__).parent.glob("*/v*.md"))


def _rename(workbench: Workbench) -> Project:
    dimension = ready_to_score(workbench)
    add_attributes(workbench, dimension.id, "Ada", ContributorKind.HUMAN, ["The order is clear.", "Names are kept."])
    project = get_project(workbench, "Ready")
    assert project.task == FIRST
    save_task(workbench, project.id, NOW)
    return get_project(workbench, "Ready")


@pytest.fixture(scope="module")
def filled() -> Prepared[Project]:
    return prepared(_rename)


@pytest.fixture
def renamed(filled: Prepared[Project], home: Path) -> Project:
    """A project of summaries whose texts are odes from now on."""
    return filled.copy(home)


def words(app: AppTest) -> str:
    """All that a person can read, hovers and labels too."""
    read = []
    for element in (one for one in app if one.type != "html"):  # the style sheet
        proto = getattr(element, "proto", None)
        read += [str(getattr(proto, part, "")) for part in ("body", "label", "help", "placeholder", "options")]
    return "\n".join(read)


PROJECT_SCREENS = [(screen.name, screen.title) for door in (*NAVIGATION[1:], RESEARCH) for screen in door.screens]


@pytest.mark.parametrize(("screen", "title"), PROJECT_SCREENS)
def test_no_screen_uses_another_tasks_words(renamed: Project, open_screen: Open, screen: str, title: str) -> None:
    app = open_screen(screen)
    assert not app.exception
    assert title in words(app)
    assert not [line for line in words(app).splitlines() if OTHERS_WORDS.search(line) and "example" not in line]


@pytest.mark.parametrize("screen", ["think_aloud", "ask_llms"])
def test_samples_are_headed_by_the_projects_words(renamed: Project, open_screen: Open, screen: str) -> None:
    captions = [caption.value for caption in open_screen(screen).caption]
    assert (captions.count("ode"), captions.count("muse")) == (4, 4)


def test_an_opened_text_is_called_by_the_projects_words(
    renamed: Project, workbench: Workbench, open_screen: Open
) -> None:
    app = open_screen("texts")
    app.session_state[OPEN_TEXT] = text_page(workbench, renamed.id).texts[0].id
    captions = [caption.value for caption in app.run().caption]
    assert {"ode", "muse"} <= set(captions)


def test_models_are_asked_in_the_projects_words(renamed: Project, workbench: Workbench) -> None:
    with workbench.database.read() as work:
        dimension = work.projects.dimensions(renamed.id)[0]
    ask_models(workbench, renamed, [dimension], ["rules"])
    with workbench.database.read() as work:
        inputs = work.stages.of(dimension.id)[-1].inputs
    assert inputs["task"] == {
        "text_name": "ode",
        "source_name": "muse",
        "description": "Songs about birds.",
        "language": "German",
    }


@pytest.mark.parametrize("file", PROMPTS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_every_prompt_takes_the_tasks_words_and_brings_none_of_its_own(file: Path) -> None:
    body = file.read_text(encoding="utf-8").split("\n---\n", 1)[1]
    assert "task.text_name" in body or file.parent.name in FIXED_FORMS
    assert not OTHERS_WORDS.search(re.sub(r"{%.*?%}", "", body))
