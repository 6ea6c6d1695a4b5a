"""The rules of the house that a machine can check.

usage: tidy.py OBJECT_DIR

 1. Layers: a folder includes only what its row in ARCHITECTURE.md allows, and nobody includes
    another folder's *_int.h.
 2. Purity: objects of the pure folders call nothing that does I/O, reads a clock, or allocates,
    and have no writable data.
 3. Size: files of at most 800 lines, functions of at most 80 (interpreter loops are named below).
 4. No left-over markers, no names that say nothing, no trailing blanks or tabs.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PURE = ["json", "jsonpath", "expr", "program", "dialect", "core"]
# base may be called from pure code except for what reads the world.
IMPURE_BASE = {"clock_system", "clock_monotonic_us", "log_write", "log_set_level"}
LIBC = set(
    "memcpy memmove memset memcmp memchr strlen strcmp strncmp strchr strtod snprintf vsnprintf qsort bsearch "
    "pow fmod floor ceil round trunc sqrt log log10 exp fabs isfinite __isinf __isnan nearbyint rint ldexp frexp modf "
    "__snprintf_chk __vsnprintf_chk __memcpy_chk __memmove_chk __memset_chk __stack_chk_fail __stack_chk_guard abort "
    "_GLOBAL_OFFSET_TABLE_ __udivti3 __umodti3 __divti3 __modti3 __floattidf __floatuntidf __fixdfti __fixunsdfti __multi3".split()
)
FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 70
# An interpreter's loop is one function by nature.
LONG_FUNCTIONS = {"src/expr/vm.c"}
MARKERS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\bnot implemented\b|\bunimplemented\b")
EMPTY_NAMES = re.compile(r"^(utils?|common|misc|helpers?)\.(c|h|py)$")


def tracked(*suffixes):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\n")
    return [name for name in listed if name.endswith(suffixes) and (ROOT / name).is_file()]


def layers():
    table = {}
    for line in (ROOT / "ARCHITECTURE.md").read_text().split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and (ROOT / "src" / cells[0]).is_dir():
            table[cells[0]] = set(cells[2].split()) | {cells[0]}
    return table


def check_layers():
    allowed = layers()
    for folder in sorted(p.name for p in (ROOT / "src").iterdir() if p.is_dir()):
        if folder not in allowed:
            yield f"src/{folder}: not in the layer table of ARCHITECTURE.md"
    for name in tracked(".c", ".h"):
        if not name.startswith("src/"):
            continue
        folder = name.split("/")[1]
        for number, line in enumerate((ROOT / name).read_text().split("\n"), 1):
            match = re.match(r'#include "([^"/]+)/([^"]+)"', line)
            if not match:
                continue
            other, header = match.groups()
            if other not in allowed.get(folder, set()):
                yield f"{name}:{number}: {folder} may not include {other}"
            if header.endswith("_int.h") and other != folder:
                yield f"{name}:{number}: {other}/{header} is private to {other}"


def nm(option, path):
    text = subprocess.run(["nm", option, str(path)], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in text.split("\n") if line.strip()}


def check_purity(objects):
    base = set().union(*(nm("--defined-only", p) for p in (objects / "base").rglob("*.o")))
    pure_objects = [p for folder in PURE for p in sorted((objects / folder).rglob("*.o"))]
    if not pure_objects:
        yield f"{objects}: no objects; build first"
    defined = set().union(*(nm("--defined-only", p) for p in pure_objects)) if pure_objects else set()
    harmless = defined | (base - IMPURE_BASE) | LIBC
    for path in pure_objects:
        for symbol in sorted(nm("-u", path)):
            plain = symbol.split("@")[0]
            if plain not in harmless and not plain.startswith(("pcre2_", "__aarch64_")):
                yield f"{path.relative_to(objects)}: pure code calls {plain}"
        sizes = subprocess.run(["size", "-A", str(path)], capture_output=True, text=True, check=True).stdout
        for line in sizes.split("\n"):
            cells = line.split()
            if len(cells) >= 2 and re.fullmatch(r"\.(data|bss|tdata|tbss)(\.(?!rel\.ro).*)?", cells[0]) and cells[1] != "0":
                yield f"{path.relative_to(objects)}: pure code has writable data ({cells[0]}, {cells[1]} bytes)"


def check_sizes():
    for name in tracked(".c", ".h", ".py"):
        lines = (ROOT / name).read_text().split("\n")
        if len(lines) - 1 > FILE_LINES_MAX:
            yield f"{name}: {len(lines) - 1} lines; the most is {FILE_LINES_MAX}"
        if name.endswith(".c") and name not in LONG_FUNCTIONS:
            yield from long_functions(name, lines)


def long_functions(name, lines):
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{" or re.match(r"^[A-Za-z_].*\) \{$", line):
            start = number
        elif line == "}" and start:
            if number - start + 1 > FUNCTION_LINES_MAX:
                yield f"{name}:{start}: a function of {number - start + 1} lines; the most is {FUNCTION_LINES_MAX}"
            start = None


def check_leftovers():
    this = pathlib.Path(__file__).resolve().relative_to(ROOT).as_posix()
    for name in tracked(".c", ".h", ".py", ".md", ".json", "Makefile"):
        if EMPTY_NAMES.match(name.split("/")[-1]):
            yield f"{name}: a name that says nothing"
        for number, line in enumerate((ROOT / name).read_text().split("\n"), 1):
            if name.endswith((".c", ".h", ".py")) and name != this and MARKERS.search(line):
                yield f"{name}:{number}: left-over marker"
            if line != line.rstrip():
                yield f"{name}:{number}: trailing blanks"
            if "\t" in line and name.endswith((".c", ".h", ".py")):
                yield f"{name}:{number}: tab"


def main(objects):
    problems = [p for check in (check_layers(), check_purity(pathlib.Path(objects).resolve()), check_sizes(), check_leftovers())
                for p in check]
    for problem in problems:
        print(problem)
    print("tidy: all rules hold" if not problems else f"tidy: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
