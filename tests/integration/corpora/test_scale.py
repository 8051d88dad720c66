"""A rating outside the scale is reported by the import, and its text comes in."""

from pathlib import Path

import pytest

from app.services.data.imports import import_file
from tests.support.projects import workbench_at

pytestmark = pytest.mark.long


def test_ratings_that_do_not_fit_are_listed_and_their_texts_stay(tmp_path: Path) -> None:
    typos = tmp_path / "typos.csv"
    typos.write_text("text,c\nText 0.,1\nText 1.,2\nText 2.,3\nText 3.,999\nText 4.,-5\n", encoding="utf-8")
    workbench = workbench_at(tmp_path)
    report = import_file(workbench, typos, "New").to_json()
    assert report["dimensions"]["c"] | {"raters": 1} == {"ratings": 3, "raters": 1, "low": 1, "high": 5}
    assert (report["texts"], [row["row"] for row in report["skipped"]]) == (5, [4, 5])
    assert "999, outside 1 to 5. The text is kept." in report["skipped"][0]["reason"]
    workbench.database.close()
