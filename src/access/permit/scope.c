/* access/permit/scope.c — a permission and a pattern on its object. */
#define _GNU_SOURCE /* memmem */
#include "access/permit/scope.h"

#include "access/limits.h"
#include "base/must.h"

/* No role has these by itself, so nothing can be narrowed to them. */
static bool is_granted(enum permission permission)
{
    return permission != MAY_NONE && permission != MAY_OPEN && permission != MAY_DATA &&
           permission != MAY_SELF;
}

static bool has_objects(enum permission permission)
{
    static const str families[] = { STR_INIT("definitions:"), STR_INIT("instances:"), STR_INIT("tasks:"),
                                    STR_INIT("triggers:"),    STR_INIT("jobs:"),      STR_INIT("events:"),
                                    STR_INIT("entities:"),    STR_INIT("secrets:") };
    for (size_t i = 0; i < COUNT(families); i++)
        if (str_starts(str_of(permission_word(permission)), families[i])) return true;
    return false;
}

/* The first two words, which name the permission; the pattern is behind the colon that follows them. */
static size_t permission_end(str text)
{
    size_t colon = str_find(text, STR(":"), 0);
    if (colon == SIZE_MAX) return text.n;
    colon = str_find(text, STR(":"), colon + 1);
    return colon == SIZE_MAX ? text.n : colon;
}

enum status scope_parse(str text, struct access_scope *ret_scope, struct error *err)
{
    if (text.n > SCOPE_BYTES_MAX)
        return fail(err, ST_INVALID, "", "a scope has at most %d bytes", SCOPE_BYTES_MAX);
    size_t end = permission_end(text);
    str word = str_slice(text, 0, end), pattern = str_slice(text, end + 1, text.n);
    struct access_scope scope = { .pattern = pattern };
    if (!permission_find(word, &scope.permission) || !is_granted(scope.permission))
        return fail(err, ST_INVALID, "", "“%.*s” is not a permission that a role has", STR_ARG(word));
    if (end < text.n && !has_objects(scope.permission))
        return fail(err, ST_INVALID, "", "%.*s is about no objects with names, so it has no pattern",
                    STR_ARG(word));
    if (end < text.n && !pattern.n)
        return fail(err, ST_INVALID, "", "the pattern behind %.*s: is empty", STR_ARG(word));
    *ret_scope = scope;
    return ST_OK;
}

bool scope_fits(const struct access_scope *scope, enum permission permission, str object)
{
    return scope->permission == permission && (!scope->pattern.n || scope_matches(scope->pattern, object));
}

/* The pattern up to its next star, and takes that star off, too. */
static str take_part(str *pattern)
{
    const char *star = pattern->n ? memchr(pattern->p, '*', pattern->n) : NULL;
    size_t n = star ? (size_t)(star - pattern->p) : pattern->n;
    str part = str_slice(*pattern, 0, n);
    *pattern = str_slice(*pattern, n + 1, pattern->n);
    return part;
}

bool scope_matches(str pattern, str text)
{
    const char *first = pattern.n ? memchr(pattern.p, '*', pattern.n) : NULL;
    if (!first) return str_equal(pattern, text);
    const char *last = memrchr(pattern.p, '*', pattern.n);
    str prefix = str_slice(pattern, 0, (size_t)(first - pattern.p));
    str suffix = str_slice(pattern, (size_t)(last - pattern.p) + 1, pattern.n);
    if (text.n < prefix.n + suffix.n || !str_starts(text, prefix) || !str_ends(text, suffix)) return false;

    /* Each part takes the first place that it fits: a later one would only leave less for the next. */
    str rest = str_slice(text, prefix.n, text.n - suffix.n);
    str middle = str_slice(pattern, prefix.n + 1, (size_t)(last - pattern.p));
    while (middle.n) {
        str part = take_part(&middle);
        if (!part.n) continue;
        const char *hit = rest.n ? memmem(rest.p, rest.n, part.p, part.n) : NULL;
        if (!hit) return false;
        rest = str_slice(rest, (size_t)(hit - rest.p) + part.n, rest.n);
    }
    return true;
}
