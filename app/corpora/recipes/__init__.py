"""Recipes of papers: what each of their tables takes, and the figures they published."""

from app.corpora.recipes.recipe import (
    Column,
    DataSet,
    PaperRecipe,
    PaperTable,
    RecipeMethod,
    Row,
    load_recipe,
    recipe_names,
)

__all__ = [
    "Column",
    "DataSet",
    "PaperRecipe",
    "PaperTable",
    "RecipeMethod",
    "Row",
    "load_recipe",
    "recipe_names",
]
