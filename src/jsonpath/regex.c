/* jsonpath/regex.c — I-Regexp (RFC 9485), the regular expressions of match() and search().
 *
 * I-Regexp is a part of what PCRE2 understands, and means the same there if . and $ are told
 * to know other line ends. So a pattern is only checked: whatever is not in the RFC's grammar
 * is no pattern, although PCRE2 might take it.
 */
#include "jsonpath/jsonpath_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

struct checker {
    const char *p;
    const char *end;
};

static bool take(struct checker *checker, char c)
{
    if (checker->p == checker->end || *checker->p != c) return false;
    checker->p++;
    return true;
}

/* One of these letters, each of which may be followed by one of its own. */
static bool check_category(struct checker *checker)
{
    static const struct {
        char letter;
        const char *second;
    } categories[] = {
        { 'L', "lmotu" }, { 'M', "cen" },  { 'N', "dlo" },  { 'P', "cdefios" },
        { 'Z', "lps" },   { 'S', "ckmo" }, { 'C', "cfno" },
    };
    if (!take(checker, '{')) return false;
    for (size_t i = 0; i < COUNT(categories); i++) {
        if (!take(checker, categories[i].letter)) continue;
        for (const char *second = categories[i].second; *second; second++)
            if (take(checker, *second)) break;
        return take(checker, '}');
    }
    return false;
}

/* Behind a backslash. `ret_class`: it stands for many characters. */
static bool check_escape(struct checker *checker, bool *ret_class)
{
    static const char escapable[] = "()*+-.?[\\]^nrt{|}";
    *ret_class = false;
    if (checker->p == checker->end) return false;
    char c = *checker->p++;
    if (c == 'p' || c == 'P') {
        *ret_class = true;
        return check_category(checker);
    }
    return c && strchr(escapable, c);
}

/* A character of a class, or an escape in it. Bytes beyond ASCII are parts of characters. */
static bool check_class_char(struct checker *checker, bool *ret_class)
{
    *ret_class = false;
    if (checker->p == checker->end || *checker->p == '-' || *checker->p == '[' || *checker->p == ']')
        return false;
    if (take(checker, '\\')) return check_escape(checker, ret_class);
    checker->p++;
    while (checker->p < checker->end && !utf8_begins(*checker->p)) checker->p++;
    return true;
}

/* Behind the [ of a class. A - stands for itself only at its start and end. */
static bool check_class(struct checker *checker)
{
    bool class;
    take(checker, '^');
    bool filled = take(checker, '-');
    while (!take(checker, ']')) {
        if (take(checker, '-')) return filled && take(checker, ']');
        if (!check_class_char(checker, &class)) return false;
        filled = true;
        const char *dash = checker->p;
        if (class || !take(checker, '-')) continue;
        if (checker->p < checker->end && *checker->p == ']') checker->p = dash;
        else if (!check_class_char(checker, &class) || class) return false;
    }
    return filled;
}

static bool check_number(struct checker *checker)
{
    const char *start = checker->p;
    while (checker->p < checker->end && ascii_is_digit(*checker->p)) checker->p++;
    return checker->p > start;
}

/* Behind the { of a quantifier: n} or n,} or n,m} */
static bool check_range(struct checker *checker)
{
    if (!check_number(checker)) return false;
    if (take(checker, '}')) return true;
    if (!take(checker, ',')) return false;
    if (take(checker, '}')) return true;
    return check_number(checker) && take(checker, '}');
}

static bool is_iregexp(str pattern)
{
    struct checker checker = { pattern.p, pattern.p + pattern.n };
    size_t open = 0;
    bool atom = false, class; /* atom: there is something a quantifier can follow. */
    while (checker.p < checker.end) {
        char c = *checker.p++;
        bool good = true, quantified = false;
        switch (c) {
        case '(': open++; break;
        case ')': good = open-- > 0; break;
        case '*':
        case '+':
        case '?': good = quantified = atom; break;
        case '{': good = quantified = atom && check_range(&checker); break;
        case '[': good = check_class(&checker); break;
        case '\\': good = check_escape(&checker, &class); break;
        case ']':
        case '}': good = false; break;
        default: break;
        }
        if (!good) return false;
        atom = !quantified && c != '(' && c != '|';
    }
    return open == 0;
}

const struct regex *jsonpath_regex(str pattern, bool whole, struct arena *arena)
{
    char message[REGEX_MESSAGE_BYTES];
    if (!is_iregexp(pattern)) return NULL;
    return regex_compile(pattern, REGEX_INTEROPERABLE | (whole ? REGEX_WHOLE : 0), arena, message);
}
