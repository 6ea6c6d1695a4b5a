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
        """A clone of this commit in a folder of another name and length, without a cache of the compiler."""
        self.assertEqual(run("git", "status", "--porcelain", "--untracked-files=no", cwd=ROOT), "", "only a commit can be built again")
        with tempfile.TemporaryDirectory(prefix="pawl-again-in-a-folder-of-another-length-") as folder:
            clone = pathlib.Path(folder) / "tree"
            run("git", "clone", "-q", ROOT, clone)
            kept = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name not in ("MFLAGS", "DIST_OUT", "MINISIGN_KEY")}
            run("make", "-C", clone, "dist", env={**kept, "CCACHE_DISABLE": "1", "TZ": "Pacific/Auckland", "LC_ALL": "C", "HOME": folder})
            made = {path.name: path.read_bytes() for path in (clone / "dist").iterdir()}
        ours = {path.name: path.read_bytes() for path in DIST.iterdir() if path.suffix != ".minisig"}
        self.assertEqual(sorted(made), sorted(ours))
        self.assertEqual([name for name in made if made[name] != ours[name]], [], "these files differ; was this tree built from a clean state?")


if __name__ == "__main__":
    unittest.main()
