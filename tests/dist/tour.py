"""The README's first tour with the engine of a root. bare.py runs this in namespaces of its own.

usage: tour.py ROOT BINARY DATA USER GROUP      the last two are numbers
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

import bare

sys.path.insert(0, str(bare.ROOT / "tests" / "docs"))

from page import PATIENCE, Bench, Page  # noqa: E402


class Inside(Bench):
    """The page's commands run in /work of a root, and the engine listens where the page says."""

    def __init__(self, root, binary, data, user, group):
        self.directory, self.data, self.engine, self.ports = str(root / "work"), data, None, {}
        work = root / "work"
        work.mkdir()
        brought = root / "usr/share/pawl/examples"
        shutil.copytree(brought if brought.exists() else bare.ROOT / "examples", work / "examples")
        self.pawl = work / "bin" / "pawl"
        bare.write_wrapper(root, self.pawl, binary, user, group)
        for path in (work, work / "bin"):
            os.chown(path, user, group)
        clean = bare.clean_environment()
        self.environment = {**clean, "PATH": f"{self.pawl.parent}:{clean['PATH']}", "HOME": "/work", "XDG_CONFIG_HOME": "/work", "PAWL_DATA": data}

    def start_engine(self):
        self.engine = subprocess.Popen([self.pawl, "serve", "--listen", "127.0.0.1:8080", "--data", self.data], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       stdin=subprocess.DEVNULL, text=True, env=self.environment)
        line = self.engine.stdout.readline()
        assert "listening" in line, line

    def say(self, *words):
        done = subprocess.run([self.pawl, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment, timeout=PATIENCE)
        assert done.returncode == 0, f"pawl {' '.join(words)}: {done.stdout}"
        return done.stdout


def five_minutes(bench):
    blocks = [block for block in Page(bare.ROOT / "README.md").section("Five minutes") if block.language == "sh" and "pawl serve" not in block.text]
    assert len(blocks) > 5

    def between(block):
        if "ship-parcel" in block.text:
            bench.stop_engine(signal.SIGKILL)
            bench.start_engine()

    printed = bench.run(blocks, between)
    for block, text in zip(blocks, printed):
        for word, answer in (("pawl jobs", "reserve-stock"), ("pawl tasks", "Waits for a person"), ("ship-parcel", "Done"), ("pawl test", "0 failed")):
            if word in block.text:
                assert answer in text, f"{block.place}: {answer!r} is not in\n{text}"


def main():
    root, binary, data = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    bare.raise_loopback()
    bare.mount_system(root)
    bench = Inside(root, binary, data, int(sys.argv[4]), int(sys.argv[5]))
    print(bench.say("version"))
    bench.start_engine()
    five_minutes(bench)
    bench.stop_engine()
    print(bench.say("store", "check", "--data", data))
    print("the tour is done")


if __name__ == "__main__":
    main()
