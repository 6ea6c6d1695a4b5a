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

size_t compute_work_of(const struct compute_member *member)
{
    return member->under_way > member->load.under_way ? member->under_way : member->load.under_way;
}

/* Less work goes first; among equals the one whose last request is longest ago. */
static bool goes_before(const struct compute_member *a, const struct compute_member *b)
{
    size_t of_a = compute_work_of(a), of_b = compute_work_of(b);
    return of_a != of_b ? of_a < of_b : a->given < b->given;
}

/* The one of our own, unless it has far more to do. */
static struct compute_member *nearer(struct compute_member *own, struct compute_member *remote)
{
    if (!own || !remote) return own ? own : remote;
    return compute_work_of(own) > COMPUTE_REMOTE_FACTOR * compute_work_of(remote) ? remote : own;
}

struct compute_member *compute_choose(struct compute *compute, const struct compute_request *request,
                                      bool *ret_busy)
{
    struct compute_member *own = NULL, *remote = NULL;
    int64_t now_ms = clock_now_ms(&compute->clock);
    *ret_busy = false;
    for (struct compute_member *at = compute->first; at; at = at->after) {
        struct compute_member **best = at->joining.node ? &remote : &own;
        if (at->is_gone || at->joining.tenant != request->tenant || !has_all(at, request->tags)) continue;
        if (compute_work_of(at) >= COMPUTE_MEMBER_REQUESTS_MAX || now_ms < at->avoided_ms) *ret_busy = true;
        else if (!*best || goes_before(at, *best)) *best = at;
    }
    return nearer(own, remote);
}
