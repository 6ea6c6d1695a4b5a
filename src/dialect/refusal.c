/* dialect/refusal.c — chooses and joins the problems that a refusal tells. */
#include "dialect/refusal.h"

/* Is the problem one of reading, found before anything could be said about the meaning? */
static bool is_about_reading(const struct problem *problem)
{
    switch (problem->code) {
    case PROBLEM_SYNTAX:
    case PROBLEM_UNKNOWN_DIALECT:
    case PROBLEM_UNKNOWN_FIELD:
    case PROBLEM_WRONG_TYPE:
    case PROBLEM_REMOVED_FIELD: return !problem->warning;
    case PROBLEM_TOO_LARGE: return !problem->warning && !problem->pointer.n; /* The text itself. */
    default: return false;
    }
}

static bool is_unreadable(const struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        if (is_about_reading(&problems->problem[i])) return true;
    return false;
}

str refusal_text(const struct problems *problems, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    bool reading = is_unreadable(problems);
    buf_add_str(&out, reading ? STR("parse error: parse: ") : STR("validation error: validation errors:"));
    size_t shown = 0;
    for (size_t i = 0; i < problems->count; i++) {
        const struct problem *problem = &problems->problem[i];
        if (problem->warning || (reading && !is_about_reading(problem))) continue;
        if (reading && shown) buf_add_str(&out, STR("; "));
        if (!reading) buf_add_str(&out, STR("\n  "));
        buf_add_str(&out, problem->message);
        shown++;
    }
    if (!reading && shown < problems->error_count)
        buf_printf(&out, "\n  … and %zu more", problems->error_count - shown);
    return buf_str(&out);
}
