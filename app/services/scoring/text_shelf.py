"""Texts of a run, of which a part is held: a run of a million needs no more memory than one of a thousand."""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from app.domain.project import Text
from db.unit_of_work import Database

HELD = 4_000  # texts; the least lately used go
READ_TOGETHER = 500


class TextShelf:
    """A text that isn't held is read together with those that come next to it in the run."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: OrderedDict[int, Text] = OrderedDict()
        self._order = array("q")

    def expect(self, texts: Iterable[int]) -> None:
        """The run's texts, by id."""
        self._order = array("q", sorted(set(texts)))

    def hold(self, texts: Mapping[int, Text]) -> None:
        self._held.update(texts)
        while len(self._held) > HELD:
            self._held.popitem(last=False)

    def __getitem__(self, text: int) -> Text:
        """Raises KeyError for a text that is gone."""
        if text not in self._held:
            self._read(text)
        self._held.move_to_end(text)
        return self._held[text]

    def _read(self, text: int) -> None:
        place = bisect_left(self._order, text)
        wanted = {text, *self._order[place : place + READ_TOGETHER]}
        with self._database.read() as work:
            self.hold(work.every_text.many(wanted))
