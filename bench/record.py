"""Puts the answers of the last full run into docs/performance.md, and its curves beside it.

usage: record.py OUT_DIR

A run of some questions replaces their tables and budgets and leaves the others as they are. `make bench-peers` adds its
table if it has run.
"""

import json
import pathlib
import re
import shutil
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
MARKS = {"bench.md": ("<!-- bench -->", "<!-- /bench -->"), "bench-peers.md": ("<!-- peers -->", "<!-- /peers -->")}


class Record:
    """A head, the rows of the budgets by what they are about, and the sections by their titles."""

    def __init__(self, text):
        head, *sections = re.split(r"^(?=### )", text.strip() + "\n", flags=re.M)
        self.sections = {section.split("\n", 1)[0]: section.strip() for section in sections}
        lines = head.strip().split("\n")
        self.lead = [line for line in lines if line and not line.startswith("|")]
        self.rows = {line.split("|")[1].strip(): line for line in lines if line.startswith("|")}

    def take(self, newer):
        """What the newer one does not know stays. Each section tells the load that it was measured under."""
        self.lead = self.lead or newer.lead
        self.rows.update(newer.rows)
        self.sections.update(newer.sections)

    def text(self):
        return "\n".join([*self.lead, "", *self.rows.values(), "", "\n\n".join(self.sections.values())])


def recorded(before, newer, is_all):
    record = Record("" if is_all else before)
    record.take(Record(newer))
    return record.text()


def main():
    out = pathlib.Path(sys.argv[1])
    run = json.loads((out / "bench.json").read_text())
    if run["quick"]:
        raise SystemExit("the last run was a quick one; `make bench` comes first")
    page = DOCS / "performance.md"
    text = page.read_text()
    questions = {path.stem for path in (pathlib.Path(__file__).parent / "questions").glob("*.py")}
    for name, (begin, end) in MARKS.items():
        if (out / name).exists():
            before, rest = text.split(begin)
            old, after = rest.split(end)
            newer = (out / name).read_text().strip()
            if name == "bench.md":
                newer = recorded(old, newer, set(run["questions"]) >= questions)
            text = before + begin + "\n" + newer + "\n" + end + after
    page.write_text(text)
    (DOCS / "performance").mkdir(exist_ok=True)
    for picture in out.glob("growth-*.svg"):
        shutil.copy(picture, DOCS / "performance")


if __name__ == "__main__":
    main()
