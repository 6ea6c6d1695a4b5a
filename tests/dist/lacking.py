"""The engine without libpq and libmosquitto runs, and says which package a step and a trigger need. bare.py runs this in namespaces of its own.

usage: lacking.py ROOT
"""

import json
import pathlib
import subprocess
import sys

import bare
from upgrade import inside, wait_until_ready

ASKS_DATABASE = {"dialect": "graph/1", "definitionId": "asks", "name": "Asks", "nodes": [
    {"id": "t", "type": "trigger_manual"}, {"id": "s", "type": "action_db", "config": {"connectionRef": "vault:ledger", "sql": "select 1"}}, {"id": "e", "type": "end"}],
    "edges": [{"from": "t", "to": "s"}, {"from": "s", "to": "e"}]}
SECRETS = {"PAWL_SECRET_LEDGER": "postgres://pawl@127.0.0.1/pawl", "PAWL_SECRET_BROKER": json.dumps({"host": "127.0.0.1", "port": 1883})}


def main():
    root = pathlib.Path(sys.argv[1])
    bare.raise_loopback()
    bare.mount_system(root)
    (root / "asks.json").write_text(json.dumps(ASKS_DATABASE))
    engine = subprocess.Popen(["chroot", root, "pawl", "serve", "--data", "/tmp/data"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**bare.clean_environment(), **SECRETS})
    wait_until_ready()
    inside(root, "pawl", "deploy", "/usr/share/pawl/examples/graph/sensor-alarm.json", "/asks.json")
    inside(root, "pawl", "start", "asks", "--wait", "20", "--quiet", expect=1)
    told = inside(root, "pawl", "show", inside(root, "pawl", "ps", "--definition", "asks", "--quiet").strip())
    assert "install the package libpq5" in told, told
    for line in engine.stdout:
        if "install the package libmosquitto1" in line:
            break
    else:
        raise AssertionError("nobody said that libmosquitto1 is missing")
    engine.kill()
    engine.wait()
    engine.stdout.close()
    print("each lack was told")


if __name__ == "__main__":
    main()
