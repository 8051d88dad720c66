"""A tiny project with known answers, quick enough for every test."""

import json
from pathlib import Path

SENTENCES = (
    "The ferry stops at the island twice a day.",
    "It carries forty people and their bicycles.",
    "In winter the crossing takes ten minutes longer.",
    "Tickets are sold on board for three crowns.",
)


def small_csv(path: Path, sources: int = 6) -> Path:
    """Six sources with three texts each: whole, halved and repeated; rated by two raters on two dimensions."""
    lines = ["doc,sys,source,text,c1,c2,f1"]
    for number in range(sources):
        source = f"Report {number}. " + " ".join(SENTENCES)
        texts = {
            "whole": (" ".join(SENTENCES), 5, 4, 5),
            "half": (" ".join(SENTENCES[:2]), 3, 3, 4),
            "again": (" ".join([SENTENCES[0]] * 3).lower(), 1, 2, 2),
        }
        for system, (text, c1, c2, f1) in texts.items():
            lines.append(f'd{number},{system},"{source}","{text}",{c1},{c2},{f1}')
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


MAPPING = ("text=text", "source=source", "doc_id=doc", "system_id=sys")
RATINGS = ("coherence=c1", "coherence=c2", "fluency=f1")
OPTIONS = [word for m in MAPPING for word in ("--map", m)] + [word for r in RATINGS for word in ("--rating", r)]


def document(text: str) -> object:
    """What a command printed, which must be one JSON document and nothing else."""
    return json.loads(text)
