"""keep.py BINARY NAME FAMILY…: keeps the stores of a version in NAME.tar.xz, with work in every state.

    keep.py ../old/build/pawl 1.0.0 steps serverless graph entity access

The archive has `store/`, the folder of an engine that was killed; `postgres.sql`, a dump of its database, if the version knows PostgreSQL, with
`postgres.key`, the key of its secrets; and for each of them what its work began with (`store.json`, `postgres.json`). test_old.py opens both.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile

os.environ["PAWL_BINARY"] = sys.argv[1]
import around  # noqa: F401  Its pieces join those of work.py.
from database import Database
from work import PIECES, Engine
from harness import Server

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = ("--allow-private-calls",)


def fill(server, families):
    engine = Engine(server)
    facts = {name: kind.begin(engine) for name, kind in PIECES.items() if kind.family in families}
    engine.connection.close()
    return facts


def put(archive, name, data):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), 0o600  # The engine refuses a key that others may read.
    archive.addfile(entry, io.BytesIO(data))


def put_facts(archive, name, facts):
    put(archive, name, json.dumps(facts, indent=1).encode())


def keep_store(archive, families):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(CALLS, data=folder)
        facts = fill(server, families)
        server.kill()
        for name in sorted(os.listdir(os.path.join(folder, "data"))):
            with open(os.path.join(folder, "data", name), "rb") as file:
                put(archive, f"store/data/{name}", file.read())
        put_facts(archive, "store.json", facts)


def keep_database(archive, families):
    with Database() as database, tempfile.TemporaryDirectory() as folder:
        server = Server([*CALLS, "--store", database.uri], data=folder)
        facts = fill(server, families)
        server.kill()
        put(archive, "postgres.sql", subprocess.run(["pg_dump", "--no-owner", database.uri], check=True, capture_output=True).stdout)
        with open(os.path.join(folder, "data", "pawl.db.key"), "rb") as file:
            put(archive, "postgres.key", file.read())
        put_facts(archive, "postgres.json", facts)


def main():
    name, families = sys.argv[2], sys.argv[3:]
    knows_postgres = b"postgres" in subprocess.run([sys.argv[1], "serve", "--help"], capture_output=True).stdout
    with tarfile.open(os.path.join(HERE, name + ".tar.xz"), "w:xz") as archive:
        keep_store(archive, families)
        if knows_postgres:
            keep_database(archive, families)


main()
