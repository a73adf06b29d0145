"""Python's websockets as a peer of the examples: `server DEFLATE` prints its port and echoes; `client DEFLATE PORT` sends
what the test wants echoed, and prints "ok" when all of it came back and both sides closed."""
import asyncio
import sys

import websockets

role, deflate = sys.argv[1:3]
compression = "deflate" if deflate == "deflate" else None

messages = [
    "Hello", "", "ж中😀", "x" * 125, "x" * 126, "x" * 65535, '{"price": 1.25}' * 60000,
    b"", bytes([0, 255, 128]), bytes(65536), bytes((i * 2654435761 >> 8) & 255 for i in range(1000000)),
]


async def echo(socket, path=None):
    try:
        async for message in socket:
            await socket.send(message)
    finally:
        print("closed", socket.close_code, ",".join(e.name for e in socket.extensions), flush=True)


async def run_server():
    async with websockets.serve(echo, "127.0.0.1", 0, compression=compression, max_size=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


async def run_client(port):
    uri = f"ws://127.0.0.1:{port}/chat?x=1"
    async with websockets.connect(uri, compression=compression, max_size=None) as socket:
        assert bool(socket.extensions) == (deflate == "deflate"), socket.extensions
        await asyncio.wait_for(await socket.ping(b"are you there"), 20)
        await socket.send(["frag", "ment"])
        assert await socket.recv() == "fragment"
        for message in messages:
            await socket.send(message)
            echoed = await socket.recv()
            assert echoed == message, message[:20]
        await socket.close(4001, "done")
        assert socket.close_code == 4001, socket.close_code
    print("ok")


asyncio.run(run_server() if role == "server" else run_client(sys.argv[3]))
