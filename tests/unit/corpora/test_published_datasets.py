"""Every published file is read whole, by its format's name and by its structure alone: made-up ones always, the real
ones where they are."""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from app.corpora.corpus import Corpus
from app.corpora.reading import detect_format, open_corpus, with_references
from app.errors import InputError
from tests.support.corpora import read_corpus
from tests.support.made_data import made_data
from tests.support.real_data import shared_data

whole = cache(read_corpus)
"""The corpus of a file that no test changes."""

# file, format, texts, sources, systems, dimensions, ratings
MADE = [
    ("summeval_model_annotations.aligned.paired.jsonl", "summeval", 1200, 100, 12, 4, 14_400),
    ("ELLIPSE_Final_github_test.csv", "ellipse", 600, 10, 1, 7, 600 * 7),
    ("topical_chat.json", "topical-chat", 360, 60, 6, 6, 360 * 6),
    ("qags_xsum.json", "qags", 60, 60, 1, 1, 60),
    ("qags_cnndm.json", "qags", 60, 60, 1, 1, 60),
    ("openmeva.json", "openmeva", 1000, 200, 5, 1, 1000),
    ("sfres.json", "sfres", 240, 120, 1, 3, 240 * 3),
]
REAL = [
    ("summeval_model_annotations.aligned.paired.jsonl", "summeval", 1200, 100, 12, 4, 14_400),
    ("ELLIPSE_Final_github_test.csv", "ellipse", 2571, 44, 1, 7, 2571 * 7),
    ("topical_chat.json", "topical-chat", 360, 60, 6, 6, 360 * 6),
    ("qags_xsum.json", "qags", 239, 239, 1, 1, 239),
    ("qags_cnndm.json", "qags", 235, 235, 1, 1, 235),
    ("openmeva.json", "openmeva", 1000, 200, 5, 1, 1000),
    ("sfres.json", "sfres", 1181, 580, 1, 3, 1181 * 3),
]
SETS = [(data, *expected) for data, files in ((made_data, MADE), (shared_data, REAL)) for expected in files]


@pytest.fixture(params=[made_data, shared_data], ids=["made", "real"])
def data(request: pytest.FixtureRequest) -> Callable[[str], Path]:
    return request.param


@pytest.mark.parametrize(("data", "file", "format_name", "texts", "sources", "systems", "dimensions", "ratings"), SETS)
@pytest.mark.parametrize("how", ["auto", "by name"])
def test_is_read_whole(data, file, format_name, texts, sources, systems, dimensions, ratings, how):
    corpus = whole(data(file)) if how == "auto" else read_corpus(data(file), format_name)

    assert corpus.format == format_name
    assert len(corpus.texts) == texts
    assert len({entry.text.doc_id for entry in corpus.texts}) == sources
    assert len({entry.text.source for entry in corpus.texts}) == sources
    assert len({entry.text.system_id for entry in corpus.texts}) == systems
    assert len(corpus.dimensions) == dimensions
    assert sum(len(entry.ratings) for entry in corpus.texts) == ratings
    assert corpus.skipped == ()


@pytest.mark.parametrize(("data", "file", "format_name"), [entry[:3] for entry in SETS])
def test_keeps_the_promises_of_a_corpus(data, file, format_name):
    corpus = whole(data(file))

    assert len({entry.text.key for entry in corpus.texts}) == len(corpus.texts)
    ranges = {dimension.name: (dimension.low, dimension.high) for dimension in corpus.dimensions}
    assert all(
        ranges[rating.dimension][0] <= rating.value <= ranges[rating.dimension][1]
        for entry in corpus.texts
        for rating in entry.ratings
    )
    assert all(dimension.rubric for dimension in corpus.dimensions)
    json.dumps([dict(entry.text.extra) for entry in corpus.texts], allow_nan=False)


@pytest.mark.parametrize(("data", "file", "format_name"), [entry[:3] for entry in SETS])
def test_the_name_of_the_file_plays_no_part(data, file, format_name, tmp_path):
    nameless = tmp_path / "data"
    shutil.copyfile(data(file), nameless)
    assert detect_format(nameless) == format_name


@pytest.fixture
def summeval(data: Callable[[str], Path]) -> Corpus:
    return whole(data("summeval_model_annotations.aligned.paired.jsonl"))


class TestSummEval:
    def test_three_experts_stay_three(self, summeval):
        raters = Counter((rating.dimension, rating.rater) for entry in summeval.texts for rating in entry.ratings)
        assert raters == {
            (dimension, f"expert-{n}"): 1200
            for dimension in ("coherence", "consistency", "fluency", "relevance")
            for n in (1, 2, 3)
        }

    def test_each_value_is_where_the_file_has_it(self, summeval, data):
        lines = data("summeval_model_annotations.aligned.paired.jsonl").read_text("utf-8").split("\n")
        for entry in summeval.texts[::97]:
            record = json.loads(lines[entry.row - 1])
            assert entry.text.text == record["decoded"].strip()
            assert (entry.text.doc_id, entry.text.system_id) == (record["id"], record["model_id"])
            for rating in entry.ratings:
                expert = int(rating.rater.removeprefix("expert-"))
                assert rating.value == record["expert_annotations"][expert - 1][rating.dimension]
            assert entry.text.extra["turker_annotations"] == record["turker_annotations"]
            assert entry.text.extra["filepath"] == record["filepath"]
            assert len(entry.text.references) == 11

    def test_the_release_without_sources_reads_too(self, tmp_path, data):
        lines = data("summeval_model_annotations.aligned.paired.jsonl").read_text("utf-8").split("\n")[:24]
        records = [json.loads(line) for line in lines]
        for record in records:
            del record["text"]
        bare = tmp_path / "model_annotations.aligned.jsonl"
        bare.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")

        corpus = read_corpus(bare)
        assert corpus.format == "summeval"
        assert len(corpus.texts) == 24
        assert {entry.text.source for entry in corpus.texts} == {""}


def test_ellipse_keeps_names_halves_and_what_is_known_of_the_writers(data):
    corpus = whole(data("ELLIPSE_Final_github_test.csv"))
    names = ["Overall", "Cohesion", "Syntax", "Vocabulary", "Phraseology", "Grammar", "Conventions"]
    assert [dimension.name for dimension in corpus.dimensions] == names
    values = {rating.value for entry in corpus.texts for rating in entry.ratings}
    assert values == {1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5}
    first = corpus.texts[0].text
    assert first.doc_id == first.source
    assert first.item_id
    assert {"gender", "grade", "num_words", "MTLD", "SES", "set"} <= first.extra.keys()


def test_topical_chat_shows_the_fact_and_keeps_its_ranges(data):
    corpus = whole(data("topical_chat.json"))
    ranges = {dimension.name: (dimension.low, dimension.high) for dimension in corpus.dimensions}
    assert ranges == {
        "understandability": (0, 1),
        "naturalness": (1, 3),
        "coherence": (1, 3),
        "engagingness": (1, 3),
        "groundedness": (0, 1),
        "overall": (1, 5),
    }
    assert corpus.texts[0].text.doc_id == "dialogue-001"
    with_fact = [entry.text for entry in corpus.texts if "Fact to talk about:" in entry.text.source]
    assert len(with_fact) == 312  # 8 of the 60 dialogues were held without a fact
    assert all(text.extra["context"].strip() in text.source for text in with_fact)


def test_openmeva_keeps_the_published_metric_scores(data):
    corpus = whole(data("openmeva.json"))
    assert all(len(entry.text.extra["published_scores"]) == 19 for entry in corpus.texts)
    assert all("human" not in entry.text.extra["published_scores"] for entry in corpus.texts)


def test_sfres_groups_texts_by_equal_data(data):
    corpus = whole(data("sfres.json"))
    documents: dict[str, set[str]] = {}
    for entry in corpus.texts:
        documents.setdefault(entry.text.doc_id, set()).add(entry.text.source)
        assert int(entry.text.doc_id.removeprefix("source-")) <= int(entry.text.item_id)
    assert all(len(sources) == 1 for sources in documents.values())
    assert {(dimension.low, dimension.high) for dimension in corpus.dimensions} == {(1, 6)}


def test_qags_has_no_reference_where_the_file_repeats_the_article(data):
    corpus = whole(data("qags_xsum.json"))
    assert all(entry.text.references == () for entry in corpus.texts)


def test_a_system_as_reference_serves_the_others_of_its_dialogue(data):
    found = open_corpus(data("topical_chat.json"))
    name = next(found.read()).text.system_id
    corpus = with_references(found, f"system={name}").whole()

    truth = {item.text.doc_id: item.text.text for item in corpus.texts if item.text.system_id == name}
    assert len(truth) == 60
    for text in (item.text for item in corpus.texts):
        assert text.references == (() if text.system_id == name else (truth[text.doc_id],))


def test_the_source_as_reference_is_kept_and_else_noted(data):
    found = open_corpus(data("qags_xsum.json"))
    assert len(found.notes) == 1
    with_source = with_references(found, "source")
    assert with_source.notes == ()
    assert all(item.text.references == (item.text.source,) for item in with_source.whole().texts)


@pytest.mark.parametrize("references", ["system=Nobody", "system=", "sources"])
def test_references_that_are_not_there_are_refused(data, references):
    with pytest.raises(InputError):
        with_references(open_corpus(data("topical_chat.json")), references).whole()


def test_topical_chat_keeps_a_reference_of_its_file(tmp_path):
    record = {"source": "Hi", "system_id": "a", "system_output": "Hello", "context": "_nofact", "reference": "Hey"}
    file = tmp_path / "chat.json"
    file.write_text(json.dumps([record | {"scores": {"engagingness": 1.0, "overall": 2.0}}]))
    corpus = open_corpus(file)
    assert corpus.notes == ()
    assert [item.text.references for item in corpus.whole().texts] == [("Hey",)]


def test_a_known_file_reads_as_a_plain_table_too(data):
    corpus = whole(data("qags_cnndm.json"), "json")
    assert corpus.format == "json"
    assert len(corpus.texts) == (60 if data is made_data else 235)
    assert [(d.name, d.low, d.high) for d in corpus.dimensions] == [("consistency", 0, 1)]
