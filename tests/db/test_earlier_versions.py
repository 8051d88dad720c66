"""Databases of earlier versions keep what they know. One goes through all migrations, with rows of each time."""

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import Connection, MetaData, text

from app.domain.model_call import BatchStatus
from db.models.columns import now
from db.unit_of_work import Database, UnitOfWork
from tests.support.earlier_version import database_at, with_defaults

Rows = dict[str, list[dict[str, object]]]


def test_migrations_keep_what_earlier_versions_knew(empty_address: str) -> None:
    for revision, fill in FILLED.items():
        with database_at(empty_address, revision) as (connection, metadata):
            fill(connection, metadata)
    database = Database(empty_address)
    with database.read() as work:
        assert_0009_kept(work)
        assert_0020_kept(work)
        assert_0023_kept(work)
        assert_0032_kept(work)
    with database.write() as work:  # an import under way at 0025
        assert work.imports.keep(7, 1).texts == 0
        assert work.imports.forget(7) is False
        assert work.imports.begin() > (7 if empty_address.startswith("sqlite") else 0)
    database.close()


def inserting(rows: Rows) -> Callable[[Connection, MetaData], None]:
    def fill(connection: Connection, metadata: MetaData) -> None:
        for name, each in rows.items():
            table = metadata.tables[name]
            for row in each:
                connection.execute(table.insert().values(with_defaults(table, **row)))

    return fill


def fill_0009(connection: Connection, _metadata: MetaData) -> None:
    for statement in _AT_0009:
        connection.execute(text(statement))


def assert_0009_kept(work: UnitOfWork) -> None:
    """Calls are put down to the project they were asked for: by their run, or by the stage that was written down after
    them; a test of the connection stays nobody's. Nobody is named as who changed a build. Questions always applied, and
    judgments were told."""
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


def assert_0020_kept(work: UnitOfWork) -> None:
    """What was drawn before there were waves is the first."""
    found = work.expert_answers.draw_of(20)
    assert found is not None
    (wave,) = found.waves
    assert (found.texts, found.seed, found.stratified) == ((21, 20), 5, True)
    assert (wave.number, wave.design, wave.seed, wave.tau, wave.texts) == (1, "chance", 5, 0.0, (21, 20))
    assert wave.drawn_at == found.drawn_at == _WHEN
    assert work.expert_answers.chances(20) == [{}]


def assert_0023_kept(work: UnitOfWork) -> None:
    """Everybody has every dimension."""
    assert work.assignments.given(23) == {}
    assert work.assignments.overlap(23) == 0
    assert [one.name for one in work.projects.dimensions(23)] == ["order"]


def assert_0032_kept(work: UnitOfWork) -> None:
    """Batches keep their runs."""
    (found,) = work.provider_batches.open(32)
    assert (found.run, found.handle, found.status) == (32, "batch_1", BatchStatus.OUT)
    assert work.provider_batches.open_without_run(32, "openai:gpt-4o") == []


_NOW, _LATER = "'2026-11-01 10:00:00+00:00'", "'2026-11-01 10:00:05+00:00'"
_CALL = (
    "INSERT INTO model_call (digest, model, prompt, prompt_digest, reply, rationales, logprobs, finish, input_tokens, "
    "cached_tokens, output_tokens, seconds, error_kind, run_id, created_at) VALUES "
)
_AT_0009 = (
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
_WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_AT_0020: Rows = {
    "project": [{"id": 20, "name": "At 0020"}],
    "dimension": [{"id": 20, "project_id": 20, "name": "order"}],
    "text": [{"id": 20, "project_id": 20, "doc_id": "a"}, {"id": 21, "project_id": 20, "doc_id": "b"}],
    "checklist": [{"id": 20, "dimension_id": 20}],
    "answer_draw": [{"id": 20, "checklist_id": 20, "seed": 5, "stratified": True, "drawn_at": _WHEN}],
    "answer_draw_text": [{"id": 1, "draw_id": 20, "text_id": 21}, {"id": 2, "draw_id": 20, "text_id": 20}],
}
_AT_0023: Rows = {
    "project": [{"id": 23, "name": "At 0023"}],
    "dimension": [{"id": 23, "project_id": 23, "name": "order"}],
}
_AT_0025: Rows = {"text_import": [{"id": 7, "touched_at": now()}]}
_AT_0032: Rows = {
    "project": [{"id": 32, "name": "At 0032"}],
    "scoring_run": [{"id": 32, "project_id": 32, "judge": "openai:gpt-4o"}],
    "provider_batch": [{"id": 1, "run_id": 32, "token": "t", "handle": "batch_1", "status": "at the provider"}],
}
FILLED = {
    "0009": fill_0009,
    "0020": inserting(_AT_0020),
    "0023": inserting(_AT_0023),
    "0025": inserting(_AT_0025),
    "0032": inserting(_AT_0032),
}
