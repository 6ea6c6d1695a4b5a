"""Runs what an image says is to be run, without a token, and prints what it answers.

usage: entry.py ROOT USER GROUP SETTINGS      the settings are the image's, in JSON
"""

import json
import pathlib
import subprocess
import sys

import bare


def main():
    root, settings = pathlib.Path(sys.argv[1]), json.loads(sys.argv[4])
    bare.raise_loopback()
    bare.mount_system(root)
    (root / "work").mkdir()
    wrapper = root / "work" / "pawl"
    bare.write_wrapper(root, wrapper, settings["Entrypoint"][0], int(sys.argv[2]), int(sys.argv[3]))
    environment = {**bare.clean_environment(), **dict(name.split("=", 1) for name in settings["Env"])}
    done = subprocess.run([wrapper, *settings["Entrypoint"][1:], *settings["Cmd"]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, timeout=30)
    assert done.returncode != 0, done.stdout
    print(done.stdout)


if __name__ == "__main__":
    main()
