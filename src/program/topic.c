/* program/topic.c — checks MQTT topics and filters, and matches one with the other. */
#include "program/topic.h"

#include "base/utf8.h"
#include "program/limits.h"

static const str share_prefix = STR_INIT("$share/");

/* Takes the first level off the text. False: there is none left. */
static bool next_level(str *rest, str *ret_level)
{
    if (!rest->p) return false;
    size_t slash = str_find(*rest, STR("/"), 0);
    *ret_level = str_slice(*rest, 0, slash);
    *rest = slash == SIZE_MAX ? STR_NONE : (str){ rest->p + slash + 1, rest->n - slash - 1 };
    return true;
}

static bool has_wildcard(str text)
{
    return str_find(text, STR("+"), 0) != SIZE_MAX || str_find(text, STR("#"), 0) != SIZE_MAX;
}

/* Checks the rules that topics and filters have in common. */
static const char *check_text(str text)
{
    if (!text.n) return "is empty";
    if (text.n > TOPIC_BYTES_MAX) return "is longer than 65535 bytes";
    if (memchr(text.p, 0, text.n) || !utf8_is_valid(text)) return "has characters that MQTT does not allow";
    return NULL;
}

str topic_filter_proper(str filter)
{
    if (!str_starts(filter, share_prefix)) return filter;
    size_t slash = str_find(filter, STR("/"), share_prefix.n);
    return slash == SIZE_MAX ? STR_NONE : str_slice(filter, slash + 1, filter.n);
}

static const char *check_share(str filter)
{
    if (!str_starts(filter, share_prefix)) return NULL;
    str group = str_slice(filter, share_prefix.n, str_find(filter, STR("/"), share_prefix.n));
    if (!group.n || has_wildcard(group) || !topic_filter_proper(filter).n)
        return "begins with $share/ and is not $share/GROUP/FILTER";
    return NULL;
}

const char *topic_filter_check(str filter)
{
    const char *problem = check_text(filter);
    if (!problem) problem = check_share(filter);
    if (problem) return problem;
    str rest = topic_filter_proper(filter), level;
    while (next_level(&rest, &level)) {
        if (level.n > 1 && has_wildcard(level)) return "has + or # beside other characters of a level";
        if (str_equal(level, STR("#")) && rest.p) return "has # before its last level";
    }
    return NULL;
}

const char *topic_check(str topic)
{
    const char *problem = check_text(topic);
    if (problem) return problem;
    return has_wildcard(topic) ? "has + or # in it, which only filters may have" : NULL;
}

bool topic_matches(str filter, str topic)
{
    str rest = topic_filter_proper(filter), wanted, level;
    if (!rest.n || !topic.n) return false;
    if (topic.p[0] == '$' && (rest.p[0] == '+' || rest.p[0] == '#')) return false;
    while (next_level(&rest, &wanted)) {
        if (str_equal(wanted, STR("#"))) return true;
        if (!next_level(&topic, &level)) return false;
        if (!str_equal(wanted, STR("+")) && !str_equal(wanted, level)) return false;
        /* "a/#" selects "a" as well. */
        if (!topic.p && str_equal(rest, STR("#"))) return true;
    }
    return !topic.p;
}
