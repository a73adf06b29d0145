"""What the programs of the sessions say: steps of (operation, argument, payload), the same in each recording."""
import json

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz     ABCDEF0123456789",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя   ЁЖЩ",
    "价格成交量市场深度行情数据買賣約定値段東京取引所",
    "😀🚀📈📉💱🧮🏦🇯🇵👩‍💻",
]
EDGES = [125, 126, 127, 65535, 65536]
SYMBOLS = ["AAPL", "MSFT", "BTC-USD", "ETH-EUR", "СБЕР", "ГАЗП", "7203.トヨタ", "600519.贵州茅台"]


def send(data):
    return ("send", "text", data.encode()) if isinstance(data, str) else ("send", "binary", data)


def wait(messages):
    return ("wait", str(messages), b"")


def close(code=None, reason=""):
    return ("close", "-" if code is None else str(code), reason.encode())


def ping(payload=b""):
    return ("ping", "-", payload)


def pong(payload=b""):
    return ("pong", "-", payload)


def text_of(rng, size):
    """A text of all the alphabets that takes exactly `size` bytes as UTF-8."""
    pieces, left = [], size
    while left > 0:
        piece = rng.choice(rng.choice(ALPHABETS))
        if len(piece.encode()) > left:
            piece = "."
        pieces.append(piece)
        left -= len(piece.encode())
    return "".join(pieces)


def variety(rng):
    """One message of each alphabet, empty messages, and all values of a byte."""
    words = ["".join(rng.choice(alphabet) for _ in range(rng.randint(8, 40))) for alphabet in ALPHABETS]
    return [send(word) for word in words] + [send(""), send(b""), send(bytes(range(256))), send(rng.randbytes(1000))]


def text_edges(rng):
    return [send(text_of(rng, size)) for size in EDGES]


def binary_edges(rng):
    return [send(rng.randbytes(size)) for size in EDGES]


def fragmented(rng, kind, sizes, control=True, whole_characters=False):
    """A message in fragments of these sizes; with `control`, a ping or an unasked pong after each but the last."""
    if kind == "binary":
        parts = [rng.randbytes(size) for size in sizes]
    elif whole_characters:
        parts = [text_of(rng, size).encode() for size in sizes]
    else:  # cut anywhere, also inside a character
        data = text_of(rng, sum(sizes)).encode()
        parts = [data[sum(sizes[:i]) : sum(sizes[: i + 1])] for i in range(len(sizes))]
    steps = []
    for i, part in enumerate(parts):
        steps.append(("begin", kind, part) if i == 0 else ("end" if i == len(parts) - 1 else "more", kind, part))
        if control and i < len(parts) - 1:
            steps.append(pong(b"unasked") if i % 3 == 2 else ping(b"after %d" % i if i else b""))
    return steps


def quote(rng, number):
    price = round(rng.uniform(1, 70000), 2)
    return {
        "seq": number,
        "symbol": rng.choice(SYMBOLS),
        "bid": price,
        "ask": round(price * 1.0002, 2),
        "size": rng.randint(1, 9000),
        "time": f"2026-12-01T{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}.{rng.randint(0, 999):03}Z",
        "side": rng.choice(["buy", "sell"]),
        "venue": rng.choice(["XNAS", "MOEX", "XTKS", "XSHG"]),
    }


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def market_json(rng, size=450_000):
    """A JSON array of quotes of about `size` bytes."""
    quotes, total = [], 2
    while total < size:
        quotes.append(compact(quote(rng, len(quotes))))
        total += len(quotes[-1].encode()) + 1
    return send("[" + ",".join(quotes) + "]")


def live_feed(rng, count):
    """Small JSON texts as a feed sends them, a ping after each hundred."""
    steps = []
    for number in range(count):
        steps.append(send(compact({"type": "quote", "data": quote(rng, number)})))
        if number % 100 == 99:
            steps.append(ping(b"feed %d" % number))
    return steps


def subscriptions():
    return [send(compact({"type": "subscribe", "symbol": symbol, "id": i})) for i, symbol in enumerate(SYMBOLS)]


def messages(steps):
    return sum(op in ("send", "end") for op, _, _ in steps)
