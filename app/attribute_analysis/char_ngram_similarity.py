"""Likeness by what sets texts apart: parts of words that few of them share.

ROUGE-L counts every word alike, so that attributes which only begin alike ("Consider whether the text ...") rank above
those that make the same point in other forms of its words. Here each text is a vector of its runs of three to five
characters within words, (1 + ln count) * (ln((1 + texts) / (1 + texts that have it)) + FLOOR): what all share weighs
next to nothing, and endings hardly matter. No language's stemmer is needed.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

LENGTHS = (3, 5)
FLOOR = 0.25  # above 0, so that two equal texts are alike also where there are no others


def shared_parts_matrix(texts: Sequence[str]) -> NDArray[np.float64]:
    """(n, n) symmetric cosines from 0 to 1. `texts` must not be blank; the values depend on all of them."""
    if not texts:
        return np.zeros((0, 0))
    vectors = sparse.csr_array(
        CountVectorizer(analyzer="char_wb", ngram_range=LENGTHS).fit_transform(texts), dtype=float
    )
    having = np.bincount(vectors.indices, minlength=vectors.shape[1])
    vectors.data = (1 + np.log(vectors.data)) * (np.log((1 + len(texts)) / (1 + having)) + FLOOR)[vectors.indices]
    vectors = normalize(vectors)
    return np.asarray((vectors @ vectors.T).toarray(), dtype=np.float64)
