"""Run the stand-in: prints its address on the first line, then serves until it is stopped."""

from tests.support.strict_vendors.server import Handler, Server

with Server(("127.0.0.1", 0), Handler) as server:
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)  # noqa: T201 - whoever starts it reads the address
    server.serve_forever()
