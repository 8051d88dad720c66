"""A stand-in for meaning: texts that share words get vectors that lie close, always the same ones."""

from zlib import crc32

WIDTH = 32


def vector_of(text: str) -> list[float]:
    """(WIDTH,): how many words of the text fall on each place."""
    vector = [0.0] * WIDTH
    for word in text.lower().split():
        vector[crc32(word.strip(".,").encode()) % WIDTH] += 1.0
    return vector
