"""Evidence of a judge in a report: the counts, and a few texts with what is quoted of them."""

from app.domain.people import Right
from app.services.results.result_texts import disagreements, judged_text
from app.services.results.results import DimensionResult
from app.services.results.run_answers.evidence import QuotedText, ReportEvidence, quote_counts, quoted_answers
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

TEXTS = 5  # a report is read; the screen shows all of them
ANSWERS = 40  # of a text


@use_case(Right.READ)
def report_evidence(workbench: Workbench, result: DimensionResult) -> ReportEvidence | None:
    """Of the texts with quotes those on which judge and people differ most, or the first where nobody rated them.

    None where the judge wasn't asked for evidence, and over the locked split.
    """
    counts = quote_counts(workbench, result.run.id, result.dimension.id)
    if not counts or result.locked:
        return None
    with workbench.database.read() as work:
        quoted = {text for text, given in work.results.quotes(result.run.id, result.dimension.id).items() if any(given)}
    farthest = [found.row for found in disagreements(result.compared, on_scale=result.on_scale)]
    rows = [row for row in farthest or result.rows if row.text in quoted]
    return ReportEvidence(counts, tuple(_quoted_text(workbench, result, row.text) for row in rows[:TEXTS]))


def _quoted_text(workbench: Workbench, result: DimensionResult, text_id: int) -> QuotedText:
    found = judged_text(workbench, result.run.id, result.dimension.id, text_id)
    name = " · ".join(part for part in found.text.key if part)
    return QuotedText(name, found.text, quoted_answers(found.text, found.answers, ANSWERS))
