"""The present engine opens the stores of older versions, finds all that they had, and brings it to its end.

Each archive beside this file is a version (keep.py makes them). A version that was kept is never made anew.
"""

import glob
import json
import os
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))
import around  # noqa: F401  Its pieces join those of work.py.
from database import Database
from harness import Server, main
from work import PIECES, Engine

HERE = os.path.dirname(os.path.abspath(__file__))
# A store gets older with each day, and nothing of it may be forgotten for that.
NOTHING_EXPIRES = ("--limit", "idempotency_hours=1000000", "--retention-audit", "36500d")
VERSIONS = {os.path.basename(path)[: -len(".tar.xz")]: path for path in sorted(glob.glob(os.path.join(HERE, "*.tar.xz")))}


def facts_of(archive, name):
    return json.load(archive.extractfile(name))


class Old(unittest.TestCase):
    def run_to_the_end(self, facts, folder, *arguments):
        server = Server((*NOTHING_EXPIRES, "--allow-private-calls", *arguments), data=folder)
        self.addCleanup(server.kill)
        engine = Engine(server)
        self.addCleanup(engine.connection.close)
        for name, has in facts.items():
            with self.subTest(piece=name):
                PIECES[name].end(engine, **has)
        server.stop()

    def key_of(self, archive, folder):
        """The key of the database's secrets, if the version had any."""
        if "postgres.key" not in archive.getnames():
            return ()
        archive.extract("postgres.key", folder)
        return "--secrets-key", os.path.join(folder, "postgres.key")

    def test_stores(self):
        for version, path in VERSIONS.items():
            with self.subTest(version=version), tarfile.open(path) as archive, tempfile.TemporaryDirectory() as folder:
                archive.extractall(folder, [one for one in archive if one.name.startswith("store/")])
                self.run_to_the_end(facts_of(archive, "store.json"), os.path.join(folder, "store"))

    def test_databases(self):
        for version, path in VERSIONS.items():
            with tarfile.open(path) as archive:
                if "postgres.sql" not in archive.getnames():
                    continue
                with self.subTest(version=version), Database() as database, tempfile.TemporaryDirectory() as folder:
                    database.load(archive.extractfile("postgres.sql").read())
                    self.run_to_the_end(facts_of(archive, "postgres.json"), folder, "--store", database.uri, *self.key_of(archive, folder))

    def test_every_piece_is_kept(self):
        kept = set()
        for path in VERSIONS.values():
            with tarfile.open(path) as archive:
                kept.update(facts_of(archive, "store.json"))
        self.assertEqual(kept, set(PIECES))


if __name__ == "__main__":
    main()
