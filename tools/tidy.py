"""The rules of the house that a machine can check.

usage: tidy.py OBJECT_DIR [FOLDER...]      with folders of src/, only their problems are shown

 1. Layers: a folder includes only what its row in ARCHITECTURE.md allows, and nobody includes
    another folder's *_int.h.
    The rooms of the runtime have a table of their own there: a room calls only the rooms of its row, and includes
    of them only their doors (<room>.h) and the values of call/. `struct engine` has at most 30 members, and a room
    uses only the members of the rooms that it may call.
    Only src/dialect names the table of a dialect (dialect_steps, …): other folders ask the table they have.
 2. Purity: objects of the pure folders call nothing that does I/O, reads a clock, or allocates,
    and have no writable data.
 3. Size: files of at most 800 lines, functions of at most 70 (interpreter loops are named below).
 4. No left-over markers, no names that say nothing, no trailing blanks or tabs.
 5. Form: clang-format leaves every C file as it is.
 6. Maps: the README of a folder names exactly the files of that folder, and the files and functions that
    ARCHITECTURE.md names exist.
 7. Names: an extern name begins with the name of its folder or file; no two struct, union or enum
    tags of src/ are alike.
 8. Limits: a constant that ends in _MAX is defined in a limits.h.
 9. Cycles: files of one folder do not call each other in a circle. tools/tidy_exceptions.py lists the
    circles that exist; a file that has left its circle must leave the list.
10. Homes: a function x_y_z lives in x_y.c, or in a file x_y_….c, if x_y.c exists. tools/tidy_exceptions.py lists
    the functions that do not; the list may only become shorter.
10. Pages and comments: see tidy_pages.py.
11. Assertions: a folder that tools/tidy_exceptions.py names has so many lines with must() in a thousand.
"""

import functools
import pathlib
import re
import subprocess
import sys

import tidy_exceptions
import tidy_pages

ROOT = pathlib.Path(__file__).resolve().parent.parent
PURE = ["json", "jsonpath", "expr", "schema", "schedule", "model", "program", "dialect", "core", "telemetry"]
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
ENGINE_MEMBERS_MAX = 30
# An interpreter's loop is one function by nature.
LONG_FUNCTIONS = {"src/expr/vm.c"}
MARKERS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\bnot implemented\b|\bunimplemented\b")
EMPTY_NAMES = re.compile(r"^(utils?|common|misc|helpers?)\.(c|h|py)$")


@functools.cache
def listed():
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split("\n")
    return [name for name in names if (ROOT / name).is_file()]


def tracked(*suffixes):
    return [name for name in listed() if name.endswith(suffixes)]


@functools.cache
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


# Headers of src/runtime/ that every room may include: the engine and its turn as structs, and limits.
SHARED_BY_ROOMS = {"engine.h", "turn.h", "limits.h"}
OPEN_ROOM = "call"  # It holds values only, so all of its headers are open.


def rooms(folder="runtime"):
    """The rooms of the folder, and the rooms that each may call."""
    table = {}
    for line in (ROOT / "ARCHITECTURE.md").read_text().split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith(f"| {folder}/") and len(cells) == 3:
            room = cells[0].removeprefix(f"{folder}/")
            table[room] = set(cells[2].split()) | {room}
    return table


def room_of(name, folder="runtime"):
    """The room of a path such as runtime/jobs/poll.c; "": the top of the folder; None: not of the folder."""
    parts = name.split("/")
    return None if parts[0] != folder else parts[1] if len(parts) > 2 else ""


def check_rooms(objects):
    allowed = rooms()
    for folder in ("runtime", "access"):
        for room in sorted(p.name for p in (ROOT / "src" / folder).iterdir() if p.is_dir() and p.name not in rooms(folder)):
            yield f"src/{folder}/{room}: not in the table of rooms of ARCHITECTURE.md"
        yield from room_calls(objects, folder)
    yield from room_includes(allowed)
    yield from access_includes(rooms("access"))
    yield from room_members(allowed)


def access_includes(allowed):
    """The doors of these rooms are all headers but the private ones."""
    for name in tracked(".c", ".h"):
        own = room_of(name.removeprefix("src/"), "access") if name.startswith("src/") else None
        for number, line in enumerate((ROOT / name).read_text().split("\n") if own else [], 1):
            match = re.match(r'#include "(access/([^"/]+)/[^"]+)"', line)
            if match and match.group(2) not in allowed.get(own, set()):
                yield f"{name}:{number}: the room {own} may not include {match.group(2)}"
            if match and match.group(2) != own and match.group(1).endswith("_int.h"):
                yield f"{name}:{number}: {match.group(1)} is private to its room"


def room_includes(allowed):
    for name in tracked(".c", ".h"):
        if not name.startswith("src/"):
            continue
        own = room_of(name[len("src/"):])
        for number, line in enumerate((ROOT / name).read_text().split("\n"), 1):
            match = re.match(r'#include "(runtime/[^"]+)"', line)
            if not match or room_of(match.group(1)) == own:
                continue
            room, header = room_of(match.group(1)), match.group(1).split("/")[-1]
            if room == "" and own and header not in SHARED_BY_ROOMS:
                yield f"{name}:{number}: a room may not include {match.group(1)}"
            if room and own and room not in allowed.get(own, set()):
                yield f"{name}:{number}: the room {own} may not include {room}"
            if room and header.endswith("_int.h") or room not in ("", OPEN_ROOM) and header != f"{room}.h":
                yield f"{name}:{number}: {match.group(1)} is private to its room; {room}.h is its door"


def room_members(allowed):
    """The engine has few members, and a room uses those of the rooms that it may call."""
    engine = re.search(r"^struct engine \{\n(.*?)^\};", (ROOT / "src/runtime/engine.h").read_text(), re.M | re.S).group(1)
    count = sum(len(line.split("/*")[0].split(",")) for line in engine.split("\n") if ";" in line.split("/*")[0])
    if count > ENGINE_MEMBERS_MAX:
        yield f"src/runtime/engine.h: struct engine has {count} members; the most is {ENGINE_MEMBERS_MAX}; a room's memory is in its own struct"
    for name in tracked(".c", ".h"):
        own = room_of(name.removeprefix("src/")) if name.startswith("src/") else None
        if not own:
            continue
        for number, line in enumerate((ROOT / name).read_text().split("\n"), 1):
            for room in re.findall(r"\bengine->(\w+)", line):
                if room in allowed and room not in allowed[own]:
                    yield f"{name}:{number}: the room {own} may not use engine->{room}"


def room_calls(objects, folder):
    allowed = rooms(folder)
    files = {path: path.relative_to(objects).with_suffix(".c").as_posix() for path in built(objects / folder)}
    home = {symbol: room_of(name, folder) for path, name in files.items() for symbol in externs(path)}
    for path, name in files.items():
        own = room_of(name, folder)
        for symbol in sorted(undefined(path)):
            if own and symbol in home and home[symbol] not in allowed.get(own, set()):
                yield f"src/{name}: the room {own} may not call {symbol}() of {home[symbol] or 'the top'}"


def object_root(path):
    return next(parent for parent in [path, *path.parents] if parent.name == "obj")


@functools.lru_cache(maxsize=None)
def symbols(root):
    """All symbols of all objects, (type, name) by path: a process for each object would take most of the time."""
    paths = sorted(root.rglob("*.o"))
    text = subprocess.run(["nm", "-A", *map(str, paths)], capture_output=True, text=True, check=True).stdout if paths else ""
    found = {path: set() for path in paths}
    for path, kind, name in re.findall(r"^(.*\.o):[0-9a-f ]* (\S) (\S+)$", text, re.M):
        found[pathlib.Path(path)].add((kind, name))
    return found


def undefined(path):
    return {name for kind, name in symbols(object_root(path))[path] if kind in "Uwv"}


def defined(path):
    return {name for kind, name in symbols(object_root(path))[path] if kind not in "Uwv"}


def externs(path):
    return {name for kind, name in symbols(object_root(path))[path] if kind not in "Uwv" and (kind.isupper() or kind == "u")}


def section_sizes(paths):
    """Sections of objects as (path, name, bytes)."""
    path = None
    for line in subprocess.run(["size", "-A", *map(str, paths)], capture_output=True, text=True, check=True).stdout.split("\n"):
        cells = line.split()
        if line.endswith(":"):
            path = pathlib.Path(line.rstrip(" :"))
        elif len(cells) >= 2:
            yield path, cells[0], cells[1]


def check_purity(objects):
    base = set().union(*(defined(p) for p in built(objects / "base")))
    pure_objects = [p for folder in PURE for p in built(objects / folder)]
    if not pure_objects:
        yield f"{objects}: no objects; build first"
        return
    harmless = set().union(*map(defined, pure_objects)) | (base - IMPURE_BASE) | LIBC
    for path in pure_objects:
        for symbol in sorted(undefined(path)):
            plain = symbol.split("@")[0]
            if plain not in harmless and not plain.startswith(("pcre2_", "__aarch64_")):
                yield f"{path.relative_to(objects)}: pure code calls {plain}"
    for path, section, size in section_sizes(pure_objects):
        if re.fullmatch(r"\.(data|bss|tdata|tbss)(\.(?!rel\.ro).*)?", section) and size != "0":
            yield f"{path.relative_to(objects)}: pure code has writable data ({section}, {size} bytes)"


def check_dialects():
    families = "|".join(re.findall(r"&dialect_(\w+)", (ROOT / "src/dialect/dialect.c").read_text()))
    for name in tracked(".c", ".h"):
        if name.startswith("src/") and not name.startswith("src/dialect/"):
            for found in re.findall(rf"\bdialect_(?:{families})\b|dialect\w*, STR\(\"(?:{families})\"", (ROOT / name).read_text()):
                yield f"{name}: asks for a dialect ({found}); give struct dialect the question"


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


def check_form():
    names = tracked(".c", ".h")
    halves = [subprocess.Popen(["clang-format", "--dry-run", *names[i::2]], cwd=ROOT, stderr=subprocess.PIPE, text=True) for i in (0, 1)]
    lines = "\n".join(half.communicate()[1] for half in halves).split("\n")
    for name in sorted({line.split(":")[0] for line in lines if "[-Wclang-format-violations]" in line}):
        yield f"{name}: not as clang-format writes it (clang-format -i {name})"


def folder_of(name):
    return name.rsplit("/", 1)[0]


def check_maps():
    sources = [name for name in tracked(".c", ".h") if name.startswith("src/")]
    for readme in tracked("README.md"):
        folder = folder_of(readme)
        if not readme.startswith("src/"):
            continue
        here = {name[len(folder) + 1:] for name in sources if name.startswith(folder + "/")}
        described = {name for name in here if "/" not in name or not (ROOT / folder / name).with_name("README.md").is_file()}
        text = (ROOT / readme).read_text()
        named = set(re.findall(r"`([\w./]+\.[ch])`", text))
        own = {name for name in named if not name.startswith((*layers(), "tests/"))}
        for missing in sorted(described - named):
            yield f"{readme}: does not name {missing}"
        for ghost in sorted(own - here):
            yield f"{readme}: names {ghost}, which is not there"
    for folder in sorted({folder_of(name) for name in sources}):
        if sum(folder_of(name) == folder for name in sources) > 5 and not (ROOT / folder / "README.md").is_file():
            yield f"{folder}: more than five files and no README.md"


def check_architecture(objects):
    """Files and functions that ARCHITECTURE.md names exist."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    folders = "|".join(layers())
    for name in sorted(set(re.findall(r"`((?:(?:%s)/|tests/|tools/)[\w/]+\.(?:c|h|py))`" % folders, text))):
        if not (ROOT / name).is_file() and not (ROOT / "src" / name).is_file():
            yield f"ARCHITECTURE.md: names {name}, which is not there"
    defined = set().union(*(externs(path) for path in built(objects)))
    for name in sorted(set(re.findall(r"`([a-z]\w+)\(\)`", text)) - {"must", "match", "search"}):
        if name not in defined:
            yield f"ARCHITECTURE.md: names {name}(), which no file defines"


def stems(path):
    """The words with which an extern name of this object may begin."""
    words = set()
    for part in [*path.parts[:-1], path.stem]:
        words |= {part, part.split("_")[0]}
    return words | {word[:-1] for word in words if word.endswith("s")} | {word[:-3] + "y" for word in words if word.endswith("ies")}


def built(folder):
    """The objects below a folder whose sources are still there."""
    root = object_root(folder)
    return [path for path in sorted(folder.rglob("*.o")) if (ROOT / "src" / path.relative_to(root)).with_suffix(".c").is_file()]


def check_names(objects):
    for path in built(objects):
        place = path.relative_to(objects)
        for name in sorted(externs(path)):
            words = stems(place) | tidy_exceptions.WORDS.get(place.parts[0], set())
            if not any(name == word or name.startswith(word + "_") for word in words):
                yield f"src/{place.with_suffix('.c')}: {name} begins with no name of its folder or file"
    tags = {}
    for name in tracked(".c", ".h"):
        if name.startswith("src/"):
            for kind, tag in re.findall(r"^\s*(?:typedef )?(?:static )?(?:const )?(struct|union|enum) (\w+) \{", (ROOT / name).read_text(), re.M):
                tags.setdefault(tag, []).append(name)
    for tag, names in sorted(tags.items()):
        if len(names) > 1:
            for name in names:
                yield f"{name}: the tag {tag} is defined more than once ({', '.join(names)})"


def check_homes(objects):
    files = {}  # Objects by folder of src/ and by the names under which they are known: table.o of check/ also as check_table.
    for path in built(objects):
        place = path.relative_to(objects)
        for stem in {place.stem, "_".join(place.parts[-2:-1] + (place.stem,))}:
            files.setdefault((place.parts[0], stem), set()).add(place)
    away = set()
    for path in built(objects):
        place = path.relative_to(objects)
        for name in sorted(externs(path)):
            words = name.split("_")
            stem = next((stem for stem in ("_".join(words[:n]) for n in range(len(words) - 1, 1, -1)) if (place.parts[0], stem) in files), None)
            own = {place.stem, "_".join(place.parts[-2:-1] + (place.stem,))}
            if stem and not any(known == stem or known.startswith(stem + "_") for known in own):
                away.add(name)
                if name not in tidy_exceptions.AWAY:
                    yield f"src/{place.with_suffix('.c')}: {name}() belongs to {stem}.c"
    for name in sorted(tidy_exceptions.AWAY - away):
        yield f"{name}() is at home; take it out of tools/tidy_exceptions.py"


def check_limits():
    limit = re.compile(r"^\s*#define ([A-Z0-9_]+_MAX)\b|[{,]?\s*\b([A-Z0-9_]+_MAX) =(?!=)")
    for name in tracked(".c", ".h"):
        if not name.startswith("src/") or name.endswith("/limits.h"):
            continue
        for number, line in enumerate((ROOT / name).read_text().split("\n"), 1):
            match = limit.search(line)
            if match:
                yield f"{name}:{number}: {match.group(1) or match.group(2)} belongs into a limits.h"


def circles(edges):
    """Sets of files that reach each other (Tarjan, without recursion on the input)."""
    index, low, stack, found = {}, {}, [], []
    for root in sorted(edges):
        if root in index:
            continue
        work = [(root, iter(sorted(edges[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    work.append((other, iter(sorted(edges[other]))))
                    break
                if other in stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    circle = set()
                    while node not in circle:
                        circle.add(stack.pop())
                    found.append(circle)
    return [circle for circle in found if len(circle) > 1]


def check_circles(objects):
    for folder in sorted(path for path in objects.iterdir() if path.is_dir()):
        files = {path: path.relative_to(objects).with_suffix("").as_posix() for path in built(folder)}
        home = {symbol: name for path, name in files.items() for symbol in externs(path)}
        edges = {name: {home[symbol] for symbol in undefined(path) if symbol in home} - {name} for path, name in files.items()}
        listed = tidy_exceptions.CIRCLES.get(folder.name, set())
        running = set().union(*circles(edges)) if edges else set()
        for name in sorted(running - listed):
            around = ", ".join(sorted(edges[name] & running))
            yield f"src/{name}.c: in a circle of calls (it calls {around})"
        for name in sorted(listed - running):
            yield f"src/{name}.c: has left its circle; take it out of tools/tidy_exceptions.py"


def check_assertions():
    for folder, least in tidy_exceptions.ASSERTIONS.items():
        names = [name for name in tracked(".c", ".h") if name.startswith(f"src/{folder}/")]
        lines = [line for name in names for line in (ROOT / name).read_text().splitlines()]
        count = sum("must(" in line for line in lines)
        if count * 1000 < least * len(lines):
            yield f"src/{folder}: {count} assertions in {len(lines)} lines; the least is {least} in 1,000"


def check_pages():
    names = tracked("")
    for check in (tidy_pages.check_maps, tidy_pages.check_pairs, tidy_pages.check_threads, tidy_pages.check_tables, tidy_pages.check_sentences):
        yield from check(names)
    yield from tidy_pages.check_changelog()


def main(objects, *folders):
    objects = pathlib.Path(objects).resolve()
    checks = (check_layers(), check_rooms(objects), check_purity(objects), check_dialects(), check_sizes(), check_leftovers(), check_form(), check_maps(),
              check_architecture(objects), check_names(objects), check_homes(objects), check_limits(), check_circles(objects),
              check_pages(), check_assertions())
    problems = [problem for check in checks for problem in check]
    if folders:
        problems = [p for p in problems if p.startswith(tuple(f"src/{f}" for f in folders) + tuple(f"tests/unit/{f}" for f in folders))]
    for problem in problems:
        print(problem)
    print("tidy: all rules hold" if not problems else f"tidy: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
