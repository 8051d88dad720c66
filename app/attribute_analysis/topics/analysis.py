"""Analysis of a pool by both topic models, and which of them may be led with."""

from dataclasses import dataclass
from typing import Any, Literal

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.topics.grouping import TopicGrouping
from app.attribute_analysis.topics.lda import find_lda_topics
from app.attribute_analysis.topics.nmf_topics import find_nmf_topics

Model = Literal["lda", "steady"]


@dataclass(frozen=True, slots=True)
class TopicAnalysis:
    """lda: InteractEval's model. steady: the one that repeats better."""

    lda: TopicGrouping
    steady: TopicGrouping

    @property
    def lead(self) -> Model:
        """LDA where it repeats better than by chance and than the steadier model, else the steadier model."""
        lda, steady = self.lda.stability, self.steady.stability
        if lda.grade in {"unknown", "chance"} or lda.above_baseline is None:
            return "steady"
        return "steady" if (steady.above_baseline or 0.0) >= lda.above_baseline else "lda"

    @property
    def leading(self) -> TopicGrouping:
        """The grouping that every screen and the command show."""
        return self.lda if self.lead == "lda" else self.steady

    @property
    def verdict(self) -> str:
        """What in these topics can be relied on, in a sentence or two."""
        if self.steady.small:
            return self.steady.small
        best = self.leading
        name = "LDA, the paper's model" if self.lead == "lda" else "NMF, the steadier model"
        return {
            "unknown": "Nothing is known about how steady the topics are: there is too little to compare.",
            "chance": "No model finds steady topics in these attributes. "
            f"NMF: {self.steady.agreement}. LDA: {self.lda.agreement}.",
            "partly": f"Only part of the grouping can be relied on; {name}, repeats best ({best.agreement}).",
            "steady": f"The topics of {name}, are steady ({best.agreement}).",
        }[best.stability.grade]

    def to_json(self) -> dict[str, Any]:
        """The fields of LDA at the top, as the command line promises; the steadier model under `steady`."""
        return self.lda.to_json() | {
            "steady": self.steady.to_json(),
            "lead": self.lead,
            "verdict": self.verdict,
        }


def analyse_topics(pool: AttributePool, n_topics: int = 5, seeds: int = 20) -> TopicAnalysis:
    """LDA from `seeds` random starts and the steadier model on as many resamples (at least two)."""
    return TopicAnalysis(
        lda=find_lda_topics(pool, n_topics, seeds), steady=find_nmf_topics(pool, n_topics, max(seeds, 2))
    )
