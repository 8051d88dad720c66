"""Bundled sample data for the demo: our own articles, summaries spoiled in known ways, simulated raters."""

from app.corpora.sample.attributes import sample_attributes
from app.corpora.sample.build import SAMPLE_NOTICE, sample_corpus

__all__ = ["SAMPLE_NOTICE", "sample_attributes", "sample_corpus"]
