"""An engine under attack, and a client with the token that goes on working meanwhile.

The attackers (attacker.py) are processes of their own. The witness asks, in turn and on the address of half of the attackers, for everything that
must go on: starts on a connection that was open before and on fresh ones, a large start, a call of gRPC, the probes, and a long poll that
waited already. A report has the longest waits, the refusals, and the engine's memory.
"""

import contextlib
import dataclasses
import http.client
import json
import os
import re
import select
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # Its library would tell of every refusal.
import grpc  # noqa: E402

from abuse import CALM_SECONDS, MEASURES, MIB, PATIENCE, AbuseCase, harness, memory_of
from stopwatch import Stopwatch
from attacks import ATTACKS, PUBLIC
from steps import end, service

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = "the-owner-s-token"
ENGINE_BYTES_MAX = 3 << 30  # Of address space: a regression ends the engine, not the machine.
PEAK_MAX = 512 * MIB  # Above idle.
LEFT_MAX = 96 * MIB  # Above idle, at the latest a minute after the attackers have left.
LEFT_SECONDS = 60.0
LOST_SECONDS = 3 * CALM_SECONDS  # With a wait of this length nobody need look any further.
LARGE = MIB
ANSWER_SECONDS = PATIENCE  # By the wall clock of a busy machine; `judge` decides by the stopwatch.
FAILURES_ENOUGH = 6
FRESH_TRIES = 3
POLL_SECONDS = 30.0  # A poll that has waited for so long gets its job.
ROUND_SECONDS_MAX = 900  # The longest round of the witness on a busy machine: its poll and its open connection last so long.


# ---- the engine ----


class Engine(harness.Server):
    """With a token, and with a bound on its memory."""

    def __init__(self, tls=False, limits=()):
        self.folder = tempfile.mkdtemp(prefix="pawl-siege-")
        self.certificate = self.make_certificate() if tls else None
        arguments = ["--auth-token-file", self.write("token", TOKEN + "\n"), "--grpc", "127.0.0.1:0"]
        if tls:
            arguments += ["--tls-cert", self.certificate, "--tls-key", os.path.join(self.folder, "key.pem")]
        for limit in (f"wait_seconds_max={ROUND_SECONDS_MAX}", f"idle_timeout_ms={ROUND_SECONDS_MAX * 1000}", *limits):
            arguments += ["--limit", limit]
        bound = f"ulimit -v {ENGINE_BYTES_MAX >> 10}\n" if MEASURES else ""  # Sanitizers reserve terabytes.
        wrapper = self.write("pawl", f'#!/bin/sh\n{bound}exec "{os.path.abspath(harness.BINARY)}" "$@"\n', 0o700)
        real, harness.BINARY = harness.BINARY, wrapper
        try:
            super().__init__(arguments)
        finally:
            harness.BINARY = real
        self.grpc_port = int(re.search(r"gRPC on [^,]*:(\d+)", self.banner)[1])

    def write(self, name, text, mode=0o600):
        path = os.path.join(self.folder, name)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, mode), "w", encoding="ascii") as file:
            file.write(text)
        return path

    def make_certificate(self):
        paths = [os.path.join(self.folder, name) for name in ("key.pem", "cert.pem")]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
                        "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", paths[0], "-out", paths[1]],
                       check=True, capture_output=True)
        return paths[1]

    def _read_port(self):
        text = b""
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            more = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            assert more, f"the engine did not start: {text!r} {self.log()}"
            text += more
        self.banner = text.decode()
        return int(re.search(r"listening on https?://[0-9.]+:(\d+)", self.banner)[1])

    def port_of(self, attack):
        return self.grpc_port if attack.protocol == "grpc" else self.port

    def _release(self):
        super()._release()
        shutil.rmtree(self.folder, ignore_errors=True)


# ---- the witness ----


class Refused(Exception):
    """An answer that is not the one that the witness must get."""


class Witness:
    """A client with the token: what it waits for, and what it is refused."""

    def __init__(self, engine, gives_up):
        """`gives_up`: asks no more when the attack is certainly not withstood."""
        self.engine, self.gives_up, self.longest, self.failures = engine, gives_up, {}, []
        self.context = ssl.create_default_context(cafile=engine.certificate) if engine.certificate else None
        self.cleanup = contextlib.ExitStack()
        self.old, self.waiting = self.connect(), self.connect()
        self.channel = self.dial()

    def connect(self):
        if self.context:
            connection = http.client.HTTPSConnection("127.0.0.1", self.engine.port, timeout=ANSWER_SECONDS, context=self.context)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.engine.port, timeout=ANSWER_SECONDS)
        self.cleanup.callback(connection.close)
        return connection

    def dial(self):
        """A channel of gRPC with a connection of its own."""
        target, options = f"127.0.0.1:{self.engine.grpc_port}", [("grpc.use_local_subchannel_pool", 1)]
        if not self.context:
            return grpc.insecure_channel(target, options)
        with open(self.engine.certificate, "rb") as file:
            return grpc.secure_channel(target, grpc.ssl_channel_credentials(file.read()), options)

    def ask(self, connection, method, path, body=None, want=200, token=True):
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {TOKEN}"} if token else {})}
        connection.request(method, path, body, headers)
        return self.answer(connection, want)

    def answer(self, connection, want):
        response = connection.getresponse()
        text = response.read()
        if response.status != want:
            raise Refused(f"{response.status} {text[:200].decode('utf-8', 'replace')}")
        return json.loads(text) if text else None

    def fresh(self, *request, **more):
        """On a machine that is busy with other tests, a newcomer may be pushed out before it has spoken: it comes again, as clients do."""
        for tries in range(FRESH_TRIES):
            connection = self.connect()
            try:
                return self.ask(connection, *request, **more)
            except (ConnectionError, ssl.SSLError):
                if tries == FRESH_TRIES - 1:
                    raise
            finally:
                connection.close()

    def prepare(self):
        """Definitions, a long poll that waits, and everything once: then the engine's memory is what it is at rest."""
        for name, steps in (("short", [end()]), ("job", [service("s", "end", "siege"), end()])):
            self.ask(self.old, "POST", "/v1/definitions", json.dumps({"id": name, "name": name, "steps": steps}), 201)
        self.begin_poll()
        self.look()
        assert not self.failures, self.failures
        self.longest = {}

    def measure(self, what, question):
        if self.gives_up and self.is_lost():
            return
        watch = Stopwatch(self.engine.process.pid)
        try:
            question()
        except (OSError, http.client.HTTPException, grpc.RpcError, Refused) as error:
            text = error.details() if isinstance(error, grpc.RpcError) else str(error)
            self.failures.append(f"{what}: {type(error).__name__} {text} after {watch.seconds():.2f} s")
            self.old = self.old if self.old.sock else self.connect()
        self.longest[what] = max(self.longest.get(what, 0), watch.seconds())

    def call(self, channel):
        """Start over gRPC: the definition's id is the message's first field."""
        start = channel.unary_unary("/workflow.v1.WorkflowEngine/StartInstance")
        start(b"\x0a\x05short", timeout=ANSWER_SECONDS, wait_for_ready=True, metadata=[("authorization", f"Bearer {TOKEN}")])

    def call_fresh(self):
        with self.dial() as channel:
            self.call(channel)

    def look(self):
        """Everything that must go on, once."""
        start = ("POST", "/v1/instances", b'{"definitionId":"short"}')
        large = start[2][:-1] + b" " * (LARGE - len(start[2])) + b"}"
        self.measure("livez", lambda: self.fresh("GET", "/livez", token=False))
        self.measure("readyz", lambda: self.fresh("GET", "/readyz", token=False))
        self.measure("list", lambda: self.fresh("GET", "/v1/instances?pageSize=1"))
        self.measure("start on an open connection", lambda: self.ask(self.old, *start, want=201))
        self.measure("start on a fresh connection", lambda: self.fresh(*start, want=201))
        self.measure("start with 1 MiB", lambda: self.fresh(*start[:2], large, want=201))
        self.measure("call on an open channel", lambda: self.call(self.channel))
        self.measure("call on a fresh channel", self.call_fresh)

    def begin_poll(self):
        poll = {"workerId": "w", "jobTypes": ["siege"], "waitSeconds": ROUND_SECONDS_MAX}
        self.waiting.request("POST", "/v1/jobs/poll", json.dumps(poll), {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"})
        self.polling_since = time.monotonic()

    def end_poll(self):
        """The job that the poll waits for, the poll's answer, and the job's end."""
        def question():
            self.fresh("POST", "/v1/instances", b'{"definitionId":"job"}', want=201)
            jobs = self.answer(self.waiting, 200)["jobs"]
            if len(jobs) != 1:
                raise Refused("no job for the poll")
            self.ask(self.waiting, "POST", f"/v1/jobs/{jobs[0]['id']}/complete", json.dumps({"workerId": "w"}), 204)
        self.measure("poll that waited", question)

    def renew_poll(self):
        """A poll that waited for a while gets its job, and another one begins."""
        if time.monotonic() - self.polling_since < POLL_SECONDS:
            return
        self.end_poll()
        self.waiting = self.connect()
        self.begin_poll()

    def slowest(self, *beginnings):
        return max((seconds for what, seconds in self.longest.items() if what.startswith(beginnings)), default=0.0)

    def is_lost(self):
        """Is it certain that the engine does not withstand the attack?"""
        return len(self.failures) >= FAILURES_ENOUGH or self.slowest("") > LOST_SECONDS

    def close(self):
        self.channel.close()
        self.cleanup.close()


# ---- the siege ----


@dataclasses.dataclass
class Report:
    attack: str
    sources: str
    connections: int
    problems: list = dataclasses.field(default_factory=list)  # Answers that did not come, or were refusals.
    start: float = 0.0  # The longest of each, in seconds.
    probe: float = 0.0
    rounds: int = 0
    peak: int = 0  # Bytes above idle,
    left: int = 0  # and when the memory was given back, or a minute after the attack,
    left_after: float = 0.0  # so many seconds after the attackers have left.
    attackers: list = dataclasses.field(default_factory=list)

    def judge(self, seconds):
        """All that is wrong, if waits may have that length."""
        wrong = list(self.problems)
        if MEASURES:
            wrong += [f"{what} took {took:.2f} s" for what, took in (("a start", self.start), ("a probe", self.probe)) if took > seconds]
            if self.peak > PEAK_MAX:
                wrong.append(f"{self.peak >> 20} MiB above idle")
            if self.left > LEFT_MAX:
                wrong.append(f"{self.left >> 20} MiB above idle {self.left_after:.0f} s after the attack")
        return wrong


class Siege:
    """One attack on one engine."""

    def __init__(self, name, connections, sources, seconds, limits=(), gives_up=True):
        """`gives_up`: to know that the attack is not withstood is enough."""
        self.attack = ATTACKS[name]
        self.report = Report(name, sources, connections)
        self.seconds, self.limits, self.gives_up = seconds, limits, gives_up

    def run(self):
        self.engine = Engine(self.attack.protocol == "tls", self.limits)
        try:
            self.witness = Witness(self.engine, self.gives_up)
            try:
                self.besiege()
            finally:
                self.witness.close()
            self.stop()
        finally:
            self.engine.kill()
        return self.report

    def is_alive(self):
        return self.engine.process.poll() is None

    def grown(self, field):
        """Bytes above idle; 0 of a process that has ended."""
        try:
            return memory_of(self.engine.process.pid, field) - self.idle
        except (AssertionError, OSError):
            return 0

    def watch(self, over):
        """Notes the peak until then: an engine that dies takes it away."""
        while not over.wait(0.02):
            self.report.peak = max(self.report.peak, self.grown("VmHWM"))

    def besiege(self):
        pid = self.engine.process.pid
        self.witness.prepare()
        paths = self.public_paths()
        self.idle = memory_of(pid, "VmRSS")
        with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")  # VmHWM begins anew.
        over = threading.Event()
        watcher = threading.Thread(target=self.watch, args=(over,))
        watcher.start()
        attackers = [self.begin(number, paths) for number in range(self.attack.processes)]
        try:
            self.witness_attack(attackers)
        finally:
            over.set()
            watcher.join()
            self.report.attackers = [self.end(attacker) for attacker in attackers]
        if self.is_alive():
            self.witness.look()
            self.wait_for_memory()
        self.conclude()

    def public_paths(self):
        """Documents that need no token, the largest files of the web application among them."""
        connection = self.witness.connect()
        connection.request("GET", "/ui/")
        response = connection.getresponse()
        assets = re.findall(r'(?:src|href)="(/ui/[^"]+\.(?:js|css))"', response.read().decode("utf-8", "replace"))
        connection.close()
        return [*PUBLIC[:1], *PUBLIC[:1], *PUBLIC, *assets]

    def begin(self, number, paths):
        attack, report = self.attack, self.report
        connections = report.connections // attack.processes + (number < report.connections % attack.processes)
        return subprocess.Popen([sys.executable, os.path.join(HERE, "attacker.py"), attack.name, str(self.engine.port_of(attack)), str(connections),
                                 report.sources, *paths], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def witness_attack(self, attackers):
        """Looks until the attackers have done what they can, and then for some time."""
        full, deadline = 0, None
        while self.is_alive() and not (self.gives_up and self.witness.is_lost()):
            self.witness.look()
            self.witness.renew_poll()
            self.report.rounds += 1
            ready, _, _ = select.select([one.stdout for one in attackers], [], [], 0) if full < len(attackers) else ([], [], [])
            full += sum(stream.readline() == "full\n" for stream in ready)
            if full == len(attackers) and deadline is None:
                deadline = time.monotonic() + self.seconds
            if deadline and time.monotonic() > deadline:
                break
        if self.is_alive():
            self.witness.end_poll()

    def end(self, attacker):
        text, _ = attacker.communicate("", 4 * PATIENCE)
        return json.loads(text.splitlines()[-1])

    def wait_for_memory(self):
        left = time.monotonic()
        lost = self.witness.failures or self.report.peak > PEAK_MAX
        patience = LOST_SECONDS if self.gives_up and lost else LEFT_SECONDS
        while MEASURES and self.is_alive() and self.grown("VmRSS") > LEFT_MAX and time.monotonic() - left < patience:
            select.select([], [], [], 0.05)
        self.report.left, self.report.left_after = self.grown("VmRSS"), time.monotonic() - left

    def conclude(self):
        witness, report = self.witness, self.report
        report.problems += witness.failures
        report.start, report.probe = witness.slowest("start", "list", "call", "poll"), witness.slowest("livez", "readyz")

    def stop(self):
        try:
            if not self.is_alive():
                raise AssertionError(f"the engine ended with {self.engine.process.returncode} under attack: {self.engine.log()[-500:]}")
            self.engine.stop()
        except (AssertionError, subprocess.TimeoutExpired) as failure:
            self.report.problems.append(str(failure))


class SiegeCase(AbuseCase):
    """Each test has an engine of its own, because it must be able to end it."""

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        pass

    def withstands(self, name, sources="both"):
        attack = ATTACKS[name]
        os.environ["PAWL_SIEGE_SECONDS"] = "0.8"
        report = Siege(name, attack.fewer, sources, attack.holds, attack.limits).run()
        wrong = report.judge(2 * CALM_SECONDS)  # Other tests run beside it.
        if wrong:
            self.fail("\n".join((f"{name}, {report.connections} connections, {report.rounds} rounds, {report.attackers}", *wrong)))
