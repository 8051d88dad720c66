"""What can be done with a file's texts is said by the rules that sampling and results go by."""

from collections.abc import Sequence
from dataclasses import replace

from app.corpora.corpus import Corpus, CorpusText
from app.domain.project import Dimension, Rating, Task, Text
from app.services.data.uploads import Feasibility, feasibility, feasibility_words

ESSAYS = Task("essay", "assignment")


def corpus(documents: Sequence[str], scores: Sequence[float | None], systems: Sequence[str] = ()) -> Corpus:
    writers = systems or [""] * len(documents)
    texts = tuple(
        CorpusText(
            row,
            Text(document, f"Text {row}", writer, str(row)),
            () if score is None else (Rating("clarity", "a", score),),
        )
        for row, (document, score, writer) in enumerate(zip(documents, scores, writers, strict=True), 1)
    )
    return Corpus("csv", ESSAYS, (Dimension("clarity"),), texts, ())


def said(found: tuple[Feasibility, ...]) -> str:
    return " ".join(feasibility_words(found, ESSAYS))


def test_thirty_essays_that_stand_alone() -> None:
    found = feasibility(corpus([f"row-{n}" for n in range(30)], [1 + n % 5 for n in range(30)]))
    assert (found[0].texts, found[0].scored, found[0].rated) == (30, 26, 26)
    assert said(found).startswith("26 of 30 essays stay for scoring.")
    assert "Agreement inside each assignment can't be computed: no source has two or more texts" in said(found)
    assert "26 essays, but of only 26 different assignments" in said(found)
    assert "bring in texts of about 4 more assignments." in said(found)
    assert "Choose the level" not in said(found)


def test_enough_essays_that_stand_alone_are_enough_over_the_whole_dataset() -> None:
    found = feasibility(corpus([f"row-{n}" for n in range(34)], [1 + n % 5 for n in range(34)]))
    assert found[0].sources == 30
    assert "Choose the level “Dataset” in Results: it rests on 30 essays." in said(found)


def test_three_assignments_lose_their_samples_alone_and_are_too_few() -> None:
    found = feasibility(corpus([f"A{n % 3}" for n in range(30)], [1 + n % 5 for n in range(30)]))
    assert found[0].scored == 26
    inside = found[0].at("per-source")
    assert inside is not None
    assert (inside.units, inside.reason) == (3, "")
    assert "rests on 3 groups of texts" in said(found)
    assert "on that level too: bring in texts of about 27 more assignments." in said(found)
    assert "choose the level" not in said(found)


def test_another_level_is_proposed_only_where_it_has_enough_sources() -> None:
    documents = [f"pair{n // 2}" for n in range(20)] + [f"alone{n}" for n in range(40)]
    found = feasibility(corpus(documents, [1 + n % 5 for n in range(60)]))
    inside = found[0].at("per-source")
    assert inside is not None
    assert inside.units < 30 <= found[0].sources
    assert "choose the level “Dataset” in Results." in said(found)


def test_many_sources_of_a_few_texts_lose_whole_sources() -> None:
    found = feasibility(corpus([f"d{n // 4}" for n in range(160)], [1 + n % 5 for n in range(160)]))
    assert found[0].scored == 160 - 4 * 4
    assert "inside 36 groups of the same assignment, and over the whole dataset" in said(found)


def test_equal_ratings_leave_nothing_to_agree_with() -> None:
    found = feasibility(corpus(["a", "b", "c", "d", "e", "f", "g", "h"], [3] * 8))
    assert "Agreement with people can't be computed: all texts have the same human rating" in said(found)


def test_samples_of_unrated_texts_stay_out_too() -> None:
    found = feasibility(corpus([f"d{n // 4}" for n in range(160)], [None] * 160))
    assert (found[0].scored, found[0].samples, found[0].sample_sources, found[0].levels) == (144, 4, 4, ())
    assert "The 4 samples come from 4 assignments; all 16 essays of these assignments stay out" in said(found)
    assert "No essay is rated" in said(found)


def test_a_file_without_a_rated_dimension_has_an_outlook() -> None:
    unrated = replace(corpus([f"d{n // 4}" for n in range(160)], [None] * 160), dimensions=())
    (found,) = feasibility(unrated)
    assert (found.dimension, found.texts, found.scored, found.rated) == ("", 160, 144, 0)
    assert "No essay is rated" in said((found,))


def test_dimensions_of_which_the_same_is_true_share_a_sentence() -> None:
    one = corpus([f"row-{n}" for n in range(30)], [1 + n % 5 for n in range(30)])
    texts = tuple(
        CorpusText(
            item.row, item.text, (*item.ratings, *(Rating(d, "a", r.value) for d in ("b", "c") for r in item.ratings))
        )
        for item in one.texts
    )
    two = Corpus("csv", ESSAYS, tuple(Dimension(name) for name in ("clarity", "b")), texts, ())
    assert len(feasibility_words(feasibility(two), ESSAYS)) == 2
    mixed = (*feasibility(one), Feasibility("depth", 30, 30, 0))
    assert [line.split(":")[0] for line in feasibility_words(mixed, ESSAYS)] == ["clarity", "depth"]
