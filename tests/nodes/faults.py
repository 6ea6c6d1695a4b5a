"""What goes wrong in a run, from a seed: a plan of faults, each of which begins and is undone."""

import http.client
import os
import random
import signal
import socket
import struct
import time

from world import CONNECTIONS_MAX, PATIENCE, TOKEN


class Fault:
    """`seconds` is how long it lasts, from … to."""

    name, seconds, on_node = "", (0.0, 0.0), True

    def __init__(self, world, node):
        self.world, self.node = world, node

    def begin(self):
        pass

    def undo(self):
        pass


class Kill(Fault):
    name, seconds = "kill", (0.0, 2.0)

    def begin(self):
        self.node.down = True
        self.node.kill()

    def undo(self):
        self.node.down = False


class Rekey(Kill):
    """The node dies while it seals all secrets with a new key."""

    name, patience, last = "rekey", 1.0, 0.02

    def begin(self):
        connection = http.client.HTTPConnection(self.node.host, 8080, timeout=self.patience)
        try:
            connection.request("POST", "/api/secrets/rekey", headers={"Authorization": "Bearer " + TOKEN})
            self.await_next_key()
        except OSError:
            pass
        super().begin()
        connection.close()

    def await_next_key(self):
        """Its file is there from before the first row is sealed until the rows have committed."""
        deadline = time.monotonic() + self.patience
        while not os.path.exists(self.world.next_key) and time.monotonic() < deadline:
            time.sleep(0.0002)
        time.sleep(random.uniform(0, self.last))


class Stop(Fault):
    """Longer than its heartbeat: others may take its work meanwhile."""

    name, seconds = "stop", (1.2, 4.0)

    def begin(self):
        if self.node.alive():
            self.node.signal(signal.SIGSTOP)

    def undo(self):
        if self.node.alive():
            self.node.signal(signal.SIGCONT)


class NoDatabase(Fault):
    name, seconds = "no-database", (0.5, 6.0)

    def begin(self):
        self.world.net.cut(self.node.name, "database")

    def undo(self):
        self.world.net.mend(self.node.name, "database")


class NoClients(Fault):
    name, seconds = "no-clients", (0.5, 5.0)

    def begin(self):
        self.world.net.cut(self.node.name, "clients")

    def undo(self):
        self.world.net.mend(self.node.name, "clients")


class LostBytes(Fault):
    """The balancer loses what it should pass on, and then breaks the connections."""

    name, seconds = "lost-bytes", (0.3, 3.0)

    def begin(self):
        self.world.tell_balancer(f"drop {self.node.number}")

    def undo(self):
        self.world.tell_balancer(f"restore {self.node.number}")


class NoBalancer(Fault):
    """Nobody can connect, and all connections break."""

    name, seconds, on_node = "no-balancer", (0.0, 2.0), False

    def begin(self):
        self.world.kill_balancer()

    def undo(self):
        self.world.start_balancer()


class Restart(Fault):
    """PostgreSQL at once, as after a crash."""

    name, seconds, on_node = "restart", (0.0, 1.5), False

    def begin(self):
        self.world.primary.stop()

    def undo(self):
        self.world.primary.start()
        self.world.await_sync()


class FailOver(Fault):
    name, seconds, on_node = "failover", (0.0, 0.5), False

    def begin(self):
        if self.world.standby:
            self.world.await_sync()
            self.world.fail_over()


class NoConnections(Fault):
    """A stranger takes all of them, and the nodes lose theirs."""

    name, seconds, on_node = "no-connections", (1.0, 4.0), False

    def begin(self):
        self.strangers = [Stranger(self.world.primary.host)]
        self.take_all()
        self.strangers[0].query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                "WHERE backend_type = 'client backend' AND client_addr <> '10.71.2.1'")
        deadline = time.monotonic() + 0.3
        while time.monotonic() < deadline:
            self.take_all()

    def take_all(self):
        while len(self.strangers) <= CONNECTIONS_MAX:
            try:
                self.strangers.append(Stranger(self.world.primary.host))
            except OSError:
                return

    def undo(self):
        for stranger in self.strangers:
            stranger.close()


class NoDisk(Fault):
    name, seconds, on_node = "no-disk", (0.5, 3.0), False

    def begin(self):
        self.world.primary.fill()

    def undo(self):
        self.world.primary.make_room()
        if self.world.primary.process.poll() is not None:
            self.world.primary.start()
        self.world.await_sync()


class Lock(Fault):
    """A stranger's lock, for longer than a node waits."""

    name, seconds, on_node = "lock", (0.5, 7.0), False

    def begin(self):
        self.stranger = Stranger(self.world.primary.host)
        self.stranger.query("BEGIN; LOCK TABLE instance IN ACCESS EXCLUSIVE MODE")

    def undo(self):
        self.stranger.close()


KINDS = {fault.name: fault for fault in (Kill, Rekey, Stop, NoDatabase, NoClients, LostBytes, NoBalancer, Restart, FailOver, NoConnections, NoDisk, Lock)}


class Stranger:
    """A connection to PostgreSQL that has nothing to do with the engine."""

    def __init__(self, host):
        self.socket = socket.create_connection((host, 5432), PATIENCE)
        try:
            body = struct.pack("!i", 196608) + b"user\0pawl\0database\0postgres\0application_name\0stranger\0\0"
            self.socket.sendall(struct.pack("!i", len(body) + 4) + body)
            self.answer()
        except OSError:
            self.socket.close()
            raise

    def answer(self):
        """Reads up to "ready for query"."""
        error = None
        while True:
            kind, size = struct.unpack("!ci", self.exactly(5))
            body = self.exactly(size - 4)
            if kind == b"E":
                error = body
            if kind == b"Z":
                break
        if error:
            raise OSError(error)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise OSError("refused")
            data += more
        return data

    def query(self, text):
        body = text.encode() + b"\0"
        self.socket.sendall(b"Q" + struct.pack("!i", len(body) + 4) + body)
        self.answer()

    def close(self):
        self.socket.close()


def plan(seed, nodes, seconds, kinds):
    """(when, name, node, how long) in the order they begin. Some overlap; of those that are no node's only one is on at a time."""
    chance = random.Random(f"{seed} faults")
    faults, at, failed_over = [], chance.uniform(0.5, 2.0), False
    while True:
        possible = [kind for kind in kinds if not (kind == "failover" and failed_over)]
        if not possible:
            return faults
        name = chance.choice(possible)
        failed_over |= name == "failover"
        lasts = chance.uniform(*KINDS[name].seconds)
        if at + lasts > seconds - 1:
            return faults
        faults.append((at, name, chance.randrange(nodes), lasts))
        if KINDS[name].on_node and chance.random() < 0.25:
            at += chance.uniform(0, lasts)  # The next one begins before this one is over.
        else:
            at += lasts + chance.uniform(0.2, 3.0)


def run(world, planned, begun):
    """Does what is planned, seconds after `begun`; returns what was done, with the moments. Everything is undone in the end."""
    done, active = [], []
    try:
        for at, name, number, lasts in planned:
            wait_until(begun + at, active, done)
            fault = KINDS[name](world, world.nodes[number])
            if any(other.name == name and other.node is fault.node or not fault.on_node and not other.on_node for _, other, _ in active):
                continue
            moment = time.monotonic()
            active.append((moment + lasts, fault, moment))
            fault.begin()
    finally:
        while active:
            undo_first(active, done)
    return done


def wait_until(moment, active, done):
    while active and min(active, key=lambda item: item[0])[0] <= moment:
        sleep_until(min(active, key=lambda item: item[0])[0])
        undo_first(active, done)
    sleep_until(moment)


def sleep_until(moment):
    time.sleep(max(0.0, moment - time.monotonic()))


def undo_first(active, done):
    item = min(active, key=lambda item: item[0])
    active.remove(item)
    _, fault, moment = item
    sleep_until(item[0])
    fault.undo()
    done.append((fault.name, fault.node.number if fault.on_node else 0, moment, time.monotonic()))
