"""Demo data, bundled: our own articles, summaries spoiled in known ways, simulated raters."""

from app.corpora.demo_data.corpus import DEMO_NOTICE, DEMO_NOTICES, demo_attributes, demo_corpus

__all__ = ["DEMO_NOTICE", "DEMO_NOTICES", "demo_attributes", "demo_corpus"]
