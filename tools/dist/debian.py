"""The packages pawl and pawl-dbgsym, made by debhelper from what `make install` installs.

usage: debian.py
"""

import datetime
import re
import shutil

from release import ROOT, OUT, architecture, environment, epoch, fresh, installed, run, share, version

PACKAGING = ROOT / "packaging"

# The package has a user of its own, so its units run pawl as that user and not as one that exists only while it runs.
UNIT_WORDS = {
    "DynamicUser=yes\n": "User=pawl\nGroup=pawl\n",
    "/usr/local/bin/pawl": "/usr/bin/pawl",
    "# Runs pawl as a user of its own that exists only while it runs. Its data is in\n"
    "# /var/lib/pawl, which is a link to /var/lib/private/pawl; its settings are in\n"
    "# /etc/pawl/pawl.conf.": "# Runs pawl as the user pawl. Its data is in /var/lib/pawl, its settings are in\n# /etc/pawl/pawl.conf.",
}


def unit(name):
    """A unit as the package has it."""
    text = (PACKAGING / name).read_text()
    for words, others in UNIT_WORDS.items():
        text = text.replace(words, others)
    return text


def changelog():
    date = datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S +0000")
    maintainer = re.search(r"^Maintainer: (.*)$", (PACKAGING / "debian" / "control").read_text(), re.M).group(1)
    return f"pawl ({version()}) bookworm; urgency=medium\n\n  * Version {version()}; NEWS.md in this folder has the notes.\n\n -- {maintainer}  {date}\n"


def lay(tree):
    """The tree of a source package, without sources."""
    stage = installed(tree / "stage", "/usr")
    shutil.rmtree(stage / "usr/lib/systemd")
    share(stage / "usr/share/pawl")
    for name in ("grafana-dashboard.json", "prometheus-rules.yml"):
        shutil.copyfile(PACKAGING / name, stage / "usr/share/pawl" / name)
    shutil.copytree(PACKAGING / "debian", tree / "debian")
    for name in ("pawl.service", "pawl@.service"):
        (tree / "debian" / name).write_text(unit(name))
    doc = stage / "usr/share/doc/pawl"
    doc.mkdir(parents=True)
    shutil.copyfile(ROOT / "CHANGELOG.md", doc / "NEWS.md")
    shutil.copyfile(ROOT / "README.md", doc / "README.md")
    (tree / "debian" / "changelog").write_text(changelog())
    (tree / "debian" / "source").mkdir()
    (tree / "debian" / "source" / "format").write_text("3.0 (native)\n")


def main():
    tree = fresh("debian") / "pawl"
    tree.mkdir()
    lay(tree)
    run("dpkg-buildpackage", "-b", "-us", "-uc", "-d", f"-a{architecture()}", cwd=tree, env=environment())
    OUT.mkdir(exist_ok=True)
    for package in sorted(tree.parent.glob("*.deb")):
        shutil.copyfile(package, OUT / package.name)
        print(f"  dist/{package.name}  {package.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
