"""`answers plan` as said in the terminal and as a document."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from app.commands.output import counted, table

if TYPE_CHECKING:
    from app.meta_evaluation.judges.estimate import CorrectedEstimate
    from app.services.results.answering.answer_forecast import AnswerForecasts, PlannedAnswers

_SHOWN = 10


def plan_json(planned: "PlannedAnswers") -> dict[str, Any]:
    """Return what the next wave draws, and what it would bring."""
    found = planned.plan
    return {
        "wave": found.wave,
        "seed": found.seed,
        "left": found.left,
        "drawn_before": found.drawn,
        "texts": [
            {"doc_id": one.doc_id, "system_id": one.system_id, "item_id": one.item_id, "chance": found.chance}
            for one in found.texts
        ],
        "forecast": _forecast(planned.forecast),
    }


def _forecast(found: "AnswerForecasts") -> dict[str, Any]:
    return {
        "n_human": found.answers,
        "score": _bring(found.score),
        "widest_question": found.question or None,
        "widest": _bring(found.widest),
        "said": list(found.said),
    }


def _bring(found: "CorrectedEstimate | None") -> dict[str, Any] | None:
    if found is None or found.corrected.width is None:
        return None
    return {"reach_now": found.corrected.width / 2, "forecast": [asdict(each) for each in found.forecast]}


def plan_page(planned: "PlannedAnswers", version: int, stored: bool) -> str:
    """What follows first, then the texts."""
    found = planned.plan
    many = counted(len(found.texts), "text")
    does = f"{many} drawn" if stored else f"{many} would be drawn"
    more = f", after the {found.drawn} drawn before" if found.drawn else ""
    lines = [f"{does} of {found.left} for version {version}, by chance{more}."]
    if stored and found.drawn:
        lines.append("Every expert gets them after the texts they have; what they answered stays.")
    lines += planned.forecast.said
    rows = [[one.doc_id, one.system_id, found.chance] for one in found.texts[:_SHOWN]]
    listed = table(["document", "system", "chance"], rows)
    left = len(found.texts) - _SHOWN
    return "\n\n".join(["\n".join(lines), listed + (f"\nand {counted(left, 'text')} more" if left > 0 else "")])
