"""The machines of one run: nodes, PostgreSQL with a synchronous standby, a balancer; each in a network namespace of its own.

    clients' net 10.71.1.0/24     the run's own namespace (.1: balancer, workers, clients) and the nodes (.11, .12, .13)
    database net 10.71.2.0/24     the run's own namespace (.1), the nodes (.11 …) and the servers (.101, .102)

Everything lives in namespaces of network, mounts and processes that belong to the run (see `enter`), so names and addresses
may be the same in all runs, and nothing is left when the run's first process ends. The databases are on a small file system in
memory. It needs to be root.
"""

import os
import select
import shutil
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BINARY = os.environ.get("PAWL_BINARY", os.path.join(ROOT, "build", "pawl"))
BALANCE = os.path.join(ROOT, "tests", "services", "balance")
POSTGRES_BIN = sorted(os.scandir("/usr/lib/postgresql"), key=lambda e: float(e.name))[-1].path + "/bin" \
    if os.path.isdir("/usr/lib/postgresql") else ""
PATIENCE = 60
DISK = "300m"
START_TRIES = 5
CONNECTIONS_MAX = 24
SERVERS = {"a": "10.71.2.101", "b": "10.71.2.102"}


def enter():
    """Starts this program again with the same arguments in namespaces of its own, unless it is there."""
    if os.environ.get("PAWL_RUN_INSIDE"):
        sh("ip", "link", "set", "lo", "up")
        os.makedirs("/run/netns", exist_ok=True)
        sh("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
        return
    import sys
    os.environ["PAWL_RUN_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "--net", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
                          "--mount-proc", sys.executable, *sys.argv])


def sh(*words, **more):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.returncode} {done.stdout}{done.stderr}")
    return done.stdout


def inside(space, *words):
    return ["ip", "netns", "exec", space, *words]


def as_postgres(*words):
    return ["runuser", "-u", "postgres", "--", *words]


def until(condition, what, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except (RuntimeError, OSError):
            pass
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what} did not happen within {seconds} s")
        time.sleep(0.02)


def make_template(directory):
    """A cluster that runs copy, made once for all of them."""
    if os.path.exists(directory + "/ready"):
        return
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    shutil.chown(directory, "postgres")
    sh(*as_postgres(POSTGRES_BIN + "/initdb", "-D", directory + "/data", "-U", "pawl", "-A", "trust", "--no-sync", "--no-locale",
                    "-E", "UTF8", "--wal-segsize=1"), cwd="/")
    with open(directory + "/data/pg_hba.conf", "a", encoding="ascii") as hba:
        hba.write("host all all 10.71.2.0/24 trust\nhost replication all 10.71.2.0/24 trust\n")
    with open(directory + "/data/postgresql.conf", "a", encoding="ascii") as conf:
        conf.write(f"listen_addresses = '*'\nfsync = off\nmax_connections = {CONNECTIONS_MAX}\nsuperuser_reserved_connections = 3\n"
                   "deadlock_timeout = '100ms'\nshared_buffers = '16MB'\nmin_wal_size = '2MB'\nmax_wal_size = '32MB'\n"
                   "wal_keep_size = '48MB'\nrestart_after_crash = off\nlog_min_messages = warning\nlog_line_prefix = '%m [%p] '\n")
    # A standby wants the settings that its primary wrote into the log.
    control = as_postgres(POSTGRES_BIN + "/pg_ctl", "-D", directory + "/data", "-w")
    sh(*control, "-o", f"-k {directory} -c listen_addresses=", "-l", directory + "/log", "start", cwd="/")
    sh(*control, "-m", "fast", "stop", cwd="/")
    with open(directory + "/ready", "w", encoding="ascii"):
        pass


class Net:
    """Two bridges, and machines with a cable to one or both."""

    def __init__(self):
        for number, bridge in ((1, "clients"), (2, "database")):
            sh("ip", "link", "add", bridge, "type", "bridge")
            sh("ip", "addr", "add", f"10.71.{number}.1/24", "dev", bridge)
            sh("ip", "link", "set", bridge, "up")

    def machine(self, name, **addresses):
        sh("ip", "netns", "add", name)
        sh(*inside(name, "ip", "link", "set", "lo", "up"))
        for bridge, address in addresses.items():
            cable = f"{name}-{bridge[0]}"
            sh("ip", "link", "add", cable, "type", "veth", "peer", "name", bridge, "netns", name)
            sh("ip", "link", "set", cable, "master", bridge, "up")
            sh(*inside(name, "ip", "addr", "add", address + "/24", "dev", bridge))
            sh(*inside(name, "ip", "link", "set", bridge, "up"))

    def cut(self, name, bridge):
        """Frames are lost without a word, in both directions."""
        sh("ip", "link", "set", f"{name}-{bridge[0]}", "down")

    def mend(self, name, bridge):
        sh("ip", "link", "set", f"{name}-{bridge[0]}", "up")


class Database:
    """One PostgreSQL server."""

    def __init__(self, world, name):
        self.name, self.host, self.log = name, SERVERS[name], f"{world.logs}/postgres-{name}.log"
        self.directory = f"{world.directory}/pg-{name}"
        self.process = None
        os.makedirs(self.directory)
        sh("mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", self.directory)
        sh("cp", "-a", world.template + "/data", self.directory + "/data")
        sh("chown", "postgres", self.directory)
        world.net.machine("pg-" + name, database=self.host)

    def configure(self, text):
        with open(self.directory + "/data/postgresql.conf", "a", encoding="ascii") as conf:
            conf.write(text + "\n")

    def follow(self, primary):
        self.configure(f"primary_conninfo = 'host={primary.host} user=pawl application_name={self.name}'\n")
        with open(self.directory + "/data/standby.signal", "w", encoding="ascii"):
            pass

    def start(self):
        if self.process:
            self.stop()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                inside("pg-" + self.name, *as_postgres(POSTGRES_BIN + "/postgres", "-D", self.directory + "/data", "-k", self.directory)),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")
        until(self.answers, f"the start of PostgreSQL {self.name}")

    def answers(self):
        return self.sql("SELECT 1") == "1"

    def sql(self, text):
        return sh("psql", "-qAtX", "-d", f"host={self.host} user=pawl dbname=postgres connect_timeout=5", "-c", text, timeout=PATIENCE).strip()

    def stop(self):
        """At once: what is not committed is lost."""
        try:
            with open(self.directory + "/data/postmaster.pid", encoding="ascii") as file:
                os.kill(int(file.readline()), signal.SIGQUIT)
        except (OSError, ValueError):
            pass
        self.process.wait(PATIENCE)
        self.process = None

    def fill(self):
        """Nothing can be written any more."""
        with open(self.directory + "/ballast", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError:
                pass

    def make_room(self):
        os.unlink(self.directory + "/ballast")


class Node:
    def __init__(self, world, number):
        self.world, self.number, self.name = world, number, f"node{number}"
        self.host = f"10.71.1.{10 + number}"
        self.log = f"{world.logs}/{self.name}.log"
        self.skew = 0.0
        self.process = None
        self.starts = 0
        self.stopped = False
        world.net.machine(self.name, clients=self.host, database=f"10.71.2.{10 + number}")

    def binary(self):
        """With another version beside this one, both are there at once, and each restart of a node is an upgrade or a way back."""
        return self.world.beside if self.world.beside and (self.number + self.starts) % 2 == 0 else BINARY

    def start(self):
        self.starts += 1
        environment = {**os.environ, "LD_PRELOAD": self.world.clock, "PAWL_CLOCK_MS": str(int(self.skew * 1000))} if self.skew else os.environ
        command = [self.binary(), "serve", "--listen", f"{self.host}:8080", "--data", self.world.directory + "/data", "--store", self.world.uri,
                   "--auth-token-file", self.world.token_file]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(inside(self.name, *command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=environment)

    def await_start(self, seconds=PATIENCE):
        """True when it listens; False when it ended instead."""
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if ready else b""
        return b"listening on" in line

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def signal(self, number):
        self.process.send_signal(number)

    def alive(self):
        return self.process is not None and self.process.poll() is None


class World:
    def __init__(self, directory, logs, template, nodes, clock, beside=None):
        self.directory, self.logs, self.template, self.clock, self.beside = directory, logs, template, clock, beside
        for made in (directory, directory + "/data"):
            os.makedirs(made, exist_ok=True)
        os.chmod(directory, 0o755)
        self.token_file = directory + "/token"
        self.next_key = directory + "/data/pawl.db.key.next"
        with open(self.token_file, "w", encoding="ascii") as file:
            file.write(TOKEN)
        os.chmod(self.token_file, 0o600)
        self.net = Net()
        self.primary, self.standby = Database(self, "a"), Database(self, "b")
        hosts = ",".join(SERVERS.values())
        self.uri = (f"postgres://pawl@{hosts}/postgres?target_session_attrs=read-write&connect_timeout=2"
                    "&tcp_user_timeout=4000&keepalives_idle=2&keepalives_interval=1&keepalives_count=3")
        self.nodes = [Node(self, number + 1) for number in range(nodes)]
        self.balancer = None

    def start(self):
        self.primary.start()
        self.standby.follow(self.primary)
        self.standby.start()
        self.primary.configure("synchronous_standby_names = 'b'")
        self.primary.sql("SELECT pg_reload_conf()")
        self.await_sync()
        for node in self.nodes:
            self.start_first(node)
        self.start_balancer()

    def start_balancer(self):
        self.balancer = subprocess.Popen([BALANCE, "--mode", "http", "--listen", "10.71.1.1:8080", *(f"{n.host}:8080" for n in self.nodes)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.balancer.stdout.readline()

    def kill_balancer(self):
        self.balancer.kill()
        self.balancer.communicate()

    @staticmethod
    def start_first(node):
        """Nothing is wrong yet, but a busy machine may not connect in time."""
        for _ in range(START_TRIES):
            node.start()
            if node.await_start():
                return
            node.kill()
        raise RuntimeError(f"{node.name} did not start: see its log")

    def tell_balancer(self, command):
        """One that is dead hears nothing, and has forgotten all when it is back."""
        if self.balancer.poll() is None:
            self.balancer.stdin.write(command + "\n")
            self.balancer.stdin.flush()
            self.balancer.stdout.readline()

    def await_sync(self):
        """The standby has all, and whoever commits waits for it."""
        if self.standby:
            until(lambda: self.primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND "
                                           "flush_lsn >= (SELECT pg_current_wal_flush_lsn()) - 65536::numeric") == "1", "the standby")

    def unmount(self):
        """Their files go with their last process."""
        for name in SERVERS:
            subprocess.run(["umount", "-l", f"{self.directory}/pg-{name}"], stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def fail_over(self):
        """The server is gone for good, and its standby takes its place."""
        self.primary.stop()
        self.standby.sql("SELECT pg_promote(true, 30)")
        self.primary, self.standby = self.standby, None


TOKEN = "campaign-token-0123456789abcdef"
