#!/usr/bin/env python3
"""Writes the tables of docs/errors.md from the lists in the source. tests/docs/test_errors.py checks that it was run."""

import re

from xmacro import ROOT, rows_of

GRPC = ("OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
        "UNAUTHENTICATED")
PAGE = ROOT / "docs" / "errors.md"


def statuses():
    yield "| HTTP | gRPC | `error` | exit code | try again? | meaning |"
    yield "|---|---|---|---|---|---|"
    for _, http, grpc, code, retry, word, meaning in rows_of("base/status.h", "STATUS_MAP"):
        if word != "ok":
            yield f"| {http} | {GRPC[int(grpc)]} | `{word}` | {code} | {'later' if retry == 'true' else 'no'} | {meaning} |"


def problems():
    yield "| code | what is wrong |"
    yield "|---|---|"
    for name, meaning in rows_of("program/problems.h", "PROBLEM_MAP"):
        yield f"| `{name}` | {meaning} |"


TABLES = {"statuses": statuses, "problems": problems}


def written(text):
    """The page with its tables made anew."""
    for name, rows in TABLES.items():
        table = "\n".join(rows())
        text, count = re.subn(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda found: found.group(1) + table + "\n" + found.group(2),
                              text, flags=re.S)
        assert count == 1, f"no place for the table of {name}"
    return text


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
