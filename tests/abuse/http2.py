"""HTTP/2 as bytes: what an attacker needs of it, and no more.

Frames are made one by one, so that they can be wrong, late or missing. Heads are HPACK without Huffman codes: literal fields, and one
field that a connection keeps in its dynamic table so that a large field costs a byte.
"""

import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
SETTING_INITIAL_WINDOW = 4
FIRST_DYNAMIC = 62  # The index of the newest entry of the dynamic table.
CONNECTION_WINDOW = 65535  # Until the server gives more.
FRAME_HEAD_BYTES = 9


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(**values):
    """`initial_window`: how much of each answer the client takes before it gives more."""
    payload = b"".join(struct.pack(">HI", {"initial_window": SETTING_INITIAL_WINDOW}[name], value) for name, value in values.items())
    return frame(SETTINGS, 0, 0, payload)


def reset(stream, code=8):
    return frame(RST_STREAM, 0, stream, struct.pack(">I", code))


def window_update(stream, more):
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", more))


def ping(payload=b"are here"):
    return frame(PING, 0, 0, payload)


# ---- heads ----


def integer(value, bits, first=0):
    """HPACK's number behind the first bits of a byte."""
    most = (1 << bits) - 1
    if value < most:
        return bytes((first | value,))
    text, value = [first | most], value - most
    while value >= 128:
        text.append(value & 127 | 128)
        value >>= 7
    return bytes((*text, value))


def field(name, value):
    """A literal field that enters no table."""
    name, value = name.encode(), value.encode()
    return b"\0" + integer(len(name), 7) + name + integer(len(value), 7) + value


def kept_field(name, value):
    """A literal field that enters the dynamic table."""
    name, value = name.encode(), value.encode()
    return b"\x40" + integer(len(name), 7) + name + integer(len(value), 7) + value


def kept(index=FIRST_DYNAMIC):
    """A field of the dynamic table once more."""
    return integer(index, 7, 0x80)


def head(method, path, authority="127.0.0.1", **fields):
    """The block of a head; names of fields have _ for -."""
    block = field(":method", method) + field(":scheme", "http") + field(":path", path) + field(":authority", authority)
    return block + b"".join(field(name.replace("_", "-"), value) for name, value in fields.items())


def headers(stream, block, ends=False):
    return frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, block)


def streams(count):
    """The numbers of a client's first streams."""
    return range(1, 2 * count, 2)


# ---- reading ----


class Frames:
    """Frames out of bytes as they arrive."""

    def __init__(self):
        self.rest = b""

    def take(self, more):
        """(kind, flags, stream, payload) of each frame that is whole."""
        self.rest += more
        while len(self.rest) >= FRAME_HEAD_BYTES:
            length, kind, flags = int.from_bytes(self.rest[:3], "big"), self.rest[3], self.rest[4]
            stream = int.from_bytes(self.rest[5:9], "big") & 0x7FFFFFFF
            if len(self.rest) < FRAME_HEAD_BYTES + length:
                return
            payload, self.rest = self.rest[9:9 + length], self.rest[9 + length:]
            yield kind, flags, stream, payload
