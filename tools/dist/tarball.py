"""The tarball: a binary that needs glibc alone, and beside it the libraries that it loads when they are first needed.

usage: tarball.py

libcurl, libpq and libmosquitto need libraries that Debian has no archives of (Kerberos first of all), so they and what they
need are shared libraries of our own below lib/pawl. The binary finds them there and nowhere else on the machine.
"""

import pathlib
import re
import shutil
import subprocess

from release import ROOT, WORK, architecture, ask, fresh, installed, run, share, tar_of, triplet, version, write, xz

LOADED = ("libcurl.so.4", "libpq.so.5", "libmosquitto.so.1")
# Every Linux with glibc has these, and they must fit its loader: nobody brings a second one.
GLIBC = re.compile(r"(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl)\.so\.\d+")


def needed(path):
    """The names of the libraries that a file is linked with."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", ask("readelf", "-d", path))


def folder_of_libraries():
    return pathlib.Path("/usr/lib") / triplet()


def closure(names):
    """Those libraries and all that they need, except glibc: name -> file."""
    found, waiting = {}, list(names)
    while waiting:
        name = waiting.pop()
        if name in found or GLIBC.fullmatch(name):
            continue
        found[name] = next(path.resolve() for path in (folder_of_libraries() / name, pathlib.Path("/lib") / triplet() / name) if path.exists())
        waiting += needed(found[name])
    return dict(sorted(found.items()))


def package_of(path):
    """The Debian package that a file is of, as dpkg names it: libc6:amd64, tzdata."""
    for name in (str(path), str(path).removeprefix("/usr")):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True).stdout
        if found:
            return found.split(": ")[0].split(",")[0]
    raise SystemExit(f"make dist: no package has {path}")


def lay_binary(prefix):
    """bin/pawl and lib/pawl below a folder. Also the image has them."""
    (prefix / "bin").mkdir(parents=True, exist_ok=True)
    run(f"{triplet()}-strip", "-o", prefix / "bin" / "pawl", WORK / "portable")
    foreign = [name for name in needed(prefix / "bin" / "pawl") if not GLIBC.fullmatch(name)]
    if foreign:
        raise SystemExit(f"make dist: the portable binary is linked with {foreign}")
    libraries = closure(LOADED)
    for name, path in libraries.items():
        place = prefix / "lib" / "pawl" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    return libraries


def lay_licences(folder, libraries):
    """The licence of each package whose library is inside."""
    for package in sorted({package_of(path).split(":")[0] for path in libraries.values()}):
        place = folder / package
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", place / "copyright")


def main():
    name = f"pawl-{version()}-linux-{architecture()}"
    tree = installed(fresh("tarball"), f"/{name}") / name
    shutil.move(tree.parent / "etc/pawl/pawl.conf", tree / "share")
    libraries = lay_binary(tree)
    lay_licences(tree / "share/doc/pawl/libraries", libraries)
    for page in ("LICENSE", "README.md", "CHANGELOG.md"):
        shutil.copyfile(ROOT / page, tree / "share/doc/pawl" / page)
    share(tree / "share/pawl")
    write(f"{name}.tar.xz", xz(tar_of(tree, name)))


if __name__ == "__main__":
    main()
