"""Names of those who are compared: contributors, kinds and conditions."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.attribute import Attribute, ContributorKind
from pages.components.shell.runs.condition_words import condition_label, llms_word
from pages.components.shell.words import RULES_LABEL, model_label


@dataclass(frozen=True, slots=True)
class Names:
    """`llms`: what to call those that are not people. `kinds`: contributor -> kind."""

    llms: str
    kinds: dict[str, ContributorKind]

    def kind(self, code: str) -> str:
        """What "human" and "llm" are called in a sentence."""
        if code == ContributorKind.HUMAN:
            return "people"
        return "the rules (not an LLM)" if self.llms == RULES_LABEL else self.llms

    def short_kind(self, code: str) -> str:
        """The same where there is room for a word only; a sentence near it says the rest."""
        return "rules" if code == ContributorKind.LLM and self.llms == RULES_LABEL else self.kind(code)

    def kind_title(self, code: str) -> str:
        word = self.kind(code)
        return word[0].upper() + word[1:]

    def contributor(self, name: str) -> str:
        return model_label(name)

    def condition(self, code: str) -> str:
        return condition_label(code, self.llms)

    def condition_kind(self, code: str) -> ContributorKind | None:
        """None for everybody together."""
        short = code.partition(":")[0]
        return {"h": ContributorKind.HUMAN, "l": ContributorKind.LLM}.get(short[1:]) if short != "comb" else None


def names_of(attributes: Sequence[Attribute]) -> Names:
    return Names(llms_word(attributes), {a.contributor: a.kind for a in attributes})
