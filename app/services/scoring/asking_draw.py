"""Draw of the texts on which ways of asking are compared: what people said about most of all."""

from collections.abc import Mapping, Sequence

from app.corpora.draws import design_instead, documents_by_systems, stratified_draw
from app.domain.checklist import Checklist
from app.domain.project import Dimension, TextPlace
from app.errors import InputError, NotReadyError
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import evaluation_texts
from db.unit_of_work import UnitOfWork

TEXTS = 40


def asking_draw(
    workbench: Workbench, project_id: int, dimension: Dimension, checklist: Checklist, wanted: int, seed: int
) -> list[int]:
    """Texts that experts answered on this version first, for their answers say most; the others as a run draws them.

    Never a sample or a text of the locked split. Raises InputError for no texts, NotReadyError where none is left.
    """
    if wanted < 1:
        raise InputError(f"{wanted} texts can't be compared.", f"Ask for {TEXTS}.")
    with workbench.database.read() as work:
        there, _ = evaluation_texts(work, project_id, dimension.id)
        means = work.texts.mean_scores(dimension.id)
        answered = _answered(work, checklist.id)
    if not there:
        raise NotReadyError(f"No text is left to score on {dimension.name}.", "Import more texts.")
    first = _part([text for text in there if text.id in answered], means, wanted, seed)
    others = [text for text in there if text.id not in answered]
    rated = [text for text in others if text.id in means] or others
    rest = _designed(rated, means, wanted - len(first), seed)
    return sorted(text.id for text in (*first, *rest))


def _designed(texts: Sequence[TextPlace], means: Mapping[int, float], wanted: int, seed: int) -> list[TextPlace]:
    """Documents by systems where these give nine texts of ten wanted, else stratified by human score."""
    if 0 < wanted < len(texts):
        design = design_instead(texts[:wanted], texts)
        if design and wanted >= design[0] * design[1] >= 0.9 * wanted:
            return [texts[index] for index in documents_by_systems(texts, *design, seed)]
    return _part(texts, means, wanted, seed)


def _part(texts: Sequence[TextPlace], means: Mapping[int, float], wanted: int, seed: int) -> list[TextPlace]:
    """Where nothing is rated all count alike, and chance alone draws."""
    if wanted >= len(texts):
        return list(texts)
    if wanted < 1:
        return []
    scores = [means.get(text.id, 0.0) for text in texts]
    return [texts[index] for index in stratified_draw(scores, wanted / len(texts), seed)]


def _answered(work: UnitOfWork, checklist_id: int) -> set[int]:
    """The texts on which an expert answered a question."""
    draw = work.expert_answers.draw_of(checklist_id)
    given = work.expert_answers.of(draw.id) if draw else []
    return {one.text for one in given if one.answer is not None}
