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
SENTENCES = {"comments": 0, "pages": 0, "web": 0}

# Functions x_y_z that live outside of x_y.c although that file exists. Readers of JSON Schema's keywords stand beside the
# checks of the same keyword (schema/), parsers of parts of a path beside the part (jsonpath/), surfaces beside the routes.
AWAY = set("""
    entity_audit_surface entity_help_surface entity_search_surface jsonpath_parse_filter jsonpath_parse_quoted
    schema_read_additional_items schema_read_additional_properties schema_read_contains schema_read_content
    schema_read_dependencies schema_read_enum schema_read_format schema_read_if schema_read_items
    schema_read_multiple_of schema_read_pattern schema_read_pattern_properties schema_read_reference
    schema_read_type schema_read_unique_items
""".split())

# Assertions that a folder has in 1,000 lines, at least.
ASSERTIONS = {"runtime": 8, "store": 8, "dialect": 8}
