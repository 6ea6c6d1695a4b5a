"""The tarball runs on a machine that has glibc and nothing else of what the engine needs."""

import re
import subprocess
import unittest

from bare import DIST, Root

NOBODY = 65534
GLIBC_MAX = (2, 36)


class Tarball(unittest.TestCase):
    def unpacked(self, suite):
        root = Root.debian(suite)
        self.addCleanup(root.close)
        subprocess.run(["tar", "-xf", next(DIST.glob("pawl-*-linux-*.tar.xz")), "-C", root.path / "opt"], check=True)
        return root, next((root.path / "opt").iterdir())

    def tour(self, suite):
        root, folder = self.unpacked(suite)
        for name in ("libuv", "libcurl", "libpq", "libmosquitto"):
            self.assertEqual(list(root.path.glob(f"usr/lib/*/{name}.so*")), [], "the root is to lack what the tarball brings")
        data = root.path / "srv/pawl"
        data.mkdir()
        data.chmod(0o777)
        printed = root.alone("tour.py", f"/opt/{folder.name}/bin/pawl", "/srv/pawl", NOBODY, NOBODY)
        self.assertIn("the tour is done", printed)
        self.assertNotIn("not on this machine", printed)
        root.run("rm", "-r", f"/opt/{folder.name}")
        self.assertTrue((data / "pawl.db").exists())

    def test_tour_on_debian_12(self):
        self.tour("bookworm")

    def test_tour_on_debian_13(self):
        self.tour("trixie")

    def test_nothing_needs_a_newer_glibc_or_a_library_of_the_machine(self):
        _root, folder = self.unpacked("bookworm")
        ours = {path.name for path in (folder / "lib/pawl").iterdir()}
        for path in [folder / "bin/pawl", *(folder / "lib/pawl").iterdir()]:
            told = subprocess.run(["readelf", "-d", "--version-info", path], capture_output=True, text=True, check=True).stdout
            for number in re.findall(r"GLIBC_(\d+)\.(\d+)", told):
                self.assertLessEqual(tuple(map(int, number)), GLIBC_MAX, path)
            for name in re.findall(r"\(NEEDED\).*\[(.*)\]", told):
                self.assertTrue(name in ours or re.match(r"(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv)\.so", name), f"{path} needs {name}")
                self.assertTrue(path.parent.name != "bin" or name in ("libc.so.6", "libm.so.6") or name.startswith("ld-linux"), name)


if __name__ == "__main__":
    unittest.main()
