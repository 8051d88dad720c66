"""Demo data, bundled: our own articles, summaries degraded in known ways, simulated raters."""
