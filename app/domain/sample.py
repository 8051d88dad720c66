"""A text that people and LLMs read while thinking aloud."""

from dataclasses import dataclass

from app.domain.text import Text


@dataclass(frozen=True, slots=True)
class HeldBack:
    """What the samples of a dimension keep out of its scoring: whole documents, or the sample texts alone (by id)."""

    documents: tuple[str, ...] = ()
    texts: tuple[int, ...] = ()

    def holds(self, text: Text) -> bool:
        return text.id in self.texts or text.doc_id in self.documents


@dataclass(frozen=True, slots=True)
class Sample:
    """`score` is the mean human rating shown with it; `chosen_by` is "auto" or "hand"."""

    position: int
    text: Text
    score: float
    chosen_by: str = "auto"
