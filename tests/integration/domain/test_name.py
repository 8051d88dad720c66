"""Long names are refused by all ways in, and not repeated whole by what looks for them."""

from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.domain.project import Dimension, Task
from app.errors import InputError, NotFoundError
from app.services.attributes.attributes import import_attributes
from app.services.data.imports import import_file
from app.services.data.projects import add_dimension, create_project, get_project, save_dimension
from tests.support.projects import ready_to_score, workbench_at


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
