"""The bundled articles: each with a faithful summary and the material to spoil it."""

from dataclasses import dataclass
from importlib.resources import files

import yaml


@dataclass(frozen=True, slots=True)
class Article:
    """One made-up news article.

    `summary` holds a faithful summary sentence by sentence, in order; `inventions` are sentences that the
    article doesn't support, `trivia` ones that it supports and that don't matter.
    """

    id: str
    title: str
    article: str
    summary: tuple[str, ...]
    inventions: tuple[str, ...]
    trivia: tuple[str, ...]

    @property
    def source(self) -> str:
        """Title and article, as a reader sees them."""
        return f"{self.title}\n\n{self.article}"


def load_articles() -> tuple[Article, ...]:
    """All bundled articles, in the order of the file."""
    entries = yaml.safe_load(files(__package__).joinpath("articles.yaml").read_text(encoding="utf-8"))
    return tuple(
        Article(
            id=entry["id"],
            title=entry["title"],
            article="\n\n".join(entry["article"].split("\n")),
            summary=tuple(entry["summary"]),
            inventions=tuple(entry["inventions"]),
            trivia=tuple(entry["trivia"]),
        )
        for entry in entries
    )
