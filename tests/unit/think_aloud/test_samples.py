import json
import random
from statistics import mean, pstdev

import pytest

from app.errors import NotReadyError
from app.think_aloud.sample_choice import (
    SampleCandidate,
    UnratedCandidate,
    choose_samples,
    draw_unrated,
    few_documents,
    whole_documents,
)
from tests.support.made_data import made_data


def candidate(text_id: int, score: float, doc: str = "", spread: float = 0.0, length: int = 100) -> SampleCandidate:
    return SampleCandidate(text_id, doc or f"d{text_id}", score, spread, length)


def ids(samples: tuple[SampleCandidate, ...]) -> list[int]:
    return [sample.text_id for sample in samples]


def test_lowest_thirds_and_highest_are_chosen() -> None:
    pool = [candidate(n, 1 + n * 0.5) for n in range(9)]  # 1, 1.5 ... 5: thirds at 2.33 and 3.67
    assert [sample.score for sample in choose_samples(pool)] == [1.0, 2.5, 3.5, 5.0]


def test_agreement_between_raters_decides_among_equal_scores() -> None:
    pool = [candidate(1, 1, spread=0.8), candidate(2, 1), candidate(3, 5, spread=0.1), candidate(4, 5, spread=0.4)]
    assert ids(choose_samples(pool, 2)) == [2, 3]


def test_a_text_short_enough_to_read_is_preferred() -> None:
    pool = [candidate(1, 1, length=900), candidate(2, 1), candidate(3, 5), candidate(4, 5, length=900), candidate(5, 3)]
    assert ids(choose_samples(pool, 2)) == [2, 3]


def test_between_the_ends_a_clearer_text_beats_a_slightly_nearer_one() -> None:
    pool = [candidate(1, 0), candidate(2, 12), candidate(3, 4, spread=3), candidate(4, 4.5), candidate(5, 8)]
    assert ids(choose_samples(pool)) == [1, 4, 5, 2]


def test_the_ends_are_the_ends_even_where_raters_disagree() -> None:
    pool = [candidate(1, 1, spread=1), candidate(2, 1.2), candidate(3, 4.9), candidate(4, 5, spread=1)]
    assert ids(choose_samples(pool, 2)) == [1, 4]


def test_each_sample_comes_from_another_document() -> None:
    pool = [candidate(n, n, doc=f"d{n % 4}") for n in range(1, 41)]
    samples = choose_samples(pool)
    assert len({sample.doc_id for sample in samples}) == 4
    assert (samples[0].score, samples[-1].score) == (1, 40)


def test_the_scarcer_end_chooses_its_document_first() -> None:
    pool = [candidate(1, 1, "a"), candidate(2, 1, "b", spread=0.5), candidate(3, 5, "a"), candidate(4, 3, "c")]
    assert ids(choose_samples(pool, 2)) == [2, 3]


def test_too_few_documents_still_give_all_samples() -> None:
    pool = [candidate(n, n, doc="only") for n in range(1, 7)]
    assert len(choose_samples(pool)) == 4


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_rated_texts_give_as_many_samples(count: int) -> None:
    pool = [candidate(n, n) for n in range(1, count + 1)]
    assert ids(choose_samples(pool)) == list(range(1, count + 1))


def test_equal_scores_everywhere_still_give_four() -> None:
    assert len(choose_samples([candidate(n, 3.0) for n in range(1, 9)])) == 4


def test_no_rated_text_is_said_with_a_hint() -> None:
    with pytest.raises(NotReadyError, match="Import ratings"):
        choose_samples([])


def test_the_order_of_candidates_does_not_matter() -> None:
    generator = random.Random(7)
    pool = [
        candidate(n, generator.randint(3, 15) / 3, f"d{n // 12}", generator.random(), generator.randint(20, 400))
        for n in range(300)
    ]
    expected = choose_samples(pool)
    for _ in range(5):
        generator.shuffle(pool)
        assert choose_samples(pool) == expected


@pytest.mark.parametrize("dimension", ["coherence", "consistency", "fluency", "relevance"])
def test_real_ratings_give_samples_that_span_the_range(dimension: str) -> None:
    pool = []
    with made_data("summeval_model_annotations.aligned.paired.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            scores = [float(rating[dimension]) for rating in row["expert_annotations"]]
            pool.append(SampleCandidate(number, row["id"], mean(scores), pstdev(scores), len(row["decoded"])))
    samples = choose_samples(pool)
    scores = [sample.score for sample in samples]
    low, high = min(c.score for c in pool), max(c.score for c in pool)
    third = (high - low) / 3
    assert scores[0] == low
    assert scores[3] == high
    assert scores[1] == pytest.approx(low + third, abs=third / 4 + 1e-9)
    assert scores[2] == pytest.approx(high - third, abs=third / 4 + 1e-9)
    assert len({sample.doc_id for sample in samples}) == 4


@pytest.mark.parametrize(
    ("documents", "theirs", "everything", "whole"),
    [
        (4, 64, 1600, True),  # SummEval as the paper has it: 16 summaries an article
        (4, 48, 1200, True),
        (4, 16, 40, True),
        (4, 4, 6, True),  # each text a document of its own
        (3, 30, 30, False),  # three assignments of ten essays
        (4, 32, 40, False),
        (1, 30, 30, False),
        (4, 240, 2571, False),  # essays: an assignment has sixty
        (0, 0, 30, True),
    ],
)
def test_documents_stay_out_whole_where_they_are_many_and_small(
    documents: int, theirs: int, everything: int, whole: bool
) -> None:
    assert whole_documents(documents, theirs, everything) is whole


@pytest.mark.parametrize(
    ("documents", "texts", "few"),
    [(3, 30, True), (1, 9, True), (7, 70, True), (44, 2571, True), (8, 80, False), (100, 1600, False), (30, 30, False)],
)
def test_few_or_large_documents_are_known_before_samples_are_chosen(documents: int, texts: int, few: bool) -> None:
    assert few_documents(documents, texts) is few


def replies(tickets: int = 10, agents: int = 4) -> list[UnratedCandidate]:
    return [UnratedCandidate(t * agents + a, f"t{t}", f"a{a}") for t in range(tickets) for a in range(agents)]


@pytest.mark.parametrize("seed", range(5))
def test_unrated_samples_come_from_other_documents_and_systems(seed: int) -> None:
    drawn = draw_unrated(replies(), 4, seed)
    assert len({sample.doc_id for sample in drawn}) == 4
    assert len({sample.system_id for sample in drawn}) == 4


def test_unrated_samples_follow_from_the_seed_alone() -> None:
    pool = replies()
    shuffled = random.Random(1).sample(pool, len(pool))
    assert draw_unrated(pool, 4, 3) == draw_unrated(shuffled, 4, 3)
    assert len({draw_unrated(pool, 4, seed) for seed in range(8)}) > 1


def test_unrated_samples_spare_documents_that_are_taken() -> None:
    drawn = draw_unrated(replies(4, 2), 2, 0, ["t0", "t1"])
    assert {sample.doc_id for sample in drawn} == {"t2", "t3"}


def test_fewer_unrated_texts_than_samples_are_all_drawn() -> None:
    assert draw_unrated(replies(1, 3), 4) == tuple(replies(1, 3))
    assert draw_unrated([], 4) == ()
