#!/usr/bin/env python3
"""echo_test.py PEER SERVER CLIENT: the examples against a peer that is not Weir, both roles, with and without deflate."""
import os
import pathlib
import socket
import subprocess
import sys
import time

peer, server_example, client_example = sys.argv[1:4]
here = pathlib.Path(__file__).resolve().parent
commands = {"websockets": ["/usr/bin/python3", str(here / "websockets_peer.py")], "ws": ["node", str(here / "ws_peer.js")]}
environment = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
lines = ["Hello", "", "ж中😀", "x" * 125, "x" * 126, "x" * 65536, '{"price": 1.25}' * 60000]


def start(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit("the example does not listen")


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}:\n  got    {got!r:.300}\n  wanted {wanted!r:.300}")


def try_our_server(deflate):
    port = free_port()
    server = start([server_example, str(port)] + (["deflate"] if deflate else []))
    try:
        wait_for(port)
        for wanted in ("deflate", "plain") if deflate else ("plain",):
            ran = subprocess.run(commands[peer] + ["client", wanted, str(port)], capture_output=True, text=True,
                                 timeout=120, env=environment)
            expect(f"{peer} client, {wanted}: {ran.stderr}", ran.stdout, "ok\n")
    finally:
        server.kill()
        server.wait()


def try_our_client(deflate):
    server = start(commands[peer] + ["server", "deflate" if deflate else "plain"])
    try:
        port = server.stdout.readline().strip()
        ran = subprocess.run([client_example, "127.0.0.1", port] + (["deflate"] if deflate else []),
                             input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=120)
        expect("echoed", ran.stdout.split("\n")[:-1], lines)
        expect("status", (ran.returncode, ran.stderr), (0, "closed 0\n"))
        expect("what the server saw", server.stdout.readline().split(),
               ["closed", "1000"] + (["permessage-deflate"] if deflate else []))
    finally:
        server.kill()
        server.wait()


for deflate in (False, True):
    try_our_server(deflate)
    try_our_client(deflate)
print(f"both roles with {peer}, with and without deflate")
