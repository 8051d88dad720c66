"""build and prompts, as a script uses them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.domain.build import Stage
from app.errors import NotReadyError
from app.services.building.build_state import builds_of, view_build
from app.services.data.projects import dimensions_named
from app.services.runtime.workbench import open_workbench

Run = Callable[..., tuple[int, str, str]]
POINTS = ["Facts come in order.", "Sentences are linked.", "Names are introduced.", "Nothing is told twice."]


@pytest.fixture
def place(run: Run, small: None, tmp_path: Path) -> tuple[str, ...]:
    notes = tmp_path / "ada.txt"
    notes.write_text("\n".join(POINTS), encoding="utf-8")
    place = ("--project", "Small", "--dimension", "coherence")
    run("attributes", "add", notes, *place, "--contributor", "Ada", "--kind", "human")
    return place


def unmade(place: tuple[str, ...]) -> list[Stage]:
    workbench = open_workbench()
    dimension = dimensions_named(workbench, place[1], place[3])[0]
    return view_build(workbench, builds_of(workbench, dimension.id)[0].id).never_made


def versions(result: tuple[int, str, str]) -> list[int]:
    status, out, err = result
    assert status == 0, err
    return [made["version"] for made in json.loads(out)]


def test_a_build_is_gone_on_with_from_a_stage_or_where_it_is_stale(run: Run, place: tuple[str, ...]) -> None:
    words = ("build", *place, "--model", "rules", "--json")
    assert versions(run(*words)) == [1]
    assert versions(run(*words, "--from", "sub-questions")) == [2]
    status, out, err = run(*words, "--stale")
    assert (status, json.loads(out)[0]["version"]) == (0, 3)
    assert "coherence: validation (5 of 5)" in err


def test_each_stage_can_have_its_model_and_stale_makes_none_anew(run: Run, place: tuple[str, ...]) -> None:
    status, _, err = run("build", *place, "--model", "rules", "--stage-model", "validation=openai:x")
    assert (status, "OPENAI_API_KEY" in err) == (2, True)
    status, out, err = run("build", *place, "--model", "rules", "--stale", "--json")
    assert (status, out) == (NotReadyError.exit_status, "")
    assert "--from validation" in err
    assert [stage.value for stage in unmade(place)] == ["validation"]
    # The four stages before are kept; another model for the last one ends the build.
    assert versions(run("build", *place, "--model", "rules", "--from", "validation", "--json")) == [1]


REFUSED = (
    (("--stage-model", "validation"), "STAGE=MODEL"),
    (("--stage-model", "nothing=rules"), "no stage “nothing”"),
    (("--from", "nowhere"), "The stages are components"),
    (("--from", "clusters"), "no build under comb"),
)


def test_what_cannot_be_is_one_sentence(run: Run, place: tuple[str, ...], subtests: pytest.Subtests) -> None:
    for words, said in REFUSED:
        with subtests.test(words=words):
            status, out, err = run("build", *place, "--model", "rules", *words)
            assert (status, out) == (2, "")
            assert said in err


def test_prompts_are_listed_worded_anew_compared_and_gone_back_from(
    run: Run, place: tuple[str, ...], tmp_path: Path
) -> None:
    project = ("--project", "Small")
    listed = json.loads(run("prompts", "list", *project, "--json")[1])
    assert {"prompt", "version", "wording", "wordings", "digest", "description"} == set(listed[0])
    file = tmp_path / "components.md"
    file.write_text(run("prompts", "show", "components", *project)[1].replace("Several", "Many"), encoding="utf-8")
    assert run("prompts", "save", "components", file, *project)[1] == "components: wording 1 is in use from now on\n"
    assert "+Many assessors" in run("prompts", "show", "components", *project, "--diff")[1]
    assert run("prompts", "use", "components", 0, *project)[0] == 0
    assert "Many" not in run("prompts", "show", "components", *project)[1]
    assert run("prompts", "use", "components", 9, *project)[0] == 2
    assert run("prompts", "save", "components", tmp_path / "none.md", *project)[0] == 2
