"""Texts drawn for experts in waves, with the chances of each wave, on both engines."""

from datetime import UTC, datetime

from sqlalchemy import Table

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question
from app.domain.project import Dimension, Task, Text
from db.unit_of_work import Database
from tests.support.earlier_version import database_at

_WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_OLD: dict[str, list[dict[str, object]]] = {
    "project": [{"id": 1, "name": "A"}],
    "dimension": [{"id": 1, "project_id": 1, "name": "order"}],
    "text": [{"id": 1, "project_id": 1, "doc_id": "a"}, {"id": 2, "project_id": 1, "doc_id": "b"}],
    "checklist": [{"id": 1, "dimension_id": 1}],
    "answer_draw": [{"id": 1, "checklist_id": 1, "seed": 5, "stratified": True, "drawn_at": _WHEN}],
    "answer_draw_text": [{"id": 1, "draw_id": 1, "text_id": 2}, {"id": 2, "draw_id": 1, "text_id": 1}],
}


def test_a_wave_comes_after_those_before_and_its_chances_are_kept(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("News", Task())
        dimension = work.projects.add_dimension(project.id, Dimension("order"))
        work.texts.add_many(project.id, [Text(f"d{n}", f"Text {n}.") for n in range(4)])
        first, second, third, fourth = (one.id for one in work.texts.page(project.id, 0, 4))
        draft = Checklist("order", 0, ChecklistStatus.DRAFT, "comb", "", (Component("A"),), (Question("A?", "A"),))
        checklist = work.checklists.save(dimension.id, draft)
        draw = work.expert_answers.add_draw(checklist, 7, stratified=False)
        chances = {first: 0.25, second: 0.5, third: 0.25, fourth: 1.0}
        work.expert_answers.add_wave(draw, [second, fourth], chances, design="uncertain", seed=7, tau=0.5)
        work.expert_answers.add_wave(draw, [first], {first: 1 / 3, third: 0.1}, design="chance", seed=8, tau=0.0)
    with database.read() as work:
        found = work.expert_answers.draw_of(checklist)
        assert found is not None
        assert found.texts == (second, fourth, first)
        said = [(w.number, w.design, w.seed, w.tau, w.texts) for w in found.waves]
        assert said == [(1, "uncertain", 7, 0.5, (second, fourth)), (2, "chance", 8, 0.0, (first,))]
        assert work.expert_answers.chances(draw) == [chances, {first: 1 / 3, third: 0.1}]
    with database.write() as work:
        work.expert_answers.remove_draw(draw)
    with database.read() as work:
        assert work.expert_answers.draw_of(checklist) is None
        assert work.expert_answers.chances(draw) == []


def test_what_was_drawn_before_there_were_waves_is_the_first(empty_address: str) -> None:
    with database_at(empty_address, "0020") as (connection, metadata):
        for name, rows in _OLD.items():
            table = metadata.tables[name]
            for row in rows:
                connection.execute(table.insert().values({**_filled(table), **row}))
    database = Database(empty_address)
    with database.read() as work:
        found = work.expert_answers.draw_of(1)
        assert found is not None
        (wave,) = found.waves
        assert (found.texts, found.seed, found.stratified) == ((2, 1), 5, True)
        assert (wave.number, wave.design, wave.seed, wave.tau, wave.texts) == (1, "chance", 5, 0.0, (2, 1))
        assert wave.drawn_at == found.drawn_at == _WHEN
        assert work.expert_answers.chances(1) == [{}]
    database.close()


def _filled(table: Table) -> dict[str, object]:
    """Something in every column that needs it."""
    empty: dict[type, object] = {str: "", int: 0, float: 0.0, bool: False, dict: {}, datetime: _WHEN}
    return {c.name: empty.get(c.type.python_type, {}) for c in table.columns if not (c.nullable or c.primary_key)}
