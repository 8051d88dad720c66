"""Data sets made up in the formats in which real ones are published, so that a clone alone can test what reads them.

Texts are sentences of common words, ratings are drawn, and people who rate the same text mostly agree. Each file is the
same on every machine. Tests of published figures need the real ones: tests/support/real_data.py.
"""

import csv
import io
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ARTICLES, SYSTEMS = 100, 12
DIALOGUES, WITHOUT_FACT = 60, 8
ASSIGNMENTS, ESSAYS = 10, 60

_WORDS = """
    ferry harbour morning town council bridge child teacher garden winter market train letter river doctor window
    story number street house mountain island summer friend paper school road village engine music field boat
    kitchen corner evening museum lake forest window player report picture storm worker author plan price nurse
"""
_VERBS = """
    opened crossed found painted repaired visited sold carried watched described built closed kept moved
"""


@cache
def made_data(name: str) -> Path:
    """The file that a data set is published as, with made-up content."""
    path = Path(_folder().name) / name
    path.write_text(_MAKERS[name](random.Random(name)), encoding="utf-8")
    return path


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """It is removed when the tests end."""
    return tempfile.TemporaryDirectory(prefix="made-data-")


def _sentences(chance: random.Random, count: int) -> str:
    def noun() -> str:
        return chance.choice(_WORDS.split())

    return " ".join(
        f"The {noun()} {chance.choice(_VERBS.split())} the {noun()} near the {noun()}." for _ in range(count)
    )


def _close_to(chance: random.Random, value: int, low: int, high: int) -> int:
    """What another rater says of the same text."""
    return min(high, max(low, value + chance.choice((-1, 0, 0, 0, 1))))


def _summeval(chance: random.Random) -> str:
    dimensions = ("coherence", "consistency", "fluency", "relevance")

    def rows() -> Iterator[dict[str, Any]]:
        for article in range(ARTICLES):
            text, references = _sentences(chance, 12), [_sentences(chance, 2) for _ in range(11)]
            for system in range(SYSTEMS):
                truth = {dimension: chance.randint(1, 5) for dimension in dimensions}
                experts, turkers = (
                    [{name: _close_to(chance, value, 1, 5) for name, value in truth.items()} for _ in range(count)]
                    for count in (3, 5)
                )
                yield {
                    "id": f"dm-test-{article:04}",
                    "decoded": _sentences(chance, chance.randint(2, 5)),
                    "expert_annotations": experts,
                    "turker_annotations": turkers,
                    "references": references,
                    "model_id": f"M{system}",
                    "filepath": f"cnndm/dailymail/stories/{article:04}.story",
                    "text": text,
                }

    return "".join(f"{json.dumps(row)}\n" for row in rows())


def _ellipse(chance: random.Random) -> str:
    scored = ("Overall", "Cohesion", "Syntax", "Vocabulary", "Phraseology", "Grammar", "Conventions")
    about = {"gender": "Female", "grade": "8", "race_ethnicity": "White", "num_words": "300", "num_words2": "300"}
    about |= {"num_words3": "300", "num_sent": "20", "num_para": "4", "num_word_div_para": "75", "MTLD": "53.1"}
    about |= {"TTR": "34.1", "Type": "150", "Token": "300", "task": "Independent", "SES": "Economically disadvantaged"}
    rows = [
        {"text_id_kaggle": f"{assignment}{essay:04}", "full_text": _sentences(chance, 4)}
        | about
        | {"prompt": f"Assignment {assignment}"}
        | {name: f"{chance.randint(2, 10) / 2:g}" for name in scored}
        | {"set": "test"}
        for assignment in range(ASSIGNMENTS)
        for essay in range(ESSAYS)
    ]
    return _table(rows)


def _topical_chat(chance: random.Random) -> str:
    thirds = {"understandability": (0, 3), "naturalness": (3, 9), "coherence": (3, 9), "engagingness": (3, 9)}
    thirds |= {"groundedness": (0, 3), "overall": (3, 15)}
    entries = []
    for dialogue in range(DIALOGUES):
        source = "\n ".join(_sentences(chance, 1) for _ in range(4))
        fact = "" if dialogue < WITHOUT_FACT else _sentences(chance, 1)
        for system in range(6):
            scores = {name: round(chance.randint(*ends) / 3, 10) for name, ends in thirds.items()}
            entry = {"source": source + "\n\n", "system_id": f"System {system}", "system_output": _sentences(chance, 1)}
            entries.append(entry | {"context": f"{fact or '_nofact'}\n", "scores": scores})
    return json.dumps(entries)


def _qags(chance: random.Random) -> str:
    entries = []
    for number in range(60):
        article = _sentences(chance, 6)
        entry = {"doc_id": number, "system_id": 0, "source": article, "reference": article}
        entries.append(
            entry
            | {
                "system_output": _sentences(chance, chance.randint(1, 3)),
                "scores": {"consistency": chance.randint(0, 3) / 3},
            }
        )
    return json.dumps(entries)


def _sfres(chance: random.Random) -> str:
    names, entries = ("informativeness", "naturalness", "overall"), []
    for number in range(240):
        scores = {name: chance.randint(2, 12) / 2 for name in names}
        entry = {"doc_id": number, "source": f"inform(area='area {number % 120}')", "reference": _sentences(chance, 1)}
        entries.append(entry | {"system_output": _sentences(chance, 1), "scores": scores})
    return json.dumps(entries)


def _openmeva(chance: random.Random) -> str:
    metrics = [f"{name}-{part}" for name in ("rouge1", "rouge2", "rougel", "bertscore") for part in "prf"]
    metrics += ["sentence_bleu", "meteor", "fwppl", "bartscore", "bartscore_cnn", "bartscore_cnn_pa"]
    stories = []
    for number in range(200):
        made = {}
        for system in ("fusion", "s2s", "gpt_kg", "gpt", "plan_write"):
            human = chance.randint(5, 25) / 5
            scores = {"human": human} | {metric: human / 5 + chance.gauss(0, 0.5) for metric in metrics}
            made[system] = {"text": _sentences(chance, 4), "score": scores | {"chatgpt": chance.randint(1, 5)}}
        told = {"doc_id": str(number), "prompt": _sentences(chance, 1), "reference": _sentences(chance, 4)}
        stories.append(told | {"gen": made})
    return json.dumps(stories)


def _framing(chance: random.Random) -> str:
    """The fourth person answered a third of the questions; one answer in a hundred is that it can't be told."""
    judges = ("gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03")

    def said(truth: str, share: float) -> str:
        return truth if chance.random() < share else {"yes": "no", "no": "yes"}[truth]

    rows = []
    for article in range(58):
        for question in range(22):
            truth = chance.choice(("yes", "no"))
            people = ["n/a" if chance.random() < 0.01 else said(truth, 0.85) for _ in range(4)]
            people[3] = people[3] if article % 3 == 0 else ""
            named = {f"human_{number}": answer for number, answer in enumerate(people, 1)}
            asked = {"doc_id": f"article-{article:03}", "question": f"q{question + 1}"}
            rows.append(asked | named | {judge: said(truth, 0.8) for judge in judges})
    return _table(rows)


def _attributes(chance: random.Random) -> str:
    asked = ("Check if", "Ensure that", "Look whether")
    return "".join(f"- {chance.choice(asked)} {_sentences(chance, 1).replace('The', 'the', 1)}\n" for _ in range(24))


def _table(rows: list[dict[str, str]]) -> str:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


_MAKERS: dict[str, Callable[[random.Random], str]] = {
    "summeval_model_annotations.aligned.paired.jsonl": _summeval,
    "ELLIPSE_Final_github_test.csv": _ellipse,
    "topical_chat.json": _topical_chat,
    "qags_cnndm.json": _qags,
    "qags_xsum.json": _qags,
    "sfres.json": _sfres,
    "openmeva.json": _openmeva,
    "framing_answers.csv": _framing,
    **{
        f"interacteval_attributes_{dimension}_{kind}.txt": _attributes
        for dimension in ("coherence", "consistency", "fluency", "relevance")
        for kind in ("human", "llm")
    },
}
