"""The deck ends when nothing is left, and waits for what may come back."""

import asyncio

from app.domain.run import PlannedScore
from app.services.scoring.blocks.block import cut_blocks
from app.services.scoring.blocks.deck import DealtFeed, Deck

PLAN = [PlannedScore(number, 1 + number % 2, number) for number in range(1, 9)]


async def taken(feed: Deck | DealtFeed) -> list[int]:
    found = []
    while (score := await feed.take()) is not None:
        found.append(score.id)
    return found


def test_what_is_dealt_is_not_taken_here() -> None:
    async def run() -> tuple[list[int], list[int]]:
        deck = Deck(PLAN[:1], [PLAN[1:4], PLAN[4:]])
        dealt = deck.deal({PLAN[1].dimension})
        deck.done(len(dealt))
        return [each.id for each in dealt], await taken(deck)

    assert asyncio.run(run()) == ([2, 3, 4], [1, 5, 6, 7, 8])


def test_only_blocks_of_a_dimension_that_was_tried_are_dealt() -> None:
    async def run() -> list[int]:
        deck = Deck((), [PLAN[:1], PLAN[1:2]])
        assert deck.deal(set()) == ()
        return [each.id for each in deck.deal({PLAN[1].dimension})]

    assert asyncio.run(run()) == [2]


def test_whoever_takes_waits_for_what_may_come_back() -> None:
    async def run() -> list[int]:
        deck = Deck((), [PLAN[:4]])
        dealt = deck.deal({1, 2})
        waiting = asyncio.create_task(taken(deck))
        await asyncio.sleep(0)
        assert not waiting.done()
        deck.done(2)
        deck.back(dealt[2:])
        return await waiting

    assert asyncio.run(run()) == [3, 4]


def test_what_is_kept_for_others_is_taken_here_only_when_nobody_else_is_left() -> None:
    async def run() -> tuple[list[int], list[int]]:
        deck = Deck(PLAN[:1], [PLAN[1:4], PLAN[4:]])
        deck.keep_for_others(True)
        waiting = asyncio.create_task(taken(deck))
        dealt = deck.deal({1, 2})
        await asyncio.sleep(0)
        deck.back(dealt[1:])
        deck.done(1)
        await asyncio.sleep(0)
        assert not waiting.done()
        assert not deck.empty
        deck.keep_for_others(False)
        return [each.id for each in dealt], await waiting

    assert asyncio.run(run()) == ([2, 3, 4], [1, 3, 4, 5, 6, 7, 8])


def test_a_closed_deck_lets_everybody_go() -> None:
    async def run() -> list[list[int]]:
        deck = Deck((), [PLAN[:4]])
        deck.deal({1, 2})
        waiting = [asyncio.create_task(taken(deck)) for _ in range(3)]
        await asyncio.sleep(0)
        deck.close()
        return await asyncio.gather(*waiting)

    assert asyncio.run(run()) == [[], [], []]


def test_what_is_dealt_to_a_process_is_taken_as_it_comes() -> None:
    async def run() -> list[int]:
        feed = DealtFeed()
        waiting = asyncio.create_task(taken(feed))
        await asyncio.sleep(0)
        feed.add(PLAN[:2])
        await asyncio.sleep(0)
        feed.add(PLAN[2:3])
        feed.end()
        return await waiting

    assert asyncio.run(run()) == [1, 2, 3]


def test_blocks_hold_whole_documents_of_one_dimension() -> None:
    documents = {number: f"d{number % 3}" for number in range(12)}
    plan = [PlannedScore(12 * dimension + text, dimension, text) for dimension in (1, 2) for text in documents]
    blocks = cut_blocks(plan, documents, size=5)
    assert sorted(each.id for block in blocks for each in block) == [each.id for each in plan]
    assert [[(each.dimension, documents[each.text]) for each in block][::4] for block in blocks] == [
        [(1, "d0"), (1, "d1")],
        [(1, "d2")],
        [(2, "d0"), (2, "d1")],
        [(2, "d2")],
    ]
