/* base/regex.c — compiles and matches patterns with PCRE2, and pays for both. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/regex.h"
#include "base/utf8.h"

enum {
    STEPS_CHEAP = 2000,
    FUEL_CHEAP = 20,
    FUEL_FULL = REGEX_STEPS_MAX / 10,
    TEXT_BYTES_PER_FUEL = 16,
};

static void *take_memory(size_t bytes, void *arena) { return arena_alloc(arena, bytes); }

static void leave_memory(void *memory, void *arena)
{
    (void)memory;
    (void)arena;
}

/* ---- compiling ---- */

static uint32_t pcre2_options(uint32_t options)
{
    static const struct {
        uint32_t ours, theirs;
    } map[] = {
        { REGEX_WHOLE, PCRE2_ANCHORED | PCRE2_ENDANCHORED },
        { REGEX_IGNORE_CASE, PCRE2_CASELESS },
        { REGEX_MULTILINE, PCRE2_MULTILINE },
        { REGEX_DOT_ALL, PCRE2_DOTALL },
        { REGEX_EXTENDED, PCRE2_EXTENDED },
        { REGEX_INTEROPERABLE, PCRE2_DOLLAR_ENDONLY },
        { REGEX_ECMASCRIPT, PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF },
    };
    uint32_t theirs = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;
    for (size_t i = 0; i < COUNT(map); i++)
        if (options & map[i].ours) theirs |= map[i].theirs;
    return theirs;
}

bool regex_flag(char letter, uint32_t *ret_option)
{
    switch (letter) {
    case 'i': *ret_option = REGEX_IGNORE_CASE; return true;
    case 'm': *ret_option = REGEX_MULTILINE; return true;
    case 's': *ret_option = REGEX_DOT_ALL; return true;
    case 'x': *ret_option = REGEX_EXTENDED; return true;
    case 'u': *ret_option = 0; return true; /* Every text is Unicode. */
    default: return false;
    }
}

const struct regex *regex_compile(str pattern, uint32_t options, struct arena *arena,
                                  char message[REGEX_MESSAGE_BYTES])
{
    pcre2_general_context *general = pcre2_general_context_create(take_memory, leave_memory, arena);
    pcre2_compile_context *context = pcre2_compile_context_create(general);
    pcre2_set_max_pattern_length(context, EXPRESSION_BYTES_MAX);
    if (options & REGEX_INTEROPERABLE) pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    int error;
    size_t place;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)(pattern.p ? pattern.p : ""), pattern.n,
                                     pcre2_options(options), &error, &place, context);
    if (code) return (const struct regex *)code;
    char reason[REGEX_MESSAGE_BYTES / 2];
    pcre2_get_error_message(error, (PCRE2_UCHAR *)reason, sizeof reason);
    snprintf(message, REGEX_MESSAGE_BYTES, "bad regular expression: %s after %zu characters", reason,
             utf8_count(str_slice(pattern, 0, place)));
    return NULL;
}

uint64_t regex_compile_cost(str pattern) { return FUEL_CHEAP + pattern.n; }

/* ---- matching ---- */

static void prepare(struct regex_matcher *matcher)
{
    if (matcher->context_) return;
    pcre2_general_context *general = pcre2_general_context_create(take_memory, leave_memory, matcher->arena);
    matcher->context_ = pcre2_match_context_create(general);
    matcher->data_ = pcre2_match_data_create(2, general); /* The match and its first group. */
    pcre2_set_heap_limit(matcher->context_, REGEX_KIB_MAX);
    pcre2_set_depth_limit(matcher->context_, REGEX_STEPS_MAX);
}

static int match(struct regex_matcher *matcher, const struct regex *regex, str text, uint32_t steps)
{
    pcre2_set_match_limit(matcher->context_, steps);
    return pcre2_match((const pcre2_code *)regex, (PCRE2_SPTR)(text.p ? text.p : ""), text.n, 0, 0,
                       matcher->data_, matcher->context_);
}

static enum status spend(struct regex_matcher *matcher, uint64_t operations, int64_t *fuel, struct error *err)
{
    if (arena_over(matcher->arena))
        return fail(err, ST_LIMIT, NULL, "the budget of memory is used up (step_bytes_max)");
    if (*fuel >= 0 && operations <= (uint64_t)*fuel) {
        *fuel -= (int64_t)operations;
        return ST_OK;
    }
    *fuel = 0;
    return fail(err, ST_LIMIT, NULL, "the budget of operations is used up (fuel_max)");
}

enum status regex_match(struct regex_matcher *matcher, const struct regex *regex, str text, int64_t *fuel,
                        bool *ret_found, struct error *err)
{
    TRY(spend(matcher, text.n / TEXT_BYTES_PER_FUEL + 1 + FUEL_CHEAP, fuel, err));
    prepare(matcher);
    int found = match(matcher, regex, text, STEPS_CHEAP);
    if (found == PCRE2_ERROR_MATCHLIMIT) {
        TRY(spend(matcher, FUEL_FULL, fuel, err));
        found = match(matcher, regex, text, REGEX_STEPS_MAX);
    }
    if (found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_DEPTHLIMIT || found == PCRE2_ERROR_HEAPLIMIT)
        return fail(err, ST_LIMIT, NULL,
                    "the regular expression takes too many steps on this text (REGEX_STEPS_MAX)");
    if (found < 0 && found != PCRE2_ERROR_NOMATCH) {
        char reason[REGEX_MESSAGE_BYTES];
        pcre2_get_error_message(found, (PCRE2_UCHAR *)reason, sizeof reason);
        return fail(err, ST_INVALID, NULL, "cannot match: %s", reason);
    }
    *ret_found = found >= 0;
    return ST_OK;
}

enum status regex_find(struct regex_matcher *matcher, const struct regex *regex, str text, int64_t *fuel,
                       str *ret_part, struct error *err)
{
    bool found;
    TRY(regex_match(matcher, regex, text, fuel, &found, err));
    *ret_part = STR_NONE;
    if (!found) return ST_OK;
    uint32_t groups = 0;
    pcre2_pattern_info((const pcre2_code *)regex, PCRE2_INFO_CAPTURECOUNT, &groups);
    const size_t *place = pcre2_get_ovector_pointer(matcher->data_) + (groups ? 2 : 0);
    if (place[0] != PCRE2_UNSET) *ret_part = str_slice(text, place[0], place[1]);
    return ST_OK;
}
