"""A PostgreSQL server of its own, on the disk, and what it costs. Questions and peers use it alike."""

import contextlib
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import tempfile
import time

START_SECONDS = 30
# An answer promises that nothing is lost, so nothing here trades that for speed. No checkpoint falls into a run, unless it is
# asked for: the log has no whole pages then, and every run the same bytes.
SETTINGS = {"fsync": "on", "synchronous_commit": "on", "wal_compression": "lz4", "shared_buffers": "512MB", "max_wal_size": "16GB",
            "checkpoint_timeout": "1h", "max_connections": "100", "autovacuum_naptime": "10s"}
DEFAULTS = {"fsync": "on", "synchronous_commit": "on"}


class Missing(Exception):
    """There is no PostgreSQL here."""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def family(pid):
    """A process and all below it."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for thread in pathlib.Path(f"/proc/{parent}/task").iterdir():
                found += [int(child) for child in (thread / "children").read_text().split()]
    return found


def cpu_us(pid):
    """Of a process, its children, and those that are gone."""
    ticks = 0
    for member in family(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = pathlib.Path(f"/proc/{member}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += sum(int(field) for field in fields[11:15])
    return ticks * 1e6 / os.sysconf("SC_CLK_TCK")


class Database:
    """Runs when made; `with` removes it. Below /var/tmp: /tmp may be in memory, where a sync costs nothing."""

    def __init__(self, place=None, settings=SETTINGS):
        binaries = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if not binaries:
            raise Missing("PostgreSQL is not here: apt-get install postgresql")
        self.binaries, self.port = binaries[-1], free_port()
        self.data = pathlib.Path(tempfile.mkdtemp(prefix="bench-postgres-", dir=place or "/var/tmp"))
        # It refuses to run as root.
        account = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        self.options = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": [], "cwd": "/"} if account else {}
        if account:
            os.chown(self.data, account.pw_uid, account.pw_gid)
        self.uri = f"postgresql://bench@127.0.0.1:{self.port}/bench"
        self.process = None
        try:
            self.start(settings)
        except BaseException:
            self.remove()
            raise

    def start(self, settings):
        subprocess.run([self.binaries / "initdb", "-D", self.data, "-U", "bench", "-A", "trust", "--no-sync", "--no-locale", "-E", "UTF8"],
                       check=True, capture_output=True, **self.options)
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self.process = subprocess.Popen([self.binaries / "postgres", "-D", self.data, "-p", str(self.port), "-h", "127.0.0.1", "-k", self.data, *words],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.options)
        for _ in range(START_SECONDS * 20):
            if subprocess.run([self.binaries / "pg_isready", "-h", "127.0.0.1", "-p", str(self.port)], capture_output=True).returncode == 0:
                break
            time.sleep(0.05)
        else:
            raise Missing("PostgreSQL did not start")
        subprocess.run([self.binaries / "createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "bench", "bench"], check=True, capture_output=True)

    def ask(self, sql, schema=None):
        """The rows of a statement, as lists of texts."""
        path = {"PGOPTIONS": f"-csearch_path={schema}"} if schema else {}
        done = subprocess.run([self.binaries / "psql", "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", self.uri, "-c", sql],
                              capture_output=True, text=True, env={**os.environ, **path})
        if done.returncode != 0:
            raise SystemExit(f"PostgreSQL refused {sql}: {done.stderr}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def number(self, sql, schema=None):
        return float(self.ask(sql, schema)[0][0])

    def store(self, schema):
        """The URI of a store of its own, which is empty."""
        self.ask(f"SET client_min_messages = warning; DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}")
        return f"{self.uri}?options=-csearch_path%3D{schema}"

    # ---- what it costs ----

    def cpu_us(self):
        """Of all its processes, those that are gone included."""
        return cpu_us(self.process.pid)

    def log_bytes(self):
        """How far its log has got."""
        return self.number("SELECT pg_current_wal_insert_lsn() - '0/0'")

    # ---- the end ----

    def remove(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(2)  # At once, but in order.
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.data, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.remove()
