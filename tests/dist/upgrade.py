"""Upgrades the package under a running engine with open jobs. bare.py runs this in namespaces of its own.

usage: upgrade.py ROOT PACKAGE      a package of a higher version, as the root sees it

No systemd runs in a root, so /usr/local/bin/systemctl stands in for it: it starts and stops the engine as the unit says. All else
is the package's own: dpkg, its scripts, deb-systemd-helper and deb-systemd-invoke.
"""

import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import bare

RUNS, TAKEN = 20, 5
PATIENCE = 30

SYSTEMCTL = """#!/bin/sh
# Knows one unit, pawl.service. As with Type=notify, a start returns when the engine listens.
echo "systemctl $*" >> /work/systemctl.log
start() {
    : > /work/engine.log
    line=$(sed -n 's/^ExecStart=//p' /lib/systemd/system/pawl.service)
    user=$(sed -n 's/^User=//p' /lib/systemd/system/pawl.service)
    STATE_DIRECTORY=/var/lib/pawl setpriv --reuid "$user" --regid "$user" --init-groups sh -c "exec $line" >> /work/engine.log 2>&1 < /dev/null &
    echo $! > /work/pid
    until grep -q listening /work/engine.log; do
        kill -0 $! 2> /dev/null || { cat /work/engine.log; exit 1; }
        sleep 0.05
    done
}
# A process that has ended and that nobody has waited for is still in /proc, as a zombie.
stop() {
    pid=$(cat /work/pid)
    kill "$pid"
    while grep -q '^State:.[^Z]' "/proc/$pid/status" 2> /dev/null; do sleep 0.05; done
}
case "$*" in
    *is-enabled*) echo enabled ;;
    *try-restart*) ;;
    *restart*pawl*) stop; start ;;
    *stop*pawl*) stop ;;
    *start*pawl*) start ;;
esac
"""


def ask(method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", 8080, timeout=PATIENCE)
    connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status < 300, f"{method} {path}: {answer.status} {text}"
    return json.loads(text or b"null")


def wait_until_ready():
    """The engine says by /readyz that it is there."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return ask("GET", "/readyz")
        except (OSError, AssertionError, http.client.HTTPException):
            assert time.monotonic() < deadline, "the engine is not ready"
            time.sleep(0.05)


def poll(count):
    return ask("POST", "/v1/jobs/poll", {"workerId": "me", "jobTypes": ["reserve-stock"], "maxJobs": count})["jobs"]


def complete(jobs):
    for job in jobs:
        ask("POST", f"/v1/jobs/{job['id']}/complete", {"workerId": "me", "variables": {"reserved": True}})


def inside(root, *command, expect=0):
    done = subprocess.run(["chroot", root, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**bare.clean_environment(), "DEBIAN_FRONTEND": "noninteractive"})
    assert done.returncode == expect, f"{command} ended with {done.returncode}: {done.stdout}"
    return done.stdout


def pretend_systemd(root):
    (root / "work").mkdir(mode=0o755)
    (root / "run/systemd/system").mkdir(parents=True)
    place = root / "usr/local/bin/systemctl"
    place.write_text(SYSTEMCTL)
    place.chmod(0o755)
    (root / "usr/sbin/policy-rc.d").unlink(missing_ok=True)


def main():
    root, package = pathlib.Path(sys.argv[1]), sys.argv[2]
    bare.raise_loopback()
    bare.mount_system(root)
    pretend_systemd(root)
    inside(root, "systemctl", "start", "pawl.service")
    wait_until_ready()
    inside(root, "pawl", "deploy", "/usr/share/pawl/examples/order.json")
    for number in range(RUNS):
        inside(root, "pawl", "start", "SHOP::order", "--var", f"orderId={number}", "--var", "total=1500", "--key", f"order-{number}")
    taken = poll(TAKEN)
    assert len(taken) == TAKEN, taken
    before = (root / "work/pid").read_text()
    print(inside(root, "dpkg", "-i", package))
    assert (root / "work/pid").read_text() != before, "the engine was not restarted:\n" + (root / "work/systemctl.log").read_text()
    wait_until_ready()
    complete(taken)
    rest = poll(RUNS)
    assert len(rest) == RUNS - TAKEN, f"{len(rest)} jobs are left of {RUNS - TAKEN}"
    complete(rest)
    waiting = inside(root, "pawl", "tasks")
    assert len(re.findall(r"Waits for a person|approve", waiting)) >= RUNS, waiting
    assert f"try-restart pawl@*.service" in (root / "work/systemctl.log").read_text()
    os.kill(int((root / "work/pid").read_text()), 15)
    print("no job was lost")


if __name__ == "__main__":
    main()
