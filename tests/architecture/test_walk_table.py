"""The table of walked tasks."""

import json
from pathlib import Path

from tests.support.walk_table import file_name, table, walked_tasks


def test_each_task_is_a_row_with_what_it_took(tmp_path: Path) -> None:
    for task, clicks in (("Publish to results", 3), ("Exclude ten attributes", 2)):
        taken = {"task": task, "limit": 3, "clicks": clicks, "keys": 1, "seconds": 4.25}
        (tmp_path / file_name(task)).write_text(json.dumps(taken))
    *_, exclude, publish = table(walked_tasks(tmp_path)).splitlines()
    assert exclude == "| Exclude ten attributes | 3 | 2 | 1 | 4.2 |"
    assert publish == "| Publish to results | 3 | 3 | 1 | 4.2 |"
