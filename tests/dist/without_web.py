"""An engine that was built without Node runs, and says at /ui/ what it lacks. bare.py runs this in namespaces of its own.

usage: without_web.py ROOT BINARY
"""

import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

import bare
from upgrade import wait_until_ready


def main():
    root = pathlib.Path(sys.argv[1])
    bare.raise_loopback()
    bare.mount_system(root)
    engine = subprocess.Popen(["chroot", root, sys.argv[2], "serve", "--store", "memory"], env=bare.clean_environment())
    wait_until_ready()
    try:
        urllib.request.urlopen("http://127.0.0.1:8080/ui/")
    except urllib.error.HTTPError as answer:
        print(answer.code, answer.read().decode())
    engine.kill()
    engine.wait()


if __name__ == "__main__":
    main()
