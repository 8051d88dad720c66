"""Quotes are found where they stand, and nowhere else, whatever a judge made of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.quotes import CUT, LONGEST, QuoteCounts, QuotedPlace, find_quote, stored_quote

TEXT = "The “ferry” sails\n\n at noon.  It carried nine people, and Mr Brown’s dog."
SOURCE = "A storm kept the boats in. It carried nine people, and Mr Brown’s dog. Nobody drowned."
EVEN = str.maketrans("‘’‚‛′´`“”„‟″«»", "'" * 7 + '"' * 7)


def even(words: str) -> str:
    return " ".join(words.translate(EVEN).split())


def place(quote: str, text: str = TEXT, source: str = SOURCE) -> tuple[str, bool, bool] | None:
    """What stands there, whether that is in the source, and whether it is exact."""
    found = find_quote(quote, text, source)
    if found is None:
        return None
    return (source if found.in_source else text)[found.start : found.end], found.in_source, found.exact


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("sails at noon", "sails\n\n at noon"),
        ('The "ferry" sails', "The “ferry” sails"),
        ("Mr Brown's   dog.", "Mr Brown’s dog."),
        ("“It carried nine people”", "It carried nine people"),
        ("… carried nine ...", "carried nine"),
        ("at", "at"),
    ],
)
def test_spaces_and_the_kind_of_marks_make_no_difference(quote: str, there: str) -> None:
    assert place(quote) == (there, False, True)


@pytest.mark.parametrize("quote", ["It carries nine people, and Mr Brown's dog", "it carried", "THE “FERRY”"])
def test_nearly_these_words_are_found_and_said_to_be_nearly_these(quote: str) -> None:
    found = place(quote)
    assert found is not None
    assert (found[1], found[2]) == (False, False)
    assert found[0].lower().startswith(quote.lower()[:8])


def test_the_text_comes_before_its_source_and_exact_before_alike() -> None:
    assert place("It carried nine people") == ("It carried nine people", False, True)
    assert place("A storm kept the boats in.") == ("A storm kept the boats in.", True, True)
    nearly, exact = "The boats went out to the islands at dawn.", "The boats went out to the island at dawn."
    assert place(exact, nearly, exact) == (exact, True, True)
    assert place("Nobody drowned.", TEXT, "") is None


def test_a_word_is_found_as_a_word_before_it_is_found_inside_others() -> None:
    assert find_quote("he", "The other day he left.") == QuotedPlace(14, 16)
    assert find_quote("oth", "The other day he left.") == QuotedPlace(4, 7)


@pytest.mark.parametrize(
    "quote",
    [
        "",
        " \n\t",
        "…",
        "<script>alert(1)</script>",
        "Ten people were on board that day.",
        "dig",  # three letters resemble too much
        "\0\x1b[31m",
        "**bold** [link](https://example.org) :red[x]",
        f"You judge the coherence of one summary. {TEXT}",
        TEXT * 2,
        "Answer the checklist for this summary, with a quote for each answer where there is one.",
    ],
)
def test_what_is_not_there_is_nowhere(quote: str) -> None:
    assert find_quote(quote, TEXT, SOURCE) is None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("a" * 499 + "b", "a" * 100_000),
        ("aaaaaaaab" * 55, "aaaaaaab" * 12_000),
        ("x" * 100_000, "a " * 50_000),
    ],
)
def test_long_and_repetitive_ones_are_looked_up_bit_by_bit(quote: str, text: str) -> None:
    found = find_quote(quote, text, text[::-1])
    assert found is None or not found.exact


def test_a_quote_that_is_kept_has_an_end_and_says_when_it_was_longer() -> None:
    assert (stored_quote("  As it is. \n"), stored_quote(None), stored_quote(["a"])) == ("As it is.", "", "")
    assert stored_quote("a\0b\ud800") == "a\ufffdb\ufffd"
    long = "All of it was so. " * 6000
    kept = stored_quote(long)
    assert len(kept) <= LONGEST
    assert kept.endswith(CUT)
    assert place(kept, long) == (kept.removesuffix(CUT), False, True)
    assert place(long, long) == place(kept, long)


@given(st.data())
def test_any_part_of_a_text_is_found_at_a_place_that_reads_the_same(data: st.DataObject) -> None:
    signs = st.text(st.sampled_from("ab  \n\u00a0'’“\".…<:é\0İß") | st.characters(), min_size=1, max_size=60)
    text, source = data.draw(signs), data.draw(signs)
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    found = find_quote(part, text, source)
    if not part.strip():
        assert found is None
        return
    assert found is not None
    assert not found.in_source
    assert found.exact
    if even(part).strip("\"' .…"):
        assert even(part) == even(text[found.start : found.end])


def test_counts_are_said_in_one_line() -> None:
    assert str(QuoteCounts(1312, 0, 5, 12)) == "1,312 found, 5 not in the text, 12 without"
    assert str(QuoteCounts(3, 1)) == "3 found (1 in nearly these words), 0 not in the text, 0 without"
    assert (bool(QuoteCounts()), bool(QuoteCounts(without=1))) == (False, True)
