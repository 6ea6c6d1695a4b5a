"""The engine under test: the real binary, on a data directory of its own."""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request

READY_SECONDS = 60
QUIET_SECONDS, QUIET_US = 0.3, 3000  # An engine without requests takes less than this in that time.


class Engine:
    """Runs when made, on an empty store; `with` removes it with all it has."""

    def __init__(self, out, *options, place="bench-data", under=()):
        self.headers = {}
        self.out, self.options, self.under = out, options, under
        self.data = out / place
        shutil.rmtree(self.data, ignore_errors=True)
        self.start()

    def start(self):
        command = [*self.under, self.out / "pawl", "serve", "--listen", "127.0.0.1:0", "--data", self.data, "--log-level", "error", *self.options]
        began = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if "listening on " not in line:
            raise SystemExit(f"the engine did not start: {line}")
        self.banner = line
        self.url = line.split("listening on ")[1].split()[0]
        self.port = int(self.url.rsplit(":", 1)[1])
        self.wait_until_ready(began)
        self.start_ms = (time.monotonic() - began) * 1000  # To the first request served.

    def wait_until_ready(self, began):
        """An engine answers 503 while a turn takes more than three seconds. Under callgrind, beside other load, the first one may."""
        while True:
            try:
                return self.get("/readyz")
            except urllib.error.HTTPError as refused:
                if refused.code != 503 or time.monotonic() - began > READY_SECONDS:
                    raise
                time.sleep(0.001)

    # ---- requests ----

    def get(self, path):
        with urllib.request.urlopen(urllib.request.Request(self.url + path, headers=self.headers)) as answer:
            return answer.read()

    def post(self, path, body, method="POST"):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json", **self.headers}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def deploy(self, *definitions):
        for definition in definitions:
            self.post("/v1/definitions", definition)

    def deploy_model(self, name, sample, *workflows):
        """A locked model of version 1 with its workflows."""
        self.post(f"/api/model/import/JSON/SAMPLE_DATA/{name}/1", sample)
        self.post(f"/api/model/{name}/1/workflow/import", {"workflows": workflows})
        self.post(f"/api/model/{name}/1/lock", {}, "PUT")

    def metric(self, name):
        for line in self.get("/metrics").decode().split("\n"):
            if line.startswith(name + " "):
                return float(line.split()[1])
        raise KeyError(name)

    # ---- what it costs ----

    def cpu_us(self):
        """Processor time of all its threads. The clock of a process is its number, inverted, and 2."""
        return time.clock_gettime((~self.process.pid << 3) | 2) * 1e6

    def wait_until_quiet(self):
        """What an engine does after its start is not part of a request: it counts the bytes of all tenants, once a minute at most."""
        began, before = time.monotonic(), self.cpu_us()
        while True:
            time.sleep(QUIET_SECONDS)
            now = self.cpu_us()
            if now - before < QUIET_US:
                return
            if time.monotonic() - began > READY_SECONDS:
                raise SystemExit("the engine is busy without requests")
            before = now

    def memory_kib(self, name="VmRSS"):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().split("\n"):
            if line.startswith(name + ":"):
                return int(line.split()[1])
        raise KeyError(name)

    def written_bytes(self):
        """To the disk, by whoever: what the kernel says of one process counts pages that it need not write."""
        device = self.data.stat().st_dev
        for line in pathlib.Path("/proc/diskstats").read_text().splitlines():
            fields = line.split()
            if (int(fields[0]), int(fields[1])) == (os.major(device), os.minor(device)):
                return int(fields[9]) * 512
        return 0

    def disk_bytes(self):
        """What the store takes, its log included; the reserve for a full disk is no part of it."""
        return sum(path.stat().st_size for path in self.data.rglob("*") if path.is_file() and "reserve" not in path.name)

    # ---- the end ----

    def stop(self, sig=signal.SIGTERM):
        self.process.send_signal(sig)
        self.process.wait()
        self.process.stdout.close()

    def kill(self):
        self.stop(signal.SIGKILL)

    def restart(self):
        self.stop()
        self.start()

    def rows(self, table):
        """How many a table of the store has; only after the end."""
        store = sqlite3.connect(f"file:{next(self.data.glob('*.db'))}?mode=ro", uri=True)
        try:
            return store.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        finally:
            store.close()

    def remove(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.data, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.remove()
