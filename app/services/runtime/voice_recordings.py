"""Voice recordings of thinking aloud: which formats are taken, and where their files are."""

from pathlib import Path

from app.settings import settings

AUDIO_FORMATS = ("wav", "mp3", "m4a", "mp4", "mpga", "mpeg", "ogg", "oga", "flac", "webm")


def voice_recording_path(name: str) -> Path:
    return settings().home / "recordings" / name
