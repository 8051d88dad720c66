"""Good or not good: kept as ratings, hidden from other experts, and no reason to draw only the texts that have them."""

from dataclasses import replace

import pytest

from app.domain.project import Dimension, Rating, Task, Text, Verdict
from app.domain.roles_and_rights import Role
from app.errors import ConflictError, InputError, NotAllowedError, NotFoundError
from app.services.data.projects import create_project, save_dimension
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import (
    drawn,
    ensure_samples,
    give_verdict,
    rechoose_samples,
    samples_of,
    verdicts_by,
)

WORDS = ("refund", "delivery", "login", "invoice", "weather", "garden")


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    """Thirty replies on thirty tickets that nobody rated; a third of them are long."""
    project = create_project(workbench, "Replies", Task("reply", "ticket"), (Dimension("helpful", low=0, high=1),))
    texts = [
        Text(f"T{n}", f"About {WORDS[n % 6]} {WORDS[n % 6]}. " * (10 if n % 3 == 0 else 1), f"bot {n % 2}")
        for n in range(30)
    ]
    with workbench.database.write() as work:
        work.texts.add_many(project.id, texts)
    return workbench


def ratings(bench: Workbench) -> list[tuple[int, str, float]]:
    with bench.database.read() as work:
        return work.texts.ratings(1)


def test_a_verdict_is_a_rating_and_changes_with_it(bench: Workbench) -> None:
    give_verdict(bench, 1, "Ana", 3, Verdict.NOT_GOOD)
    give_verdict(bench, 1, "Ben", 3, Verdict.GOOD)
    assert ratings(bench) == [(3, "Ana", 0.0), (3, "Ben", 1.0)]
    give_verdict(bench, 1, "Ana", 3, Verdict.GOOD)
    assert ratings(bench) == [(3, "Ana", 1.0), (3, "Ben", 1.0)]
    give_verdict(bench, 1, "Ana", 3, Verdict.CANT_SAY)
    assert ratings(bench) == [(3, "Ben", 1.0)]
    assert verdicts_by(bench, 1, "Ana") == {3: Verdict.CANT_SAY}


def test_a_verdict_of_a_rating_that_came_with_the_data_is_refused(bench: Workbench) -> None:
    with bench.database.write() as work:
        work.texts.add_ratings([(3, 1, Rating("helpful", "Ana", 1.0))])
    with pytest.raises(ConflictError):
        give_verdict(bench, 1, "Ana", 3, Verdict.NOT_GOOD)
    assert ratings(bench) == [(3, "Ana", 1.0)]


def test_a_verdict_on_a_scale_or_an_unknown_text_is_refused(bench: Workbench) -> None:
    with pytest.raises(NotFoundError):
        give_verdict(bench, 1, "Ana", 99, Verdict.GOOD)
    save_dimension(bench, Dimension("helpful", low=1, high=5, id=1))
    with pytest.raises(ConflictError):
        give_verdict(bench, 1, "Ana", 3, Verdict.GOOD)


def test_a_verdict_is_ones_own(bench: Workbench) -> None:
    with bench.database.write() as work:
        person = work.people.add("invite", "eve", "Eve")
        work.people.join(person.id, 1, Role.EXPERT, "Eve")
        actor = work.people.actor(person.id)
    eve = replace(bench, actor=actor)
    give_verdict(eve, 1, "Eve", 3, Verdict.GOOD)
    with pytest.raises(NotAllowedError):
        give_verdict(eve, 1, "Ana", 3, Verdict.GOOD)
    with pytest.raises(NotAllowedError):
        verdicts_by(eve, 1, "Ana")


def test_samples_show_no_verdicts_as_their_score(bench: Workbench) -> None:
    first, *_ = ensure_samples(bench, 1)
    give_verdict(bench, 1, "Ana", first.text.id, Verdict.NOT_GOOD)
    assert [sample.score for sample in samples_of(bench, 1)] == [None] * 4
    assert [sample.score for sample in rechoose_samples(bench, 1, seed=2)] == [None] * 4


def test_texts_without_verdicts_can_be_drawn_for_scoring(bench: Workbench) -> None:
    first, *_ = ensure_samples(bench, 1)
    give_verdict(bench, 1, "Ana", first.text.id, Verdict.GOOD)
    give_verdict(bench, 1, "Ana", 30 if first.text.id != 30 else 29, Verdict.GOOD)
    assert len(drawn(bench, 1, 1, share=0.5, seed=1)[0]) == 13


def test_diverse_samples_differ_in_words_length_and_system(bench: Workbench) -> None:
    samples = rechoose_samples(bench, 1, seed=5, diverse=True)
    assert len({sample.text.text[:12] for sample in samples}) == 4
    assert {sample.text.system_id for sample in samples} == {"bot 0", "bot 1"}
    assert {len(sample.text.text) > 100 for sample in samples} == {True, False}
    assert {sample.chosen_by for sample in samples} == {"diverse"}
    assert rechoose_samples(bench, 1, seed=5, diverse=True) == samples
    assert [s.text.id for s in rechoose_samples(bench, 1, seed=6, diverse=True)] != [s.text.id for s in samples]


def test_as_many_samples_as_asked_are_drawn(bench: Workbench) -> None:
    assert len(rechoose_samples(bench, 1, count=8)) == 8
    assert len(rechoose_samples(bench, 1, count=8, diverse=True)) == 8
    with pytest.raises(InputError):
        rechoose_samples(bench, 1, count=21)
