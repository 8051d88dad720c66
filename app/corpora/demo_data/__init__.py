"""Demo data, bundled: our own articles, summaries spoiled in known ways, simulated raters."""
