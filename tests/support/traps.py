"""A folder with modules of the names that we and our libraries import: whoever runs in it must run none of them."""

from pathlib import Path

TRAP = "from pathlib import Path\nPath(__file__).with_name('sprung').touch()\nraise SystemExit('a trap was sprung')\n"
PACKAGES = ("app", "db", "pages", "prompts")
MODULES = ("interacteval", "joblib", "numpy", "secrets", "sitecustomize", "sqlite3", "streamlit", "typing_extensions")


def set_traps(folder: Path) -> Path:
    """Fill a new folder, and return it."""
    for name in PACKAGES:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(TRAP, encoding="utf-8")
    for name in (*MODULES, "app"):
        (folder / f"{name}.py").write_text(TRAP, encoding="utf-8")
    return folder


def sprung(folder: Path) -> list[str]:
    """Which of them ran."""
    return [str(found.relative_to(folder)) for found in folder.rglob("sprung")]
