/* base/regex.h — regular expressions through PCRE2, within budgets.
 *
 * UTF-8, no JIT, no \C, all memory from an arena. A match is tried with few steps first,
 * which almost every match needs; only if these do not suffice is it paid for in fuel and
 * tried with REGEX_STEPS_MAX. So a thousand cheap matches fit into a budget that a handful
 * of expensive ones use up, and nothing runs away.
 */
#ifndef BASE_REGEX_H
#define BASE_REGEX_H

#include "base/arena.h"
#include "base/status.h"

/* A compiled pattern. It never changes, so threads share it without a lock. */
struct regex;

enum regex_option {
    REGEX_WHOLE = 1, /* The whole text must match, not a part of it. */
    REGEX_IGNORE_CASE = 2,
    REGEX_MULTILINE = 4,      /* ^ and $ also match at line ends. */
    REGEX_DOT_ALL = 8,        /* . also matches line ends. */
    REGEX_EXTENDED = 16,      /* White space and #comments in the pattern do not count. */
    REGEX_INTEROPERABLE = 32, /* . matches neither \n nor \r, $ only the very end (RFC 9485). */
    REGEX_ECMASCRIPT =
        64, /* $ matches only the very end; [] is a class; unset groups match the empty text. */
};

/* The option of a letter behind /pattern/: i, m, s, x, or u, which means nothing. False: there is no such
 * flag. */
bool regex_flag(char letter, uint32_t *ret_option);

enum { REGEX_MESSAGE_BYTES = 256 };

/* The pattern, or NULL and a message if it is wrong. Lives in the arena. `options` are
 * bits of enum regex_option. */
const struct regex *regex_compile(str pattern, uint32_t options, struct arena *arena,
                                  char message[REGEX_MESSAGE_BYTES]);

/* The stack of PCRE2, which the matches of one evaluation share. The first match makes it. */
struct regex_matcher {
    struct arena *arena;
    void *context_;
    void *data_;
};

static inline void regex_matcher_init(struct regex_matcher *matcher, struct arena *arena)
{
    *matcher = (struct regex_matcher){ .arena = arena };
}

/* Tells whether the text matches. Pays before it works. Fails with ST_LIMIT if the fuel does not suffice, and
 * then sets *fuel to 0; or if the match takes too many steps. */
enum status regex_match(struct regex_matcher *matcher, const struct regex *regex, str text, int64_t *fuel,
                        bool *ret_found, struct error *err);

/* The same, and gives the part that the first group matched or, if there is no group, the whole match. Empty:
 * nothing was found. Borrowed from the text. */
enum status regex_find(struct regex_matcher *matcher, const struct regex *regex, str text, int64_t *fuel,
                       str *ret_part, struct error *err);

/* The fuel that compiling the pattern costs, for patterns that come from data. */
uint64_t regex_compile_cost(str pattern);

#endif
