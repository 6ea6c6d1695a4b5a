"""The Debian package: installed, used, upgraded under work, removed and purged."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from bare import DIST, Root
from exposure import EXPOSURE_MAX, exposure, needs_systemd_analyze

EXPECTED = ("usr/bin/pawl", "usr/share/man/man1/pawl.1.gz", "lib/systemd/system/pawl.service", "lib/systemd/system/pawl@.service",
            "usr/share/bash-completion/completions/pawl", "etc/pawl/pawl.conf")


def package():
    return next(DIST.glob("pawl_*.deb"))


def newer(folder):
    """The same package with a higher version."""
    tree, made = pathlib.Path(folder) / "tree", pathlib.Path(folder) / "newer.deb"
    subprocess.run(["dpkg-deb", "-R", package(), tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^(Version: .*)$", r"\1+newer", control.read_text()))
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, made], check=True, stdout=subprocess.DEVNULL)
    return made


class Package(unittest.TestCase):
    def installed(self, suite="bookworm"):
        root = Root.debian(suite)
        self.addCleanup(root.close)
        shutil.copyfile(package(), root.path / "pawl.deb")
        root.run("apt-get", "install", "-y", "-q", "/pawl.deb")
        return root

    def user(self, root):
        return map(int, root.run("getent", "passwd", "pawl").split(":")[2:4])

    def test_lintian_has_nothing_to_say(self):
        told = subprocess.run(["lintian", "--allow-root", *DIST.glob("*.deb")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((told.returncode, told.stdout), (0, ""))

    def test_debug_symbols_fit_the_binary(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in DIST.glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", path, folder], check=True)
            notes = subprocess.run(["readelf", "-n", f"{folder}/usr/bin/pawl"], capture_output=True, text=True, check=True).stdout
            name = notes.split("Build ID: ")[1].split()[0]
            symbols = pathlib.Path(folder) / f"usr/lib/debug/.build-id/{name[:2]}/{name[2:]}.debug"
            self.assertIn("main", subprocess.run(["nm", symbols], capture_output=True, text=True, check=True).stdout)

    @needs_systemd_analyze
    def test_systemd_counts_little_that_the_units_can_reach(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "-x", package(), folder], check=True)
            for name in ("pawl.service", "pawl@.service"):
                reached, lines = exposure(pathlib.Path(folder) / "lib/systemd/system" / name)
                self.assertLessEqual(reached, EXPOSURE_MAX, "\n".join([name, *lines]))

    def test_tour_and_removal(self):
        root = self.installed()
        for name in EXPECTED:
            self.assertTrue((root.path / name).is_file(), name)
        user, group = self.user(root)
        data = root.path / "var/lib/pawl"
        self.assertEqual((data.stat().st_uid, data.stat().st_mode & 0o777), (user, 0o750))
        printed = root.alone("tour.py", "/usr/bin/pawl", "/var/lib/pawl", user, group)
        self.assertIn("the tour is done", printed)
        self.assertNotIn("not on this machine", printed)
        root.run("apt-get", "remove", "-y", "-q", "pawl")
        self.assertFalse((root.path / "usr/bin/pawl").exists())
        self.assertTrue((root.path / "etc/pawl/pawl.conf").exists())
        (root.path / "etc/pawl/token").write_text("mine")
        told = root.run("apt-get", "purge", "-y", "-q", "pawl")
        self.assertIn("the data stays in /var/lib/pawl", told)
        self.assertFalse((root.path / "etc/pawl/pawl.conf").exists())
        self.assertEqual((root.path / "etc/pawl/token").read_text(), "mine")
        self.assertTrue((data / "pawl.db").exists())
        root.run("getent", "passwd", "pawl")

    def test_tour_on_debian_13(self):
        """Its libraries have other names of packages there, which still provide the old ones."""
        root = self.installed("trixie")
        printed = root.alone("tour.py", "/usr/bin/pawl", "/var/lib/pawl", *self.user(root))
        self.assertIn("the tour is done", printed)
        self.assertNotIn("not on this machine", printed)

    def test_an_upgrade_restarts_the_engine_and_loses_no_job(self):
        root = self.installed()
        (root.path / "etc/pawl/pawl.conf").write_text("# mine\n")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copyfile(newer(folder), root.path / "newer.deb")
        self.assertIn("no job was lost", root.alone("upgrade.py", "/newer.deb"))
        self.assertEqual((root.path / "etc/pawl/pawl.conf").read_text(), "# mine\n")

    def test_the_first_hour(self):
        self.assertIn("the first hour is done", self.installed().alone("first_hour.py"))

    def test_without_what_is_recommended_the_engine_says_what_is_missing(self):
        root = Root.debian("bookworm")
        self.addCleanup(root.close)
        shutil.copyfile(package(), root.path / "pawl.deb")
        root.run("apt-get", "install", "-y", "-q", "--no-install-recommends", "/pawl.deb")
        told = root.run("pawl", "version")
        self.assertIn("libpq: not on this machine", told)
        self.assertIn("libmosquitto: not on this machine", told)
        self.assertIn("install the package libpq5", root.run("pawl", "serve", "--store", "postgres://pawl@127.0.0.1/pawl", expect=1))
        self.assertIn("each lack was told", root.alone("lacking.py"))


if __name__ == "__main__":
    unittest.main()
