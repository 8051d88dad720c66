"""checklist improve, improvements and timeline, as a script uses them: on the built-in rules, which need no key."""

from collections.abc import Callable

import pytest

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.services.checklists.checklists import get_checklist, new_draft, publish, versions_of
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.projects import ready_to_score
from tests.support.small_project import document

Run = Callable[..., tuple[int, str, str]]
WHERE = ("--project", "Ready", "--dimension", "coherence")


@pytest.fixture
def workbench() -> Workbench:
    return open_workbench()


@pytest.fixture
def draft(workbench: Workbench) -> Checklist:
    """Everything the rules said about the first question was decided otherwise."""
    dimension = ready_to_score(workbench)
    run = start_run(workbench, 1, RunOptions((dimension,), "rules"))
    work_on(workbench, run)
    draft = new_draft(workbench, versions_of(workbench, dimension.id)[0].id)
    with workbench.database.write() as work:
        judged = work.results.judgments_by_text(run, dimension.id)
        for text, judgments in judged.items():
            other = Answer.NO if judgments[0].answer is Answer.YES else Answer.YES
            work.decisions.add(draft.asked[0].id, text, other, "Ana", why="It jumps")
    return draft


def found(done: tuple[int, str, str]) -> dict[str, object]:
    status, out, err = done
    assert status == 0, err
    return document(out)


def test_a_timeline_is_shown_and_an_attempt_made_listed_and_decided(
    run: Run, workbench: Workbench, draft: Checklist
) -> None:
    rows = found(run("checklist", "timeline", *WHERE, "--question", draft.asked[0].id, "--json"))
    assert (rows["judge"], rows["texts"]) == ("rules", 12)
    assert [(one["version"], one["agreement"], one["decisions"]) for one in rows["versions"]] == [
        (1, 0.0, 0),
        (2, None, 12),
    ]
    assert "Nothing is decided" in run("checklist", "timeline", *WHERE, "--question", draft.asked[1].id)[1]
    assert run("checklist", "improve", *WHERE, "--question", draft.asked[1].id, "--model", "rules")[0] == 2

    which = (*WHERE, "--question", draft.asked[0].id)
    ahead = found(run("checklist", "improve", *which, "--model", "rules", "--dry-run", "--json"))
    assert (ahead["provable"], ahead["cost_usd"]) == (False, 0.0)
    assert run("checklist", "improvements", *which)[1].startswith("No wording was tried")

    made = found(run("checklist", "improve", *which, "--model", "rules", "--json"))
    assert made["verdict"] == "none better", "no rule reads guidance"
    assert (made["best"], made["proof"], made["p"], made["cost_usd"], made["status"]) == (None, None, None, 0.0, "open")
    proposal, *_ = made["proposals"]
    assert proposal["guidance"] == "It jumps."
    assert proposal["development"]["texts"] == ahead["development"]
    assert proposal["development"]["before"] == proposal["development"]["after"]
    assert proposal["development"]["before"]["right"] == 0

    said = run("checklist", "improvements", *which)[1]
    assert "The proof half was not asked." in said
    assert run("checklist", "improvements", *which, "--accept", made["improvement"])[0] == 2, "nothing to take"
    refused = found(run("checklist", "improvements", *which, "--refuse", made["improvement"], "--json"))
    assert [one["status"] for one in refused] == ["refused"]
    assert get_checklist(workbench, draft.id) == draft
    publish(workbench, draft.id)
    assert found(run("checklist", "timeline", *which, "--json"))["texts"] == 12, "of a published version, too"
