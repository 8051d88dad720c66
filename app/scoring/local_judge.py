"""A judge on this machine for benchmarks: speaks OpenAI's chat format, waits, and answers every question by a hash.

Run as a process of its own (`python -m app.scoring.local_judge --delay 0.2`), so that what it costs isn't counted as
ours. It prints its port first; GET /count answers how many requests it got.
"""

import argparse
import asyncio
import json
import zlib
from typing import Any


class LocalJudge:
    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.requests = 0

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = next(
                    (
                        int(line.split(":")[1])
                        for line in head.lower().split("\r\n")
                        if line.startswith("content-length:")
                    ),
                    0,
                )
                body = await reader.readexactly(length)
                reply = {"requests": self.requests} if head.startswith("GET ") else await self._judge(json.loads(body))
                content = json.dumps(reply).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(content)
                )
                writer.write(content)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _judge(self, request: dict[str, Any]) -> dict[str, Any]:
        self.requests += 1
        await asyncio.sleep(self.delay)
        keys = request["response_format"]["json_schema"]["schema"]["required"]
        text = request["messages"][-1]["content"]
        answers = {key: "yes" if zlib.crc32(f"{key}{text}".encode()) % 3 else "no" for key in keys}
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
