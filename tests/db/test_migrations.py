"""Databases are made, brought up to date, and refused when they come from a newer program."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, text
from sqlmodel import SQLModel

import db.models  # noqa: F401  registers the tables
from app.errors import DatabaseError
from db import engine, unit_of_work
from db.engine import open_engines
from db.unit_of_work import Database
from tests.support.earlier_version import database_at


@pytest.fixture(autouse=True)
def _each_migration_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_of_work, "upgrade", engine.upgrade)


def test_the_migrations_make_exactly_the_tables_of_the_models(empty_address: str) -> None:
    Database(empty_address).close()
    writer, _ = open_engines(empty_address)
    with writer.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    writer.dispose()


def test_the_names_of_the_files_tell_the_revisions_in_their_order() -> None:
    scripts = ScriptDirectory.from_config(engine.config())
    assert [script.revision for script in scripts.walk_revisions()] == [*reversed(engine.revisions())]


def test_opening_twice_changes_nothing(empty_address: str) -> None:
    Database(empty_address).close()
    before = _contents(empty_address)
    assert before["alembic_version"]
    Database(empty_address).close()
    assert _contents(empty_address) == before


def _contents(address: str) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables."""
    writer, _ = open_engines(address)
    with writer.connect() as connection:
        tables = MetaData()
        tables.reflect(connection)
        found = {
            name: [tuple(row) for row in connection.execute(table.select())] for name, table in tables.tables.items()
        }
    writer.dispose()
    return found


def test_a_database_of_a_newer_program_is_refused_and_left_alone(empty_address: str) -> None:
    Database(empty_address).close()
    writer, _ = open_engines(empty_address)
    with writer.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError, match="newer version"):
        Database(empty_address)
    with writer.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "9999"
    writer.dispose()


def test_an_older_database_keeps_what_it_knows_and_makes_nothing_up(empty_address: str) -> None:
    """Calls are put down to the project they were asked for: by their run, or by the stage that was written down after
    them; a test of the connection stays nobody's. Nobody is named as who changed a build. Questions always applied, and
    judgments were told."""
    _at_revision_0009(empty_address, *_ASKED)
    database = Database(empty_address)
    with database.read() as work:
        found = work.calls._session.execute(
            text("SELECT digest, project_id, cache_write_tokens, person_id FROM model_call")
        )
        assert sorted(map(tuple, found)) == [
            ("judged", 2, 0, None),
            ("late", None, 0, None),
            ("refused", None, 0, None),
            ("stage", 1, 0, None),
            ("tested", None, 0, None),
        ]
        # Of what failed nobody knows whether it was billed only where the request ran out of time.
        costs = work.calls._session.execute(text("SELECT digest, cost_usd FROM model_call WHERE error_kind <> ''"))
        assert sorted(map(tuple, costs)) == [("late", None), ("refused", 0.0)]
        assert (work.runs.get(1).calls_cached, work.runs.get(1).retries) == (0, 0)
        assert [(step.what, step.who) for step in work.builds.history(1)] == [("Started", "")]
        # When its author removed an attribute wasn't on record, so it is theirs alone; what others left out is not.
        assert [a.text for a in work.think_aloud.attributes(1)] == ["Unclear."]
        assert len(work.think_aloud.attributes(1, withdrawn=True)) == 2
        (question,) = work.checklists.get(1).questions
        assert (question.text, question.may_not_apply, question.not_apply_reason) == ("Is it clear?", False, "")
        ((judgment,),) = work.results.judgments_by_text(1, 1).values()
        assert (judgment.answer.value, judgment.cannot_tell) == ("no", False)
        assert (judgment.quote, work.results.quotes(1, 1)) == ("", {1: [""]}), "nobody asked for one"
    database.close()


_NOW, _LATER = "'2026-11-01 10:00:00+00:00'", "'2026-11-01 10:00:05+00:00'"
_CALL = (
    "INSERT INTO model_call (digest, model, prompt, prompt_digest, reply, rationales, logprobs, finish, input_tokens, "
    "cached_tokens, output_tokens, seconds, error_kind, run_id, created_at) VALUES "
)
_BEFORE_0010 = (
    "INSERT INTO project (id, name, text_name, source_name, description, language, notice, created_at) "
    f"VALUES (1, 'A', '', '', '', 'en', '', {_NOW}), (2, 'B', '', '', '', 'en', '', {_NOW})",
    "INSERT INTO dimension (id, project_id, name, rubric, low, high, position) VALUES (1, 1, 'clarity', '', 1, 5, 0)",
    "INSERT INTO contributor (id, project_id, name, kind, model, role, background, created_at) "
    f"VALUES (1, 1, 'Ada', 'human', '', '', '', {_NOW})",
    "INSERT INTO attribute (id, dimension_id, contributor_id, text, original_text, status, reason, round, position, "
    f"created_at) VALUES (1, 1, 1, 'Slip.', 'Slip.', 'excluded', 'removed by its author', 1, 0, {_NOW}), "
    f"(2, 1, 1, 'Unclear.', 'Unclear.', 'excluded', 'too vague', 1, 1, {_NOW})",
    "INSERT INTO scoring_run (id, project_id, evaluator, judge, params, status, message, writer, stop_requested, "
    f"started_at) VALUES (1, 2, 'checklist', 'openai:m', '{{}}', 'done', '', '', false, {_NOW})",
    "INSERT INTO stage_run (dimension_id, stage, model, prompt, prompt_digest, inputs_digest, inputs, output, "
    "input_tokens, cached_tokens, output_tokens, error_kind, error, created_at) VALUES "
    f"(1, 'components', 'openai:m', 'components@1', 'c', '', '{{}}', '', 1, 0, 1, '', '', {_LATER})",
    f"INSERT INTO build (id, dimension_id, condition, study_digest, created_at) VALUES (1, 1, 'comb', '', {_NOW})",
    f"INSERT INTO build_revision (build_id, number, what, state, created_at) VALUES (1, 1, 'Started', '{{}}', {_NOW})",
    f"{_CALL} ('judged', 'openai:m', 'judge@1', 'j', '', '{{}}', '[]', 'stop', 1, 0, 1, 0, '', 1, {_NOW})",
    f"{_CALL} ('stage', 'openai:m', 'components@1', 'c', '', '{{}}', '[]', 'stop', 1, 0, 1, 0, '', NULL, {_NOW})",
    f"{_CALL} ('tested', 'openai:m', 'judge@1', 'j', '', '{{}}', '[]', 'stop', 1, 0, 1, 0, '', NULL, {_NOW})",
    f"{_CALL} ('refused', 'openai:m', 'x@1', 'x', '', '{{}}', '[]', 'stop', 0, 0, 0, 0, 'quota', NULL, {_NOW})",
    f"{_CALL} ('late', 'openai:m', 'x@1', 'x', '', '{{}}', '[]', 'stop', 0, 0, 0, 0, 'timeout', NULL, {_NOW})",
)


def test_an_address_that_names_no_database_is_one_sentence() -> None:
    with pytest.raises(DatabaseError, match="address can't be used"):
        Database("nonsense")


def test_a_copy_is_kept_before_each_update_and_the_last_few_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite; a server has its own backups."""
    monkeypatch.setattr("db.backup.KEPT_COPIES", kept := 2)
    file = tmp_path / "work[1].db"
    _at_revision_0009(f"sqlite:///{file}")
    older, copies = file.read_bytes(), []
    for _ in range(kept + 1):
        for part in tmp_path.glob("work[[]1].db*"):
            part.unlink()
        file.write_bytes(older)
        Database(f"sqlite:///{file}").close()
        copies.append(max(tmp_path.glob("*-before-update-0009-*.db")))
    assert sorted(tmp_path.glob("*before-update*")) == copies[-kept:]
    with closing(sqlite3.connect(copies[-1])) as copy:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchone() == ("0009",)
        assert copy.execute("SELECT name FROM project ORDER BY id").fetchall() == [("A",), ("B",)]
    Database(f"sqlite:///{file}").close()
    assert len(list(tmp_path.glob("*before-update*"))) == kept, "nothing to update, nothing to keep"


def test_where_no_copy_can_be_made_nothing_is_updated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "work.db"
    _at_revision_0009(f"sqlite:///{file}")

    def full(_source: Path, target: Path) -> None:
        target.write_bytes(b"half")
        raise DatabaseError("database or disk is full")

    monkeypatch.setattr("db.backup.copy_database", full)
    with pytest.raises(DatabaseError, match="disk is full"):
        Database(f"sqlite:///{file}")
    assert not list(tmp_path.glob("*before-update*"))
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchone() == ("0009",)


_ASKED = (
    "INSERT INTO checklist (id, dimension_id, version, condition, status, origin, model, max_components, created_at) "
    f"VALUES (1, 1, 1, 'comb', 'published', 'built', '', 5, {_NOW})",
    "INSERT INTO question (id, checklist_id, kind, text, original_text, guidance, position, enabled, removed, weight, "
    f"origin, reason, created_at) VALUES (1, 1, 'sub', 'Is it clear?', '', '', 0, true, false, 1, 'added', '', {_NOW})",
    'INSERT INTO text (id, project_id, doc_id, system_id, item_id, source, text, "references", extra) '
    "VALUES (1, 1, 'd', '', '', '', 'A text.', '[]', '{}')",
    "INSERT INTO score (id, run_id, dimension_id, text_id, status, value, details, coverage, error_kind, error) "
    "VALUES (1, 1, 1, 1, 'done', 1, '{}', 1, '', '')",
    "INSERT INTO judgment (score_id, question_id, repeat, answer, rationale) VALUES (1, 1, 0, 'no', '')",
)


def _at_revision_0009(address: str, *more: str) -> None:
    with database_at(address, "0009") as (connection, _):
        for statement in (*_BEFORE_0010, *more):
            connection.execute(text(statement))
