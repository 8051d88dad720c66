"""Every widget that an expert or a reader sees works for them: each is used in turn, and none is refused."""

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from traceback import walk_stack
from typing import Any

import pytest
from streamlit.elements.widgets import button as streamlit_button
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1 import element_tree as tree

from app.domain.roles_and_rights import Role
from app.errors import NotAllowedError
from app.services.attributes.attribute_changes import edit_attribute, exclude_attributes, move_attributes
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.checklists import new_draft, versions_of
from app.services.checklists.question_proposals import comment_on
from app.services.data.projects import dimensions_named, get_project, show_research
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.think_aloud.independence import add_own_attribute, mark_done, remove_own_attribute
from app.services.think_aloud.transcripts import propose_attributes, save_transcript
from db.unit_of_work import Database
from pages.components.shell import current
from tests.pages.test_empty_screens import Open
from tests.pages.test_roles import DEMO, OPEN_TO, ana

WORDS = "Each sentence follows from the one before."
DONE, BEGUN, NEW, TO_ANSWER = 1, 2, 3, 4
"""The demo's dimensions: the expert is done, has begun, has nothing to do with it, or has only texts to answer."""
SEEN_BY_EXPERT = {
    "overview": (DONE,),
    "think_aloud": (DONE, BEGUN, NEW),
    "attributes": (DONE, BEGUN),
    "checklist": (DONE, BEGUN),
    "why_these_questions": (DONE,),
    "answer": (DONE, BEGUN, TO_ANSWER),
    "decide_together": (DONE, BEGUN),
    "which_is_better": (DONE,),
    "side_by_side": (DONE, BEGUN, NEW),
}
CASES = [(Role.EXPERT, screen, place) for screen, places in SEEN_BY_EXPERT.items() for place in places]
CASES += [(Role.READER, screen, DONE) for screen in sorted(OPEN_TO[Role.READER])]
QUICK = {(Role.EXPERT, "answer", DONE), (Role.EXPERT, "side_by_side", DONE), (Role.READER, "overview", DONE)}
"""The cases of `make test`; every case takes minutes."""
# What a test without a browser can't use; these have tests of their own.
BEYOND = {"bidi_component", "dataframe", "file_uploader", "audio_input"}
CHOICES_OF_THE_CASE = ("project", "dimension")
MOST_OPTIONS = 5
MOST_USES = 400


@pytest.fixture(scope="module")
def project_in_progress(finished_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo in the middle of its flow, with an expert's attributes in every state; made once."""
    folder = tmp_path_factory.mktemp("in_progress")
    shutil.copytree(finished_demo, folder, dirs_exist_ok=True)
    database = Database(f"sqlite:///{(folder / 'workbench.db').as_posix()}")
    bench = Workbench(database, open_workbench().credentials)
    show_research(bench, DEMO, True)
    first, second, *_ = versions = [versions_of(bench, place)[0].id for place in (DONE, BEGUN, NEW, TO_ANSWER)]
    for version in (first, second, versions[-1]):
        draw_texts(bench, version, 2, seed=1)
    add_own_attribute(bench, DONE, "Ana", "Order.")
    mark_done(bench, DONE, "Ana")
    draft = new_draft(bench, first)
    for who in ("Ana", "Ben"):
        comment_on(bench, draft.asked[0].id, f"{who} can't say.", who)
    kept, out, moved, slip, _ = (
        add_own_attribute(bench, BEGUN, "Ana", f"Point {letter} of a text.") for letter in "ABCDE"
    )
    edit_attribute(bench, kept, "In other words.", who="Fay")
    exclude_attributes(bench, [out], "too vague")
    move_attributes(bench, [moved], NEW)
    remove_own_attribute(bench, slip)
    project, dimension = get_project(bench, "Demo"), dimensions_named(bench, "Demo", "all")[BEGUN - 1]
    said = save_transcript(bench, BEGUN, "Ana", "Sentences should follow from each other. Names are introduced first.")
    propose_attributes(bench, project, dimension, said)
    database.close()
    return folder


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was refused so far, but for what a screen asks about beforehand. Downloads are made as if pressed."""
    found: list[str] = []
    plain, marshalled = NotAllowedError.__init__, streamlit_button.marshall_file
    labelled, made = tree._format_value_for_widget, set[str]()

    def noted(self: NotAllowedError, message: str, hint: str = "") -> None:
        plain(self, message, hint)
        if "may" not in {frame.f_code.co_name for frame, _ in walk_stack(sys._getframe(1))}:
            found.append(message)

    def made_at_once(coordinates: str, data: Any, *args: Any, **options: Any) -> None:
        if callable(data) and (name := str(options.get("file_name") or args[2])) not in made:
            made.add(name)
            data()
        marshalled(coordinates, data, *args, **options)

    def worded(format_func: Callable[[Any], str], value: Any) -> str:
        return value if isinstance(value, Label) else labelled(format_func, value)

    monkeypatch.setattr(NotAllowedError, "__init__", noted)
    monkeypatch.setattr(tree, "_format_value_for_widget", worded)
    monkeypatch.setattr(streamlit_button, "marshall_file", made_at_once)
    return found


@pytest.mark.parametrize(
    ("role", "screen", "place"),
    [case if case in QUICK else pytest.param(*case, marks=pytest.mark.long) for case in CASES],
)
def test_widgets_on_a_screen_work_for_those_who_see_them(
    project_in_progress: Path,
    home: Path,
    open_screen: Open,
    monkeypatch: pytest.MonkeyPatch,
    refused: list[str],
    role: Role,
    screen: str,
    place: int,
) -> None:
    for part in project_in_progress.iterdir():
        shutil.copy(part, home / part.name)
    actor = ana(open_workbench(), role)
    monkeypatch.setattr(current, "person_at_browser", lambda *_: actor)
    name = dimensions_named(open_workbench(), "Demo", "all")[place - 1].name

    def opened() -> AppTest:
        app = open_screen(screen)
        return app if app.session_state["dimension"] == name else app.selectbox(key="dimension").set_value(name).run()

    walk = Walk(opened, refused, OPEN_TO[role])
    walk.through()
    assert walk.problems == []


@dataclass(frozen=True)
class Use:
    """One way to use one widget. `key`: with # for every number, so that of many rows one is used."""

    key: str
    option: str = ""


class Walk:
    """Uses every widget of a screen once, those that appear on the way as well."""

    def __init__(self, opened: Callable[[], AppTest], refused: list[str], screens: set[str]) -> None:
        self.opened, self.refused, self.screens = opened, refused, screens
        self.known: dict[Use, Use | None] = {}  # and what made it appear
        self.used: list[Use] = []
        self.problems: list[str] = []

    def through(self) -> None:
        app = self._open()
        while len(self.used) < MOST_USES:
            there = self._look(app)
            todo = [use for use in reversed(self.known) if use not in self.used]
            use = next((use for use in todo if use in there), None)
            if use is not None:
                app = self._use(app, there[use], use)
                continue
            for hidden in todo:
                app = self._reach(hidden)
                if hidden in self._look(app):
                    break
                self.used.append(hidden)  # it belongs to what was changed since
            else:
                return
        pytest.fail("the screen has no end")

    def _open(self) -> AppTest:
        app = self.opened()
        self._check(app, "opening")
        self.title = app.title[0].value
        return app

    def _reach(self, use: Use) -> AppTest:
        """The screen, opened anew, with all that made this widget appear."""
        app, path = self._open(), []
        while (opener := self.known[use]) is not None:
            path.append(opener)
            use = opener
        for one in reversed(path):
            if one in (there := self._look(app)):
                app = self._use(app, there[one], one)
        return app

    def _look(self, app: AppTest) -> dict[Use, Callable[[], object]]:
        """What can be used now, and how."""
        found: dict[Use, Callable[[], object]] = {}
        for node in app.main:
            for option, act in _ways(app, node):
                found.setdefault(Use(re.sub(r"\d+", "#", str(node.key or node.type)), option), act)
        for use in found:
            self.known.setdefault(use, self.used[-1] if self.used else None)
        return found

    def _use(self, app: AppTest, act: Callable[[], object], use: Use) -> AppTest:
        self.used.append(use)
        form = {field.proto.form_id for field in app.button if field.key and re.sub(r"\d+", "#", field.key) == use.key}
        for field in [*app.text_input, *app.text_area]:
            if field.proto.form_id in form - {""} and not field.value:
                field.set_value(WORDS)
        act()
        app.run()
        self._check(app, use)
        return app if app.title and app.title[0].value == self.title else self._open()

    def _check(self, app: AppTest, use: object) -> None:
        self.problems += [f"{use}: {one.message}" for one in app.exception]
        self.problems += [f"{use}: {message}" for message in self.refused]
        self.refused.clear()
        closed = {Path(str(one.proto.page)).stem for one in app.get("page_link")} - self.screens - {"start", ""}
        self.problems += [f"{use}: leads to {name}" for name in closed]


def _ways(app: AppTest, node: Any) -> Iterator[tuple[str, Callable[[], object]]]:
    """(which option, what sets it) of a widget, or of what unfolds."""
    if isinstance(node, tree.Block):
        if node.type in ("expander", "popover") and node.key and getattr(node.proto, "id", ""):
            yield "", lambda: app.session_state.__setitem__(str(node.key), True)
        return
    is_widget = isinstance(node, tree.Widget) or bool(getattr(node.proto, "id", ""))
    if not is_widget or getattr(node, "disabled", False) or node.key in CHOICES_OF_THE_CASE or node.type in BEYOND:
        return
    values = VALUES[type(node)](node)  # fails for a kind of widget that was never on a screen: say there how it is used
    for place, value in enumerate(values[:MOST_OPTIONS]):
        yield str(place), partial(node.set_value, value)


class Label(str):
    """A label of an option, which is what a browser sends: it isn't labelled once more."""

    __slots__ = ()


def _labels(node: Any) -> list[Label]:
    return [Label(option) for option in node.options]


def _next_number(node: Any) -> list[Any]:
    more = (node.value or 0) + node.step
    return [more if node.max is None or more <= node.max else node.value - node.step]


VALUES: dict[type, Callable[[Any], list[Any]]] = {
    tree.Button: lambda _: [True],
    tree.DownloadButton: lambda _: [True],
    tree.Checkbox: lambda node: [not node.value],
    tree.Toggle: lambda node: [not node.value],
    tree.TextInput: lambda _: [WORDS],
    tree.TextArea: lambda _: [WORDS],
    tree.NumberInput: _next_number,
    tree.Slider: lambda node: [node.max],
    tree.Pagination: lambda node: [node.num_pages],
    tree.Multiselect: lambda node: [[], _labels(node)[:1]],
    tree.Selectbox: lambda node: _labels(node)[-1:],
    tree.Radio: _labels,
    tree.ButtonGroup: lambda node: _labels(node) if node._is_single_select else [[], _labels(node)[:1]],
}
"""Kind of widget -> the values that a person could set."""
