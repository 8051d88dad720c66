"""Agreement of scores with people, and how sure that is. Pure numbers: no files, no database, no screens.

`evaluation.evaluate` and `comparison.compare_scores` are the two front doors; the other modules hold one concept each.
Undefined is NaN inside the arrays and None, with a sentence that says why, in every result.
"""
