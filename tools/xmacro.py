"""Reads the lists that the source writes once, as X-macros."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]


def rows_of(file, name):
    """The rows of a list in a file under src, each as its columns, without quotes."""
    text = (ROOT / "src" / file).read_text()
    body = re.search(r"#define %s\(XX\)(.*?[^\\])\n" % name, text, re.S).group(1)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    rows = re.findall(r'XX\(((?:"(?:[^"\\]|\\.)*"|[^()"])*)\)', body)
    assert len(rows) == body.count("XX("), f"{name} has rows that cannot be read"
    return [[column.strip().strip('"') for column in re.findall(r'\s*("(?:[^"\\]|\\.)*"|[^,"]+)', row)] for row in rows]
