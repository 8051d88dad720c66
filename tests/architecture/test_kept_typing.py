"""Drafts: every text field of the screens has them, but for those that are listed here with the reason."""

import ast
from collections.abc import Iterator

from pages.components.shell.browser.page_scripts import LEFT_OUT
from tests.support.repository import name_of, nodes, python_files

FIELDS = {"text_input", "text_area", "chat_input"}
A_FILTER, OF_A_FILE = "a filter of the list below it", "belongs to an uploaded file, which a reload takes away"
WITHOUT_DRAFTS = {
    "typed_key_": "a key, which is kept nowhere",
    "words": A_FILTER,
    "text_search": A_FILTER,
    "find_in_": A_FILTER,
    "try_search": A_FILTER,
    "replace_words_": A_FILTER,
    "option_": "an option of the next run, in force as it is typed",
    "answers_name_": OF_A_FILE,
    "own_name_": OF_A_FILE,
    "map_dimension_": OF_A_FILE,
    "map_scale_": OF_A_FILE,
    "import_new_project_": OF_A_FILE,
    "typing_known": "how the browser tells the server of drafts",
}


def _fields() -> Iterator[tuple[str, ast.Call]]:
    for path in python_files("app", "pages"):
        for node in nodes(path, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in FIELDS:
                yield f"{name_of(path)}:{node.lineno}", node


def _keywords(field: ast.Call) -> dict[str | None, str]:
    return {keyword.arg: ast.unparse(keyword.value) for keyword in field.keywords}


def test_fields_without_drafts_are_the_listed_ones() -> None:
    assert dict(LEFT_OUT) == WITHOUT_DRAFTS


def test_text_fields_have_a_key_under_which_drafts_are_kept() -> None:
    found = list(_fields())
    assert len(found) > 40
    assert [where for where, field in found if "key" not in _keywords(field)] == []


def test_password_fields_have_no_drafts() -> None:
    secret = [_keywords(field)["key"] for _, field in _fields() if "password" in _keywords(field).get("type", "")]
    assert secret, "no password field was found: this test looks for them by their type"
    assert [key for key in secret if not key.removeprefix("f").strip("'\"").startswith("typed_key_")] == []
