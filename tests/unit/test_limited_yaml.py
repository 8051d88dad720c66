"""YAML that would keep a parser busy or fill the memory is refused; the rest is data."""

from time import process_time

import pytest
import yaml

from app.errors import FileFormatError
from app.input_file import read_yaml

HOSTILE = {
    "too large": "a: " + "x" * 18_000_000,
    "aliases": "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(20)),
    "flow nesting": "[" * 500_000,
    "block nesting": "- " * 900_000,
    "many lists": "[]\n---\n" * 200_000,
    "many numbers": "- 1\n" * 400_000,
    "base sixty": "- 1" + ":00" * 600_000,
    "base sixty by tag": '- !!int "1' + ":00" * 600_000 + '"',
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_read_yaml_of_hostile_content_refuses_it_soon(content: str) -> None:
    begun = process_time()
    with pytest.raises((FileFormatError, yaml.YAMLError)):
        read_yaml(content)
    assert process_time() - begun < 5


@pytest.mark.parametrize("content", ["!!int ''", "!!bool x", "!!timestamp x", "2001-99-99", "{[a]: b", "? {a: b}\n: c"])
def test_read_yaml_of_values_that_fit_no_kind_raises_its_error(content: str) -> None:
    with pytest.raises(yaml.YAMLError):
        read_yaml(content)


def test_read_yaml_of_ordinary_content_returns_data() -> None:
    assert read_yaml("a: &x [1, two]\nb: *x\n") == {"a": [1, "two"], "b": [1, "two"]}
