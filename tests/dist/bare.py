"""Bare roots: a minimal Debian, or what an image has, with a network of its own in which only this machine is.

    root = Root.debian("bookworm")     from a cache below build/roots, which mmdebstrap fills once
    root.run("apt-get", …)             with the network of this machine
    root.alone(script, …)              runs a script of this folder in new namespaces: network, processes, mounts
"""

import fcntl
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST = pathlib.Path(os.environ.get("DIST_OUT", ROOT / "dist"))
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools" / "dist"))
from roots import cached  # noqa: E402


class Root:
    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="pawl-root-"))
        self.path.chmod(0o755)

    @classmethod
    def debian(cls, suite, *options):
        """A Debian with these options of mmdebstrap."""
        root = cls()
        subprocess.run(["tar", "-x", "--numeric-owner", "-f", cached(suite, *options), "-C", root.path, "--exclude=./dev/*"], check=True)
        shutil.copyfile("/etc/resolv.conf", root.path / "etc/resolv.conf")
        return root

    def close(self):
        shutil.rmtree(self.path)

    def run(self, *command, expect=0):
        """Runs a command inside with mounts of its own, so nothing stays mounted."""
        inside = f'mount --make-rprivate / && mkdir -p {self.path}/dev {self.path}/proc && mount --rbind /dev {self.path}/dev && ' \
                 f'mount -t proc proc {self.path}/proc && exec chroot {self.path} "$@"'
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", inside, "sh", *map(str, command)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env={**clean_environment(), "DEBIAN_FRONTEND": "noninteractive"})
        assert done.returncode == expect, f"{command} ended with {done.returncode}:\n{done.stdout}"
        return done.stdout

    def alone(self, script, *arguments):
        """Runs a script of this folder where there is no network but its own."""
        done = subprocess.run(["unshare", "--mount", "--net", "--pid", "--ipc", "--fork", "--kill-child", sys.executable, HERE / script, self.path, *map(str, arguments)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=clean_environment())
        assert done.returncode == 0, done.stdout
        return done.stdout


def clean_environment():
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "TERM": "dumb",
            **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}}


# ---- inside the namespaces ----

def raise_loopback():
    """The loopback interface of a new network is down."""
    request, up_and_running = 0x8914, 0x41
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as some:
        fcntl.ioctl(some, request, struct.pack("16sh14x", b"lo", up_and_running))


def mount_system(root):
    """What a container engine or an init would mount."""
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    for name, words in (("proc", ["-t", "proc", "proc"]), ("dev", ["--rbind", "/dev"])):
        (root / name).mkdir(exist_ok=True)
        subprocess.run(["mount", *words, root / name], check=True)


WRAPPER = """#!{python} -I
import os, sys
os.chroot({root!r})
os.chdir("/work")
os.setgroups([]); os.setgid({group}); os.setuid({user})
os.execv({binary!r}, ["pawl", *sys.argv[1:]])
"""


def write_wrapper(root, place, binary, user, group):
    """A program that runs the engine of the root as somebody, from the root's /work."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(WRAPPER.format(python=sys.executable, root=str(root), user=user, group=group, binary=binary))
    place.chmod(0o755)
