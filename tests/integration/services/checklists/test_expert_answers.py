"""Experts answer a published checklist on texts drawn for them, each by themselves."""

import math

import numpy as np
import pytest

from app.domain.attribute import ContributorKind
from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw
from app.domain.project import Dimension
from app.errors import ConflictError, InputError, NotReadyError
from app.services.attributes.attributes import add_attributes
from app.services.checklists.answer_draws import draw_of, draw_texts, drawable
from app.services.checklists.checklists import new_draft, publish
from app.services.checklists.expert_answers import (
    answer,
    answer_cube,
    answer_sheet,
    expert_answers,
    note,
    own_sheet,
    texts_of,
)
from app.services.data.held_out_split import lock
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import ensure_samples
from tests.support.projects import ready_to_score

CHECKLIST = 1


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    ready_to_score(workbench, texts=40)
    return workbench


@pytest.fixture
def draw(bench: Workbench) -> AnswerDraw:
    return draw_texts(bench, CHECKLIST, 5, seed=3)


def test_the_draw_spans_the_scale_and_leaves_out_what_was_read_or_is_locked(bench: Workbench) -> None:
    samples = {s.text.doc_id for s in ensure_samples(bench, 1)}
    lock(bench, 1, 0.2, 1, "Ana")
    left = drawable(bench, CHECKLIST)
    drawn = draw_texts(bench, CHECKLIST, 5, seed=3)
    documents = {text.doc_id for text in texts_of(bench, drawn).values()}
    assert drawn.stratified
    assert len(drawn.texts) == len(texts_of(bench, drawn)) == 5
    assert not documents & samples
    assert left == 40 - 4 * len(samples) - 8  # four texts a document; two of ten documents are locked
    with bench.database.read() as work:
        assert not documents & {text.doc_id for text in work.held_out_texts.all(1)}
        means = work.texts.mean_scores(1)
    assert max(means[t] for t in drawn.texts) - min(means[t] for t in drawn.texts) >= 3


def test_a_lock_drawn_later_spares_what_experts_have_read(bench: Workbench, draw: AnswerDraw) -> None:
    read = {text.doc_id for text in texts_of(bench, draw).values()}
    lock(bench, 1, 0.5, 1, "Ana")
    assert len(texts_of(bench, draw)) == 5
    with bench.database.read() as work:
        assert not read & {text.doc_id for text in work.held_out_texts.all(1)}


def test_the_same_seed_draws_the_same_and_a_draw_without_answers_can_be_repeated(bench: Workbench) -> None:
    for texts in (0, 41):
        with pytest.raises(InputError, match="1 to 40"):
            draw_texts(bench, CHECKLIST, texts, seed=1)
    first = draw_texts(bench, CHECKLIST, 5, seed=3)
    assert draw_texts(bench, CHECKLIST, 5, seed=3).texts == first.texts
    other = draw_texts(bench, CHECKLIST, 7, seed=4)
    assert draw_of(bench, CHECKLIST) == other
    answer(bench, other, "Ana", other.texts[0], 1, Answer.YES)
    with pytest.raises(ConflictError, match="answered version 1 already"):
        draw_texts(bench, CHECKLIST, 5, seed=3)


def test_unrated_texts_are_drawn_by_chance_alone(bench: Workbench) -> None:
    with bench.database.write() as work:
        other = work.projects.add_dimension(1, Dimension("fluency"))
        asked = Checklist("fluency", 0, ChecklistStatus.DRAFT, "comb", "", questions=(Question("Is it?", ""),))
        published = work.checklists.publish(work.checklists.save(other.id, asked))
    drawn = draw_texts(bench, published.id, 4, seed=1)
    assert not drawn.stratified
    assert len(drawn.texts) == 4


def test_experts_answer_the_same_texts_each_in_an_order_of_their_own(bench: Workbench, draw: AnswerDraw) -> None:
    orders = {name: answer_sheet(bench, CHECKLIST, name).texts for name in ("Ana", "Bo", "Cy", "Di")}
    assert {frozenset(order) for order in orders.values()} == {frozenset(draw.texts)}
    assert len(set(orders.values())) > 1
    assert answer_sheet(bench, CHECKLIST, "Ana").texts == orders["Ana"]


def test_a_sheet_holds_ones_own_answers_only_and_counts_skipped_ones(bench: Workbench, draw: AnswerDraw) -> None:
    text = draw.texts[0]
    answer(bench, draw, "Ana", text, 1, Answer.YES)
    answer(bench, draw, "Ana", text, 2, Answer.UNANSWERED)
    note(bench, draw, "Ana", text, 3, "<b>Odd</b> =1+1")
    answer(bench, draw, "Bo", text, 1, Answer.NO)
    sheet = answer_sheet(bench, CHECKLIST, "Ana")
    assert {pair: one.answer for pair, one in sheet.given.items()} == {
        (text, 1): Answer.YES,
        (text, 2): Answer.UNANSWERED,
        (text, 3): None,
    }
    assert sheet.given[text, 3].note == "<b>Odd</b> =1+1"
    assert (sheet.answered(text), sheet.done) == (2, 0)
    answer(bench, draw, "Ana", text, 3, Answer.NO)
    assert answer_sheet(bench, CHECKLIST, "Ana").done == 1
    assert answer_sheet(bench, CHECKLIST, "Ana").given[text, 3].note == "<b>Odd</b> =1+1"
    answer(bench, draw, "Ana", text, 3, None)
    assert answer_sheet(bench, CHECKLIST, "Ana").answered(text) == 2


def test_all_answers_make_a_cube_for_agreement(bench: Workbench, draw: AnswerDraw) -> None:
    first, second = draw.texts[:2]
    answer(bench, draw, "Ana", first, 1, Answer.YES)
    answer(bench, draw, "Bo", second, 3, Answer.NO)
    answer(bench, draw, "Bo", second, 2, Answer.UNANSWERED)
    found = expert_answers(bench, CHECKLIST)
    cube = answer_cube(found)
    assert (found.experts, found.texts) == (("Ana", "Bo"), draw.texts)
    assert cube.shape == (2, 5, 3)
    assert (cube[0, 0, 0], cube[1, 1, 2]) == (1, 0)
    assert math.isnan(cube[1, 1, 1])
    assert int(np.isfinite(cube).sum()) == 2


def test_only_what_was_drawn_can_be_answered_and_only_by_people(bench: Workbench, draw: AnswerDraw) -> None:
    outside = next(n for n in range(1, 41) if n not in draw.texts)
    for text, question in ((outside, 1), (draw.texts[0], 99)):
        with pytest.raises(InputError, match="isn't among those drawn"):
            answer(bench, draw, "Ana", text, question, Answer.YES)
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Length."])
    with pytest.raises(ConflictError):
        answer(bench, draw, "rules", draw.texts[0], 1, Answer.YES)


def test_drafts_and_versions_without_a_draw_wait(bench: Workbench, draw: AnswerDraw) -> None:
    draft = new_draft(bench, CHECKLIST)
    with pytest.raises(NotReadyError, match="is a draft"):
        draw_texts(bench, draft.id, 5, seed=1)
    publish(bench, draft.id)
    with pytest.raises(NotReadyError, match="No texts are drawn"):
        answer_sheet(bench, draft.id, "Ana")
    assert draw_of(bench, CHECKLIST) == draw
    sheet = own_sheet(bench, 1, "Ana")
    assert sheet is not None and sheet.draw == draw, "the newest version that has one"
