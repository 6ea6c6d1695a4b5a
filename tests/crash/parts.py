"""The parts around the engine that the examples need: a shop, a ledger, a broker; and the trap that kills the engine.

A part tells the trap what happens in it ("reserve asked", "mail taken"). The trap kills the engine when the moment that it
waits for has come. A client here never gives up: it starts the engine again and repeats its request with the same key.
"""

import collections
import http.client
import http.server
import itertools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

from harness import PATIENCE, ROOT, Answer, Server, check  # noqa: E402

SERVICES = os.path.join(ROOT, "tests", "services")
keys = itertools.count(1)


class Trap:
    """Kills the engine with the nth passing of a moment, or so many seconds after it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.moment, self.nth, self.delay, self.process = None, 0, 0, None
        self.seen = []

    def set(self, process, moment, nth=1, delay=0):
        with self.lock:
            self.moment, self.nth, self.delay, self.process, self.seen = moment, nth, delay, process, []

    def passing(self, moment):
        with self.lock:
            self.seen.append(moment)
            if moment != self.moment:
                return
            self.nth -= 1
            if self.nth:
                return
            self.moment = None
            if self.delay:
                threading.Timer(self.delay, self._kill, [self.process]).start()
            else:
                self._kill(self.process)

    @staticmethod
    def _kill(process):
        process.send_signal(signal.SIGKILL)


class Life:
    """One store, and the engines that live on it, one after the other."""

    def __init__(self, *arguments):
        self.directory = tempfile.mkdtemp(prefix="pawl-examples-")
        self.arguments, self.trap, self.kills = arguments, Trap(), 0
        self.server = self.connection = None
        self._begin()

    def _begin(self):
        self.server = Server(self.arguments, self.directory)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)

    def revive(self):
        """After a kill, which must have been one: the engine does not die on its own."""
        code = self.server.process.wait(PATIENCE)
        assert code == -signal.SIGKILL, f"the engine ended with {code}: {self.server.log()[-4000:]}"
        self.connection.close()
        self.server.kill()
        self.kills += 1
        self._begin()

    def close(self):
        self.connection.close()
        try:
            if self.server.process.poll() is None:
                self.server.stop()
        finally:
            self.server.kill()

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def call(self, method, path, body=None, moment=None, statuses=(200, 201, 202, 204), headers=()):
        """The answer, which the contract allows. A request that was cut off is repeated with the same key."""
        sent = {"Content-Type": "application/json", **dict(headers)}
        if method == "POST":
            sent["Idempotency-Key"] = f"example-{os.getpid()}-{next(keys)}"
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        while True:
            try:
                answer = self._exchange(method, path, data, sent, moment)
                break
            except (OSError, http.client.HTTPException):
                self.revive()
        assert answer.status in statuses, f"{method} {path}: {answer}"
        if moment:
            self.trap.passing(moment + " answered")
        return answer

    def _exchange(self, method, path, data, headers, moment):
        self.connection.request(method, path, data, headers)
        if moment:
            self.trap.passing(moment + " sent")
        response = self.connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        check(method, path, answer)
        return answer

    def get(self, path):
        return self.call("GET", path).json

    def until(self, look):
        """Looks until there is something true, and returns it: each look is a request, or a query."""
        end = time.monotonic() + PATIENCE
        while not (found := look()):
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.002)  # Between two looks the core is the engine's.
        return found

    def run(self, instance, *statuses):
        """The run, once it has one of these statuses."""
        def look():
            run = self.get(f"/api/runs/{instance}")
            return run if run["status"] in statuses else None
        return self.until(look)

    def task(self, instance, node):
        """The open task of a node, once it is there."""
        def look():
            tasks = self.get(f"/api/tasks?instanceId={instance}&pageSize=50")["items"]
            return next((task for task in tasks if task["nodeId"] == node), None)
        return self.until(look)


class Mailbox:
    """Tells the trap how far a message has come. It looks like a list of planned replies (tests/api/mail.py) that is empty."""

    def __init__(self, trap, moment):
        self.trap, self.moment = trap, moment

    def __bool__(self):
        self.trap.passing(self.moment)
        return False

    @classmethod
    def watch(cls, server, trap):
        for word, moment in (("MAIL", "mail begins"), ("DATA", "mail offered"), ("DATA.", "mail written"), ("QUEUED", "mail taken")):
            server.answers[word] = cls(trap, moment)


class Shop:
    """Stock, payments and parcels over HTTP. A request with a key that it knows gets the first answer, and nothing happens."""

    def __init__(self, trap):
        self.trap, self.lock = trap, threading.Lock()
        self.sold_out = set()  # Addresses that get no parcel.
        self.known, self.calls = {}, []
        self.reserved, self.released, self.charged, self.refunded, self.sent = {}, [], {}, [], {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def _do(self, method, path, body, key):
        """What a request does the first time: its name and its answer."""
        number = f"n{len(self.known) + 1}"
        if method == "DELETE":
            self.released.append(path.rsplit("/", 1)[1])
            return 200, {}
        if path == "/reservations":
            self.reserved[number] = body["sku"]
            return 201, {"reservation": number}
        if path == "/charges":
            self.charged[number] = body
            return 201, {"charge": number}
        if path == "/refunds":
            self.refunded.append(body["charge"])
            return 200, {}
        assert path == "/shipments", path
        if body["to"] in self.sold_out:
            return 409, {"message": "no parcels to there"}
        self.sent[number] = body["to"]
        return 201, {"tracking": number}

    def take(self, method, path, body, key):
        name = "release" if method == "DELETE" else {"/reservations": "reserve", "/charges": "charge", "/refunds": "refund", "/shipments": "send"}[path]
        self.trap.passing(name + " asked")
        with self.lock:
            self.calls.append((name, key, path, json.dumps(body)))
            if key not in self.known:
                self.known[key] = self._do(method, path, body, key)
            answer = self.known[key]
        self.trap.passing(name + " done")
        return name, answer

    def keys(self, name):
        """The keys with which something was asked for, and what was asked with each."""
        found = collections.defaultdict(set)
        for called, key, path, body in self.calls:
            if called == name:
                found[key].add((path, body))
        return found

    def _handler(shop):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except ConnectionError:  # The engine was killed.
                    self.close_connection = True

            def play(self):
                text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                name, (status, body) = shop.take(self.command, self.path, json.loads(text) if text else None, self.headers["Idempotency-Key"])
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
                shop.trap.passing(name + " answered")

            do_POST = do_DELETE = play

            def log_message(self, *_):
                pass
        return Handler


# The ledger refuses to book an invoice twice. While `slow` has a row, a booking takes a while before it is committed.
LEDGER = """
create table bookings (invoice text primary key, amount numeric not null, visit text not null unique);
create table slow (n int);
"""
SLOW_SQLITE = """
create trigger dawdle after insert on bookings when exists (select 1 from slow) begin
    delete from slow where n < (with recursive c(i) as (select 1 union all select i + 1 from c where i < 3000000) select min(i) - 1 from c);
end;
"""
# A booking waits until it is seen, however slow the machine is, and some time more, so that it may meet the one of the engine's next life.
SLOW_POSTGRES = """
create function dawdle() returns trigger language plpgsql as $$ begin
    if exists (select 1 from slow) then
        while exists (select 1 from slow) loop perform pg_sleep(0.01); end loop;
        perform pg_sleep(0.3);
    end if;
    return new; end $$;
create trigger dawdle after insert on bookings for each row execute function dawdle();
"""


class SqliteLedger:
    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-ledger-")
        self.file = os.path.join(self.directory, "ledger.db")
        self.reference = f"sqlite:{self.file}"
        self._do(lambda file: file.executescript(LEDGER + SLOW_SQLITE))

    def _do(self, what):
        file = sqlite3.connect(self.file, timeout=PATIENCE)
        try:
            with file:
                return what(file)
        finally:
            file.close()

    def dawdle(self, slow):
        self._do(lambda file: file.execute("insert into slow values (1)" if slow else "delete from slow"))

    def busy(self):
        """A booking is under way: it has begun to write."""
        return os.path.exists(self.file + "-journal")

    def bookings(self):
        return self._do(lambda file: file.execute("select invoice, amount, visit from bookings").fetchall())

    def close(self):
        shutil.rmtree(self.directory)


class PostgresLedger:
    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-postgres-")
        port = subprocess.run([os.path.join(SERVICES, "postgres"), "start", self.directory], check=True, capture_output=True, text=True).stdout.strip()
        self.reference = f"postgres://pawl:secret@127.0.0.1:{port}/postgres"
        self._do(LEDGER + SLOW_POSTGRES)

    def _do(self, sql):
        return subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.reference], input=sql, check=True,
                              capture_output=True, text=True).stdout.splitlines()

    def dawdle(self, slow):
        self._do("insert into slow values (1)" if slow else "delete from slow")

    def busy(self):
        return self._do("select 1 from pg_stat_activity where state = 'active' and query like 'insert into bookings%'")

    def bookings(self):
        return [(invoice, int(amount), visit) for invoice, amount, visit in (line.split("|") for line in self._do("select invoice, amount, visit from bookings"))]

    def close(self):
        subprocess.run([os.path.join(SERVICES, "postgres"), "stop", self.directory], check=True)
        shutil.rmtree(self.directory)


class Broker:
    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-mosquitto-")
        self.port = int(self._service("start"))

    def _service(self, verb):
        return subprocess.run([os.path.join(SERVICES, "mosquitto"), verb, self.directory], check=True, stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True).stdout

    def publish(self, topic, value, retain=False):
        """Returns when the broker has it."""
        subprocess.run(["mosquitto_pub", "-p", str(self.port), "-t", topic, "-q", "1", "-m", json.dumps(value), *(["-r"] if retain else [])], check=True)

    def close(self):
        self._service("stop")
        shutil.rmtree(self.directory)
