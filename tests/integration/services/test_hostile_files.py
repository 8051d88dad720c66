"""Each reader of files from elsewhere ends in data or in a sentence, whatever the file holds."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from importlib.resources import files
from io import BytesIO
from itertools import count
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st

from app.attribute_analysis.attribute_reading import decode_attributes
from app.commands.results.table_file import read_table
from app.corpora import parquet, workbook
from app.corpora.own_score_tables import ScoreColumns
from app.domain.attribute import ContributorKind
from app.domain.people import read_invited
from app.domain.roles_and_rights import Role
from app.prompting.template import split_front_matter
from app.providers.adapters.replay import read_recording
from app.providers.known_prices import read_prices
from app.services.attributes.attributes import attribute_sets, import_attribute_table, import_attributes
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.answer_files import import_answers
from app.services.checklists.checklist_files import import_checklist
from app.services.data.imports import import_file
from app.services.data.project_transfer import export_project, import_project
from app.services.data.projects import list_projects, overview
from app.services.data.uploads import Upload, preview_upload
from app.services.runtime.prompts import save_wording, sections_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.own_scores import import_judge_answers, import_scores
from app.services.think_aloud.transcripts import save_recording, save_transcript
from tests.support.hostile_files import damaged, damaged_archive, forked, try_all
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score, workbench_at
from tests.unit.corpora.test_conversations import SHAPES

ROWS = [
    {
        "doc_id": f"d{n // 4}",
        "system_id": f"s{n % 4}",
        "text": f"Text “{n}”.",
        "coherence": n % 5 + 1,
        "refs": ["a", "b"],
    }
    for n in range(12)
]
FLAT = [{name: value for name, value in row.items() if name != "refs"} for row in ROWS]
EXAMPLES = pytest.mark.parametrize("examples", [4, pytest.param(2000, marks=pytest.mark.long)])
CASES_BEFORE_NEW = 100


def _delimited(rows: list[dict[str, object]], delimiter: str = ",") -> bytes:
    lines = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    return "\n".join(delimiter.join(f'"{cell}"' for cell in line) for line in lines).encode()


def _sheet() -> bytes:
    book, file = openpyxl.Workbook(), BytesIO()
    book.active.append(list(FLAT[0]))
    for row in FLAT:
        book.active.append(list(row.values()))
    book.create_sheet("Other").append(["text", "=1+1"])
    book.save(file)
    return file.getvalue()


def _parquet() -> bytes:
    file = BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), file)
    return file.getvalue()


TABLES = {
    "csv": damaged(_delimited(FLAT), _delimited(FLAT, ";")),
    "tsv": damaged(_delimited(FLAT, "\t")),
    "json": damaged(json.dumps(ROWS).encode(), json.dumps({"data": ROWS}).encode()),
    "jsonl": damaged(
        "\n".join(map(json.dumps, ROWS)).encode(),
        b'{"id": "d1", "model_id": "M", "decoded": "A.", "expert_annotations": [{"coherence": 1}]}\n' * 3,
        b'{"doc_id": "1", "prompt": "p", "gen": {"a": {"text": "A", "score": {"human": 3}}}}\n' * 2,
    ),
    "traces": damaged(
        *("\n".join([json.dumps(record)] * 2).encode() for _, record, _ in SHAPES),
    ),
    "xlsx": damaged_archive(_sheet()),
    "parquet": damaged(_parquet()),
}


class Benches:
    """Workbenches with the same project, a new one after some cases so that none grows."""

    def __init__(self, project: Prepared[object], folder: Path) -> None:
        self.folder, self._count, self._now = folder, count(), None
        self._project = project

    def get(self) -> Workbench:
        if next(self._count) % CASES_BEFORE_NEW == 0 or self._now is None:
            self.close()
            place = self.folder / "now"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            self._project.copy(place)
            self._now = workbench_at(place)
        return self._now

    def close(self) -> None:
        if self._now is not None:
            self._now.database.close()
            self._now = None


def _drawn(workbench: Workbench) -> None:
    ready_to_score(workbench)
    draw_texts(workbench, 1, 4, seed=2)


@pytest.fixture(scope="module")
def project() -> Prepared[None]:
    return prepared(_drawn)


@pytest.fixture
def benches(project: Prepared[None], tmp_path: Path) -> Iterator[Benches]:
    (tmp_path / "benches").mkdir()
    made = Benches(project, tmp_path / "benches")
    yield made
    made.close()


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[bytes, str], Path]:
    def store(content: bytes, ending: str) -> Path:
        path = tmp_path / f"file.{ending}"
        path.write_bytes(content)
        return path

    return store


@pytest.fixture(autouse=True)
def _forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "parse_apart", forked)
    monkeypatch.setattr(workbook, "parse_apart", forked)


Store = Callable[[bytes, str], Path]


@EXAMPLES
@pytest.mark.parametrize("kind", TABLES)
def test_import_of_damaged_texts_ends_in_data_or_a_sentence(
    kind: str, examples: int, benches: Benches, stored: Store
) -> None:
    def read(file: bytes) -> None:
        preview_upload(Upload(f"file.{kind}", file))
        import_file(benches.get(), stored(file, kind), "Ready")

    try_all(TABLES[kind], read, examples)


@EXAMPLES
@pytest.mark.parametrize("kind", sorted(TABLES.keys() - {"xlsx"}))  # which is no table of results
def test_table_of_damaged_results_ends_in_data_or_a_sentence(kind: str, examples: int, stored: Store) -> None:
    try_all(TABLES[kind], lambda file: read_table(stored(file, kind)), examples)


@EXAMPLES
@pytest.mark.parametrize("kind", ["csv", "json", "xlsx", "parquet"])
def test_import_of_damaged_scores_ends_in_data_or_a_sentence(
    kind: str, examples: int, benches: Benches, stored: Store
) -> None:
    def read(file: bytes) -> None:
        bench = benches.get()
        with bench.database.read() as work:
            dimensions = work.projects.dimensions(1)
        import_scores(bench, 1, dimensions, stored(file, kind), ScoreColumns("coherence"))

    try_all(TABLES[kind], read, examples)


ANSWERS = [
    {"doc_id": f"d{n // 4}", "system_id": f"s{n % 4}", "item_id": "", "number": n % 3 + 1, "expert": "Ana",
     "judge": "J", "answer": "yes", "repeat": 0, "p_yes": 0.5, "rationale": "So.", "quote": "Text"} for n in range(12)
]  # fmt: skip
ANSWER_FILES = {
    "csv": damaged(_delimited(ANSWERS)),
    "json": damaged(json.dumps(ANSWERS).encode()),
}


@EXAMPLES
@pytest.mark.parametrize("kind", ANSWER_FILES)
@pytest.mark.parametrize("take", [import_answers, import_judge_answers])
def test_import_of_damaged_answers_ends_in_data_or_a_sentence(
    take: Callable[..., object], kind: str, examples: int, benches: Benches
) -> None:
    def read(file: bytes) -> None:
        take(benches.get(), 1, file, f"a.{kind}")

    try_all(ANSWER_FILES[kind], read, examples)


CHECKLIST = {
    "dimension": "coherence", "rubric": "How it fits.", "low": 1, "high": 5, "task": "text", "language": "English",
    "prompts": {}, "components": [{"name": "Order", "definition": "In order."}],
    "questions": [{"text": f"Is part {n} in place?", "component": "Order", "weight": 1, "guidance": "See.",
                   "attributes": [{"contributor": "Ana", "text": "x"}],
                   "comments": [{"who": "Ana", "text": "Why?", "at": "2026-01-01"}]} for n in range(3)],
}  # fmt: skip
YAML = b"""dimension: coherence
rubric: How it fits.
low: 1
high: 5
questions:
- text: "Is it in order?"
  component: Order
  weight: 1.5
  comments: [{who: Ana, text: Why, at: 2026-01-01}]
- Is it short?
"""
CHECKLISTS = {
    "json": damaged(json.dumps(CHECKLIST).encode()),
    "yaml": damaged(YAML),
    "csv": damaged(b"text,component,weight\nIs it?,Order,1\nDoes it?,,2\n"),
    "md": damaged(b"# Coherence\n\n## Order\n\n- [ ] Is it?\n- [ ] Does it?\n"),
}


@EXAMPLES
@pytest.mark.parametrize("kind", CHECKLISTS)
def test_import_of_a_damaged_checklist_ends_in_data_or_a_sentence(kind: str, examples: int, benches: Benches) -> None:
    def read(file: bytes) -> None:
        import_checklist(benches.get(), 1, file, f"c.{kind}", "coherence")

    try_all(CHECKLISTS[kind], read, examples)


ATTRIBUTES = damaged(
    b"- Links between sentences.\n2. One topic.\n",
    b'["Links.", "One topic."]',
    b'{"1": "Links.", "2": "One topic."}',
    b"text,contributor,kind,dimension,status,merged_into,round,id\nLinks.,Ana,human,coherence,,,1,1\nB.,Bo,llm,coherence,merged,1,1,2\n",
    b'[{"text": "Links.", "contributor": "Ana", "kind": "human", "dimension": "coherence"}]',
)


@EXAMPLES
def test_import_of_damaged_attributes_ends_in_data_or_a_sentence(examples: int, benches: Benches) -> None:
    try_all(ATTRIBUTES, lambda file: import_attributes(benches.get(), 1, "A", ContributorKind.HUMAN, file), examples)


@EXAMPLES
def test_import_of_a_damaged_attribute_table_ends_in_data_or_a_sentence(examples: int, benches: Benches) -> None:
    def read(file: bytes) -> None:
        attribute_sets(file, separated=True)
        bench = benches.get()
        import_attribute_table(bench, list_projects(bench)[0], file)

    try_all(ATTRIBUTES, read, examples)


@EXAMPLES
def test_damaged_transcripts_and_recordings_end_in_data_or_a_sentence(
    examples: int, benches: Benches, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("INTERACTEVAL_HOME", str(tmp_path))

    def read(file: tuple[bytes, str]) -> None:
        save_recording(benches.get(), 1, "Ana", file[0], file[1])
        save_transcript(benches.get(), 1, "Ana", decode_attributes(file[0]))

    spoken = st.tuples(damaged(b"Well, I look at links first.\n" * 3), st.sampled_from(["a.wav", "a.mp3", "../a.wav"]))
    try_all(spoken, read, examples)


PROMPT = files("prompts").joinpath("judge-checklist", "v1.md").read_bytes().replace(b"completely", b"wholly")


@EXAMPLES
def test_a_damaged_prompt_ends_in_data_or_a_sentence(examples: int, benches: Benches) -> None:
    def read(file: bytes) -> None:
        save_wording(benches.get(), 1, "judge-checklist", *sections_of(decode_attributes(file)))

    try_all(damaged(PROMPT), read, examples)


PRICES = (
    b"checked: 2026-01-31\nmodels:\n  a: {input: 1, output: 2, longer: {200000: {input: 2, output: 4}}}\nshares: {}\n"
)
RECORDED = (
    b'{"digest": "d", "model": "m", "prompt": "p", "text": "t", "finish": "stop", "usage": {"input_tokens": 1}, '
    b'"logprobs": [["a", -1, {"b": -2}]]}\n'
)
PASTED = b"Ana Berg, ana@example.org, expert\nBo\tbo@example.org\n"
SMALL_FILES: dict[str, tuple[bytes, Callable[[Path], object]]] = {
    "prices": (PRICES, read_prices),
    "front matter": (PROMPT, lambda path: split_front_matter(path.read_bytes().decode("utf-8", "replace"))),
    "recorded calls": (RECORDED * 3, read_recording),
    "invited people": (PASTED, lambda path: read_invited(path.read_bytes().decode("utf-8", "replace"), Role.EXPERT)),
}


@EXAMPLES
@pytest.mark.parametrize("kind", SMALL_FILES)
def test_a_small_damaged_file_ends_in_data_or_a_sentence(kind: str, examples: int, stored: Store) -> None:
    sound, read = SMALL_FILES[kind]
    try_all(damaged(sound), lambda file: read(stored(file, "x")), examples)


VALUES = st.sampled_from(
    ["NULL", "''", "'odd'", "-1", "9999999999", "1e300", "x'ff00'", "CAST(x'ff' AS TEXT)", "'[1]'", "'{}'", "'['",
     "char(0)", "printf('%.*c', 3000, '[')", "printf('%.*c', 300000, 'x')", "'2026-99-99 00:00:00'", "0",
     "rowid + 1", "'null'"]
)  # fmt: skip


@EXAMPLES
def test_import_of_a_damaged_project_ends_in_data_or_a_sentence(
    examples: int, benches: Benches, tmp_path: Path
) -> None:
    export_project(benches.get(), "Ready", tmp_path / "ready.zip")
    with ZipFile(tmp_path / "ready.zip") as archive:
        inside, about = archive.read("project.db"), archive.read("project.json")
    (tmp_path / "look.db").write_bytes(inside)
    with closing(sqlite3.connect(tmp_path / "look.db")) as connection:
        filled = [
            (table, column[1])
            for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            if connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
            for column in connection.execute(f'PRAGMA table_info("{table}")')
        ]
    changes = st.lists(st.tuples(st.sampled_from(filled), VALUES), min_size=1, max_size=3)
    names = count()

    def read(file: list[tuple[tuple[str, str], str]] | bytes) -> None:
        place = tmp_path / "changed.db"
        place.unlink(missing_ok=True)
        if isinstance(file, bytes):
            place.write_bytes(file)
        else:
            place.write_bytes(inside)
            with closing(sqlite3.connect(place)) as connection:
                connection.execute("PRAGMA journal_mode=DELETE")
                for (table, column), value in file:
                    with suppress(sqlite3.IntegrityError), connection:
                        connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = {value}')
        with ZipFile(tmp_path / "odd.zip", "w") as archive:
            archive.writestr("project.json", about)
            archive.write(place, "project.db")
        bench = benches.get()
        try:
            import_project(bench, tmp_path / "odd.zip", f"Odd {next(names)}")
        finally:
            for project in list_projects(bench):
                overview(bench, project.id)

    try_all(st.one_of(changes, changes, damaged(inside)), read, examples)


@EXAMPLES
def test_import_of_a_damaged_archive_ends_in_data_or_a_sentence(
    examples: int, benches: Benches, tmp_path: Path
) -> None:
    export_project(benches.get(), "Ready", tmp_path / "ready.zip")
    sound = (tmp_path / "ready.zip").read_bytes()

    def read(file: bytes) -> None:
        (tmp_path / "odd.zip").write_bytes(file)
        import_project(benches.get(), tmp_path / "odd.zip", "Odd")

    try_all(damaged(sound), read, examples)
