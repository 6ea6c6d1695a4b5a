"""The image runs as its own user, with nothing but what it has, and takes the README's tour."""

import hashlib
import json
import subprocess
import unittest

from bare import DIST, Root

BYTES_MAX = 20_000_000


class Image(unittest.TestCase):
    def setUp(self):
        self.path = next(DIST.glob("pawl-*-oci-*.tar"))
        self.layout, self.root = Root(), Root()
        self.addCleanup(self.layout.close)
        self.addCleanup(self.root.close)
        subprocess.run(["tar", "-xf", self.path, "-C", self.layout.path], check=True)

    def blob(self, description):
        data = (self.layout.path / "blobs/sha256" / description["digest"].removeprefix("sha256:")).read_bytes()
        self.assertEqual("sha256:" + hashlib.sha256(data).hexdigest(), description["digest"])
        self.assertEqual(len(data), description["size"])
        return data

    def unpack(self):
        """What a container engine does: from the index to the files. Returns the settings."""
        index = json.loads((self.layout.path / "index.json").read_text())
        manifest = json.loads(self.blob(index["manifests"][0]))
        settings = json.loads(self.blob(manifest["config"]))
        layers = [self.blob(layer) for layer in manifest["layers"]]
        self.assertEqual(len(layers), len(settings["rootfs"]["diff_ids"]))
        for data in layers:
            subprocess.run(["tar", "-xz", "--numeric-owner", "-C", self.root.path], input=data, check=True)
        return settings["config"]

    def test_tour(self):
        self.assertLess(self.path.stat().st_size, BYTES_MAX)
        settings = self.unpack()
        user, group = map(int, settings["User"].split(":"))
        self.assertGreater(user, 0)
        self.assertFalse((self.root.path / "bin/sh").exists())
        data = next(name.split("=")[1] for name in settings["Env"] if name.startswith("PAWL_DATA="))
        self.assertIn(data, settings["Volumes"])
        printed = self.root.alone("tour.py", settings["Entrypoint"][0], data, user, group)
        self.assertIn("the tour is done", printed)
        self.assertNotIn("not on this machine", printed)
        self.assertTrue((self.root.path / data.lstrip("/") / "pawl.db").exists())

    def test_it_serves_other_machines_only_with_a_token(self):
        settings = self.unpack()
        user, group = settings["User"].split(":")
        printed = self.root.alone("entry.py", user, group, json.dumps(settings))
        self.assertIn("--auth-token-file", printed)


if __name__ == "__main__":
    unittest.main()
