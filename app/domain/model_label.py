"""How a model is named to people."""

RULES_LABEL = "rules, not an LLM"


def model_label(name: str) -> str:
    """Return a model's name for screens, marked if it is no LLM. In a comma-separated list each name is labelled."""
    if ", " in name:
        return ", ".join(map(model_label, name.split(", ")))
    if name == "rules":
        return RULES_LABEL
    if name == "none":
        return "–"
    return f"{name} (recorded answers)" if name.startswith("replay:") else name
