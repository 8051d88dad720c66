"""What a script learns from the exit status: what a person can mend is a sentence and a 2, what is worth trying again a
3, and a bug alone is a 1."""

import json
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from app.services.runtime.workbench import open_workbench
from app.settings import SECRETS, settings
from tests.support.fake_llm.behaviour import Answer, Behaviour, Fail
from tests.support.fake_llm.checklist_builder import build_answer
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.guide.settings_page import secrets_read
from tests.support.projects import ready_to_score
from tests.support.small_project import OPTIONS, small_csv

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, object], None]:
    """Point the workbench somewhere else."""

    def point(variable: str, value: object) -> None:
        monkeypatch.setenv(variable, str(value))
        settings.cache_clear()

    return point


@pytest.fixture(autouse=True)
def _forget() -> None:
    settings.cache_clear()


def newer(folder: Path) -> None:
    with sqlite3.connect(folder / "workbench.db") as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        database.execute("INSERT INTO alembic_version VALUES ('9999')")
    database.close()


UNUSABLE_DATABASES = (
    ("postgresql://127.0.0.1:1/x", "server 127.0.0.1:1 can't be reached: nothing answers there"),
    ("postgresql://me:s3cret@127.0.0.1:1/x", "Check INTERACTEVAL_DATABASE_URL"),
    ("mysql://host/x", "address can't be used"),
    ("nonsense", "address can't be used"),
    ("postgresql://h:port/x", "address can't be used"),
    ("postgresql://[::1/x", "address can't be used"),
    ("postgresql://127.0.0.1:1,127.0.0.1:x/x", "address can't be used"),
    ("postgresql://127.0.0.1:1/x?foo=bar", "address can't be used"),
    ("postgresql://127.0.0.1:1/x?connect_timeout=abc", "address can't be used"),
    ("postgresql+psycopg_async://127.0.0.1:1/x", "address can't be used"),
    ("sqlite:////tmp/a%00b/c.db", "address can't be used"),
    ("sqlite:////tmp/x.db?timeout=abc", "takes no options"),
    ("sqlite:///:memory:", "would lose everything"),
    ("sqlite:////dev/null/x/y.db", "The folder of the database, /dev/null/x, can't be made"),
    ("sqlite:////tmp", "The database file /tmp can't be written"),
)


def test_a_database_that_cannot_be_used_is_the_persons_to_mend(
    run: Run, place: Callable[[str, object], None], subtests: pytest.Subtests
) -> None:
    for address, said in UNUSABLE_DATABASES:
        with subtests.test(address=address):
            place("INTERACTEVAL_DATABASE_URL", address)
            status, out, err = run("project", "list", "--json")
            assert (status, out, err.count("\n")) == (2, "", 1)
            assert said in err
            assert "s3cret" not in err


def test_a_database_from_a_newer_version_or_a_damaged_one_is_told(
    run: Run, place: Callable[[str, object], None], tmp_path: Path
) -> None:
    place("INTERACTEVAL_HOME", tmp_path)
    newer(tmp_path)
    status, _, err = run("project", "list")
    assert (status, "newer version" in err) == (2, True)
    (tmp_path / "workbench.db").write_bytes(b"no database at all" * 100)
    status, _, err = run("project", "list")
    assert (status, err.count("\n")) == (2, 1)
    assert f"{tmp_path / 'workbench.db'} is damaged" in err


EXPORTS = (
    ("checklist", "export", "--project", "Ready", "--dimension", "coherence", "--output"),
    ("answers", "export", "--project", "Ready", "--dimension", "coherence", "--output"),
)


def test_a_file_that_cannot_be_written_is_one_sentence(run: Run, tmp_path: Path, subtests: pytest.Subtests) -> None:
    ready_to_score(open_workbench())
    run("answers", "draw", "--project", "Ready", "--dimension", "coherence", "--texts", "1")
    for words in EXPORTS:
        with subtests.test(words=words):
            status, out, err = run(*words, tmp_path / "nowhere" / "out.csv")
            assert (status, out, err.count("\n")) == (2, "", 1)
            assert "can't be written: No such file or directory. Choose another place." in err


def test_an_address_that_cannot_be_served_is_told_before_the_server_starts(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        status, _, err = run("serve", "--port", taken.getsockname()[1])
    assert (status, err.count("\n")) == (2, 1)
    assert "Address already in use. Choose another --port (`make run PORT=9000`)" in err
    assert run("serve", "--port", "70000")[0] == 2


def test_the_demo_leaves_a_persons_own_project_alone(run: Run, tmp_path: Path) -> None:
    run("import", small_csv(tmp_path / "small.csv"), "--project", "Small", *OPTIONS)
    before = run("project", "show", "Small", "--json")
    status, _, err = run("demo", "--project", "Small")
    assert (status, "a project of your own" in err) == (2, True)
    assert run("project", "show", "Small", "--json") == before


def test_all_dimensions_are_checked_before_the_first_is_built(run: Run, tmp_path: Path) -> None:
    ready = ("--project", "Small")
    run("import", small_csv(tmp_path / "small.csv"), *ready, *OPTIONS)
    notes = tmp_path / "ada.txt"
    notes.write_text("Facts come in order.\nSentences are linked.\nNames are introduced.", encoding="utf-8")
    run("attributes", "add", notes, *ready, "--dimension", "coherence", "--contributor", "Ada", "--kind", "human")
    status, out, err = run("build", *ready, "--dimension", "all", "--model", "rules", "--json")
    assert (status, out) == (2, "")
    assert "Nobody has said yet what to look for in fluency." in err
    assert json.loads(run("checklist", "list", *ready, "--json")[1]) == []


def test_a_dimension_whose_model_fails_does_not_stop_the_others(
    run: Run, place: Callable[[str, object], None], tmp_path: Path
) -> None:
    """It is listed and worth trying again; a key that is refused would be so everywhere and ends it at once."""
    ready = ("--project", "Small")
    run("import", small_csv(tmp_path / "small.csv"), *ready, *OPTIONS)
    notes = tmp_path / "ada.txt"
    notes.write_text("\n".join(f"Point {number} is made." for number in range(9)), encoding="utf-8")
    for dimension in ("coherence", "fluency"):
        run("attributes", "add", notes, *ready, "--dimension", dimension, "--contributor", "Ada", "--kind", "human")

    def answering(received: Received) -> Behaviour:
        return Answer(finish="refused") if "coherence" in json.dumps(received.body) else build_answer(received)

    with FakeLlm(usual=answering) as llm:
        place("LLAMA_BASE_URL", llm.url)
        words = ("build", *ready, "--dimension", "all", "--model", "llama:x", "--json")
        status, out, err = run(*words)
        assert (status, [made["dimension"] for made in json.loads(out)]) == (3, ["fluency"])
        assert "coherence: " in err
        llm.usual = Fail("wrong-key")
        asked = len(llm.requests)
        assert run("build", *ready, "--dimension", "all", "--model", "llama:y")[0] == 2
        assert len(llm.requests) == asked + 1


TYPED_WRONGLY = (
    (("runs", "list", "--foo"), "No such option: --foo. `interacteval runs list --help` shows what is possible."),
    (
        ("runs", "lists"),
        "No such command 'lists'. Did you mean 'list'? `interacteval runs --help` shows what is possible.",
    ),
    (("conditions", "show", "--project", "P", "--level", "foo"), "'--level': 'foo' is not one of 'per-source'"),
    (("think-aloud", "--project", "P", "--contributor", "Ada", "--transcript", "x.txt"), "about one dimension"),
)


def test_what_is_typed_wrongly_is_one_sentence(run: Run, subtests: pytest.Subtests) -> None:
    for words, said in TYPED_WRONGLY:
        with subtests.test(words=words):
            status, out, err = run(*words)
            assert (status, out, err.count("\n")) == (2, "", 1)
            assert said in err


def test_a_run_that_ends_early_says_how_to_go_on(run: Run, place: Callable[[str, object], None]) -> None:
    ready_to_score(open_workbench())
    with FakeLlm(usual=Fail("quota")) as llm:
        place("LLAMA_BASE_URL", llm.url)
        status, out, err = run("score", "--project", "Ready", "--judge", "llama:x", "--json")
    document = json.loads(out)
    assert (status, document["status"]) == (3, "failed")
    assert f"not scored yet; `interacteval score --project Ready --resume {document['run']}`" in err
    progress = [line for line in err.splitlines() if line.startswith("run ")]
    assert len(progress) == len(set(progress))


def test_a_project_without_texts_is_named_before_any_model_is_asked(run: Run) -> None:
    run("project", "create", "Blank")
    run("dimension", "add", "warmth", "--project", "Blank")
    status, out, err = run("think-aloud", "--project", "Blank", "--model", "rules", "--json")
    assert (status, out) == (2, "")
    assert "has no texts" in err
    assert json.loads(run("attributes", "list", "--project", "Blank", "--json")[1]) == []


def unrated_replies(path: Path) -> Path:
    rows = [f"T{n // 3},How is order {n // 3} returned?,Agent {n % 3},Please send order {n} back." for n in range(30)]
    path.write_text("\n".join(["ticket,question,agent,reply", *rows]), encoding="utf-8")
    return path


def test_an_unrated_table_goes_all_the_way_to_results(run: Run, tmp_path: Path) -> None:
    def done(*words: str) -> str:
        status, out, err = run(*words)
        assert status == 0, err
        return out

    report = json.loads(done("import", str(unrated_replies(tmp_path / "r.csv")), "--project", "R", "--json"))
    assert (report["texts"], report["sources"], report["systems"], report["ratings"]) == (30, 10, 3, 0)
    status, _, err = run("think-aloud", "--project", "R", "--model", "rules")
    assert status == 2
    assert "dimension add" in err
    done("dimension", "add", "help", "--project", "R", "--rubric", "Whether the reply solves the problem.")
    done("think-aloud", "--project", "R", "--model", "rules")
    done("build", "--project", "R", "--dimension", "help", "--condition", "ml", "--model", "rules", "--publish")
    scored = json.loads(done("score", "--project", "R", "--dimension", "help", "--judge", "rules", "--json"))
    assert scored["dimensions"]["help"]["scored"] == 18
    done("score", "--project", "R", "--dimension", "help", "--judge", "rules", "--sample", "0.5")
    (result,) = json.loads(done("results", "--project", "R", "--run", str(scored["run"]), "--json"))
    assert (result["scored"], result["spearman"]["value"]) == (18, None)
    done("split", "lock", "--project", "R", "--by", "Ada")


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("INTERACTEVAL_OTEL_ENDPOINT", "localhost", "INTERACTEVAL_OTEL_ENDPOINT is no address of a collector"),
        ("INTERACTEVAL_UPLOAD_MB", "viel", "INTERACTEVAL_UPLOAD_MB is “viel”"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "worker"])
def test_a_setting_that_can_not_be_is_said_before_anything_starts(
    run: Run, place: Callable[[str, object], None], command: str, variable: str, value: str, said: str
) -> None:
    place("INTERACTEVAL_ACESS", "invite")
    place(variable, value)
    status, _, err = run(command)
    assert (status, err.count("\n")) == (2, 2)
    assert "INTERACTEVAL_ACESS is no setting, so it does nothing. Is INTERACTEVAL_ACCESS meant?" in err
    assert said in err


def test_every_variable_that_is_read_is_known(place: Callable[[str, object], None]) -> None:
    assert set(SECRETS) == secrets_read()
    for name in (*SECRETS, "INTERACTEVAL_HOME"):
        place(name, "x")
    assert settings().mistyped() == {}
    place("INTERACTEVAL_XYZ", "1")
    assert settings().mistyped() == {"INTERACTEVAL_XYZ": ""}


def test_a_backup_says_what_it_replaces_and_which_folder_is_not_there(run: Run, tmp_path: Path) -> None:
    status, _, err = run("backup", tmp_path / "nowhere" / "all.db")
    assert (status, f"There is no folder {tmp_path / 'nowhere'}." in err) == (2, True)
    assert "older file" not in run("backup", tmp_path / "all.db")[1]
    assert "took the place of an older file" in run("backup", tmp_path / "all.db")[1]


def test_a_list_of_prompts_says_the_version_that_is_asked(run: Run) -> None:
    ready_to_score(open_workbench())
    assert json.loads(run("prompts", "list", "--project", "Ready", "--json")[1])[0]["version"] >= 1
    assert "built-in version" in run("prompts", "list", "--project", "Ready")[1]
