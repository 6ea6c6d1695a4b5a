/* expr/limits.h — bounds inside this folder. The limits that users meet are in base/limits.h. */
#ifndef EXPR_LIMITS_H
#define EXPR_LIMITS_H

#include "base/limits.h"

enum {
    ARGUMENTS_MAX = 255,         /* In one call: an instruction keeps the count in a byte. */
    BUILTIN_NAME_CHARS_MAX = 16, /* The longest name of a function; longer words resemble none. */
    ROUND_DECIMALS_MAX = 30,     /* For round(): within the 34 digits of exact arithmetic. */
    TREE_DEPTH_MAX = 1024,       /* Levels of a tree that build.h makes: bounds recursion. */
    TEMPLATE_STEPS_MAX = 64,     /* In the path of a placeholder. */
    ESCAPE_GROWTH_MAX = 6,       /* A quote becomes &quot; in HTML: the most that a byte grows to. */
    ASSIGN_STEPS_MAX = 16,       /* Names that lead to what is assigned to. */
    TEMPLATE_PARTS_MAX = 20000,  /* In one template: members, items and pieces beside placeholders. */
    CONSTANTS_COMPARED_MAX = 64, /* The latest constants, which an equal one shares. */
    FOLDED_BYTES_MAX = 64,       /* A value that folding makes; larger ones would bloat the constants. */
    NUMERIC_TEXT_BYTES_MAX =
        2 * JSON_NUMBER_BYTES_MAX,    /* A text that may be read as a number, with blanks. */
    PREDICATE_CONDITIONS_MAX = 10000, /* In one condition on entities: tests, groups, values. */
    PREDICATE_DEPTH_MAX = 50,         /* Groups below the outermost one. */
    SHOWN_BYTES_MAX = 60,             /* A text in a message. */
    SHOWN_VALUE_BYTES_MAX = 256,      /* A value in a message; a larger one is only described. */
};

#endif
