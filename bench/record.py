"""Puts the answers of the last full run into docs/performance.md, and its curves beside it.

usage: record.py OUT_DIR

`make bench-peers` adds its table if it has run.
"""

import json
import pathlib
import shutil
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
MARKS = {"bench.md": ("<!-- bench -->", "<!-- /bench -->"), "bench-peers.md": ("<!-- peers -->", "<!-- /peers -->")}


def main():
    out = pathlib.Path(sys.argv[1])
    if json.loads((out / "bench.json").read_text())["quick"]:
        raise SystemExit("the last run was a quick one; `make bench` comes first")
    page = DOCS / "performance.md"
    text = page.read_text()
    for name, (begin, end) in MARKS.items():
        if (out / name).exists():
            before, after = text.split(begin)[0], text.split(end)[1]
            text = before + begin + "\n" + (out / name).read_text().strip() + "\n" + end + after
    page.write_text(text)
    (DOCS / "performance").mkdir(exist_ok=True)
    for picture in out.glob("growth-*.svg"):
        shutil.copy(picture, DOCS / "performance")


if __name__ == "__main__":
    main()
