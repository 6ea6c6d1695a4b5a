"""Makes a release: `make release VERSION=1.0.0 [MINISIGN_KEY=FILE]`.

It checks the tree, runs the tests, sets the version everywhere, turns the head of CHANGELOG.md into the notes of the release, commits, makes
and verifies dist/, and tags. A step that fails takes the commit back, so the tree is as before, and a tag names only what was verified.
Nothing leaves the machine: the end tells what to publish.
"""

import datetime
import os
import re
import subprocess
import sys

from release import OUT, ROOT, WORK, ask

FILES = {  # Files that name the version, and the words around it.
    "VERSION": "{}\n",
    "sdk/python/pawl/__init__.py": '__version__ = "{}"',
    "sdk/python/pyproject.toml": 'version = "{}"',
}
TABLE = "docs/install.md"  # Its table has the names of the artefacts.
HEAD = "## Unreleased\n"
SYNTAX = r"(\d+)\.(\d+)\.(\d+)"


class Refused(Exception):
    """Why there is no release. The tree is as it was before."""


def numbers(version):
    match = re.fullmatch(SYNTAX, version)
    if not match:
        raise Refused(f"“{version}” is no version: three numbers, as in 1.0.0")
    return tuple(map(int, match.groups()))


def read(name):
    return (ROOT / name).read_text()


def releases():
    return sorted(numbers(tag[1:]) for tag in ask("git", "tag", "--list", "v*").splitlines() if re.fullmatch("v" + SYNTAX, tag))


def make(*words):
    """make in an environment of its own: VERSION of this command line is not for it."""
    kept = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "VERSION")}
    print("make", *words, flush=True)
    done = subprocess.run([os.environ.get("RELEASE_MAKE", "make"), *words], cwd=ROOT, env=kept)
    if done.returncode:
        raise Refused(f"make {' '.join(words)} failed with {done.returncode}")


def check(version):
    """Everything that can be known before the tests run."""
    wanted, present = numbers(version), numbers(read("VERSION").strip())
    if os.geteuid():
        raise Refused("make check-dist makes roots and namespaces, so a release needs root")
    dirty = ask("git", "status", "--porcelain")
    if dirty:
        raise Refused(f"the tree has changes that are not committed:\n{dirty}")
    if ask("git", "branch", "--show-current") != "main":
        raise Refused("a release is made on the branch main")
    before = releases()
    if wanted in before:
        raise Refused(f"there is a tag v{version} already")
    if wanted < max([present, *before]):
        raise Refused(f"{version} is older than {'.'.join(map(str, max([present, *before])))}")
    for old in (".".join(map(str, old)) for old in before):
        if not (ROOT / "tests" / "old" / f"{old}.tar.xz").exists():
            raise Refused(f"tests/old has no store of {old}: check v{old} out elsewhere, build it, and run tests/old/keep.py")
    notes_of(read("CHANGELOG.md"))


def notes_of(changelog):
    """The head of the changelog: all below "Unreleased", up to the release before."""
    _, found, rest = changelog.partition(HEAD)
    notes = rest.partition("\n## ")[0].strip()
    if not found or not notes:
        raise Refused("CHANGELOG.md has nothing below “## Unreleased”")
    return notes + "\n"


def replace(name, old, new, times=None):
    text = read(name)
    if old not in text or times and text.count(old) != times:
        raise Refused(f"{name} has “{old.strip()}” {text.count(old)} times")
    (ROOT / name).write_text(text.replace(old, new))


def set_versions(version, today):
    """The version in every file that names it; returns the notes of the release."""
    present = read("VERSION").strip()
    if present != version:
        for name, words in FILES.items():
            replace(name, words.format(present), words.format(version), times=1)
        names, count = re.subn(rf"`(pawl[a-z]*(?:-dbgsym)?[-_]){re.escape(present)}", rf"`\g<1>{version}", read(TABLE))
        if not count:
            raise Refused(f"{TABLE} names no artefact of {present}")
        (ROOT / TABLE).write_text(names)
    notes = notes_of(read("CHANGELOG.md"))
    replace("CHANGELOG.md", HEAD, f"## {version}, {today}\n", times=1)
    return notes


def cut(version):
    start = ask("git", "rev-parse", "HEAD")
    check(version)
    make("test")
    try:
        notes = set_versions(version, datetime.date.today().isoformat())
        ask("git", "commit", "--quiet", "--all", "--message", f"release: this is {version}")
        make("check-dist")
        make("dist-arm64")
        ask("git", "tag", "--annotate", f"v{version}", "--message", f"Pawl {version}")
    except BaseException:
        ask("git", "reset", "--quiet", "--hard", start)
        raise
    place = WORK / f"notes-{version}.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(notes)
    return place


def tell(version, notes):
    signed = (OUT / "SHA256SUMS.minisig").exists()
    print(f"\nPawl {version} is made and verified. Publish:")
    print(f"  git push origin main v{version}")
    print(f"  a release of v{version} with the notes of {notes.relative_to(ROOT)} and these files:")
    for path in sorted(OUT.iterdir()):
        print(f"    dist/{path.name}  {path.stat().st_size / 1e6:.1f} MB")
    if not signed:
        print("  Nothing is signed. minisign -S -s FILE -m dist/SHA256SUMS signs, with a key that `minisign -G` makes.")
    print(f"  the images, for example: skopeo copy oci-archive:dist/pawl-{version}-oci-amd64.tar docker://REGISTRY/pawl:{version}-amd64")
    print(f"  the chart, for example: helm push dist/pawl-{version}.tgz oci://REGISTRY")
    print("  the Python SDK: python3 -m build sdk/python")
    print("Then keep a store of this version for the tests of later ones, and commit it with a new head “## Unreleased” in CHANGELOG.md:")
    print(f"  make && {sys.executable} tests/old/keep.py build/pawl {version} steps serverless graph entity access")


def main():
    if len(sys.argv) != 2 or not sys.argv[1]:
        raise SystemExit("usage: make release VERSION=1.0.0 [MINISIGN_KEY=FILE]")
    try:
        tell(sys.argv[1], cut(sys.argv[1]))
    except Refused as refused:
        raise SystemExit(f"no release: {refused}")
    except subprocess.CalledProcessError as failure:  # It has said why.
        raise SystemExit(f"no release: {' '.join(failure.cmd)} failed")


if __name__ == "__main__":
    main()
