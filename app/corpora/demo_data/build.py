"""Assembly of the demo corpus: made anew each time and the same each time."""

from collections.abc import Iterator
from zlib import crc32

import numpy as np

from app.corpora.corpus import Corpus, CorpusText
from app.corpora.demo_data.articles import Article, load_articles
from app.corpora.demo_data.degradations import degrade
from app.corpora.demo_data.raters import rate
from app.corpora.demo_data.systems import SYSTEMS, Habits, draw_strengths
from app.corpora.presets import load_preset
from app.domain.text import Text

SEED = 7

_NOTICE = (
    "This is {}: the articles, summaries and ratings are made up, and the raters are simulated from the faults that "
    "were put into each summary on purpose."
)
DEMO_NOTICE = _NOTICE.format("demo data")
# Projects of earlier versions bear another one, by which they are known as the demo's.
DEMO_NOTICES = (DEMO_NOTICE, _NOTICE.format("sample data"))


def demo_corpus() -> Corpus:
    """Fourteen articles with four summaries each, rated by three simulated raters on four dimensions.

    `text.extra` says that a text is simulated and holds its degradations with their strengths (0..1).
    """
    preset = load_preset("news summaries")
    names = tuple(dimension.name for dimension in preset.dimensions)
    return Corpus(
        format="sample",
        task=preset.task,
        dimensions=preset.dimensions,
        texts=tuple(_texts(names)),
        skipped=(),
    )


def _texts(dimensions: tuple[str, ...]) -> Iterator[CorpusText]:
    row = 0
    for article in load_articles():
        for system, habits in SYSTEMS.items():
            row += 1
            yield _text(row, article, system, habits, dimensions)


def _text(row: int, article: Article, system: str, habits: Habits, dimensions: tuple[str, ...]) -> CorpusText:
    # Seeded by name: a new article changes no other text.
    rng = np.random.default_rng([SEED, crc32(f"{article.id}/{system}".encode())])
    degraded = degrade(article, draw_strengths(habits, rng), rng)
    degradations = {kind.value: strength for kind, strength in degraded.strengths.items()}
    text = Text(
        doc_id=article.id,
        system_id=system,
        text=degraded.text,
        source=article.source,
        extra={"simulated": True, "degradations": degradations},
    )
    return CorpusText(row, text, rate(degraded.strengths, dimensions, rng))
