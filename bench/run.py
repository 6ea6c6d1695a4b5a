"""Measures the engine and prints a table.

usage: run.py OUT_DIR [REPETITIONS]

Every figure stands beside the floor measured in the same run: an append-only log with a real
sync on the same disk. Ratios are what counts; machines and their load differ. The table goes
to OUT_DIR/bench.md and OUT_DIR/bench.json too.
"""

import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = pathlib.Path(sys.argv[1]).resolve()
REPETITIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
TICKS = os.sysconf("SC_CLK_TCK")

CHAIN = {
    "id": "bench", "name": "Three steps",
    "steps": [
        {"id": "a", "name": "A", "type": "SERVICE_TASK", "jobType": "b1", "nextStep": "b"},
        {"id": "b", "name": "B", "type": "SERVICE_TASK", "jobType": "b2", "nextStep": "c"},
        {"id": "c", "name": "C", "type": "SERVICE_TASK", "jobType": "b3", "nextStep": "end"},
        {"id": "end", "name": "End", "type": "END"},
    ],
}


class Server:
    """The real binary on a fresh data directory."""

    def __init__(self):
        self.data = OUT / "bench-data"
        shutil.rmtree(self.data, ignore_errors=True)
        began = time.monotonic()
        self.process = subprocess.Popen([OUT / "pawl", "serve", "--listen", "127.0.0.1:0", "--data", self.data, "--log-level", "error"],
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.start_ms = (time.monotonic() - began) * 1000
        self.url = line.split("listening on ")[1].split()[0]
        self.port = int(self.url.rsplit(":", 1)[1])
        self.idle_kib = self.status("VmRSS")

    def post(self, path, body):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def status(self, name):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().split("\n"):
            if line.startswith(name + ":"):
                return int(line.split()[1])
        return 0

    def cpu_us(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1e6 / TICKS

    def written(self):
        return int(next(line for line in pathlib.Path(f"/proc/{self.process.pid}/io").read_text().split("\n")
                        if line.startswith("write_bytes")).split()[1])

    def metric(self, name):
        with urllib.request.urlopen(self.url + "/metrics") as answer:
            for line in answer.read().decode().split("\n"):
                if line.startswith(name + " "):
                    return float(line.split()[1])
        return 0.0

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.data, ignore_errors=True)


def floor(workflows, batch):
    return json.loads(subprocess.run([OUT / "bench" / "floor", OUT / "bench-floor.log", str(workflows), str(batch)],
                                     check=True, capture_output=True, text=True).stdout)


def chain(concurrency, workflows, mode):
    server = Server()
    try:
        server.post("/v1/definitions", CHAIN)
        cpu, written, commits = server.cpu_us(), server.written(), server.metric("pawl_commits_total")
        done = subprocess.run([OUT / "bench" / "load", "127.0.0.1", str(server.port), str(concurrency), str(workflows), mode],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"load failed: {done.stdout} {done.stderr}")
        result = json.loads(done.stdout)
        result["serverCpuUs"] = (server.cpu_us() - cpu) / workflows
        result["bytes"] = (server.written() - written) / workflows
        result["syncs"] = (server.metric("pawl_commits_total") - commits) / workflows
        result["rssMiB"] = server.status("VmHWM") / 1024
        result["idleMiB"] = server.idle_kib / 1024
        result["startMs"] = server.start_ms
        return result
    finally:
        server.stop()


def median_of(runs):
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def main():
    rows = []
    for concurrency, workflows, mode in ((1, 2000, "single"), (64, 20000, "single"), (256, 20000, "single"),
                                         (64, 40000, "batch"), (256, 40000, "batch")):
        runs = [chain(concurrency, workflows, mode) for _ in range(REPETITIONS)]
        row = median_of(runs)
        row["spread"] = (max(r["perSecond"] for r in runs) - min(r["perSecond"] for r in runs)) / row["perSecond"]
        row["floor"] = median_of([floor(workflows, max(1, concurrency)) for _ in range(REPETITIONS)])
        rows.append({"concurrency": concurrency, "mode": mode, **row})
        print(f"  {mode} × {concurrency}: {row['perSecond']:.0f}/s", file=sys.stderr, flush=True)
    lines = [f"Three-step workflow over HTTP, durable. {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
             f"median of {REPETITIONS}.", "",
             "| mode | in flight | workflows/s | spread | server CPU µs | client CPU µs | p50 ms | p99 ms | syncs | bytes | RSS MiB | floor/s | floor sync µs |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for r in rows:
        lines.append(f"| {r['mode']} | {r['concurrency']} | {r['perSecond']:.0f} | {r['spread']:.0%} | {r['serverCpuUs']:.0f} | {r['clientCpuUs']:.0f} "
                     f"| {r['p50Ms']:.2f} | {r['p99Ms']:.2f} | {r['syncs']:.3f} | {r['bytes']:.0f} | {r['rssMiB']:.0f} "
                     f"| {r['floor']['perSecond']:.0f} | {r['floor']['syncUs']:.0f} |")
    lines += ["", f"Start to first accepted connection {rows[0]['startMs']:.0f} ms; idle memory {rows[0]['idleMiB']:.1f} MiB."]
    text = "\n".join(lines) + "\n"
    (OUT / "bench.md").write_text(text)
    (OUT / "bench.json").write_text(json.dumps(rows, indent=1))
    print(text)


if __name__ == "__main__":
    main()
