"""The rules for pages and comments that tidy.py checks.

 1. Maps: README.md and CONTRIBUTING.md name every folder of src/, README.md also every folder of the tree and
    of tests/, and every file and folder that they name exists.
 2. ARCHITECTURE.md: a function that it names beside a file is defined in that file, and its table of threads
    has a row for each thread that the code creates, with its name.
 3. CHANGELOG.md has at most 80 lines for the next release.
 4. Tables: rows of tables, diagrams and lists in comments are not run together.
 5. Sentences: those without a named subject are counted, in comments of src/ and web/ and in pages. tidy_exceptions.py
    has the numbers, which may only shrink.
"""

import pathlib
import re

import tidy_exceptions

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHANGELOG_LINES_MAX = 80
COMMENT_COLUMNS_MAX = 110


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


# ---- maps ----

def check_maps(tracked):
    tops = {name.split("/")[0] for name in tracked if "/" in name and not name.startswith(".")}
    kinds = {name.split("/")[1] for name in tracked if name.startswith("tests/") and name.count("/") > 1}
    sources = {name.split("/")[1] for name in tracked if name.startswith("src/") and name.count("/") > 1}
    files = {name.split("/")[-1] for name in tracked}
    for page in ("README.md", "CONTRIBUTING.md"):
        text = without_code((ROOT / page).read_text())
        named = set(re.findall(r"`([^`\s]+)`", text))
        for folder in sorted(sources):
            if f"src/{folder}" not in named:
                yield f"{page}: its map does not name src/{folder}"
        for name in sorted(named):
            if is_path(name) and not exists(name, files):
                yield f"{page}: names {name}, which is not there"
    named = set(re.findall(r"`([^`\s]+)`", without_code((ROOT / "README.md").read_text())))
    for folder in sorted((tops | kinds) - {"src"}):
        if not any(name == folder or name.startswith(folder + "/") for name in named):
            yield f"README.md: its map does not name {folder}"


def is_path(name):
    """Words between backticks that name a file or a folder of the tree, and no address, option or call."""
    if not re.fullmatch(r"[\w<*][\w.<>*/-]+", name):
        return False
    return re.search(r"\w\.(c|h|py|md|mjs|json)$", name) is not None or re.match(r"[a-z]+/(?![\d.]+$)", name) is not None


def made_folders():
    """The folders that .gitignore names: a new clone has none of them."""
    return {line.strip("/") + "/" for line in (ROOT / ".gitignore").read_text().split() if line.endswith("/")}


def exists(name, files):
    """Whether a file or folder of the tree has this name. A folder that `make` makes counts before it is made, too."""
    pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
    if name in made_folders():
        return True
    if "/" not in name:
        return pattern in files
    return any(any(folder.glob(pattern)) for folder in (ROOT, ROOT / "src"))


# ---- ARCHITECTURE.md ----

NAMES = r"(?:`\w+(?:\(\))?`(?:, | and )?)+"
PAIRS = (
    re.compile(r"`([\w/]+\.c)`\*{0,2} \((%s)" % NAMES),     # `file` (`function()`, `function`
    re.compile(r"`([\w/]+\.c)`\*{0,2}, (%s)" % NAMES),      # `file`, `function()`
    re.compile(r"()(`\w+(?:\(\))?`) in `([\w/]+\.c)`"),     # `function` in `file`
)


def check_pairs(tracked):
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for pattern in PAIRS:
        for match in pattern.finditer(text):
            file = match.group(1) or match.group(3)
            homes = [name for name in tracked if name.startswith("src/") and (name == "src/" + file or name.endswith("/" + file))]
            for function in re.findall(r"`(\w+)(?:\(\))?`", match.group(2)):
                if not any(defines((ROOT / home).read_text(), function) for home in homes):
                    yield f"ARCHITECTURE.md: names {function}() of {file}, which does not define it"


def defines(text, function):
    return re.search(r"^[a-z][^\n;={]*\b%s\([^;{]*\)\s*\n?\{" % function, text, re.M) is not None


def created_threads(tracked):
    """Each creation of a thread in src/, as (file, function)."""
    for name in tracked:
        if not name.startswith("src/") or not name.endswith(".c"):
            continue
        function = None
        for line in (ROOT / name).read_text().split("\n"):
            begun = re.match(r"[a-z][^;={]*?\b(\w+)\(", line)
            function = begun.group(1) if begun else function
            if re.search(r"\b(pthread|uv_thread|thrd)_create\w*\(", line):
                yield name[len("src/"):], function


def check_threads(tracked):
    section = re.search(r"^## Threads\n(.*?)^## ", (ROOT / "ARCHITECTURE.md").read_text(), re.M | re.S).group(1)
    told = re.findall(r"^\|.*\| `([\w/]+\.c)`, `(\w+)\(?\)?` \|$", section, re.M)
    made = list(created_threads(tracked))
    for place in sorted(set(told + made)):
        if told.count(place) != made.count(place):
            yield (f"ARCHITECTURE.md: its table of threads has {told.count(place)} rows for {place[1]}() of {place[0]}, "
                   f"which creates {made.count(place)}")
    rows = re.findall(r"^\| ([a-z][^|]*) \|.*`\w+\(?\)?` \|$", section, re.M)
    names = [name for path in tracked if path.startswith("src/") for name in re.findall(r'\bthread_name\("([^"]+)"\)', (ROOT / path).read_text())]
    for name in names:
        if sum(row == name or row.startswith((name + " ", name + ",")) for row in rows) != 1:
            yield f"ARCHITECTURE.md: its table of threads has no row that begins with “{name}”, the name of a thread"
    if len(names) != len(rows):
        yield f"ARCHITECTURE.md: its table of threads has {len(rows)} rows of threads that the code creates, and {len(names)} of them have names"


def check_changelog():
    """The lines before the second release count: older releases stay as they are."""
    newest = "\n## ".join((ROOT / "CHANGELOG.md").read_text().split("\n## ")[:2])
    count = len(newest.rstrip("\n").split("\n"))
    if count > CHANGELOG_LINES_MAX:
        yield f"CHANGELOG.md: {count} lines for the next release; the most is {CHANGELOG_LINES_MAX}"


# ---- comments ----

def comments(text):
    """The block comments of a C file: (number of the first line, lines without the asterisks in front)."""
    for match in re.finditer(r"/\*.*?\*/", text, re.S):
        lines = [line.rstrip("\\ ") for line in match.group(0)[2:-2].split("\n")]
        yield text.count("\n", 0, match.start()) + 1, [lines[0]] + [re.sub(r"^\s*\*(?!\*)", "", line) for line in lines[1:]]


def web_comments(text):
    """The comments of a file of web/, without their signs: the lines of each."""
    yield from (lines for _, lines in comments(text.replace("/**", "/*")))
    for match in re.finditer(r"(?:^[ \t]*// .*\n)+|[ \t]// .*\n", text, re.M):
        yield [re.sub(r"^\s*// ", "", line) for line in match.group(0).rstrip("\n").split("\n")]


ITEM = re.compile(r" +(- |\(\d+\) )")


def run_together(before, line):
    """True if a line of a comment looks like the rest of a row or an item that a formatter has broken."""
    if not re.match(r" \S", line) or ITEM.match(line):
        return False
    row = re.match(r" {4,}\S", before) and len(before) > 85 and re.search(r"\S {2,}\S|──", before)
    item = ITEM.match(before)
    gap = re.search(r"[^\s\\] {3,}\S", line)
    return bool(row or item or gap)


def check_tables(tracked):
    for name in tracked:
        if not name.startswith(("src/", "tests/")) or not name.endswith((".c", ".h")):
            continue
        text = (ROOT / name).read_text()
        for number, lines in comments(text):
            lines[0] = lines[0].strip()  # It has no indent of its own.
            for place in range(1, len(lines)):
                if run_together(lines[place - 1], lines[place]):
                    yield f"{name}:{number + place}: a table or a list in a comment is run together"
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > COMMENT_COLUMNS_MAX and re.match(r"(/\*| \*) ", line) and not line.endswith("\\"):
                yield f"{name}:{number}: a comment of {len(line)} columns; the most is {COMMENT_COLUMNS_MAX}"


# ---- sentences ----

# How sentences without a named subject begin. When the list was made, it found 678 sentences in comments, and
# all but 13 were easier to read when they were written anew. In a sample of 220 others 6 were as hard: labels that
# begin with a preposition, which most often begins a good one ("In the order of their numbers.").
NAMELESS = re.compile(r"""[*_"'(]*(?:
    (?:What|Who|Whom|Whose|Whoever|Whatever|Whichever|Of|Those)\b
  | Only\ those\b
  | (?:At|By|For|From|In|On|To|With)\ (?:what|which|whom|whose)\b
  | That\ (?:of|which|they|it|its|their|there|nobody|somebody|we|were)\b
  | Which\b[^,:;]*\bis\ (?:not\ )?(?:the|decided|told|said|up|known|subtle)\b
  | (?:Whether|How|Why|Where)\b[^:;]*,\ (?:the|its|another|other)\b[^,:;]*\b(?:tells?|says?|knows?)\b
)""", re.X)


def sentences(lines):
    """The sentences of paragraphs, list items and cells of tables."""
    paragraphs = [[]]
    for line in lines:
        begun = re.match(r"\s*(- |\* |\(\d+\) |\d+\. )", line)
        if line.startswith("#"):
            line = ""  # A title need not be a sentence.
        if not line.strip() or begun:
            paragraphs.append([])
        if line.startswith("|"):
            paragraphs += [[cell] for cell in line.strip("|").split("|")] + [[]]
        else:
            paragraphs[-1].append(line[begun.end():] if begun else line)
    for paragraph in paragraphs:
        for sentence in re.split(r"(?<=[.!?])[\"')*]*\s+(?=[A-Z`*(\"'])", " ".join(part.strip() for part in paragraph).strip()):
            if sentence:
                yield sentence


def is_nameless(sentence):
    return NAMELESS.match(sentence) is not None and not sentence.rstrip("*_)\"'").endswith("?")


def nameless_sentences(tracked):
    """(kind, file, sentence) of all of them; the kind is that of tidy_exceptions.SENTENCES."""
    for name in tracked:
        if name.endswith(".md"):
            text = without_code((ROOT / name).read_text())
            yield from (("pages", name, sentence) for sentence in sentences(text.split("\n")) if is_nameless(sentence))
        elif name.startswith("src/") and name.endswith((".c", ".h")):
            for _, lines in comments((ROOT / name).read_text()):
                yield from (("comments", name, sentence) for sentence in sentences(lines) if is_nameless(sentence))
        elif name.startswith("web/") and name.endswith((".ts", ".tsx", ".mjs", ".css")):
            for lines in web_comments((ROOT / name).read_text()):
                yield from (("web", name, sentence) for sentence in sentences(lines) if is_nameless(sentence))


def check_sentences(tracked):
    found = list(nameless_sentences(tracked))
    for kind, most in tidy_exceptions.SENTENCES.items():
        places = [place for place in found if place[0] == kind]
        count = len(places)
        if count > most:
            yield (f"{kind}: {count} sentences without a named subject; the most is {most} (python3 tools/tidy_pages.py "
                   f"lists them: {places[-1][1]}: {places[-1][2][:60]} …)")
        elif count < most:
            yield f"{kind}: only {count} sentences without a named subject; write that number into tools/tidy_exceptions.py"


if __name__ == "__main__":
    import tidy
    for _, place, words in nameless_sentences(tidy.tracked(".c", ".h", ".md", ".ts", ".tsx", ".mjs", ".css")):
        print(f"{place}: {words[:160]}")
