"""Records sessions between programs and writes captures.tsv with what wsproto decodes from them; see ../record."""
import argparse
import asyncio
import csv
import io
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import zlib
from pathlib import Path

from wsproto.extensions import PerMessageDeflate
from wsproto.frame_protocol import CloseReason, FrameProtocol, Opcode

from content import (
    binary_edges, close, fragmented, live_feed, market_json, messages, ping, pong, send, subscriptions, text_edges, text_of,
    variety, wait,
)

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent
COLUMNS = (
    "file role programs deflate head_size frames text_count text_bytes text_crc32 binary_count binary_bytes binary_crc32 "
    "ping_count pong_count close_code close_reason holds"
).split()
SESSION_SECONDS = 40
LWS_TEST_SERVER = "libwebsockets-test-server"


# The sessions. The side that closes first waits until it has all the messages of the other.


class Session:
    def __init__(
        self, name, client, server, client_steps, server_steps, closer, closing, client_options=None, server_options=None
    ):
        self.name, self.client, self.server = name, client, server
        self.client_steps, self.server_steps = client_steps, server_steps
        self.client_options, self.server_options = client_options or {}, server_options or {}
        if closer == "client":
            self.client_steps = client_steps + [wait(messages(server_steps)), closing]
        else:
            self.server_steps = server_steps + [wait(messages(client_steps)), closing]


def sessions():
    rng = random.Random(6455)
    no_takeover = {"serverNoContextTakeover": True, "clientNoContextTakeover": True}

    def split(kind, sizes, **options):
        return fragmented(rng, kind, sizes, **options)

    yield Session(
        "ws-ws-plain", "ws", "ws",
        variety(rng) + text_edges(rng) + split("text", [1, 125, 126, 700, 0, 3]) + split("binary", [0, 5000, 0])
        + [pong(b"unasked"), ping(rng.randbytes(125)), market_json(rng)],
        variety(rng) + binary_edges(rng) + split("text", [7] * 40) + split("binary", [65536, 1, 127]) + [ping(), market_json(rng)],
        "client", close(1000, "all sent"), {"perMessageDeflate": False}, {"perMessageDeflate": False},
    )
    yield Session(
        "ws-ws-deflate", "ws", "ws",
        variety(rng) + text_edges(rng) + split("text", [1500, 1, 2000, 0, 3]) + [ping(b"now"), market_json(rng)],
        variety(rng) + binary_edges(rng) + split("text", [3000, 50, 50]) + split("binary", [2000, 10]) + [market_json(rng)],
        "server", close(4001, "сессия окончена"), {}, {"perMessageDeflate": True},
    )
    yield Session(
        "ws-ws-live", "ws", "ws", subscriptions() + [ping(b"client")], live_feed(rng, 400),
        "server", close(1001, "feed is over for today"),
        {"perMessageDeflate": {"threshold": 0}}, {"perMessageDeflate": {"threshold": 0, "serverMaxWindowBits": 11}},
    )
    yield Session(
        "chromium-ws-plain", "chromium", "ws",
        variety(rng) + text_edges(rng) + binary_edges(rng) + [market_json(rng)],
        variety(rng) + text_edges(rng) + split("text", [100, 1, 1, 1, 900]) + [ping(b"browser?"), market_json(rng)],
        "client", close(4002, "page is done 🏁"), {}, {"perMessageDeflate": False},
    )
    yield Session(
        "chromium-ws-deflate", "chromium", "ws",
        variety(rng) + text_edges(rng) + [market_json(rng)],
        variety(rng) + text_edges(rng) + split("text", [2000, 300, 40]) + [market_json(rng)],
        "client", close(), {}, {"perMessageDeflate": no_takeover},
    )
    yield Session(
        "chromium-websockets-deflate", "chromium", "websockets",
        variety(rng) + subscriptions() + [market_json(rng)],
        variety(rng) + split("text", [400, 40, 4000], whole_characters=True) + live_feed(rng, 40) + [market_json(rng)],
        "server", close(1001, "server restarts"), {}, {"deflate": True},
    )
    yield Session(
        "websockets-websockets-deflate", "websockets", "websockets",
        variety(rng) + text_edges(rng) + split("text", [30, 3, 3000], whole_characters=True) + [market_json(rng)],
        variety(rng) + split("binary", [70000, 1, 0, 20]) + live_feed(rng, 100) + [market_json(rng)],
        "server", close(1000), {"deflate": {"server_max_window_bits": 9, "client_max_window_bits": 10}},
        {"deflate": {"server_max_window_bits": 9, "client_max_window_bits": 10}},
    )
    # aiohttp 3.8.4 forgets that a message is compressed at a control frame between its fragments: no pings there.
    yield Session(
        "websockets-aiohttp-deflate", "websockets", "aiohttp",
        variety(rng) + split("text", [500, 50, 5], control=False, whole_characters=True) + [pong(b"unasked"), market_json(rng)],
        variety(rng) + text_edges(rng) + [ping(b"aiohttp"), market_json(rng)],
        "client", close(1000, "до свидания"), {"deflate": True}, {"deflate": True},
    )
    yield Session(
        "aiohttp-websockets-plain", "aiohttp", "websockets",
        variety(rng) + binary_edges(rng) + [ping(b"aiohttp"), pong(), market_json(rng)],
        variety(rng) + text_edges(rng) + split("text", [50] * 10, whole_characters=True) + [market_json(rng)],
        "client", close(4003, "終了"), {}, {},
    )
    yield Session(
        "lws-ws-plain", "libwebsockets", "ws",
        variety(rng) + text_edges(rng) + split("text", [200, 20, 2, 300]) + split("binary", [1000, 70000]) + [market_json(rng)],
        variety(rng) + binary_edges(rng) + split("text", [126, 1, 1, 126]) + [ping(b"lws"), market_json(rng)],
        "client", close(1000, "lws is done"), {}, {"perMessageDeflate": False},
    )
    # A client of libwebsockets 4.1.6 hangs after a ping of its own with permessage-deflate: no pings from it.
    yield Session(
        "lws-ws-deflate", "libwebsockets", "ws",
        [send(text_of(rng, size)) for size in (40, 125, 3000)] + subscriptions() + [market_json(rng)],
        [send(text_of(rng, size)) for size in (40, 125, 3000)] + live_feed(rng, 100) + [market_json(rng)],
        "server", close(), {"deflate": True}, {"perMessageDeflate": {"threshold": 0}},
    )
    # The mirror cuts a text that reaches it in two reads, also inside a character: so one message at a time.
    texts = [send(text_of(rng, size)) for size in (1, 60, 125, 126, 600)] + live_feed(rng, 60)
    mirrored = [ping(b"mirror")] + [step for i, text in enumerate(texts) for step in (text, wait(i + 1))]
    yield Session(
        "ws-lws-mirror", "ws", LWS_TEST_SERVER, mirrored, [], "client", close(1000, "mirror seen"),
        {"subprotocol": "lws-mirror-protocol"}, {},
    )


# The programs.


def version_of(program, work):
    def output(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()

    if program == "ws":
        return "ws " + json.loads((work / "node_modules/ws/package.json").read_text())["version"]
    if program == "chromium":
        return "Chromium " + output("chromium", "--version").split()[1]
    package = {"websockets": "python3-websockets", "aiohttp": "python3-aiohttp"}.get(program, "libwebsockets17")
    version = output("dpkg-query", "-W", "-f", "${Version}", package)
    return f"{program} {version.split('-')[0]}"


def write_steps(path, steps):
    path.write_text("".join(f"{op} {arg} {payload.hex()}\n" for op, arg, payload in steps), encoding="ascii")


def command_of(program, role, port, steps, options, folder):
    steps_file = folder / f"{role}.steps"
    write_steps(steps_file, steps)
    if program == "ws":
        return ["node", HERE / "peer.js", role, str(port), steps_file, json.dumps(options)]
    if program in ("websockets", "aiohttp"):
        return ["/usr/bin/python3", "-B", HERE / "peer.py", program, role, str(port), steps_file, json.dumps(options)]
    if program == "libwebsockets":
        return [folder.parent / "peer_lws", str(port), steps_file, "1" if options.get("deflate") else "0"]
    if program == LWS_TEST_SERVER:
        return [LWS_TEST_SERVER, f"--port={port}", "-i", "lo", "-d", "3"]
    page = (HERE / "page.html").read_text(encoding="utf-8")
    page = page.replace("PORT", str(port)).replace("STEPS", json.dumps([[op, arg, data.hex()] for op, arg, data in steps]))
    (folder / "page.html").write_text(page, encoding="utf-8")
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split()
    flags += ["--disable-component-update", "--disable-sync", f"--user-data-dir={folder}/profile"]
    return ["chromium", *flags, f"file://{folder}/page.html"]


def start(command, log):
    environment = {**os.environ, "HOME": str(log.parent), "LC_ALL": "C.UTF-8"}
    with open(log, "wb") as file:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True, cwd=log.parent, env=environment
        )


def stop(process):
    """Ends a program that this script started, with its children: they are a process group of their own."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(5)
        except ProcessLookupError:
            process.wait(5)
            return
        except subprocess.TimeoutExpired:
            pass


# The recording proxy.


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def relay(reader, writer, recording):
    try:
        while data := await reader.read(65536):
            recording += data
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except (ConnectionError, OSError):
        pass


async def connect(port):
    for _ in range(200):
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except ConnectionRefusedError:
            await asyncio.sleep(0.05)
    raise TimeoutError("the server does not listen")


async def record(session, work):
    """The bytes to the server and to the client of one session."""
    folder = work / session.name
    folder.mkdir()
    server_port = free_port()
    to_server, to_client = bytearray(), bytearray()
    finished = asyncio.get_running_loop().create_future()

    async def accept(client_reader, client_writer):
        server_reader, server_writer = await connect(server_port)
        await asyncio.gather(relay(client_reader, server_writer, to_server), relay(server_reader, client_writer, to_client))
        client_writer.close()
        server_writer.close()
        if not finished.done():
            finished.set_result(None)

    proxy = await asyncio.start_server(accept, "127.0.0.1", 0)
    proxy_port = proxy.sockets[0].getsockname()[1]
    processes = []
    try:
        for role, program, port, steps, options in (
            ("server", session.server, server_port, session.server_steps, session.server_options),
            ("client", session.client, proxy_port, session.client_steps, session.client_options),
        ):
            processes.append(start(command_of(program, role, port, steps, options, folder), folder / f"{role}.log"))
        await asyncio.wait_for(finished, SESSION_SECONDS)
    except BaseException:
        for role in ("server", "client"):
            if (folder / f"{role}.log").exists():
                print(f"{session.name}, {role}:", (folder / f"{role}.log").read_text(errors="replace")[-2000:], file=sys.stderr)
        raise
    finally:
        for process in processes:
            stop(process)
        proxy.close()
    return bytes(to_server), bytes(to_client)


# The decoder: wsproto, and a walk over the frame headers that shares nothing with it.


def split_head(data):
    size = data.index(b"\r\n\r\n") + 4
    return data[:size], data[size:]


def extension_of(response_head):
    for line in response_head.decode("latin1").split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "sec-websocket-extensions":
            return value.strip()
    return "none"


def walk(data):
    """The frames of a stream: (first byte, payload size, all bytes); fails unless the stream ends with a whole frame."""
    frames, at = [], 0
    while at < len(data):
        size, header = data[at + 1] & 0x7F, 2
        if size >= 126:
            width = 2 if size == 126 else 8
            size, header = int.from_bytes(data[at + 2 : at + 2 + width], "big"), 2 + width
        if data[at + 1] & 0x80:
            header += 4
        end = at + header + size
        if end > len(data):
            raise ValueError(f"the stream ends inside the frame at {at}")
        frames.append((data[at], size, data[at:end]))
        at = end
    return frames


def decode(frames, role, extension):
    """Messages and control frames of a stream, decoded by wsproto.

    wsproto 1.2.0 forgets that a message is compressed when a control frame stands between its fragments; so control
    frames have a decoder of their own.
    """
    extensions = []
    if extension != "none":
        deflate = PerMessageDeflate()
        deflate.finalize(extension)
        extensions.append(deflate)
    data_decoder = FrameProtocol(role == "client", extensions)
    control_decoder = FrameProtocol(role == "client", [])
    found, message = {"text": [], "binary": [], "ping": [], "pong": [], "close": []}, []
    for first, _, raw in frames:
        decoder = control_decoder if first & 8 else data_decoder
        decoder.receive_bytes(raw)
        for frame in decoder.received_frames():
            if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
                message.append(frame.payload)
                if frame.frame_finished and frame.message_finished:
                    if frame.opcode is Opcode.TEXT:
                        found["text"].append("".join(message).encode())
                    else:
                        found["binary"].append(b"".join(message))
                    message = []
            else:
                found[frame.opcode.name.lower()].append(frame.payload)
    if message:
        raise ValueError("the stream ends inside a message")
    return found


def scripts_of(text):
    ranges = (("ASCII", 0x20, 0x7E), ("Cyrillic", 0x400, 0x4FF), ("CJK", 0x4E00, 0x9FFF), ("emoji", 0x1F300, 0x1FAFF))
    present = set(text)
    return [name for name, low, high in ranges if any(low <= ord(character) <= high for character in present)]


def describe(frames, found):
    """Short words: what is in it, as measured."""
    words = scripts_of(b"".join(found["text"]).decode())
    for kind in ("text", "binary"):
        if b"" in found[kind]:
            words.append(f"empty {kind}")
        if found[kind] and max(map(len, found[kind])) > 400_000:
            words.append(f"{kind} of 450 KB")
    edges = [size for size in (125, 126, 127, 65535, 65536) if any(size == frame[1] and not frame[0] & 8 for frame in frames)]
    if edges:
        words.append("frames of " + "/".join(map(str, edges)))
    split, between, compressed, inside = 0, 0, 0, False
    for first, _, _ in frames:
        if first & 8:
            between += inside
        else:
            split += not inside and not first & 0x80
            compressed += bool(first & 0x40)
            inside = not first & 0x80
    for count, what in ((split, "fragmented"), (between, "control between fragments"), (compressed, "compressed")):
        if count:
            words.append(f"{count} {what}")
    return ", ".join(words)


def rows_of(name, programs, to_server, to_client):
    extension = extension_of(split_head(to_client)[0])
    for role, data, sender, receiver in (("server", to_server, *programs), ("client", to_client, *reversed(programs))):
        head, body = split_head(data)
        frames = walk(body)
        found = decode(frames, role, extension)
        row = {"file": f"{name}.to-{role}.bin", "role": role, "programs": f"{sender} -> {receiver}", "deflate": extension}
        row |= {"head_size": len(head), "frames": len(frames)}
        for kind in ("text", "binary"):
            joined = b"".join(found[kind])
            row |= {f"{kind}_count": len(found[kind]), f"{kind}_bytes": len(joined), f"{kind}_crc32": f"{zlib.crc32(joined):08x}"}
        code, reason = found["close"][0] if found["close"] else ("-", "")
        if code != "-":
            code = "null" if code == CloseReason.NO_STATUS_RCVD else int(code)
        row |= {"ping_count": len(found["ping"]), "pong_count": len(found["pong"]), "close_code": code}
        row |= {"close_reason": reason or "-", "holds": describe(frames, found)}
        if len(found["close"]) != 1 or not frames[-1][0] & 0xF == 8:
            opcode = frames[-1][0] & 0xF
            print(f"note: {row['file']}: {len(found['close'])} Close frames, the last frame has opcode {opcode}", file=sys.stderr)
        yield {column: str(row[column]) for column in COLUMNS}


def expect_sent(session, rows):
    """The decoded text and binary are what the steps sent; the mirror of libwebsockets sends on its own."""
    for row, steps in zip(rows, (session.client_steps, session.server_steps)):
        if session.server == LWS_TEST_SERVER and row["role"] == "client":
            continue
        sent, kind = {"text": b"", "binary": b""}, None
        for op, arg, payload in steps:
            kind = arg if op in ("send", "begin") else kind
            if op in ("send", "begin", "more", "end"):
                sent[kind] += payload
        for kind, data in sent.items():
            if (row[f"{kind}_bytes"], row[f"{kind}_crc32"]) != (str(len(data)), f"{zlib.crc32(data):08x}"):
                raise ValueError(f"{row['file']}: the {kind} decoded is not the {kind} sent")


def read_table():
    path = FOLDER / "captures.tsv"
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def table_text(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def check():
    rows = []
    old = read_table()
    for row in old[::2]:
        name = row["file"].removesuffix(".to-server.bin")
        data = [(FOLDER / f"{name}.to-{role}.bin").read_bytes() for role in ("server", "client")]
        rows += rows_of(name, row["programs"].split(" -> "), *data)
    files = {path.name for path in FOLDER.glob("*.bin")}
    wrong = files ^ {row["file"] for row in rows} | {row["file"] for row, before in zip(rows, old) if row != before}
    if wrong or not rows:
        sys.exit("captures.tsv does not agree with the files: " + " ".join(sorted(wrong)))
    print(f"{len(rows)} files agree with captures.tsv")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.check:
        check()
        return
    table = {row["file"]: row for row in read_table()}
    order = [f"{session.name}.to-{role}.bin" for session in sessions() for role in ("server", "client")]
    for session in sessions():
        if arguments.names and session.name not in arguments.names:
            continue
        streams = asyncio.run(record(session, arguments.work))
        programs = [version_of(session.client, arguments.work), version_of(session.server, arguments.work)]
        rows = list(rows_of(session.name, programs, *streams))
        expect_sent(session, rows)
        for row, data in zip(rows, streams):
            (FOLDER / row["file"]).write_bytes(data)
            table[row["file"]] = row
        (FOLDER / "captures.tsv").write_text(table_text([table[file] for file in order if file in table]), encoding="utf-8")
        print(f"{session.name}: {len(streams[0])} and {len(streams[1])} bytes, {rows[0]['deflate']}", flush=True)
        shutil.rmtree(arguments.work / session.name, ignore_errors=True)


main()
