"""Halves of documents: equal, by chance, and never changed for those that have one."""

from app.corpora.draws import draw_halves
from app.domain.improvement import DocumentHalf

DOCUMENTS = [f"d{number:02}" for number in range(41)]


def proof(halves: dict[str, DocumentHalf]) -> set[str]:
    return {document for document, half in halves.items() if half is DocumentHalf.PROOF}


def test_half_and_half_whatever_the_order_and_otherwise_with_another_seed() -> None:
    found = draw_halves(DOCUMENTS, {}, 1)
    assert set(found) == set(DOCUMENTS)
    assert len(proof(found)) in (20, 21)
    assert draw_halves(reversed(DOCUMENTS), {}, 1) == found
    assert proof(draw_halves(DOCUMENTS, {}, 2)) != proof(found)


def test_documents_that_come_later_change_nothing_for_those_before() -> None:
    first = draw_halves(DOCUMENTS[:15], {}, 1)
    later = draw_halves(DOCUMENTS, first, 1)
    assert set(later) == set(DOCUMENTS[15:])
    assert len(proof(first | later)) in (20, 21)
    assert draw_halves(DOCUMENTS[:15], first, 1) == {}


def test_single_documents_fill_up_the_smaller_half() -> None:
    halves: dict[str, DocumentHalf] = {}
    for number, document in enumerate(DOCUMENTS, start=1):
        halves |= draw_halves([document], halves, 3)
        assert abs(2 * len(proof(halves)) - number) <= 1
    assert len({halves[document] for document in DOCUMENTS[::2]}) == 2, "which of two comes first is drawn"
