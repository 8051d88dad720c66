"""One item to score, and the human ratings it came with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    """One item to score.

    `doc_id` names its source, `system_id` who wrote it ("" where the data doesn't say), `item_id` tells texts
    apart that share both ("" where they needn't be). The three together are unique within a project.
    """

    doc_id: str
    text: str
    system_id: str = ""
    item_id: str = ""
    source: str = ""
    references: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    id: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        return self.doc_id, self.system_id, self.item_id


@dataclass(frozen=True, slots=True)
class Rating:
    """One human score of one text on one dimension by one rater."""

    dimension: str
    rater: str
    value: float
