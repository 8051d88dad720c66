"""An assessor and judge without any LLM: documented text rules that answer the same requests as LLM adapters."""

from app.rules.model import RulesModel, open_model

__all__ = ["RulesModel", "open_model"]
