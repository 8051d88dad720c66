"""Writes the texts of the demo, and the file that the app loads as its demo."""

from pathlib import Path

from app.corpora import demo_data
from app.corpora.demo_data.corpus import TEXTS
from app.services.demo import BUNDLE
from tests.support.demo.maker import write_demo
from tests.support.demo.texts import corpus_file, made_corpus

if __name__ == "__main__":
    folder = Path(demo_data.__file__).parent
    (folder / TEXTS).write_text(corpus_file(made_corpus()), encoding="utf-8")
    write_demo(folder / BUNDLE)
