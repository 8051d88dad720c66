"""Recipes of papers: the bundled ones hold together, and a damaged one is refused with the place."""

from pathlib import Path
from statistics import fmean

import pytest

from app.corpora.reading import FORMATS
from app.corpora.recipes.recipe import PaperRecipe, PaperTable, Row, load_recipe, recipe_names
from app.errors import FileFormatError, NotFoundError
from app.evaluators.registry import method_named

RECIPE = """
paper: mine
title: Mine
data:
  texts: {title: My texts, fetch: my cupboard}
methods:
  bleu: {evaluator: bleu}
tables:
  table-1:
    title: agreement
    level: dataset
    columns:
      - {heading: Fluency, data: texts, dimension: fluency, figures: [pearson, spearman]}
    rows:
      - {label: BLEU, method: bleu, published: [0.5, null]}
"""


def _written(folder: Path, content: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(content, encoding="utf-8")
    return str(path)


def test_the_bundled_papers() -> None:
    assert {"coascore", "g-eval", "interacteval"} <= set(recipe_names())


@pytest.mark.parametrize("name", recipe_names())
def test_a_bundled_recipe_names_options_that_its_methods_have(name: str) -> None:
    recipe = load_recipe(name)
    assert recipe.paper == name
    for method in filter(lambda each: each.evaluator, recipe.methods.values()):
        method_named(method.evaluator).read_options(dict(method.settings()))
    for table in recipe.tables.values():
        for column in filter(lambda each: each.evaluator, table.columns):
            method_named(column.evaluator).read_options(dict(column.options))
    assert all(data.fetch for data in recipe.data.values())


@pytest.mark.parametrize("name", recipe_names())
def test_a_bundled_average_is_the_mean_of_its_published_figures(name: str) -> None:
    """A number that was misread would stand out."""
    off = [
        (table_name, row.label)
        for table_name, table in load_recipe(name).tables.items()
        for row in table.rows
        if table.average and row.published and not row.compared and _is_off(table, row)
    ]
    # These averages of G-Eval are no means of its own figures as printed.
    assert [label for _, label in off if not label.startswith(("G-EVAL", "QAGS"))] == []
    assert not off or name == "g-eval"


def _is_off(table: PaperTable, row: Row) -> bool:
    by_place = list(zip(table.places, row.published, strict=True))
    for place, published in by_place:
        own = [value for other, value in by_place if other.column is not None and other.figure == place.figure]
        known = [value for value in own if value is not None]
        whole = place.column is None and published is not None and len(known) == len(own)
        if whole and abs(fmean(known) - (published or 0)) > 0.0021:  # papers round
            return True
    return False


def test_a_recipe_of_ones_own(tmp_path: Path) -> None:
    recipe = load_recipe(_written(tmp_path, RECIPE))
    assert [place.heading for place in recipe.table("table-1").places] == ["Fluency Pearson", "Fluency Spearman"]
    assert recipe.table("table-1").rows[0].published == (0.5, None)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("published: [0.5, null]", "published: [0.5]"),
        ("method: bleu,", "method: rouge,"),
        ("data: texts,", "data: other,"),
        ("title: Mine", "title: Mine\nunknown: 1"),
        ("level: dataset", "level: everything"),
        ("evaluator: bleu", "evaluator: checklist"),
        ("  bleu:", "  BLEU and more:"),
        ("figures: [pearson, spearman]", "figures: [r]"),
        ("published: [0.5, null]", "mean_of: [nothing]"),
    ],
)
def test_a_damaged_recipe_is_refused(tmp_path: Path, before: str, after: str) -> None:
    assert before in RECIPE
    with pytest.raises(FileFormatError):
        load_recipe(_written(tmp_path, RECIPE.replace(before, after)))


@pytest.mark.parametrize("content", ["a: [", "- 1", "", "paper: !!python/object:os.system x"])
def test_what_is_no_recipe_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(FileFormatError):
        load_recipe(_written(tmp_path, content))


@pytest.mark.parametrize("name", ["nothing", "../recipes/coascore", "missing.yaml"])
def test_an_unknown_paper_is_not_found(name: str) -> None:
    with pytest.raises(NotFoundError):
        load_recipe(name)


def test_papers_and_tables_may_be_written_as_in_the_paper() -> None:
    assert load_recipe("G-Eval") is load_recipe("g-eval")
    assert [load_recipe("geval").table_named(name) for name in ("Table 3", "3", "table-3")] == ["table-3"] * 3


def test_an_unknown_table_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        load_recipe("coascore").table("table-99")


def test_the_data_of_a_table_are_texts_attributes_and_scores() -> None:
    recipe = load_recipe("interacteval")
    found = recipe.data_of(recipe.table("table-9"))
    assert found[:2] == ["summeval", "attributes"]
    assert {"summeval-gpt-4-1st", "summeval-gpt-4-2nd"} <= set(found)
    assert not {"ellipse", "ellipse-gpt-4-1st"} & set(found)


def test_formats_that_recipes_name_are_known_or_taken_for_a_table() -> None:
    named = {data.format for name in recipe_names() for data in load_recipe(name).data.values()}
    assert {"summeval", "topical-chat", "qags", "openmeva", "ellipse"} <= named & set(FORMATS)


def test_options_of_a_column_win_over_those_of_the_method() -> None:
    recipe = PaperRecipe.model_validate(
        {
            "paper": "p",
            "title": "P",
            "data": {"d": {"title": "D", "fetch": "f"}},
            "methods": {"m": {"evaluator": "g-eval", "options": {"steps": True, "samples": 5}}},
            "tables": {
                "t": {
                    "title": "T",
                    "level": "dataset",
                    "columns": [
                        {
                            "heading": "H",
                            "data": "d",
                            "dimension": "x",
                            "evaluator": "g-eval",
                            "options": {"steps": False},
                        }
                    ],
                    "rows": [{"label": "R", "method": "m"}],
                }
            },
        }
    )
    (column,) = recipe.table("t").columns
    assert recipe.methods["m"].settings(column) == (("steps", "no"), ("samples", "5"))
