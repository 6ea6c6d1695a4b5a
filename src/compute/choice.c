/* compute/choice.c — which member gets a request: tags, then load. */
#include "compute/compute_int.h"

/* ---- tags ---- */

static bool has_tag(const struct compute_member *member, str tag)
{
    for (size_t i = 0; i < member->joining.tag_count; i++)
        if (str_equal(member->joining.tag[i], tag)) return true;
    return false;
}

/* Cuts the next tag off a list with commas; false: there is none. */
static bool next_tag(str *list, str *ret_tag)
{
    while (list->n) {
        size_t comma = str_find(*list, STR(","), 0);
        size_t end = comma == SIZE_MAX ? list->n : comma;
        *ret_tag = str_trim(str_slice(*list, 0, end));
        *list = str_slice(*list, comma == SIZE_MAX ? end : end + 1, list->n);
        if (ret_tag->n) return true;
    }
    return false;
}

static bool has_all(const struct compute_member *member, str tags)
{
    str tag;
    while (next_tag(&tags, &tag))
        if (!has_tag(member, tag)) return false;
    return true;
}

/* ---- choice ---- */

/* Less work goes first; among equals the one whose last request is longest ago. */
static bool goes_before(const struct compute_member *a, const struct compute_member *b)
{
    if (a->under_way != b->under_way) return a->under_way < b->under_way;
    return a->given < b->given;
}

struct compute_member *compute_choose(struct compute *compute, str tags, bool *ret_busy)
{
    struct compute_member *best = NULL;
    *ret_busy = false;
    for (struct compute_member *at = compute->first; at; at = at->after) {
        if (at->is_gone || !has_all(at, tags)) continue;
        if (at->under_way >= COMPUTE_MEMBER_REQUESTS_MAX) *ret_busy = true;
        else if (!best || goes_before(at, best)) best = at;
    }
    return best;
}
