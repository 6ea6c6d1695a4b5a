"""An engine under callgrind, and how many instructions its functions took."""

import bisect
import collections
import re
import shutil
import subprocess

from engine import Engine


class Counted:
    """Runs when made. Its counts are for the time from zero() to end(), which may come again. `by_thread` has the functions of each thread, if they are asked for."""

    def __init__(self, out, *options, threads=False):
        if not shutil.which("valgrind"):
            raise SystemExit("counting instructions needs valgrind: apt-get install valgrind")
        self.file = out / "bench-callgrind"
        self.threads = threads
        self.engine = Engine(out, *options, under=("valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", f"--separate-threads={'yes' if threads else 'no'}", f"--callgrind-out-file={self.file}"))

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.engine.remove()

    def control(self, order):
        subprocess.run(["callgrind_control", order, str(self.engine.process.pid)], check=True, capture_output=True)

    def zero(self):
        self.commits = self.engine.metric("pawl_commits_total")
        self.control("-z")

    def end(self):
        """Counts are written before the engine stops: to stop and to tidy the store is not part of the work."""
        self.control("-d")
        self.commits = self.engine.metric("pawl_commits_total") - self.commits
        written = sorted(self.file.parent.glob(self.file.name + ".[0-9]*"))  # Earlier ones are gone.
        assert written, "callgrind has written no counts"
        self.by_function, self.by_place, self.by_thread = collections.Counter(), collections.Counter(), []
        for file in written:
            by_function, by_place = read(file, self.engine.out / "pawl")
            self.by_function += by_function
            self.by_place += by_place
            self.by_thread.append(by_function)
            file.unlink()

    def total(self):
        return sum(self.by_function.values())


class Symbols:
    """The functions of a program, by address."""

    def __init__(self, program):
        listed = subprocess.run(["nm", "--defined-only", "-n", program], check=True, capture_output=True, text=True).stdout
        found = [(int(address, 16), name) for address, kind, name in (line.split() for line in listed.splitlines()) if kind in "tTwW" and "$" not in name]
        self.address, self.name = zip(*found)

    def find(self, address):
        """Parts into which the compiler splits a function count for it."""
        return re.sub(r"(\.(isra|part|constprop|cold)(\.\d+)?)+$", "", self.name[bisect.bisect_right(self.address, address) - 1])


def place(source):
    of_engine = re.search(r"/src/([\w/]+)/[^/]*$", source)
    return of_engine[1] if of_engine else "other"


def read(path, program):
    """A file of callgrind's: instructions by function (a library without names is one) and by folder of the engine. The functions that
    callgrind names are not used: on ARM it takes some returns for calls."""
    symbols, names, by_function, by_place = Symbols(program), {}, collections.Counter(), collections.Counter()
    now, is_call, address = {}, False, 0
    for line in path.read_text().splitlines():
        named = re.match(r"c?(ob|fl|fi|fe)=\((\d+)\)(?: (.*))?", line)
        if named:
            kind, number, name = named.groups()
            kind = kind if kind == "ob" else "fl"
            if name:
                names[kind, number] = name
            if line[0] != "c":  # Else it is of the function that is called.
                now[kind] = names[kind, number]
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[+*\-\d]", line):
            at, _, count = line.split()[:3]
            address = address if at == "*" else address + int(at, 0) if at[0] in "+-" else int(at, 0)
            if not is_call:
                is_own = now["ob"].endswith("/pawl")
                by_function[symbols.find(address) if is_own else now["ob"].rsplit("/", 1)[-1]] += int(count)
                by_place[place(now["fl"]) if is_own else now["ob"].rsplit("/", 1)[-1]] += int(count)
            is_call = False
    return by_function, by_place
