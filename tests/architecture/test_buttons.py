"""What takes something away never stands out, and every button has a name."""

import ast
import re
from collections.abc import Iterator

from tests.support.repository import name_of, nodes, python_files

PRESSED = {"button", "form_submit_button", "download_button"}
TAKES_AWAY = re.compile(r"\b(delet|remov|discard|drop|forget|clear|exclud|reset|erase|leave out|take back|stop)", re.I)


def _buttons() -> Iterator[tuple[str, ast.Call]]:
    for path in python_files("pages"):
        for node in nodes(path, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in PRESSED:
                yield f"{name_of(path)}:{node.lineno}", node


def _words(node: ast.AST) -> str:
    """Every string in it: a label may be put together, and its key says what the button does where it isn't."""
    return " ".join(
        each.value.replace("_", " ")
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


def test_nothing_that_takes_away_is_highlighted() -> None:
    highlighted = {
        place: " ".join([*map(_words, call.args[:1]), *(_words(k.value) for k in call.keywords if k.arg == "key")])
        for place, call in _buttons()
        if any(word.arg == "type" and "primary" in _words(word.value) for word in call.keywords)
    }
    assert len(highlighted) > 10  # buttons are still told from the source
    assert {place: said for place, said in highlighted.items() if TAKES_AWAY.search(said)} == {}


def test_no_button_is_without_a_label() -> None:
    """An icon alone has the name of its picture: `button_label("", ...)` says what it does."""
    labels = {place: call.args[0] for place, call in _buttons() if call.args}
    assert [place for place, label in labels.items() if _is_empty(label)] == []


def _is_empty(label: ast.expr) -> bool:
    return isinstance(label, ast.Constant) and not label.value
