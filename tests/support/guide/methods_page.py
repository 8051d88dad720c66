"""The page of the reference about ways of scoring: what each needs and every option with its values."""

from app.evaluators.method import Method, Option, described
from app.evaluators.registry import METHODS
from app.meta_evaluation.score_matrix import COEFFICIENTS, Level
from tests.support.guide.markdown import code, markdown_table, plain_words

_ABOUT = """# Methods of scoring

The names that `interacteval score --evaluator NAME` takes, and what `--set name=value` changes. The screen Scores
offers the same. What each method computes, and where it ends, stands on the page [Methods](../methods.md).

"""


def methods_page() -> str:
    rows = [(code(each.name), each.title, _yes(each.judged), _yes(each.by_rules), _scale(each)) for each in _all()]
    overview = markdown_table(["name", "is", "asks a judge", "`rules` will do", "its scores lie"], rows)
    return _ABOUT + overview + "".join(map(_one, _all()))


def figures_page() -> str:
    levels = ", ".join(map(code, Level.__args__))  # type: ignore[attr-defined]
    return (
        "# Figures\n\nWhat is computed of scores and ratings.\n\n"
        f"- Coefficients (`--coefficient`): {', '.join(map(code, COEFFICIENTS))}.\n"
        f"- Levels (`--level`): {levels}.\n\n"
        "What they mean, and which to take, stands on the page [For researchers](../researchers.md).\n"
    )


def _all() -> list[Method]:
    return list(METHODS.values())


def _one(method: Method) -> str:
    options = described(method.options)
    if not options:
        return f"## {method.name}\n\n{plain_words(method.title)}. It has no options.\n\n"
    rows = [(code(o.name), _values(o), code(_said(o.default)), plain_words(f"{o.label}. {o.help}")) for o in options]
    return f"## {method.name}\n\n{plain_words(method.title)}.\n\n" + markdown_table(
        ["option", "takes", "without it", "is"], rows
    )


def _values(option: Option) -> str:
    if option.choices:
        return ", ".join(
            code(_said(value)) + ("" if str(value) == words else f" ({plain_words(words)})")
            for value, words in option.choices.items()
        )
    return {bool: "`yes`, `no`", int: "a whole number"}.get(option.kind, "text")


def _said(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _scale(method: Method) -> str:
    return "on the dimension's scale" if method.on_scale else "on a scale of their own"
