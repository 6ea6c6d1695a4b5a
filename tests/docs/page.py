"""A page of documentation as blocks that can be checked and run.

A fence says what its block is:

    ```json file=order.json     a document; with a file name, other blocks of the page can use it
    ```json warns               one that validate warns of, as the page says
    ```jsonc                    a part of a document: for readers only
    ```sh                       commands; those of a page run in one shell, in the page's order
    ```sh skip                  commands that a test cannot run
    ```text                     behind commands: what they print

`<!-- engine: OPTIONS -->` on a page gives options for the engine that its commands talk to.

    PAWL_BINARY   the program to test (default: build/pawl)
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.path.abspath(os.environ.get("PAWL_BINARY", ROOT / "build" / "pawl"))
PATIENCE = 30  # Seconds after which something that takes one or two is held to be lost.
ENGINE, GRPC, FUNCTIONS = 8080, 9090, 9000  # The ports that pages use, for an engine and for functions.


class Block:
    def __init__(self, page, line, language, words, text):
        self.place = f"{page}:{line}"
        self.language, self.text = language, text
        self.skip, self.warns = "skip" in words, "warns" in words
        self.file = next((word[5:] for word in words if word.startswith("file=")), None)

    def document(self):
        """What a json or yaml block says."""
        return json.loads(self.text) if self.language == "json" else yaml.safe_load(self.text)


class Page:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.name = str(self.path.relative_to(ROOT))
        self.text = self.path.read_text()
        self.blocks = list(self.read_blocks())
        found = re.search(r"<!-- engine: (.*?) -->", self.text)
        self.engine = found.group(1).split() if found else []

    def read_blocks(self):
        fence = re.compile(r"^ *```(\w*)([^\n`]*)\n(.*?)^ *```$", re.M | re.S)
        for found in fence.finditer(self.text):
            line = self.text.count("\n", 0, found.start()) + 1
            yield Block(self.name, line, found.group(1), found.group(2).split(), found.group(3))

    def section(self, title):
        """The blocks below a heading, up to the next one of its level."""
        found = re.search(rf"^(#+) {re.escape(title)}$", self.text, re.M)
        assert found, f"{self.name} has no section {title!r}"
        rest = re.search(rf"^#{{1,{len(found.group(1))}}} ", self.text[found.end():], re.M)
        first = self.text.count("\n", 0, found.start())
        last = self.text.count("\n", 0, found.end() + rest.start()) if rest else 10 ** 9
        return [block for block in self.blocks if first < int(block.place.rsplit(":", 1)[1]) <= last]


def free_port():
    return int(subprocess.run([ROOT / "tests" / "services" / "free-port"], check=True, capture_output=True).stdout)


class Bench:
    """A directory in which the commands of a page run, and an engine for them."""

    def __init__(self, options=()):
        self.directory = tempfile.mkdtemp(prefix="pawl-docs-")
        self.ports = {port: free_port() for port in (ENGINE, GRPC, FUNCTIONS)}
        self.options = [self.local(option) for option in options]
        self.engine = None
        for folder in ("examples", "contract"):
            os.symlink(ROOT / folder, os.path.join(self.directory, folder))
        for folder in ("build", "bin"):
            os.mkdir(os.path.join(self.directory, folder))
            os.symlink(BINARY, os.path.join(self.directory, folder, "pawl"))
        os.symlink(sys.executable, os.path.join(self.directory, "bin", "python3"))
        self.data = os.path.join(self.directory, "pawl-data")
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PAWL_")}
        self.environment = {**clean, "PATH": os.path.join(self.directory, "bin") + ":" + clean["PATH"],
                            "PAWL_SERVER": f"http://127.0.0.1:{self.ports[ENGINE]}",
                            "XDG_CONFIG_HOME": self.directory, "ASAN_OPTIONS": "detect_leaks=0"}

    def start_engine(self):
        self.engine = subprocess.Popen(
            [BINARY, "serve", "--listen", f"127.0.0.1:{self.ports[ENGINE]}", "--data", self.data, *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, env=self.environment)
        line = self.engine.stdout.readline()
        assert "listening" in line, line

    def stop_engine(self, number=signal.SIGTERM):
        if not self.engine:
            return
        self.engine.send_signal(number)
        self.engine.wait(PATIENCE)
        self.engine.stdout.close()
        self.engine = None

    def close(self):
        self.stop_engine()
        shutil.rmtree(self.directory, ignore_errors=True)

    def local(self, text):
        """The text with this bench's ports in place of the page's."""
        for port, mine in self.ports.items():
            text = re.sub(rf"\b{port}\b", str(mine), text)
        return text

    def write(self, block):
        path = os.path.join(self.directory, block.file)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.local(block.text))
        return path

    def run(self, blocks, between=None):
        """Runs sh blocks in one shell, each only if those before it succeeded. Returns what each printed. `between` is
        called with each block before it runs."""
        shell = subprocess.Popen(["bash", "--noprofile", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, cwd=self.directory, env=self.environment,
                                 start_new_session=True)
        watchdog = threading.Timer(PATIENCE, self.kill_group, [shell.pid])
        watchdog.start()
        try:
            printed = []
            shell.stdin.write("set -eo pipefail; trap 'echo \"=== failed\"' EXIT\n")
            for block in blocks:
                if between:
                    between(block)
                shell.stdin.write(self.local(block.text) + "\nprintf '\\n=== done\\n'\n")
                shell.stdin.flush()
                printed.append(self.read_answer(shell, block))
            return printed
        finally:
            watchdog.cancel()
            self.kill_group(shell.pid)
            shell.communicate()

    @staticmethod
    def kill_group(group):
        """The shell, and what it left in the background."""
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass

    @staticmethod
    def read_answer(shell, block):
        lines = []
        for line in shell.stdout:
            if line == "=== done\n":
                return "".join(lines)
            assert line != "=== failed\n", f"{block.place}: a command failed:\n" + "".join(lines)
            lines.append(line)
        raise AssertionError(f"{block.place}: the shell has gone:\n" + "".join(lines))


def normal(line):
    """A line without what differs from run to run."""
    line = re.sub(r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "ID", line)
    line = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z?", "TIME", line)
    line = re.sub(r"\b(8080|9000|[1-6]\d{4})\b", "PORT", line)
    return re.sub(r"\s+", " ", line).strip()


def missing_lines(expected, printed):
    """Lines of a text block that the commands did not print, in that order; … stands for anything."""
    lines = [normal(line) for line in printed.splitlines()]
    at, missing = 0, []
    for line in filter(None, map(normal, expected.splitlines())):
        parts = [re.escape(part.strip()) for part in line.split("…")]
        pattern = re.compile(".*".join(parts))
        found = next((i for i in range(at, len(lines)) if pattern.fullmatch(lines[i])), None)
        if found is None:
            missing.append(line)
        else:
            at = found + 1
    return missing
