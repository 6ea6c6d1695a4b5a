"""Runs three durable steps on other engines, on this machine, and prints them in one table with ours.

usage: run.py OUT_DIR [--quick] [PEER…]

Restate, DBOS, graphile-worker and pg-boss come from npm, into a directory under /var/tmp that is removed at the
end (not /tmp: that may be in memory, where a sync costs nothing). PostgreSQL is Debian's, with its default
settings, in a directory there too. What cannot be installed or run is listed with the reason.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import measure  # noqa: E402
from database import DEFAULTS, Database, Missing, cpu_us, free_port  # noqa: E402
from documents import CHAIN  # noqa: E402
from engine import Engine  # noqa: E402

PACKAGES = {"restate": ["@restatedev/restate-server", "@restatedev/restate-sdk"], "dbos": ["@dbos-inc/dbos-sdk", "pg"],
            "graphile-worker": ["graphile-worker"], "pg-boss": ["pg-boss"]}
PROGRAMS = {"restate": "restate.mjs", "dbos": "dbos.mjs", "graphile-worker": "graphile.mjs", "pg-boss": "pgboss.mjs", "pawl": "pawl.mjs"}
IN_FLIGHT = (1, 64)
START_SECONDS = 30
TEXT = """Three durable steps, client and server on the same machine; where a library does the work in the client's process, the server's
CPU is PostgreSQL's."""
COLUMNS = (("workflows/s", "perSecond", measure.median), ("spread", "perSecond", measure.spread), ("server CPU µs", "serverCpuUs", measure.median),
           ("client CPU µs", "clientCpuUs", measure.median), ("p50 ms", "p50Us", measure.ms), ("p99 ms", "p99Us", measure.ms))


class Unable(Exception):
    """Why a peer was not measured."""


FAILURES = (Unable, subprocess.CalledProcessError, OSError)


@contextlib.contextmanager
def workplace():
    """A directory with the programs, which is removed with all that is installed there."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="bench-peers-", dir="/var/tmp"))
    place.chmod(0o755)
    try:
        for program in HERE.glob("*.mjs"):
            shutil.copy(program, place)
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def stop(process):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# ---- servers: each yields its process and what the program is told ----

@contextlib.contextmanager
def postgres(place):
    try:
        with Database(place, DEFAULTS) as database:
            yield database.process, {"DATABASE_URL": database.uri}
    except Missing as reason:
        raise Unable(str(reason))


@contextlib.contextmanager
def restate(place):
    binary = next(iter(place.glob("node_modules/@restatedev/restate-server-*/bin/restate-server")), None)
    if not binary:
        raise Unable("there is no restate-server for this machine in its package")
    ports = {name: str(free_port()) for name in ("INGRESS_PORT", "ADMIN_PORT", "SERVICE_PORT")}
    environment = {**os.environ, "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{ports['INGRESS_PORT']}",
                   "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{ports['ADMIN_PORT']}", "RESTATE_BIND_ADDRESS": f"127.0.0.1:{free_port()}",
                   "RESTATE_LISTEN_MODE": "tcp", "RESTATE_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "1", "RUST_LOG": "error"}
    data = place / "restate"
    process = subprocess.Popen([binary, "--no-logo", "--base-dir", data], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(START_SECONDS * 10):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{ports['ADMIN_PORT']}/health").close()
                urllib.request.urlopen(f"http://127.0.0.1:{ports['INGRESS_PORT']}/restate/health").close()
                break
            if process.poll() is not None:
                raise Unable(f"restate-server ended with {process.returncode}")
            time.sleep(0.1)
        else:
            raise Unable("restate-server did not become ready")
        yield process, ports
    finally:
        stop(process)
        shutil.rmtree(data, ignore_errors=True)


@contextlib.contextmanager
def pawl(place):
    shutil.copy(OUT / "pawl", place / "pawl")
    with Engine(place) as engine:
        engine.deploy(CHAIN)
        yield engine.process, {"PAWL_PORT": str(engine.port)}


SERVERS = {"restate": restate, "dbos": postgres, "graphile-worker": postgres, "pg-boss": postgres, "pawl": pawl}


# ---- measuring ----

def install(place, peer):
    if not shutil.which("npm"):
        raise Unable("npm is not here: apt-get install nodejs npm")
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", *PACKAGES[peer]], cwd=place,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Unable("npm install failed: " + (done.stderr.strip().split("\n") or [""])[0][:200])
    names = [package for package in PACKAGES[peer] if package != "pg"]
    return ", ".join(f"{name} {json.loads((place / 'node_modules' / name / 'package.json').read_text())['version']}" for name in names[:1])


def line_of(process, seconds):
    """The next line, or the reason why there is none. The program is ended if it takes too long."""
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        line = process.stdout.readline()
    finally:
        timer.cancel()
    if not line:
        raise Unable("its program failed: " + (process.stderr.read().strip().split("\n") or [""])[-1][:200])
    return line


def run(place, peer, in_flight, workflows):
    with SERVERS[peer](place) as (server, told):
        client = subprocess.Popen(["node", PROGRAMS[peer], str(in_flight), str(workflows)], cwd=place,
                                  env={**os.environ, **told, "NODE_ENV": "production"},
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            while line_of(client, 120).strip() != "ready":
                continue
            before = cpu_us(server.pid), cpu_us(client.pid)
            print("go", file=client.stdin, flush=True)
            result = json.loads(line_of(client, 600))
            after = cpu_us(server.pid), cpu_us(client.pid)
        finally:
            client.kill()
            client.communicate()
        return {**result, "serverCpuUs": (after[0] - before[0]) / workflows, "clientCpuUs": (after[1] - before[1]) / workflows}


def plan(peer, in_flight, quick):
    """Enough for some seconds each. One at a time, pg-boss takes two seconds for a workflow."""
    if peer == "pg-boss":
        return (5 if quick else 20) if in_flight == 1 else (200 if quick else 1000)
    return (200 if quick else 1000) if in_flight == 1 else (1000 if quick else 8000)


def title_of(place, peer):
    if peer in PACKAGES:
        return install(place, peer)
    return f"Pawl {(HERE.parent.parent / 'VERSION').read_text().strip()}, client in JavaScript"


def ask(place, peer, quick, table, kept):
    title = title_of(place, peer)
    for in_flight in IN_FLIGHT:
        figures = measure.Figures([run(place, peer, in_flight, plan(peer, in_flight, quick)) for _ in range(1 if quick else 3)])
        kept[f"{peer} {in_flight}"] = {"title": title, "median": figures.medians(), "runs": figures.runs}
        table.add([title, in_flight, ""], figures)
        print(f"  {peer} × {in_flight}: {measure.median(figures, 'perSecond')}/s", file=sys.stderr, flush=True)


def main():
    quick = "--quick" in sys.argv
    answer, kept = measure.Answer("Peers", f"{TEXT} {measure.machine()}, load {measure.load_average():.1f}."), {}
    table = answer.table(["engine", "in flight", "not measured because"], COLUMNS)
    with workplace() as place:
        for peer in [argument for argument in sys.argv[2:] if argument != "--quick"] or PROGRAMS:
            try:
                ask(place, peer, quick, table, kept)
            except FAILURES as reason:
                table.add([peer, "", reason])
                print(f"  {peer}: {reason}", file=sys.stderr, flush=True)
    (OUT / "bench-peers.md").write_text(answer.markdown())
    (OUT / "bench-peers.json").write_text(json.dumps(kept, indent=1) + "\n")
    print(answer.markdown())


if __name__ == "__main__":
    OUT = pathlib.Path(sys.argv[1]).resolve()
    main()
