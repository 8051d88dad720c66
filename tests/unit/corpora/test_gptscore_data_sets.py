"""FED, NEWSROOM and MQM: small files in the published shapes, each rater by themselves."""

import csv
import json
from pathlib import Path

import pytest

from app.corpora.formats.mqm import penalty
from app.corpora.reading import detect_format
from tests.support.corpora import read_corpus

CONTEXT = "User: Hi!\nSystem: Hello, how are you?\nUser: Fine."
FED = [
    {
        "context": CONTEXT,
        "response": "System: What did you do today?",
        "system": "Meena",
        "annotations": {"Interesting": [2, 1, 0], "Understandable": [1, 1, 1], "Overall": [4, 3, 2]},
    },
    {
        "context": CONTEXT + "\nSystem: Bye.",
        "system": "Human",
        "annotations": {"Coherent": [2, 2], "Error recovery": [1, "N/A (There were no errors)"], "Overall": [3, 4]},
    },
]
NEWSROOM_COLUMNS = ["ArticleID", "System", "ArticleText", "SystemSummary", "ArticleTitle"]
NEWSROOM_RATINGS = ["CoherenceRating", "FluencyRating", "InformativenessRating", "RelevanceRating"]
MQM_COLUMNS = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
MQM = [
    ["Online-A", "news.1", "3", "7", "rater1", "Ein Satz.", "A <v>sentence</v>.", "Accuracy/Mistranslation", "Major"],
    ["Online-A", "news.1", "3", "7", "rater1", "Ein Satz.", "A sentence<v>.</v>", "Fluency/Punctuation", "Minor"],
    ["Online-A", "news.1", "3", "7", "rater2", "Ein Satz.", "A sentence.", "No-error", "No-error"],
    ["Human-B", "news.1", "3", "7", "rater1", "Ein Satz.", "Gibberish", "Non-translation!", "Major"],
    ["Human-B", "news.1", "3", "7", "rater1", "Ein Satz.", "Gibberish", "Fluency/Grammar", "Major"],
    ["Human-B", "news.1", "3", "8", "rater1", '"Zitat', '"Quoted," he said.', "No-error", "No-error"],
]


def ratings(corpus, place: int) -> dict[tuple[str, str], float]:
    return {(r.dimension, r.rater): r.value for r in corpus.texts[place].ratings}


def test_fed_has_turns_after_their_dialogue_and_dialogues_whole(tmp_path: Path) -> None:
    path = tmp_path / "fed_data.json"
    path.write_text(json.dumps(FED))
    assert detect_format(path) == "fed"
    corpus = read_corpus(path)
    assert [item.text.text for item in corpus.texts] == ["What did you do today?", FED[1]["context"]]
    assert CONTEXT in corpus.texts[0].text.source
    assert corpus.texts[1].text.source == ""
    assert ratings(corpus, 0)["overall", "rater 1"] == 4
    assert ratings(corpus, 1) == {
        ("coherent", "rater 1"): 2,
        ("coherent", "rater 2"): 2,
        ("error recovery", "rater 1"): 1,
        ("overall dialogue", "rater 1"): 3,
        ("overall dialogue", "rater 2"): 4,
    }
    assert corpus.skipped == ()


def test_newsroom_joins_the_rows_of_a_summarys_raters(tmp_path: Path) -> None:
    path = tmp_path / "newsroom-human-eval.csv"
    rows = [["1", system, "Text &amp; more.", f"By {system}.", "Title"] for system in ("a", "b")]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NEWSROOM_COLUMNS + NEWSROOM_RATINGS)
        for score in ("1", "3", "5"):
            writer.writerows([*row, score, score, "2", "4"] for row in rows)
    assert detect_format(path) == "newsroom"
    corpus = read_corpus(path)
    assert [(item.text.doc_id, item.text.system_id) for item in corpus.texts] == [("1", "a"), ("1", "b")]
    assert corpus.texts[0].text.source == "Title\n\nText & more."
    assert [ratings(corpus, 0)["coherence", f"rater {n}"] for n in (1, 2, 3)] == [1, 3, 5]
    assert [dimension.name for dimension in corpus.dimensions] == [
        "coherence",
        "fluency",
        "informativeness",
        "relevance",
    ]


def test_mqm_adds_up_what_a_raters_errors_cost(tmp_path: Path) -> None:
    path = tmp_path / "mqm_newstest2020_deen.tsv"
    path.write_text("\n".join("\t".join(row) for row in [MQM_COLUMNS, *MQM]) + "\n")
    assert detect_format(path) == "mqm"
    corpus = read_corpus(path)
    assert [item.text.text for item in corpus.texts] == ["A sentence.", "Gibberish", '"Quoted," he said.']
    assert corpus.skipped == ()
    assert {item.text.doc_id for item in corpus.texts} == {"news.1-7", "news.1-8"}
    first, second = ratings(corpus, 0), ratings(corpus, 1)
    assert first["quality", "rater1"] == pytest.approx(-5.1)
    assert (first["accuracy", "rater1"], first["fluency", "rater1"]) == (-5, pytest.approx(-0.1))
    assert first["quality", "rater2"] == 0
    assert second["quality", "rater1"] == -25  # the most that a segment can cost


@pytest.mark.parametrize(
    ("category", "severity", "cost"),
    [
        ("Non-translation!", "Major", 25),
        ("Accuracy/Omission", "Major", 5),
        ("Fluency/Grammar", "Minor", 1),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Style/Awkward", "Neutral", 0),
        ("No-error", "No-error", 0),
    ],
)
def test_an_error_costs_what_the_paper_says(category: str, severity: str, cost: float) -> None:
    assert penalty(category, severity) == cost


def test_realsumm_has_a_text_for_each_system_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "abs.json"
    summary = {"system_summary": "The ferry sails.", "scores": {"litepyramid_recall": 0.5, "rouge_1_f_score": 0.4}}
    documents = {"0": {"doc_id": 0, "ref_summ": "A ferry sails at nine.", "system_summaries": {"bart.txt": summary}}}
    path.write_text(json.dumps(documents))
    assert detect_format(path) == "realsumm"
    (item,) = read_corpus(path).texts
    assert item.text.key == ("0", "bart.txt", "")
    assert item.text.references == ("A ferry sails at nine.",)
    assert item.text.extra == {"rouge_1_f_score": 0.4}
    assert [(r.dimension, r.value) for r in item.ratings] == [("coverage", 0.5)]


def test_realsumm_by_document_of_bartscore_has_its_source(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    one = {"sys_summ": "The ferry sails.", "scores": {"litepyramid_recall": 1.0}}
    document = {"src": "At nine the ferry sails.", "ref_summ": "It sails.", "sys_summs": {"a": one, "b": {}}}
    path.write_text(json.dumps({"7": document, "8": {**document, "sys_summs": {"a": one}}}))
    corpus = read_corpus(path)
    assert [(t.text.doc_id, t.text.system_id, t.text.source) for t in corpus.texts] == [
        ("7", "a", "At nine the ferry sails."),
        ("8", "a", "At nine the ferry sails."),
    ]
    assert len(corpus.skipped) == 1  # b of the first has no scores


def test_bagel_by_document_keeps_means_and_all_references(tmp_path: Path) -> None:
    path = tmp_path / "bagel.json"
    scores = {"informativeness": 5.0, "naturalness": 4.5, "quality": 4.0}
    document = {
        "src": "inform(name=X)",
        "ref_summs": ["X is a place.", "There is X."],
        "sys_summs": {"tgen": {"sys_summ": "X is.", "scores": scores}},
    }
    path.write_text(json.dumps({"1": document}))
    assert detect_format(path) == "bagel"
    corpus = read_corpus(path)
    assert corpus.texts[0].text.references == ("X is a place.", "There is X.")
    assert {r.dimension: r.value for r in corpus.texts[0].ratings} == {
        "informativeness": 5.0,
        "naturalness": 4.5,
        "overall": 4.0,
    }


def test_bagel_as_a_table_has_each_judge_and_lists_other_data_sets(tmp_path: Path) -> None:
    path = tmp_path / "hum_scores.csv"
    columns = ["dataset", "system", "judge", "mr", "sys_ref", "orig_ref", "informativeness", "naturalness", "quality"]
    rows = [
        ["BAGEL", "LOLS", "1", "inform(name=X)", "X is.", "X is a place.", "5", "4", "3"],
        ["BAGEL", "LOLS", "2", "inform(name=X)", "X is.", "X is a place.", "6", "4", "4"],
        ["SFRES", "LOLS", "1", "inform(name=Y)", "Y is.", "Y is a place.", "6", "6", "6"],
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    assert detect_format(path) == "bagel"
    corpus = read_corpus(path)
    (item,) = corpus.texts
    assert (item.text.doc_id, item.text.system_id, item.text.references) == ("source-001", "LOLS", ("X is a place.",))
    assert {(r.dimension, r.rater): r.value for r in item.ratings}["overall", "judge 2"] == 4
    assert [skipped.row for skipped in corpus.skipped] == [3]


GERMAN = [("Das ist gut .", "This is good .", "That is good ."), ("Ich ging .", "I went .", "I go .")]


@pytest.mark.parametrize(
    ("columns", "rows", "ratings"),
    [
        (
            ["source", "reference", "translation", "rater_1", "rater_2", "rating_id"],
            [(*GERMAN[0], "5", "4", "3"), (*GERMAN[1], "2", "", "4")],
            {("source-0001", "rater_1", 5), ("source-0001", "rater_2", 4), ("source-0002", "rater_1", 2)},
        ),
        (
            ["src", "ref", "hyp", "rater", "rating"],
            [(*GERMAN[0], "a", "5"), (*GERMAN[1], "a", "2"), (*GERMAN[0], "b", "4"), (*GERMAN[0], "a", "3")],
            {
                ("source-0001", "a", 5),
                ("source-0001", "b", 4),
                ("source-0001", "a (2)", 3),
                ("source-0002", "a", 2),
            },
        ),
    ],
    ids=["a column a rater", "a row a rating"],
)
def test_iwslt14_is_read_where_it_is_named(tmp_path: Path, columns: list[str], rows: list, ratings: set) -> None:
    path = tmp_path / "ratings.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    assert detect_format(path) == "csv"  # many tables have such columns
    corpus = read_corpus(path, "iwslt14")
    assert [(t.text.source, t.text.references, t.text.text) for t in corpus.texts] == [
        (source, (reference,), text) for source, reference, text in GERMAN
    ]
    assert {(t.text.doc_id, r.rater, r.value) for t in corpus.texts for r in t.ratings} == ratings
    assert {(d.name, d.low, d.high) for d in corpus.dimensions} == {("overall", 1, 5)}
