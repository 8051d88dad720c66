"""The demo's texts, ratings and attributes as they are bundled."""

import json
from importlib.resources import files

import yaml

from app.corpora.corpus import Corpus, CorpusText
from app.corpora.presets import load_preset
from app.domain.project import Rating, Text

DEMO_NOTICE = (
    "Demo data: texts and ratings are made up, experts, raters and LLMs are simulated, and the judge is a set of rules."
)
_EARLIER = (
    "This is {}: the articles, summaries and ratings are made up, and the raters are simulated from the faults that "
    "were put into each summary on purpose."
)
# Projects of earlier versions bear another one, by which they are known as the demo's.
DEMO_NOTICES = (DEMO_NOTICE, _EARLIER.format("demo data"), _EARLIER.format("sample data"))


TEXTS = "texts.json"


def demo_attributes() -> dict[str, dict[str, list[str]]]:
    """Return attributes by dimension and expert: {"coherence": {"simulated expert Ada": [...], ...}, ...}."""
    entries = yaml.safe_load(files(__package__).joinpath("attributes.yaml").read_text(encoding="utf-8"))
    return {
        dimension: {expert: list(attributes) for expert, attributes in experts.items()}
        for dimension, experts in entries.items()
    }


def demo_corpus() -> Corpus:
    """Return fourteen articles with a summary by each system, rated by three simulated raters on four dimensions.

    `text.extra` says that a text is simulated and holds its degradations with their strengths (0..1).
    """
    content = json.loads(files(__package__).joinpath(TEXTS).read_text(encoding="utf-8"))
    preset = load_preset("news summaries")
    texts = tuple(
        CorpusText(
            row,
            Text(
                doc_id=entry["doc_id"],
                system_id=entry["system_id"],
                text=entry["text"],
                source=content["sources"][entry["doc_id"]],
                extra={"simulated": True, "degradations": entry["degradations"]},
            ),
            tuple(Rating(*rating) for rating in entry["ratings"]),
        )
        for row, entry in enumerate(content["texts"], start=1)
    )
    return Corpus("sample", preset.task, preset.dimensions, texts, skipped=())
