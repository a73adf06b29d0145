"""A peer made of Python websockets or aiohttp: peer.py websockets|aiohttp server|client PORT STEPS OPTIONS"""
import asyncio
import json
import sys

import aiohttp
import websockets
from aiohttp import web
from websockets.extensions import permessage_deflate as pmd

library, role, port, steps_file, options = sys.argv[1:]
port, options = int(port), json.loads(options)
with open(steps_file, encoding="ascii") as file:
    STEPS = [(line.rstrip("\n").split(" ") + ["", ""])[:3] for line in file]


class Peer:
    """Passes the steps over one connection; the subclasses know the library."""

    def __init__(self, ws):
        self.ws, self.received, self.news, self.over = ws, 0, asyncio.Event(), False

    async def run(self):
        reading = asyncio.create_task(self.read())
        steps = iter(STEPS)
        for step in steps:
            await self.act(step, steps)
        await reading

    async def read(self):
        try:
            async for _ in self.ws:
                self.received += 1
                self.news.set()
        except websockets.ConnectionClosedError:  # a Close with another code than 1000 and 1001
            pass
        self.over = True
        self.news.set()

    async def act(self, step, steps):
        op, arg, payload = step[0], step[1], bytes.fromhex(step[2])
        data = payload.decode() if arg == "text" else payload
        if op == "wait":
            while self.received < int(arg) and not self.over:
                self.news.clear()
                await self.news.wait()
        elif op == "begin":
            await self.ws.send(self.fragments(data, arg, steps))
        elif op == "send":
            await self.send(data)
        elif op == "close":
            await self.close(int(arg), payload)
        else:
            await getattr(self.ws, op)(payload)  # ping, pong

    async def fragments(self, first, kind, steps):
        yield first
        for op, _, payload in steps:
            if op in ("more", "end"):
                yield bytes.fromhex(payload).decode() if kind == "text" else bytes.fromhex(payload)
            else:
                await self.act((op, "", payload), steps)
            if op == "end":
                return


class WebsocketsPeer(Peer):
    async def send(self, data):
        await self.ws.send(data)

    async def close(self, code, reason):
        await self.ws.close(code, reason.decode())


class AiohttpPeer(Peer):
    async def send(self, data):
        await (self.ws.send_str if isinstance(data, str) else self.ws.send_bytes)(data)

    async def close(self, code, reason):
        await self.ws.close(code=code, message=reason)


def websockets_options():
    extensions = None
    if isinstance(options.get("deflate"), dict):
        factory = pmd.ServerPerMessageDeflateFactory if role == "server" else pmd.ClientPerMessageDeflateFactory
        extensions = [factory(**options["deflate"])]
    plain = extensions or not options.get("deflate")
    return {"compression": None if plain else "deflate", "extensions": extensions, "ping_interval": None}


async def main():
    done = asyncio.Event()
    if (library, role) == ("websockets", "client"):
        async with websockets.connect(f"ws://127.0.0.1:{port}/", **websockets_options()) as ws:
            await WebsocketsPeer(ws).run()
    elif (library, role) == ("websockets", "server"):

        async def serve(ws):
            await WebsocketsPeer(ws).run()
            done.set()

        async with websockets.serve(serve, "127.0.0.1", port, **websockets_options()):
            await done.wait()
    elif role == "client":
        async with aiohttp.ClientSession() as session:
            async with session.ws_connect(f"http://127.0.0.1:{port}/", compress=15 if options.get("deflate") else 0) as ws:
                await AiohttpPeer(ws).run()
    else:

        async def handle(request):
            ws = web.WebSocketResponse(compress=bool(options.get("deflate")))
            await ws.prepare(request)
            await AiohttpPeer(ws).run()
            done.set()
            return ws

        app = web.Application()
        app.add_routes([web.get("/", handle)])
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await done.wait()
        await asyncio.sleep(0.2)
        await runner.cleanup()


asyncio.run(main())
