"""What tidy.py lets pass. These lists may only become shorter; the numbers of ASSERTIONS may only grow."""

# Words besides its folder's and file's names with which extern names of a folder may begin: each names one
# family of functions that several files of the folder share.
WORDS = {
    "base": {"fail", "must"},
    "cli": {"verb"},
    "net": {"http"},
    "store": {"reader"},
    "expr": {"op", "tree"},
}

# Files of a folder that call each other in a circle.
CIRCLES = {
    # A recursive-descent parser: operands contain calls, and calls whole expressions.
    "expr": {"expr/parser", "expr/parser_operand", "expr/parser_call"},
    # A recursive-descent parser: filters contain queries, and queries filters.
    "jsonpath": {"jsonpath/parse", "jsonpath/filter"},
}

# Sentences without a named subject (tidy_pages.py).
SENTENCES = {"comments": 0, "pages": 0}

# Assertions that a folder has in 1,000 lines, at least.
ASSERTIONS = {"runtime": 8, "store": 8, "dialect": 8}
