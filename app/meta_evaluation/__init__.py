"""Agreement of scores with people's ratings, with intervals. Pure numbers: no files, no database, no screens.

`evaluation.evaluate` and `comparison.compare_scores` are the entry points; each other module holds one concept. An
undefined figure is NaN inside arrays, and None with a sentence that says why in results.
"""
