"""The rules, by id, and the themes they belong to."""

from app.rules.catalogue.form_rules import FLOW_RULES, FORM_RULES, WORDING_RULES
from app.rules.catalogue.source_rules import SOURCE_RULES
from app.rules.catalogue.themes import THEMES
from app.rules.reading import Rule

RULES: tuple[Rule, ...] = SOURCE_RULES + FLOW_RULES + FORM_RULES + WORDING_RULES
BY_ID: dict[str, Rule] = {rule.id: rule for rule in RULES}

__all__ = ["BY_ID", "RULES", "THEMES"]
