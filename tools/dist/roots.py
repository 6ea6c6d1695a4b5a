"""Tars of minimal Debian roots, made once by mmdebstrap and kept below build/roots."""

import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

CACHE = pathlib.Path(__file__).resolve().parents[2] / "build" / "roots"


def sources(suite):
    """The sources of packages that this machine uses, for a suite. No address is written down anywhere."""
    texts = []
    for path in [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]:
        if path.suffix in (".list", ".sources") and path.exists() and re.search(r"\bbookworm\b", path.read_text()):
            texts.append((path.suffix, re.sub(r"\bbookworm\b", suite, path.read_text())))
    return texts


def cached(suite, *options):
    """A tar of a minimal root with these options of mmdebstrap."""
    name = "-".join([suite, *([hashlib.sha256(" ".join(options).encode()).hexdigest()[:12]] if options else [])])
    tar = CACHE / f"{name}.tar"
    if not tar.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, (suffix, text) in enumerate(sources(suite)):
                files.append(os.path.join(folder, f"{number}{suffix}"))
                pathlib.Path(files[-1]).write_text(text)
            made = subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "--format=tar", "--skip=cleanup/apt/lists", *options, suite, f"{tar}.part", *files],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if made.returncode:
            raise SystemExit(f"mmdebstrap {suite}: {made.stdout}")
        os.rename(f"{tar}.part", tar)
    return tar
