"""The release as a whole: checksums, signature, bill of materials, and the same bytes from another folder."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from bare import DIST, ROOT


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}"
    return done.stdout


class Release(unittest.TestCase):
    def test_checksums_name_every_file(self):
        run("sha256sum", "-c", "--strict", "SHA256SUMS", cwd=DIST)
        named = {line.split()[1] for line in (DIST / "SHA256SUMS").read_text().splitlines()}
        self.assertEqual(named, {path.name for path in DIST.iterdir()} - {"SHA256SUMS", "SHA256SUMS.minisig"})

    def test_a_signature_holds_until_a_byte_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            out, key = pathlib.Path(folder) / "dist", pathlib.Path(folder) / "key"
            out.mkdir()
            (out / "some").write_text("some")
            run("minisign", "-G", "-W", "-p", f"{key}.pub", "-s", key)
            run("python3", ROOT / "tools/dist/bill.py", env={**os.environ, "DIST_OUT": str(out), "MINISIGN_KEY": str(key)})
            run("minisign", "-V", "-p", f"{key}.pub", "-m", out / "SHA256SUMS")
            with open(out / "SHA256SUMS", "a") as file:
                file.write("0")
            self.assertNotEqual(subprocess.run(["minisign", "-V", "-p", f"{key}.pub", "-m", out / "SHA256SUMS"], capture_output=True).returncode, 0)

    def test_the_bill_names_what_is_inside(self):
        bill = json.loads(next(DIST.glob("*.spdx.json")).read_text())
        ids = [package["SPDXID"] for package in bill["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        for relation in bill["relationships"]:
            self.assertIn(relation["relatedSpdxElement"], ids)
            self.assertIn(relation["spdxElementId"], [*ids, "SPDXRef-DOCUMENT"])
        names = {package["name"] for package in bill["packages"]}
        self.assertLessEqual({"libcurl4", "libpq5", "libmosquitto1", "libssl-dev", "libsqlite3-dev", "libc6", "tzdata", "react"}, names)
        self.assertLessEqual({path.name for path in DIST.iterdir() if path.name.startswith("pawl") and path.suffix != ".json"}, names)

    def test_another_folder_and_another_day_make_the_same_bytes(self):
        """Another clone: in a deeper folder whose name is like one of the tree's, with settings that would make other bytes if anything read them."""
        others = {"TZ": "Pacific/Auckland", "LC_ALL": "C", "LANGUAGE": "de", "CFLAGS": "-O0 -g3", "SOURCE_DATE_EPOCH": "1"}
        with tempfile.TemporaryDirectory(prefix="pawl-again-in-a-folder-of-another-length-") as folder:
            clone = pathlib.Path(folder) / "src/ui/tree"
            run("git", "clone", "-q", ROOT, clone, umask=0o077)
            kept = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name not in ("MFLAGS", "DIST_OUT", "MINISIGN_KEY")}
            run("make", "-C", clone, "dist", env={**kept, **others, "HOME": folder}, umask=0o077)
            made = {path.name: path.read_bytes() for path in (clone / "dist").iterdir()}
        ours = {path.name: path.read_bytes() for path in DIST.iterdir() if path.suffix != ".minisig"}
        self.assertEqual(sorted(made), sorted(ours))
        self.assertEqual([name for name in made if made[name] != ours[name]], [], "these files differ")

    def test_only_a_commit_is_packed(self):
        """The file that differs is named, and what was packed before stays."""
        with tempfile.TemporaryDirectory() as folder:
            clone = pathlib.Path(folder) / "tree"
            run("git", "clone", "-q", ROOT, clone)
            (clone / "dist").mkdir()
            (clone / "VERSION").write_text("9.9.9\n")
            told = subprocess.run(["make", "-C", clone, "dist"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertNotEqual(told.returncode, 0)
            self.assertRegex(told.stdout, r"not committed:\s+M VERSION")
            self.assertTrue((clone / "dist").exists())


if __name__ == "__main__":
    unittest.main()
