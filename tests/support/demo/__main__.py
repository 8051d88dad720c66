"""Writes the file that the app loads as its demo."""

from pathlib import Path

from app.corpora import demo_data
from app.services.demo import BUNDLE
from tests.support.demo.maker import write_demo

if __name__ == "__main__":
    write_demo(Path(demo_data.__file__).with_name(BUNDLE))
