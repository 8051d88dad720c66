"""One place for each rule: what many modules need to agree on is decided in one of them."""

import ast
import re
from collections.abc import Iterator

from tests.support.repository import name_of, nodes, python_files

COLOUR = re.compile("#[0-9a-fA-F]{6}")


def _comparisons_with(attribute: str) -> set[str]:
    """The files that compare this attribute of something, other than whether there is any."""
    found = set()
    for path in python_files("app", "pages", "db"):
        for node in nodes(path, ast.Compare):
            if not isinstance(node.ops[0], ast.Is | ast.IsNot):
                sides = [node.left, *node.comparators]
                if any(isinstance(side, ast.Attribute) and side.attr == attribute for side in sides):
                    found.add(name_of(path))
    return found


def test_which_scored_texts_count_is_decided_by_the_scored_text() -> None:
    elsewhere = _comparisons_with("coverage") - {"app/domain/run.py"}
    # What a reader is told of one text, not which texts count.
    assert elsewhere == {"pages/components/results/texts.py"}, "ask ScoredText.counts"


def test_every_way_of_adding_attributes_ends_in_one_function() -> None:
    """It closes again what others wrote, where a person adds to what they said after “done”."""
    callers = set()
    for path in python_files("app", "pages"):
        for node in nodes(path, ast.Attribute):
            match node:
                case ast.Attribute(value=ast.Attribute(attr="think_aloud"), attr="add_attributes"):
                    callers.add(name_of(path))
    assert callers == {"app/services/think_aloud/independence.py"}, "call insert_attributes"


def test_every_field_for_a_file_or_a_recording_stands_in_one_file() -> None:
    """Where what arrives is counted, and refused where it is too much."""
    fields = {"file_uploader", "audio_input", "camera_input", "chat_input"}
    callers = set()
    for path in python_files("app", "pages"):
        for node in nodes(path, ast.Attribute):
            if node.attr in fields:
                callers.add(name_of(path))
    assert callers == {"pages/components/shell/upload_field.py"}, "call upload_field or recording_field"


def test_the_usual_resamples_and_concurrency_have_one_constant_each() -> None:
    """Whether parameter, field, option or argument: a number stands nowhere there, but for 0, which is none."""
    literal = {}
    for path in python_files("app", "pages", "db"):
        for node in nodes(path, ast.arguments, ast.AnnAssign, ast.keyword, ast.Assign):
            found = [(name, value) for name, value in _given(node) if name.lower() in ("resamples", "concurrency")]
            for name, value in found:
                if isinstance(value, ast.Constant) and value.value:
                    literal[f"{name_of(path)}: {name}"] = value.value
    assert literal == {
        "app/meta_evaluation/bootstrap.py: RESAMPLES": 1000,
        "app/limits.py: CONCURRENCY": 32,
        "app/attribute_analysis/topics/topic_models.py: RESAMPLES": 20,  # of attributes, to see which topics stay
    }, "import the constant"


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Names with the values that this node gives them."""
    match node:
        case ast.arguments():
            usual = [*node.posonlyargs, *node.args]
            yield from zip((each.arg for each in usual[len(usual) - len(node.defaults) :]), node.defaults, strict=True)
            yield from zip((each.arg for each in node.kwonlyargs), node.kw_defaults, strict=True)
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.keyword(arg=str(name)):
            yield name, node.value
        case ast.Assign(targets=[ast.Name(id=name)]):
            yield name, node.value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            yield from (
                (name.id, value) for name, value in zip(names, values, strict=True) if isinstance(name, ast.Name)
            )


def test_every_script_within_a_page_goes_through_one_function() -> None:
    """The browser runs those alone whose hashes the server names."""
    callers = set()
    for path in python_files("app", "pages"):
        for node in nodes(path, ast.keyword):
            if node.arg == "unsafe_allow_javascript":
                callers.add(name_of(path))
    assert callers == {"pages/components/shell/browser/page_scripts.py"}, "call run_in_page"


def test_every_button_keeps_a_press_that_another_message_interrupts() -> None:
    """A button calls a function of its own (`on_click`), which Streamlit runs first, or is drawn by `was_pressed`."""
    forgetful = {
        name_of(path)
        for path in python_files("pages")
        for node in nodes(path, ast.Call)
        if isinstance(node.func, ast.Attribute)
        if node.func.attr in ("button", "form_submit_button")
        if "on_click" not in {each.arg for each in node.keywords}
    }
    assert forgetful == {"pages/components/shell/error_panel.py"}, "call was_pressed"  # its button only draws again


def test_colours_of_charts_stand_in_one_module() -> None:
    """Where people have one hue and LLMs another, in every chart, screen and report."""
    elsewhere = {
        name_of(path)
        for path in python_files("app", "pages")
        for node in nodes(path, ast.Constant)
        if isinstance(node.value, str) and COLOUR.fullmatch(node.value)
    }
    assert elsewhere == {"app/domain/chart_colours.py"}
