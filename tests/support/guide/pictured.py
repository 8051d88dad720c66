"""The pictures of the guide, and the screen that each is taken of; "" for the page behind a link."""

from collections.abc import Mapping

PICTURED: Mapping[str, str] = {
    "overview": "overview",
    "import": "texts",
    "ask-llms": "ask_llms",
    "attributes": "attributes",
    "how-it-was-made": "how_it_was_made",
    "checklist": "checklist",
    "scores": "scores",
    "results": "results",
    "questions": "results",
    "expert-link": "",
    "expert-my-work": "overview",
    "expert-samples": "think_aloud",
    "expert-points": "think_aloud",
    "expert-done": "think_aloud",
    "expert-attributes": "attributes",
    "expert-checklist": "checklist",
    "expert-answer": "answer",
    "expert-answered": "answer",
    "expert-finished": "answer",
}
