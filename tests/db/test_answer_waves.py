"""Texts drawn for experts in waves, with the chances of each wave, on both engines."""

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question
from app.domain.project import Dimension, Task, Text
from db.unit_of_work import Database


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
