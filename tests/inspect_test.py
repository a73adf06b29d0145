#!/usr/bin/env python3
"""weir inspect on the command line: events, end and exit status for the cases; heads, roles, slices and bad calls."""
import json
import pathlib
import subprocess
import sys

weir, corpus = sys.argv[1], pathlib.Path(sys.argv[2])
checks = 0


def inspect(*arguments, stdin=b""):
    return subprocess.run([weir, "inspect", *map(str, arguments)], input=stdin, capture_output=True, timeout=120)


def expect(what, got, wanted):
    global checks
    checks += 1
    if got != wanted:
        sys.exit(f"{what}:\n  got    {got!r}\n  wanted {wanted!r}")


def events_and_end(output):
    *events, end = [json.loads(line) for line in output.decode().splitlines()]
    shown = []
    for event in events:
        kind = event["event"]
        if kind == "close":
            shown.append([kind, event["code"], event["reason"].encode().hex()])
        else:
            shown.append([kind, event["data"].encode().hex() if kind == "text" else event["hex"]])
    return shown, end


def limits(text):
    if text == "default":
        return []
    name, value = text.split("=")
    return [{"max_message": "--max-message-size", "max_fragments": "--max-fragments"}[name], value]


statuses = {"open": 0, "closed": 0, "need": 3, "need-fin": 3, "fail": 1}
for case in json.loads((corpus / "cases/streams.json").read_text()):
    if case["ext"] != "none":
        continue
    for slices in ([], ["--slice", 1], ["--slice", 3], ["--slice", f"random:{case['id']}"]):
        ran = inspect("--as", case["role"], "--format", "json", *limits(case["limits"]), *slices, corpus / "cases" / case["file"])
        events, end = events_and_end(ran.stdout)
        shown_end = f"fail({end['code']})" if end["end"] == "fail" else end["end"]
        expect(f"{case['file']} {slices}", (events, shown_end, ran.returncode),
               (case["events"], case["end"], statuses[end["end"]]))
        expect("a code only with fail", "code" in end, end["end"] == "fail")

hello = bytes.fromhex("818537fa213d7f9f4d5158")  # RFC 6455 5.7
request = b"GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n"
response = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
text = b'{"event":"text","data":"Hello"}\n{"end":"open"}\n'
for slices in ([], ["--slice", 1]):
    expect("role from the mask bit", inspect("--format", "json", *slices, "-", stdin=hello).stdout, text)
    expect("a request is skipped", inspect("--format", "json", *slices, "-", stdin=request + hello).stdout, text)
    expect("a response is skipped", inspect("--format", "json", *slices, "-", stdin=response + b"\x81\x05Hello").stdout, text)
expect("a head is told", b"HTTP request, received by a server, skipped" in inspect("-", stdin=request + hello).stdout, True)
expect("offsets count the head", f"{len(request):10}  text".encode() in inspect("-", stdin=request + hello).stdout, True)
expect("after a response, frames are not masked", inspect("-", stdin=response + hello).returncode, 1)
expect("a cut head is truncated", inspect("-", stdin=request[:20]).returncode, 3)
expect("one byte is inside a frame", inspect("-", stdin=b"\x81").returncode, 3)
expect("nothing is open", inspect("--format", "json", "-").stdout, b'{"end":"open"}\n')
expect("with --as there is no head", inspect("--as", "server", "-", stdin=request).returncode, 1)
failed = json.loads(inspect("--format", "json", "--as", "client", "-", stdin=b"\x81\x00\x83\x00").stdout.splitlines()[-1])
expect("an error names rule and place", failed, {
    "end": "fail", "code": 1002, "offset": 2,
    "error": "frame at offset 2: unknown opcode (RFC 6455 5.2), seen at offset 2"})
frames = inspect("--frames", "--format", "json", "-", stdin=hello).stdout.splitlines()
expect("frames", json.loads(frames[0]), {"frame": "text", "offset": 0, "fin": True, "rsv1": False, "masked": True, "length": 5})
expect("compressed frames", inspect("--frames", "--deflate", "-", stdin=b"\xc1\x01\x00").returncode, 0)
expect("--deflate takes no file", inspect("--frames", "--deflate", corpus / "cases/streams/001-len64-all-ones.bin").returncode, 1)
expect("parameters", inspect("--frames", "--deflate=client_max_window_bits", "-", stdin=b"\xc1\x01\x00").returncode, 0)
expect("why a file cannot be read", b"No such file" in inspect("/no/such/file").stderr, True)
for extensions, negotiated in ((b"x-no-permessage-deflate", False), (b'foo; a="b, permessage-deflate"', False),
                               (b"foo, permessage-deflate; server_max_window_bits=10", True)):
    head = response[:-2] + b"Sec-WebSocket-Extensions: foo\r\nSec-WebSocket-Extensions: " + extensions + b"\r\n\r\n"
    ran = inspect("--frames", "-", stdin=head + b"\xc1\x01\x00")
    expect(f"deflate in {extensions}", ran.returncode, 0 if negotiated else 1)
for bad_number in ("-1", "010", "18446744073709551616", "x", "-18446744073709551615"):
    expect(f"--max-message-size {bad_number}", inspect(f"--max-message-size={bad_number}", "-").returncode, 2)
    expect(f"--max-fragments {bad_number}", inspect(f"--max-fragments={bad_number}", "-").returncode, 2)
expect("RSV1 without --deflate", inspect("--frames", "-", stdin=b"\xc1\x01\x00").returncode, 1)
expect("terminal controls are not passed on", b"\x1b" in inspect("-", stdin=b"\x81\x04\x1b[2J").stdout, False)
escaped = inspect("--format", "json", "-", stdin=b'\x81\x05"\\\n\x01\x7f').stdout.splitlines()[0]
expect("JSON escapes", json.loads(escaped)["data"], '"\\\n\x01\x7f')
expect("messages are not inflated yet", inspect("--as", "client", "--deflate", "-").returncode, 2)
for bad in (["--slice", "0", "-"], ["--slice", "x", "-"], ["--as", "proxy", "-"], [], ["/no/such/file"],
            [corpus], ["--format", "xml", "-"]):
    ran = inspect(*bad)
    expect(f"status of {bad}", ran.returncode, 2)
    expect(f"{bad} says why", bool(ran.stderr), True)
print(f"{checks} checks")
