from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.domain.name import NAME_LIMIT, checked_name, quoted
from app.domain.task import Dimension, Task
from app.errors import InputError, NotFoundError
from app.services.attributes.attributes import import_attributes
from app.services.data.imports import import_file
from app.services.data.projects import add_dimension, create_project, get_project, save_dimension
from tests.support.projects import ready_to_score, workbench_at


@pytest.mark.parametrize("name", ["News", "naïve 漢字 🎈", "שלום", "x" * NAME_LIMIT, "👩‍👩‍👧‍👦 family"])
def test_names_of_every_script_are_taken(name: str) -> None:
    assert checked_name(f"  {name} ", "project") == name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("  ", "no name"),
        ("x" * 100_000, "100,000 characters; 200 are the most"),
        ("a\x1b[31mb", "control character"),
        ("two\nlines", "control character"),
        ("a\x9bb", "control character"),
        ("a\udc80b", "damaged character"),
    ],
)
def test_other_names_are_refused_in_a_short_sentence(name: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        checked_name(name, "project")
    assert len(str(caught.value)) < 200


def test_a_long_name_that_is_looked_for_is_not_repeated_whole() -> None:
    assert quoted("News") == "“News”"
    assert len(quoted("x" * 100_000)) < 100


def test_long_names_come_in_nowhere(tmp_path: Path) -> None:
    workbench = workbench_at(tmp_path)
    dimension, long = ready_to_score(workbench), "x" * 100_000
    table = tmp_path / "table.csv"
    table.write_text(f"text,{long}\nA text.,3\n")
    by_hand = tmp_path / "ids.csv"
    by_hand.write_text(f"text,doc_id,c\nA text.,{long},3\nAnother.,d,3\n")
    with pytest.raises(InputError, match="200 are the most"):
        create_project(workbench, long, Task())
    with pytest.raises(InputError, match="200 are the most"):
        import_file(workbench, table, long)
    with pytest.raises(InputError, match="200 are the most"):
        add_dimension(workbench, 1, Dimension(long))
    with pytest.raises(InputError, match="200 are the most"):
        save_dimension(workbench, Dimension(long, id=dimension.id))
    with pytest.raises(InputError, match="200 are the most"):
        import_attributes(workbench, dimension.id, long, ContributorKind.HUMAN, "Order counts.")
    with pytest.raises(NotFoundError) as caught:
        get_project(workbench, long)
    assert len(str(caught.value)) < 200
    assert list(import_file(workbench, table, "Columns").dimensions) == []
    report = import_file(workbench, by_hand, "Ids")
    assert (report.texts, report.skipped[0].row) == (1, 1)
    workbench.database.close()
