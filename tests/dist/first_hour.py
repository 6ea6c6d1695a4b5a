"""The commands that docs/install.md has for the Debian package, in a root that has it. bare.py runs this in namespaces of its own.

usage: first_hour.py ROOT

A stand-in for systemctl starts the engine (upgrade.py). Commands of a user are typed as nobody.
"""

import os
import pathlib
import subprocess
import sys

import bare
from upgrade import inside, pretend_systemd, wait_until_ready

sys.path.insert(0, str(bare.ROOT / "tests" / "docs"))

from page import Page  # noqa: E402

NOBODY = 65534
START = ("pawl", "start", "SHOP::order", "--var", "total=10", "--key")
LIBRARY = "usr/share/pawl/sdk/python"
WORKER = """
from pawl import Client, HandlerRegistry, Runner
import sys, threading
done, registry = threading.Event(), HandlerRegistry()
@registry.register("reserve-stock")
def reserve(ctx):
    done.set()
    return {"reserved": True}
Runner(Client("http://127.0.0.1:8080", token=sys.argv[1]), registry, wait_seconds=1).run(stop_event=done)
"""


def user(root, *command, expect=0, **variables):
    """A command of somebody who is not root."""
    done = subprocess.run(["chroot", f"--userspec={NOBODY}:{NOBODY}", root, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**bare.clean_environment(), "HOME": "/tmp", **variables})
    assert done.returncode == expect, f"{command} ended with {done.returncode}: {done.stdout}"
    return done.stdout


def blocks(root, title):
    """Runs each block of a section by itself when the next one is asked for."""
    found = [block for block in Page(bare.ROOT / "docs" / "install.md").section(title) if block.language == "sh"]
    assert found, title
    for block in found:
        yield inside(root, "bash", "-euc", block.text)


def main():
    root = pathlib.Path(sys.argv[1])
    bare.raise_loopback()
    bare.mount_system(root)
    pretend_systemd(root)
    inside(root, "systemctl", "start", "pawl")
    wait_until_ready()
    user(root, "pawl", "deploy", "/usr/share/pawl/examples/order.json")
    user(root, *START, "first")
    told = user(root, "pawl", "store", "info", "--data", "/var/lib/pawl", expect=5)
    assert "runuser -u pawl" in told, told

    for printed in blocks(root, "Serve other machines"):
        assert "first" in printed, printed
    assert "PAWL_TOKEN" in user(root, "pawl", "ps", expect=5)
    token = {"PAWL_TOKEN": (root / "etc/pawl/token").read_text().strip()}

    steps = blocks(root, "Backup and restore")
    assert "written" in next(steps)
    user(root, *START, "second", **token)
    assert "0 problems" in next(steps)
    listed = user(root, "pawl", "ps", **token)
    assert "first" in listed and "second" not in listed, listed
    assert (root / "var/lib/pawl.damaged/pawl.db").exists()

    subprocess.run([sys.executable, "-c", WORKER, token["PAWL_TOKEN"]], check=True, env={**bare.clean_environment(), "PYTHONPATH": str(root / LIBRARY)}, timeout=60)
    done = user(root, "pawl", "show", user(root, "pawl", "ps", "--key", "first", "--quiet", **token).strip(), **token)
    assert "reserved = true" in done, done
    os.kill(int((root / "work/pid").read_text()), 15)
    print("the first hour is done")


if __name__ == "__main__":
    main()
