"""The artefacts for another machine, made by Debian's cross compiler in a root of its own: `make dist-arm64`, after `make dist`.

usage: cross.py arm64

A library of two architectures has one version, so its packages would change those of this machine; the root leaves it alone. The web
application comes from `make dist` of this machine. The binary writes its own man page, so QEMU runs it. Needs root.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from release import OUT, ROOT, WORK, ask, environment
from roots import cached

COMPILERS = {"arm64": "aarch64-linux-gnu"}
EMULATORS = {"arm64": "qemu-aarch64-static"}
TOOLS = ("adduser", "ca-certificates", "debhelper", "dpkg-dev", "git", "libprotobuf-dev", "make", "pkg-config", "protobuf-c-compiler", "protobuf-compiler",
         "python3", "qemu-user-static", "tzdata")
LIBRARIES = ("libuv1-dev", "libnghttp2-dev", "libsqlite3-dev", "libpcre2-dev", "libyaml-dev", "libexpat1-dev", "libssl-dev", "zlib1g-dev", "libargon2-dev",
             "libcurl4-openssl-dev", "libpq-dev", "libmosquitto-dev", "libprotobuf-c-dev")
STEPS = ("debian", "tarball", "image", "bill")
MADE = "build/gen/ui"


def unpacked(folder, machine):
    here = subprocess.run(["dpkg", "--print-architecture"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    wanted = [*TOOLS, f"gcc-{COMPILERS[machine]}", *(f"{name}:{machine}" for name in LIBRARIES)]
    tar = cached("bookworm", f"--architectures={here},{machine}", f"--include={','.join(wanted)}")
    subprocess.run(["tar", "-x", "--numeric-owner", "-f", tar, "-C", folder, "--exclude=./dev/*"], check=True)
    return folder


def web_application():
    made = WORK / "ui" / ask("git", "rev-parse", "HEAD")
    if not made.exists():
        raise SystemExit("make dist-arm64 comes after make dist of the same commit, which makes the web application")
    return made


def bring(root):
    """The commit, and what Node made of it."""
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, root / "pawl"], check=True)
    shutil.copytree(web_application(), root / "pawl" / MADE)


def inside(root, words, machine):
    """Runs a command in the root, with mounts of its own."""
    mounts = f'mount --make-rprivate / && mount --rbind /dev {root}/dev && mount -t proc proc {root}/proc && exec chroot {root} sh -c "cd /pawl && $*"'
    compiler = COMPILERS[machine]
    variables = {"CC": f"{compiler}-gcc", "AR": f"{compiler}-ar", "PKG_CONFIG_LIBDIR": f"/usr/lib/{compiler}/pkgconfig:/usr/share/pkgconfig", "WEB": "made",
                 "EMULATOR": EMULATORS[machine], "DIST_ARCH": machine, "PYTHON": "python3", "HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    kept = {name: value for name, value in environment().items() if name in ("SOURCE_DATE_EPOCH", "DPKG_DEB_THREADS_MAX", "LC_ALL", "TZ", "DIST_VERSION")}
    subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", mounts, "sh", words], env={**kept, **variables}, check=True)


def main():
    machine = sys.argv[1] if len(sys.argv) == 2 else ""
    if machine not in COMPILERS:
        raise SystemExit(f"make dist-{machine}: the machines are {', '.join(sorted(COMPILERS))}")
    if os.geteuid():
        raise SystemExit("make dist-arm64 makes a root, so it needs root")
    web_application()
    with tempfile.TemporaryDirectory(prefix="pawl-cross-") as folder:
        root = unpacked(pathlib.Path(folder), machine)
        for name in ("dev", "proc"):
            (root / name).mkdir(exist_ok=True)
        bring(root)
        inside(root, "make --no-print-directory -e -j2 build/pawl build/dist/portable > build/cross.log 2>&1 || { tail -n 40 build/cross.log; exit 1; }", machine)
        inside(root, f"{EMULATORS[machine]} build/pawl test examples/*.scenario.json examples/graph/*.scenario.json", machine)
        inside(root, " && ".join(f"python3 tools/dist/{step}.py" for step in STEPS), machine)
        OUT.mkdir(exist_ok=True)
        for path in sorted((root / "pawl" / "dist").iterdir()):
            if not path.name.startswith("SHA256SUMS"):
                shutil.copyfile(path, OUT / path.name)
    subprocess.run([sys.executable, ROOT / "tools" / "dist" / "bill.py", "--sums"], check=True)


if __name__ == "__main__":
    main()
