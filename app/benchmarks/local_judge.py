"""A judge on this machine for benchmarks: speaks OpenAI's chat format, waits, and answers every question by a hash.

Run as a process of its own (`python -m app.benchmarks.local_judge --delay 0.2`), so that what it costs isn't counted as
ours. It prints its port first; GET /count answers how many requests it got.
"""

import argparse
import asyncio
import json
import re
import zlib
from typing import Any

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class LocalJudge:
    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.requests = 0

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection. The delay begins when a request is there; its answer is prepared meanwhile."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = _LENGTH.search(head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                arrived = loop.time()
                if head.startswith(b"GET "):
                    writer.write(_http({"requests": self.requests}))
                    continue
                self.requests += 1
                answer = _http(_judged(json.loads(body)))
                await asyncio.sleep(arrived + self.delay - loop.time())
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def _http(reply: dict[str, Any]) -> bytes:
    content = json.dumps(reply).encode()
    return _HEAD % (len(content), content)


def _judged(request: dict[str, Any]) -> dict[str, Any]:
    keys = request["response_format"]["json_schema"]["schema"]["required"]
    text = request["messages"][-1]["content"]
    start = zlib.crc32(text.encode())
    answers = {key: "yes" if zlib.crc32(key.encode(), start) % 3 else "no" for key in keys}
    message = {"role": "assistant", "content": json.dumps(answers)}
    return {
        "id": "local",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": len(text) // 4,
            "completion_tokens": 7 * len(keys),
            "total_tokens": len(text) // 4,
        },
    }


async def serve(delay: float) -> None:
    judge = LocalJudge(delay)
    server = await asyncio.start_server(judge.converse, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - how the benchmark learns the port
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--delay", type=float, default=0.2)
    asyncio.run(serve(arguments.parse_args().delay))
