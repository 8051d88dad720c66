"""Automatic samples of datasets in their published formats: across the scores, and away from what is evaluated."""

import pytest

from app.services.data.imports import import_file
from app.services.data.projects import dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import (
    drawn,
    ensure_samples,
    replace_sample,
    sample_exclusion_counts,
    sample_options,
)
from tests.support.made_data import made_data

ARTICLES, ESSAYS = "summeval_model_annotations.aligned.paired.jsonl", "ELLIPSE_Final_github_test.csv"
TALKS = "topical_chat.json"
FILES = {ARTICLES: 4, ESSAYS: 7, TALKS: 6}


@pytest.mark.parametrize("name", [pytest.param(ARTICLES, marks=pytest.mark.long), ESSAYS, TALKS])
def test_samples_span_every_dimension_and_stay_out_of_scoring(workbench: Workbench, name: str) -> None:
    """An assignment has sixty essays and more; an article twelve summaries, a fact six responses."""
    import_file(workbench, made_data(name), "P")
    count = FILES[name]
    project, dimensions = get_project(workbench, "P"), dimensions_named(workbench, "P", "all")
    assert len(dimensions) == count
    for dimension in dimensions:
        samples = ensure_samples(workbench, dimension.id)
        with workbench.database.read() as work:
            means = work.texts.mean_scores(dimension.id)
        low, high = min(means.values()), max(means.values())
        scores = [sample.score for sample in samples]
        assert (len(scores), scores[0], scores[-1]) == (4, low, high), dimension.name
        for score, third in zip(scores[1:-1], (1, 2), strict=True):
            aim = low + (high - low) * third / 3
            nearest = min(abs(mean - aim) for mean in means.values())
            assert abs(score - aim) <= nearest + (high - low) / 6, dimension.name

        texts, out = drawn(workbench, project.id, dimension.id, 1.0, 1)
        held = sample_exclusion_counts(workbench, project.id, dimension.id)
        assert (held.documents, held.texts) == (len(out.documents), held.all - len(texts))
        part, _ = drawn(workbench, project.id, dimension.id, 0.1, 1)
        assert part
        assert not any(out.holds(text) for text in (*texts, *part))
        assert all(out.holds(sample.text) for sample in samples)
        if project.task.text_name == "essay":
            assert (out.documents, set(out.texts)) == ((), {sample.text.id for sample in samples})
        else:
            assert (set(out.documents), out.texts) == ({sample.text.doc_id for sample in samples}, ())

    if project.task.text_name == "essay":
        return
    # A sample put in by hand takes its document along.
    dimension = dimensions[0]
    before = {sample.text.doc_id for sample in ensure_samples(workbench, dimension.id)}
    option = next(o for o in sample_options(workbench, dimension.id, 3.0) if o.text.doc_id not in before)
    samples = replace_sample(workbench, dimension.id, 2, option.text.id)
    texts, out = drawn(workbench, project.id, dimension.id, 1.0, 1)
    assert option.text.doc_id in out.documents
    assert set(out.documents) == {sample.text.doc_id for sample in samples}
    assert option.text.doc_id not in {text.doc_id for text in texts}
