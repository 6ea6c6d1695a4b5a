"""One attacker in a process of its own, so that its work is not mistaken for the engine's.

usage: attacker.py ATTACK PORT CONNECTIONS SOURCES [PATH...]

SOURCES is `same` (127.0.0.1, where the victims are, too), `spread` (50 other addresses of this machine) or `both` in turn. It prints "full"
when all that can be sent is sent, goes on until its standard input ends, and then says what it did. A connection that the engine closes is
opened again, RETURNS_PER_SECOND of them at most.
"""

import collections
import errno
import json
import os
import resource
import select
import socket
import struct
import sys
import time

import http2
from attacks import ATTACKS

RETURNS_PER_SECOND = 200
CONNECTING_MAX = 200
STALLED_SECONDS = 0.5  # Nothing was sent for so long: the attack is as heavy as it gets.
UNANSWERED_SECONDS = 3.0  # The same while the engine does not answer those that come: their systems try again after a second.
FULL_SECONDS = float(os.environ.get("PAWL_SIEGE_SECONDS", "20"))  # Then it counts as full, although connections are lost again and again.
SPREAD = 50


def source_of(number, sources):
    if sources == "same" or (sources == "both" and number % 2):
        return None
    return f"127.0.1.{1 + number // 2 % SPREAD}"


class Line:
    """One connection."""

    def __init__(self, number, attack, parts):
        self.number, self.attack, self.parts = number, attack, parts
        self.socket, self.at, self.sent, self.window = None, 0, 0, 0
        self.frames, self.heard = None, False

    def open(self, port, sources):
        self.at = self.sent = 0
        self.window, self.frames, self.heard = http2.CONNECTION_WINDOW, http2.Frames(), False
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if self.attack.receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.attack.receive_bytes)
        source = source_of(self.number, sources)
        if source:
            self.socket.bind((source, 0))
        return self.socket.connect_ex(("127.0.0.1", port)) in (0, errno.EINPROGRESS)

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def has_more(self):
        return self.at < len(self.parts)

    def may_send(self):
        return self.has_more() and (self.sent or self.window >= self.parts[self.at][1])

    def send(self):
        """Sends what socket and window take; how many bytes that were."""
        total = 0
        while self.may_send():
            text, cost = self.parts[self.at]
            if not self.sent:
                self.window -= cost
            try:
                count = self.socket.send(memoryview(text)[self.sent:])
            except BlockingIOError:
                return total
            self.sent, total = self.sent + count, total + count
            if self.sent == len(text):
                self.at, self.sent = self.at + 1, 0
        return total

    def read(self):
        """Reads what has come; False if the engine has closed."""
        try:
            more = self.socket.recv(65536)
        except BlockingIOError:
            return True
        for kind, flags, stream, payload in self.frames.take(more):
            if kind == http2.WINDOW_UPDATE and stream == 0:
                self.window += int.from_bytes(payload, "big")
            elif kind == http2.PING and flags & http2.ACK:
                self.heard = True
        return bool(more)


class Attacker:
    def __init__(self, attack, port, connections, sources, paths):
        self.attack, self.port, self.sources = attack, port, sources
        parts = attack.plan(paths)
        self.lines = [Line(number, attack, parts) for number in range(connections)]
        self.waiting = collections.deque(self.lines)  # To be opened.
        self.connecting, self.open = set(), {}
        self.poll = select.epoll()
        self.opened = self.lost = self.bytes = 0
        self.allowed, self.paused_until = float(connections), 0.0  # Connections that may be opened now.
        self.moved = self.counted = time.monotonic()

    def events(self, line):
        wanted = select.EPOLLRDHUP
        if line.may_send():
            wanted |= select.EPOLLOUT
        if self.attack.reads:
            wanted |= select.EPOLLIN
        return wanted

    def open_more(self):
        now = time.monotonic()
        self.allowed = min(self.allowed + (now - self.counted) * RETURNS_PER_SECOND, len(self.lines))
        self.counted = now
        while self.waiting and len(self.connecting) < CONNECTING_MAX and self.allowed >= 1 and now >= self.paused_until:
            line = self.waiting.popleft()
            self.allowed -= 1
            try:
                begun = line.open(self.port, self.sources)
            except OSError:  # No port, or no file, is left.
                begun = False
            if not begun:
                line.close()
                self.waiting.append(line)
                self.paused_until = now + 0.1
                return
            self.connecting.add(line)
            self.open[line.socket.fileno()] = line
            self.poll.register(line.socket.fileno(), select.EPOLLOUT)

    def drop(self, line):
        number = line.socket.fileno()
        self.poll.unregister(number)
        del self.open[number]
        self.connecting.discard(line)
        line.close()
        self.waiting.append(line)

    def serve(self, line, events):
        if line in self.connecting and events & select.EPOLLOUT:
            self.connecting.discard(line)
            self.opened += 1
            self.moved = time.monotonic()
        gone = events & (select.EPOLLHUP | select.EPOLLERR)
        try:
            if events & select.EPOLLIN and not line.read():
                gone = True
            count = 0 if gone else line.send()
        except OSError:
            gone, count = True, 0
        if count:
            self.bytes += count
            self.moved = time.monotonic()
        if gone or events & select.EPOLLRDHUP:
            self.lost += 1
            self.drop(line)
        elif self.attack.fresh and line.heard:
            self.allowed += 1  # It was served, so the next one comes at once.
            self.drop(line)
        else:
            self.poll.modify(line.socket.fileno(), self.events(line))

    def is_full(self, begun):
        now = time.monotonic()
        if self.attack.fresh:
            return now - begun > STALLED_SECONDS
        if now - begun > FULL_SECONDS:
            return True
        coming = self.opened < len(self.lines) or self.connecting
        return now - self.moved > (UNANSWERED_SECONDS if coming else STALLED_SECONDS)

    def run(self):
        begun, told = time.monotonic(), False
        self.poll.register(sys.stdin.fileno(), select.EPOLLIN)
        while True:
            self.open_more()
            for number, events in self.poll.poll(0.02, 1024):
                if number == sys.stdin.fileno():
                    return
                line = self.open.get(number)
                if line:
                    self.serve(line, events)
            if not told and self.is_full(begun):
                told = True
                print("full", flush=True)


def main(name, port, connections, sources, *paths):
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    os.nice(10)  # An attacker's work is done on another machine.
    attacker = Attacker(ATTACKS[name], int(port), min(int(connections), files - 64), sources, list(paths))
    try:
        attacker.run()
    finally:
        print(json.dumps({"opened": attacker.opened, "lost": attacker.lost, "sent": attacker.bytes, "held": len(attacker.open)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
