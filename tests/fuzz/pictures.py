"""Pictures of documents over the wire: many clients at once, each with documents of its own from 1 byte to 64 KiB.

usage: pictures.py [--seconds N] [--clients N] [--seed N]

A document names its client in every step. A sound one must come back as a picture of exactly its steps. A spoiled one may be refused or drawn,
but no answer may have anything of another client. Run it with a binary under a sanitizer (`make fuzz-pictures`): bodies live longer than
the request that brought them, and a mistake there shows only now and then. The last line is "N passed, N failed", in documents.
"""

import argparse
import http.client
import json
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

import harness  # noqa: E402
from graphs import edge, graph, node  # noqa: E402
from steps import end, service  # noqa: E402

BODY_MAX = 64 << 10
STEPS_MAX = 40
FAILURES_MAX = 10


class Author:
    """Writes the documents of one client."""

    def __init__(self, number, seed):
        self.random = random.Random(f"{seed}/{number}")
        self.tag, self.count = f"t{self.random.getrandbits(48):012x}", 0  # No spoiled text has another one's by chance.

    def names(self):
        self.count += 1
        return [f"{self.tag}d{self.count}s{i}" for i in range(self.random.randint(1, STEPS_MAX))]

    def steps(self, names):
        follow = names[1:] + ["end"]
        return {"id": names[0], "name": self.tag, "steps": [service(a, b) for a, b in zip(names, follow)] + [end()]}, {*names, "end"}

    def graph(self, names):
        nodes = [node(name, "set_variables" if i else "trigger_manual", **({"values": {"a": 1}} if i else {})) for i, name in enumerate(names)]
        return graph(*nodes, edges=[edge(a, b) for a, b in zip(names, names[1:])]), set(names)

    def sound(self):
        """A document as text, and the ids of its nodes."""
        document, ids = self.random.choice((self.steps, self.graph))(self.names())
        text = json.dumps(document).encode()
        room = BODY_MAX - len(text)
        if room > 0 and self.random.random() < 0.8:
            text += b" " * self.random.randrange(room)
        return text, ids

    def spoiled(self):
        """Something that was a document."""
        text = bytearray(self.sound()[0])
        for _ in range(self.random.randint(1, 4)):
            at, n = self.random.randrange(len(text)), self.random.randint(1, 200)
            kind = self.random.randrange(4)
            if kind == 0:
                text[at] = self.random.randrange(256)
            elif kind == 1:
                del text[at:at + n]
            elif kind == 2:
                text[at:at] = text[at:at + n]
            else:
                del text[at:]
            text = text[:BODY_MAX] or bytearray(b"{")
        return bytes(text)


class Client(threading.Thread):
    def __init__(self, server, number, seed, until):
        super().__init__()
        self.server, self.until, self.author = server, until, Author(number, seed)
        self.others, self.drawn, self.failures = [], 0, []

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=harness.PATIENCE)
        while time.monotonic() < self.until and len(self.failures) < FAILURES_MAX:
            try:
                self.draw(connection)
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"no answer: {error!r}")
                connection.close()
        connection.close()

    def ask(self, connection, text):
        layout = self.author.random.choice(("", "?layout=auto", "?layout=own"))
        connection.request("POST", "/api/pictures" + layout, text, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()

    def draw(self, connection):
        text, ids = self.author.sound()
        status, answer = self.ask(connection, text)
        if status != 200 or not self.shows(answer, ids):
            self.failures.append(f"{len(text)} bytes of {self.author.tag}: {status} {answer[:300]!r}")
        status, answer = self.ask(connection, self.author.spoiled())
        foreign = any(tag in answer for tag in self.others)
        if status not in (200, 400) or foreign:
            self.failures.append(f"a spoiled document of {self.author.tag}: {status} {answer[:300]!r}")
        self.drawn += 2

    @staticmethod
    def shows(answer, ids):
        try:
            return {one["id"] for one in json.loads(answer)["nodes"]} == ids
        except ValueError:
            return False


def campaign(server, seconds, clients, seed):
    """How many documents were sent, and what went wrong."""
    threads = [Client(server, number, seed, time.monotonic() + seconds) for number in range(clients)]
    tags = [thread.author.tag.encode() for thread in threads]
    for number, thread in enumerate(threads):
        thread.others = tags[:number] + tags[number + 1:]
        thread.start()
    for thread in threads:
        thread.join()
    return sum(thread.drawn for thread in threads), [failure for thread in threads for failure in thread.failures]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    server = harness.Server(("--store", "memory"))
    drawn, failures = campaign(server, options.seconds, options.clients, options.seed)
    try:
        server.stop()
    except AssertionError as failure:
        failures.insert(0, str(failure))
    for failure in failures[:FAILURES_MAX]:
        print(failure)
    print(f"{drawn - min(drawn, len(failures))} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
