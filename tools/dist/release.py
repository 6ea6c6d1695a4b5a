"""The release that is packed: its tree, version, date and machine, and how files get into archives.

Nothing here reads a clock, a name of this machine or an order of the file system: two builds of one commit are equal byte for byte.
"""

import gzip
import io
import lzma
import os
import pathlib
import shutil
import subprocess
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "dist"
OUT = pathlib.Path(os.environ.get("DIST_OUT") or ROOT / "dist")


def run(*command, **options):
    """Runs a command that must succeed; what it prints is shown only if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\nmake dist: the command above failed with {done.returncode}")
    return done.stdout


def ask(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT).stdout.strip()


def version():
    """DIST_VERSION gives the packages another version: the test of an upgrade needs a newer one."""
    return os.environ.get("DIST_VERSION") or (ROOT / "VERSION").read_text().strip()


def epoch():
    """The second of the commit: every date in an artefact."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or ask("git", "log", "-1", "--format=%ct"))


def architecture():
    """Debian's word for the machine that the artefacts are for."""
    return os.environ.get("DIST_ARCH") or ask("dpkg", "--print-architecture")


def triplet():
    return ask("dpkg-architecture", f"-a{architecture()}", "-qDEB_HOST_MULTIARCH")


def environment():
    """For commands that write archives. xz in several threads would write other bytes than in one."""
    kept = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
    return {**kept, "SOURCE_DATE_EPOCH": str(epoch()), "DPKG_DEB_THREADS_MAX": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def fresh(name):
    """An empty folder for the work of one script."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def installed(stage, prefix):
    """What `make install` installs, below a folder."""
    run("make", "--no-print-directory", "-C", ROOT, "install-files", f"DESTDIR={stage}", f"PREFIX={prefix}", env=environment())
    return stage


def share(folder):
    """The examples of the README's tours, and the library of workers in Python, as files of the installation."""
    for part in ("examples", "sdk/python"):
        for name in ask("git", "ls-files", part).splitlines():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, place)


def member(name, mode, owner=0):
    info = tarfile.TarInfo(name)
    info.mtime, info.mode, info.uid, info.gid = epoch(), mode, owner, owner
    info.uname = info.gname = ""
    return info


def tar_of(folder, prefix, owner_of=lambda name: 0):
    """The bytes of a tar of a folder: sorted, with one date, one owner and two modes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted([folder, *folder.rglob("*")] if prefix else folder.rglob("*"), key=lambda path: str(path.relative_to(folder))):
            inside = str(path.relative_to(folder))
            name = prefix if inside == "." else f"{prefix}/{inside}" if prefix else inside
            runs = path.is_dir() or os.access(path, os.X_OK)
            info = member(name, 0o755 if runs else 0o644, owner_of(inside))
            if path.is_symlink():
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, os.readlink(path), 0o777
                tar.addfile(info)
            elif path.is_dir():
                info.type = tarfile.DIRTYPE
                if inside in ("tmp",):
                    info.mode = 0o1777
                tar.addfile(info)
            else:
                info.size = path.stat().st_size
                with open(path, "rb") as file:
                    tar.addfile(info, file)
    return out.getvalue()


def xz(data):
    return lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)


def gz(data):
    return gzip.compress(data, 9, mtime=0)


def write(name, data):
    OUT.mkdir(exist_ok=True)
    (OUT / name).write_bytes(data)
    print(f"  dist/{name}  {len(data) / 1e6:.1f} MB")
