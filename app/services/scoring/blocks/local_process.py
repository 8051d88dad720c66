"""Process of this machine that scores beside the one that has the run, which starts it."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from app.services.scoring.blocks.channel import Channel

COMMAND = (sys.executable, "-m", "app.services.scoring.blocks.helper_process")


class LocalProcess:
    """A Helper. Raises OSError where it can't be started."""

    def __init__(self) -> None:
        # A group of its own: Ctrl-C is for the process that has the run.
        self._process = subprocess.Popen(  # noqa: S603 - our own words
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0 if os.name == "posix" else None
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._channel = Channel(self._process.stdout, self._process.stdin)

    def send(self, message: object) -> None:
        self._channel.send(message)

    def listen(self, heard: Callable[[Any], None], gone: Callable[[], None]) -> None:
        self._channel.listen(heard, gone)

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._channel.close()
        threading.Thread(target=self._process.wait, name="wait for a scoring process", daemon=True).start()
