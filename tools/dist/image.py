"""The image: a folder of the Open Container Initiative in a tar, made without a container engine and without root.

usage: image.py

It has the binary and the libraries of the tarball, glibc, certificates and time zones, and nothing else: no shell. The
process is nobody's user, 65532. `docker load`, `podman load` and `skopeo copy oci-archive:` read the tar.
"""

import datetime
import hashlib
import json
import os
import pathlib
import shutil

from release import ask, epoch, fresh, gz, architecture, tar_of, triplet, version, write
from tarball import GLIBC, lay_binary, lay_licences, needed

USER = 65532
DATA = "var/lib/pawl"
ZONES = pathlib.Path("/usr/share/zoneinfo")
# Debian's certificates themselves. /etc/ssl/certs of this machine may have more.
CERTIFICATES = pathlib.Path("/usr/share/ca-certificates/mozilla")


def interpreter(binary):
    """The path of glibc's loader, as the binary names it."""
    line = next(line for line in ask("readelf", "-l", binary).splitlines() if "program interpreter" in line)
    return pathlib.Path(line.split(": ")[1].rstrip("]"))


def lay_glibc(root, files):
    """The loader, and the parts of glibc that the files are linked with."""
    loader = interpreter(root / "usr/bin/pawl")
    wanted = {name for file in files for name in needed(file) if GLIBC.fullmatch(name) and name != loader.name}
    folder = pathlib.Path("lib") / triplet()
    for name in sorted(wanted):
        place = root / folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(pathlib.Path("/") / folder / name, place)
        place.chmod(0o755)
    place = root / str(loader).lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(loader, place)
    place.chmod(0o755)


def lay_zones(root):
    """Each zone once: names that mean the same are links to the first of them."""
    first = {}
    for path in sorted(ZONES.rglob("*")):
        inside = path.relative_to(ZONES)
        if path.is_dir() or inside.parts[0] in ("posix", "right") or path.name in ("localtime", "posixrules"):
            continue
        place = root / "usr/share/zoneinfo" / inside
        place.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        if data in first:
            os.symlink(os.path.relpath(first[data], place.parent), place)
        else:
            first[data] = place
            place.write_bytes(data)


def lay_settings(root):
    texts = {
        "etc/passwd": f"root:x:0:0:root:/:/nonexistent\npawl:x:{USER}:{USER}:Pawl:/{DATA}:/nonexistent\n",
        "etc/group": f"root:x:0:\npawl:x:{USER}:\n",
        "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
        "etc/ssl/certs/ca-certificates.crt": "".join(path.read_text() for path in sorted(CERTIFICATES.glob("*.crt"))),
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for name in ("tmp", DATA):
        (root / name).mkdir(parents=True)


def lay(root):
    libraries = lay_binary(root / "usr")
    lay_glibc(root, [root / "usr/bin/pawl", *(root / "usr/lib/pawl").iterdir()])
    lay_licences(root / "usr/share/doc", {**libraries, "libc": pathlib.Path("/lib") / triplet() / "libc.so.6"})
    for package in ("tzdata", "ca-certificates"):
        (root / "usr/share/doc" / package).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", root / "usr/share/doc" / package / "copyright")
    lay_zones(root)
    lay_settings(root)


def owner_of(name):
    return USER if name == DATA else 0


def configuration(layer_tar):
    """What the container does. Without a token `pawl serve` refuses an address that other machines reach, and says so."""
    return {
        "created": datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "architecture": architecture(), "os": "linux",
        "config": {
            "User": f"{USER}:{USER}", "ExposedPorts": {"8080/tcp": {}},
            "Env": ["PATH=/usr/bin", "PAWL_LISTEN=0.0.0.0:8080", f"PAWL_DATA=/{DATA}"],
            "Entrypoint": ["/usr/bin/pawl"], "Cmd": ["serve"],
            "Volumes": {f"/{DATA}": {}}, "WorkingDir": f"/{DATA}", "StopSignal": "SIGTERM",
            "Labels": {"org.opencontainers.image.title": "pawl", "org.opencontainers.image.version": version(),
                       "org.opencontainers.image.revision": ask("git", "rev-parse", "HEAD"), "org.opencontainers.image.licenses": "Apache-2.0"},
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(layer_tar)]},
        "history": [{"created_by": "make dist"}],
    }


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Layout:
    """A folder of blobs by their digests."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "blobs/sha256").mkdir(parents=True)

    def add(self, kind, data):
        (self.folder / "blobs/sha256" / digest(data).split(":")[1]).write_bytes(data)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": digest(data), "size": len(data)}

    def add_json(self, kind, value):
        return self.add(kind, json.dumps(value, sort_keys=True).encode())

    def finish(self, manifest):
        names = {"org.opencontainers.image.ref.name": version(), "io.containerd.image.name": f"pawl:{version()}"}
        platform = {"architecture": architecture(), "os": "linux"}
        index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [{**manifest, "annotations": names, "platform": platform}]}
        (self.folder / "index.json").write_text(json.dumps(index, sort_keys=True))
        (self.folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')


def main():
    work = fresh("image")
    lay(work / "root")
    layer_tar = tar_of(work / "root", "", owner_of)
    layout = Layout(work / "layout")
    layer = layout.add("layer.v1.tar+gzip", gz(layer_tar))
    config = layout.add_json("config.v1+json", configuration(layer_tar))
    manifest = layout.add_json("manifest.v1+json", {
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": [layer]})
    layout.finish(manifest)
    write(f"pawl-{version()}-oci-{architecture()}.tar", tar_of(work / "layout", ""))
    print(f"    unpacked: {len(layer_tar) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
