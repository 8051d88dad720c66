"""An import comes in whole or not at all, lets others write meanwhile, and may go on beside others."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import func
from sqlmodel import select

from app.corpora.corpus import Corpus, CorpusText
from app.domain.project import Dimension, Rating, Task, Text
from app.errors import ConflictError
from app.providers.credentials import Credentials
from app.services.data import imports
from app.services.data.imports import store_corpus
from app.services.runtime.workbench import Workbench
from db.models.columns import now
from db.models.project import StagedRatingRow, StagedTextRow, TextImportRow
from db.repositories.imports import ABANDONED, Imports, TextOfFile
from db.unit_of_work import Database

TEXTS = 25


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "BLOCK", 4)
    monkeypatch.setattr(imports, "PAUSE", 0)


@pytest.fixture
def workbench(database: Database) -> Workbench:
    return Workbench(database, Credentials())


def corpus(count: int = TEXTS, word: str = "Text") -> Corpus:
    texts = [
        CorpusText(
            n + 1,
            Text(f"d{n // 5}", f"{word} {n}.", f"s{n % 5}", references=("r",), extra={"n": n}),
            tuple(Rating("clarity", rater, 1 + n % 5) for rater in ("Ana", "Ben")),
        )
        for n in range(count)
    ]
    return Corpus("csv", Task(), (Dimension("clarity", low=1, high=5),), tuple(texts), ())


def held(database: Database) -> tuple[int, int, int]:
    """Projects, texts and ratings of the first project."""
    with database.read() as work:
        projects = work.projects.all()
        if not projects:
            return 0, 0, 0
        project = projects[-1].id
        ratings = sum(count for count, _ in work.texts.rating_counts(project).values())
        return len(projects), work.texts.count(project), ratings


def left_over(database: Database) -> int:
    with database.read() as work:
        session = work.projects._session
        tables = (TextImportRow, StagedTextRow, StagedRatingRow)
        return sum(session.exec(select(func.count()).select_from(table)).one() for table in tables)


def between_blocks(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    class Clock:
        @staticmethod
        def sleep(_seconds: float) -> None:
            act()

    monkeypatch.setattr(imports, "time", Clock)


def test_it_comes_in_as_it_was_and_a_second_time_adds_nothing(workbench: Workbench) -> None:
    first, second = store_corpus(workbench, corpus(), "News"), store_corpus(workbench, corpus(), "News")
    assert (first.added_texts, first.added_ratings, first.skipped) == (TEXTS, 2 * TEXTS, ())
    assert (second.added_texts, second.added_ratings, second.skipped) == (0, 0, ())
    with workbench.database.read() as work:
        kept = work.texts.all(1)
    assert [(t.key, t.text, t.references, t.extra) for t in kept] == [
        (item.text.key, item.text.text, item.text.references, item.text.extra) for item in corpus().texts
    ]
    assert left_over(workbench.database) == 0


def test_what_is_there_wins_and_what_stays_out_is_named(workbench: Workbench) -> None:
    store_corpus(workbench, corpus(5), "News")
    other = [
        CorpusText(1, Text("d0", "Another text.", "s0"), (Rating("clarity", "Cleo", 3),)),
        CorpusText(2, Text("d0", "Text 1.", "s1"), (Rating("clarity", "Ana", 5), Rating("clarity", "Cleo", 9))),
        CorpusText(3, Text("d0", "Text 2.", "s2"), (Rating("clarity", "Cleo", 2), Rating("clarity", "Ana", 3))),
    ]
    report = store_corpus(
        workbench, Corpus("csv", Task(), (Dimension("clarity", low=1, high=9),), tuple(other), ()), "News"
    )
    assert (report.added_texts, report.added_ratings) == (0, 1)
    assert [(skipped.row, skipped.reason) for skipped in report.skipped] == [
        (1, "another text is already stored under d0 / s0"),
        (2, "Ana already rated this text 2 on clarity; 5 was left out"),
        (2, "rating 9 on clarity is outside 1 to 5"),
    ]


def test_others_write_and_see_nothing_while_it_is_read_in(
    workbench: Workbench, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.engine.BUSY_TIMEOUT_MS", 100)
    other, names = Database(address), iter(range(1000))
    seen = set()

    def write() -> None:
        with other.write() as work:
            work.projects.add(f"Other {next(names)}", Task())
        with other.read() as work:
            seen.add(work.projects.find("News") is None)

    between_blocks(monkeypatch, write)
    monkeypatch.setattr(imports, "_forget", lambda *_: None)
    store_corpus(workbench, corpus(), "News")
    assert seen == {True}
    with other.read() as work:
        assert work.texts.count(work.projects.get("News").id) == TEXTS
    other.close()


def test_one_that_fails_in_the_middle_leaves_nothing(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    add, calls = Imports.add, iter(range(100))

    def stop(self: Imports, import_id: int, block: list[TextOfFile]) -> None:
        if next(calls) == 3:
            raise KeyboardInterrupt
        add(self, import_id, block)

    monkeypatch.setattr(Imports, "add", stop)
    with pytest.raises(KeyboardInterrupt):
        store_corpus(workbench, corpus(), "News")
    assert (held(workbench.database), left_over(workbench.database)) == ((0, 0, 0), 0)


def killed(workbench: Workbench, ago: timedelta) -> int:
    """What a process leaves that was killed after its first block."""
    block = [TextOfFile(n, item.row, item.text, item.ratings) for n, item in enumerate(corpus().texts[:4])]
    with workbench.database.write() as work:
        import_id = work.imports.begin()
        work.imports.add(import_id, block)
    with workbench.database.write() as work:
        work.imports._session.get_one(TextImportRow, import_id).touched_at = now() - ago
    return import_id


def test_of_one_that_was_killed_nothing_shows_and_the_next_clears_it_away(workbench: Workbench) -> None:
    killed(workbench, ABANDONED + timedelta(seconds=1))
    assert held(workbench.database) == (0, 0, 0)
    assert store_corpus(workbench, corpus(), "News").added_texts == TEXTS
    assert (held(workbench.database), left_over(workbench.database)) == ((1, TEXTS, 2 * TEXTS), 0)


def test_one_that_still_goes_on_is_left_alone(workbench: Workbench) -> None:
    import_id = killed(workbench, timedelta(0))
    store_corpus(workbench, corpus(), "News")
    with workbench.database.write() as work:
        project = work.projects.get("News")
        assert work.imports.keep(import_id, project.id).left_out == ()


def test_one_that_was_given_up_says_so(workbench: Workbench) -> None:
    import_id = killed(workbench, ABANDONED * 2)
    store_corpus(workbench, corpus(5), "News")
    with pytest.raises(ConflictError, match="Import the file again"), workbench.database.write() as work:
        work.imports.keep(import_id, work.projects.get("News").id)


@pytest.fixture
def several(address: str) -> Iterator[list[Workbench]]:
    opened = [Workbench(Database(address), Credentials()) for _ in range(4)]
    yield opened
    for workbench in opened:
        workbench.database.close()


def test_several_at_once_into_one_new_project_stay_right(several: list[Workbench]) -> None:
    reports, failed = [], []

    def bring(workbench: Workbench) -> None:
        try:
            reports.append(store_corpus(workbench, corpus(), "News"))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=bring, args=(workbench,)) for workbench in several]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert sorted(report.added_texts for report in reports) == [0, 0, 0, TEXTS]
    assert held(several[0].database) == (1, TEXTS, 2 * TEXTS)
    assert left_over(several[0].database) == 0
