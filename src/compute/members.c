/* compute/members.c — members join and leave. */
#include "compute/compute_int.h"

#include "base/must.h"

#include <stdlib.h>

/* ---- coming and going ---- */

static enum status check_joining(const struct compute *compute, const struct compute_joining *joining,
                                 struct error *err)
{
    if (compute->stats.members + compute->stats.remote >= COMPUTE_MEMBERS_MAX)
        return fail(err, ST_OVERLOAD, "members", "%d calculation nodes are connected, as many as may",
                    COMPUTE_MEMBERS_MAX);
    if (joining->tag_count > COMPUTE_TAGS_MAX)
        return fail(err, ST_LIMIT, "tags", "%zu tags; the most is %d (COMPUTE_TAGS_MAX)", joining->tag_count,
                    COMPUTE_TAGS_MAX);
    for (size_t i = 0; i < joining->tag_count; i++)
        if (joining->tag[i].n > COMPUTE_TAG_BYTES_MAX)
            return fail(err, ST_LIMIT, "tags", "a tag of %zu bytes; the most is %d (COMPUTE_TAG_BYTES_MAX)",
                        joining->tag[i].n, COMPUTE_TAG_BYTES_MAX);
    return ST_OK;
}

/* Gives the requests that wait to members that have their tags. */
static void place_waiting(struct compute *compute)
{
    for (struct compute_request *at = compute->waiting, *next; at; at = next) {
        bool busy;
        next = at->after_;
        if (compute_choose(compute, at, &busy)) compute_place(compute, at);
    }
}

enum status compute_join(struct compute *compute, const struct compute_joining *joining,
                         struct compute_member **ret_member, struct error *err)
{
    TRY(check_joining(compute, joining, err));
    struct compute_member *member = calloc(1, sizeof *member);
    must(member);
    arena_init(&member->arena, 0);
    str *tag = arena_make_n(&member->arena, str, joining->tag_count);
    for (size_t i = 0; i < joining->tag_count; i++)
        tag[i] = arena_str(&member->arena, str_trim(joining->tag[i]));
    member->hub = compute;
    member->joining = *joining;
    member->joining.tag = tag;
    member->joined_ms = joining->joined_ms ? joining->joined_ms : clock_now_ms(&compute->clock);
    member->is_behind = true; /* Until compute_ready(). */
    member->before = compute->last;
    if (compute->last) compute->last->after = member;
    else compute->first = member;
    compute->last = member;
    if (joining->node) compute->stats.remote++;
    else compute->stats.members++;
    *ret_member = member;
    return ST_OK;
}

void compute_ready(struct compute_member *member)
{
    compute_send_on(member);
    if (member->hub->waiting) place_waiting(member->hub);
}

static void unlink_member(struct compute_member *member)
{
    struct compute *compute = member->hub;
    if (member->before) member->before->after = member->after;
    else compute->first = member->after;
    if (member->after) member->after->before = member->before;
    else compute->last = member->before;
    if (member->joining.node) compute->stats.remote--;
    else compute->stats.members--;
}

void compute_set_load(struct compute_member *member, const struct compute_load *load)
{
    member->load = *load;
}

void compute_leave(struct compute_member *member)
{
    unlink_member(member);
    while (member->first) compute_place(member->hub, member->first);
    arena_done(&member->arena);
    free(member);
}

/* ---- looking ---- */

static struct compute_member_view view_of(const struct compute_member *member)
{
    struct compute_member_view view = { .id = member->joining.id,
                                        .tenant = member->joining.tenant,
                                        .node = member->joining.node,
                                        .tag = member->joining.tag,
                                        .tag_count = member->joining.tag_count,
                                        .joined_ms = member->joined_ms,
                                        .under_way = compute_work_of(member),
                                        .oldest_ms = member->first ? member->first->sent_ms_ : 0,
                                        .answered = member->answered };
    if (!view.node) return view;
    view.answered = member->load.answered;
    if (member->load.oldest_ms) view.oldest_ms = member->load.oldest_ms;
    return view;
}

size_t compute_waiting_of(const struct compute *compute, int32_t tenant)
{
    size_t count = 0;
    for (const struct compute_request *at = compute->waiting; at; at = at->after_)
        count += at->tenant == tenant;
    return count;
}

size_t compute_members(const struct compute *compute, struct arena *arena,
                       struct compute_member_view **ret_view)
{
    size_t count = 0;
    struct compute_member_view *view =
        arena_make_n(arena, struct compute_member_view, compute->stats.members + compute->stats.remote);
    for (const struct compute_member *at = compute->first; at; at = at->after) view[count++] = view_of(at);
    *ret_view = view;
    return count;
}
