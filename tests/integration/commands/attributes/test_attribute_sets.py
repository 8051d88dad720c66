import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from app.cli import build
from app.commands.attributes.attribute_sets import read_sets
from app.domain.attribute import ContributorKind
from app.errors import FileFormatError, InputError, MissingKeyError, NotFoundError, NotReadyError
from app.export.spreadsheet import csv_bytes
from app.services.attributes.attribute_changes import exclude_attributes
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.runtime.workbench import open_workbench
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score

HUMAN = [f"- Ideas {verb} in good order\n" for verb in ("follow", "stand", "come")] + ["- Commas are placed well\n"]
LLM = ["Check that the grammar holds", "Verify commas and grammar", "Ensure ideas flow", "Commas are placed well"]


@pytest.fixture(scope="module")
def cli() -> typer.Typer:
    return build()


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "human.txt").write_text("\n".join(HUMAN), encoding="utf-8")
    (tmp_path / "gpt.json").write_text(json.dumps(LLM), encoding="utf-8")
    return [str(tmp_path / "human.txt"), str(tmp_path / "gpt.json")]


STARTS = {".svg": b"<svg", ".csv": b"\xef\xbb\xbf", ".tex": b"% needs \\usepackage{booktabs,graphicx}\n\\begin{table}"}


def _assert_written(path: Path, *contributors: str) -> None:
    content = path.read_bytes()
    assert content.startswith(STARTS[path.suffix])
    assert all(name.encode() in content for name in contributors)


def test_similarity_is_one_document_or_a_table_and_writes_files(
    cli: typer.Typer, files: list[str], tmp_path: Path
) -> None:
    svg, table, tex = (tmp_path / f"out{ending}" for ending in STARTS)
    kinds = ["--kind", "human=human", "--kind", "gpt=llm"]
    result = CliRunner().invoke(cli, ["similarity", *files, *kinds, "--json", "--output", str(table)])
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert {name: found["n"] for name, found in document["sets"].items()} == {"human": 4, "gpt": 4}
    assert [(pair["a"], pair["b"]) for pair in document["between"]] == [("human", "gpt")]
    assert document["embedding"] == "lsa-100 on tf-idf"
    assert document["kinds"]["sets"]["llm"]["rouge_l"] == document["sets"]["gpt"]["rouge_l"]
    _assert_written(table, "human", "gpt")
    result = CliRunner().invoke(cli, ["similarity", *files, "--output", str(svg)])
    assert result.exit_code == 0
    assert "human and gpt" in result.stdout
    assert "Cosine of lsa-100 on tf-idf" in result.stdout
    _assert_written(svg, "human", "gpt")
    assert CliRunner().invoke(cli, ["similarity", *files, "--output", str(tex)]).exit_code == 0
    _assert_written(tex, "human", "gpt")


def test_topics_are_one_document_or_tables_and_write_files(cli: typer.Typer, files: list[str], tmp_path: Path) -> None:
    svg, table, _ = (tmp_path / f"out{ending}" for ending in STARTS)
    result = CliRunner().invoke(
        cli, ["topics", *files, "--topics", "3", "--seeds", "2", "--json", "--output", str(table)]
    )
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert len(document["topics"]) == len(document["shares"]["human"]) == 3
    assert set(document["spread"]) == set(document["empty"]) == {"human", "gpt"}
    assert document["stability"]["seeds"] == 2
    assert all(0 < document["chance"][name] == document["steady"]["chance"][name] < 1 for name in ("human", "gpt"))
    _assert_written(table, "human", "gpt")
    few = ["--topics", "2", "--seeds", "2", "--kind", "human=human"]
    result = CliRunner().invoke(cli, ["topics", *files, *few, "--output", str(svg)])
    assert result.exit_code == 0
    assert result.stdout.startswith("The set is too small for topics")
    assert "share of" in result.stdout
    assert "by chance" in result.stdout
    assert "Compare sets" in result.stdout
    _assert_written(svg, "human", "gpt")


SAID = (
    ("Ana", "human", "=Ideas, in good order", "active"),
    ("Ana", "human", "Commas are placed well", "active"),
    ("Ana", "human", "Left out", "excluded"),
    ("m", "llm", "Check that the grammar holds", "active"),
)


def _export(folder: Path, name: str) -> str:
    """Attributes as the workbench writes them, in the format that the name ends in."""
    names = ("contributor", "kind", "text", "status")
    rows = [dict(zip(names, said, strict=True)) for said in SAID]
    content = csv_bytes(names, rows) if name.endswith("csv") else json.dumps(rows).encode()
    (folder / name).write_bytes(content)
    return str(folder / name)


@pytest.mark.parametrize("name", ["export.csv", "export.json"])
def test_an_export_is_read_by_contributor_and_kind(tmp_path: Path, name: str) -> None:
    sets, kinds = read_sets([Path(_export(tmp_path, name))])
    assert sets == {
        "Ana": ["=Ideas, in good order", "Commas are placed well"],
        "m": ["Check that the grammar holds"],
    }
    assert kinds == {"Ana": ContributorKind.HUMAN, "m": ContributorKind.LLM}


@pytest.mark.parametrize("name", ["export.csv", "export.json"])
def test_similarity_of_an_export_compares_its_contributors(cli: typer.Typer, tmp_path: Path, name: str) -> None:
    result = CliRunner().invoke(cli, ["similarity", _export(tmp_path, name), "--json"])
    document = json.loads(result.stdout)
    assert {who: found["n"] for who, found in document["sets"].items()} == {"Ana": 2, "m": 1}
    assert set(document["kinds"]["sets"]) == {"human", "llm"}
    assert "1 attribute left out" in result.stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("scores.csv", "doc_id,system_id,score\nd1,s1,4\nd2,s1,3\n"),
        ("texts.txt", "text,source\nA ferry stops.,Report\n"),
        ("rows.json", '[{"doc_id": "d1", "score": 4}]'),
        ("people.tsv", "name\tage\nAna\t30\n"),
    ],
)
@pytest.mark.parametrize("command", ["similarity", "topics"])
def test_a_table_of_something_else_is_refused(
    cli: typer.Typer, tmp_path: Path, command: str, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    result = CliRunner().invoke(cli, [command, str(tmp_path / name)])
    assert isinstance(result.exception, FileFormatError)
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["said.txt", "said.csv"])
def test_lines_of_prose_stay_attributes(tmp_path: Path, name: str) -> None:
    lines = ["Order, links and endings", "The text, as a whole, holds together", "Commas"]
    (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    assert read_sets([tmp_path / name])[0]["said"][-1] == "Commas"
    assert len(read_sets([tmp_path / name])[0]["said"]) == 3


MISTAKES = (
    (["similarity", "missing.txt"], NotFoundError),
    (["similarity", "."], FileFormatError),
    (["similarity", "empty.txt"], InputError),
    (["similarity", "nested.json"], InputError),
    (["similarity", "one.txt", "one.txt"], InputError),
    (["similarity", "one.txt", "--kind", "one=robot"], InputError),
    (["similarity", "one.txt", "--embedding", "word2vec"], InputError),
    (["similarity", "one.txt", "--embedding", "openai:text-embedding-3-small"], MissingKeyError),
    (["similarity", "one.txt", "--kind", "two=llm"], InputError),
    (["topics", "one.txt"], NotReadyError),
    (["topics", "one.txt", "--topics", "40"], InputError),
    (["topics", "one.txt", "--seeds", "0"], InputError),
)


def test_a_person_s_mistakes_are_named(
    cli: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    (tmp_path / "nested.json").write_text('[["a"]]', encoding="utf-8")
    (tmp_path / "one.txt").write_text("Ideas follow\n", encoding="utf-8")
    for arguments, error in MISTAKES:
        with subtests.test(arguments=arguments):
            result = CliRunner().invoke(cli, arguments)
            assert isinstance(result.exception, error)
            assert result.stdout == ""


def test_one_attribute_alone_is_a_result_with_a_reason(cli: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("Ideas follow\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["similarity", str(tmp_path / "one.txt")])
    assert result.exit_code == 0
    assert "needs two attributes" in result.stdout


def test_a_providers_embedding_is_used_and_named(
    cli: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.txt").write_text("Ideas follow\nIdeas grow\n", encoding="utf-8")
    with FakeLlm() as server:
        monkeypatch.setenv("GOOGLE_API_KEY", "planted")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        asked = ["similarity", str(tmp_path / "one.txt"), "--embedding", "google:gemini-embedding-001", "--json"]
        result = CliRunner().invoke(cli, asked)
    found = json.loads(result.stdout)
    assert found["embedding"] == "google:gemini-embedding-001"
    assert found["sets"]["one"]["cosine"] == pytest.approx(0.5), "one word of two in common"


@pytest.mark.parametrize("command", ["similarity", "topics"])
def test_help_has_an_example(cli: typer.Typer, command: str) -> None:
    assert f"interacteval {command} human.txt" in CliRunner().invoke(cli, [command, "--help"]).stdout


def test_a_projects_attributes_give_what_their_export_gives(cli: typer.Typer, tmp_path: Path) -> None:
    bench = open_workbench()
    dimension = ready_to_score(bench)
    for name, kind, said in (("Ana", ContributorKind.HUMAN, HUMAN), ("gpt", ContributorKind.LLM, LLM)):
        add_attributes(bench, dimension.id, name, kind, [line.strip("- \n") for line in said])
    (gone,) = add_attributes(bench, dimension.id, "Ana", ContributorKind.HUMAN, ["Twice said"])
    exclude_attributes(bench, [gone], "twice")
    names = ("contributor", "kind", "text", "status")
    rows = [{name: getattr(a, name) for name in names} for a in attributes_of(bench, 1, dimension.id)]
    (tmp_path / "export.csv").write_bytes(csv_bytes(names, rows))
    project = ["--project", "Ready", "--dimension", "coherence", "--json"]
    of_project = CliRunner().invoke(cli, ["similarity", *project])
    of_export = CliRunner().invoke(cli, ["similarity", str(tmp_path / "export.csv"), "--json"])
    assert (of_project.exit_code, of_export.exit_code) == (0, 0)
    assert json.loads(of_project.stdout) == json.loads(of_export.stdout)
    tex = tmp_path / "topics.tex"
    topics = CliRunner().invoke(cli, ["topics", *project, "--topics", "2", "--seeds", "2", "--output", str(tex)])
    assert topics.exit_code == 0
    _assert_written(tex, "Ana", "gpt")
    assert json.loads(topics.stdout)["shares"].keys() == {"Ana", "gpt"}


NOT_NAMED = (
    [],
    ["--dimension", "coherence"],
    ["--project", "Ready"],
    ["a.txt", "--project", "Ready", "--dimension", "d"],
)


def test_files_or_a_projects_dimension_are_named(cli: typer.Typer, subtests: pytest.Subtests) -> None:
    for words in NOT_NAMED:
        with subtests.test(words=words):
            assert isinstance(CliRunner().invoke(cli, ["topics", *words]).exception, InputError)


def test_output_with_another_ending_is_refused(cli: typer.Typer, files: list[str], tmp_path: Path) -> None:
    for command in (("topics", "--topics", "2", "--seeds", "2"), ("similarity",)):
        result = CliRunner().invoke(cli, [*command, *files, "--output", str(tmp_path / "out.docx")])
        assert isinstance(result.exception, InputError)
