/* api/forwarding/waits.c — who waits until others can see our members, or until we have looked at theirs. */
#include "api/forwarding/forwarding_int.h"

#include "base/clock.h"

static void unlink_wait(struct forwarding *forwarding, struct forwarding_wait *wait)
{
    if (wait->before) wait->before->after = wait->after;
    else forwarding->waits = wait->after;
    if (wait->after) wait->after->before = wait->before;
    wait->is_waiting = false;
}

static void link_wait(struct forwarding *forwarding, struct forwarding_wait *wait)
{
    wait->until_us = clock_monotonic_us() + FORWARDING_WAIT_MS * INT64_C(1000);
    wait->is_waiting = true;
    wait->before = NULL;
    wait->after = forwarding->waits;
    if (forwarding->waits) forwarding->waits->before = wait;
    forwarding->waits = wait;
}

void forwarding_stop_waiting(struct forwarding *forwarding, struct forwarding_wait *wait)
{
    if (wait->is_waiting) unlink_wait(forwarding, wait);
}

/* ---- our list of members ---- */

static void tell(struct forwarding *forwarding, struct buf *member_list)
{
    buf_done(&forwarding->member_list);
    forwarding->member_list = *member_list;
    forwarding->told = node_messages_tell(forwarding->node_messages, buf_str(member_list));
    forwarding->told_us = clock_monotonic_us();
}

void forwarding_tell_members(struct forwarding *forwarding, struct forwarding_wait *wait)
{
    struct buf member_list;
    if (!forwarding) {
        if (wait) wait->go(wait->user);
        return;
    }
    buf_init(&member_list, NULL);
    forwarding_write_member_list(forwarding, &member_list);
    tell(forwarding, &member_list);
    if (!wait) return;
    wait->told = forwarding->told;
    wait->look = 0;
    link_wait(forwarding, wait);
}

/* The work of members changes all the time, so others hear of it now and then: the longer the list of
 * members, the less often. */
static void tell_load(struct forwarding *forwarding, int64_t now_us)
{
    struct buf member_list;
    int64_t pause_us =
        FORWARDING_LOAD_MS * INT64_C(1000) + (int64_t)forwarding->member_list.n * FORWARDING_LOAD_BYTE_US;
    if (now_us - forwarding->told_us < pause_us) return;
    buf_init(&member_list, NULL);
    forwarding_write_member_list(forwarding, &member_list);
    if (forwarding->told && str_equal(buf_str(&member_list), buf_str(&forwarding->member_list)))
        buf_done(&member_list);
    else tell(forwarding, &member_list);
}

/* ---- looks ---- */

static uint64_t begin_look(struct forwarding *forwarding)
{
    if (forwarding->looks == forwarding->looks_over) forwarding->look_us = clock_monotonic_us();
    forwarding->looks = node_messages_look(forwarding->node_messages);
    return forwarding->looks;
}

uint64_t forwarding_seek(void *context) { return begin_look(context); }

void forwarding_look_first(struct forwarding *forwarding, struct forwarding_wait *wait)
{
    if (!forwarding) {
        wait->go(wait->user);
        return;
    }
    wait->told = 0;
    wait->look = begin_look(forwarding);
    link_wait(forwarding, wait);
}

/* A database that does not answer holds nobody for long. */
static void end_looks(struct forwarding *forwarding, int64_t now_us)
{
    uint64_t over = node_messages_looked(forwarding->node_messages);
    if (over < forwarding->looks && now_us - forwarding->look_us >= FORWARDING_WAIT_MS * INT64_C(1000))
        over = forwarding->looks;
    if (over <= forwarding->looks_over) return;
    forwarding->looks_over = over;
    forwarding->look_us = now_us;
    if (forwarding->compute) compute_looked(forwarding->compute, over);
}

/* ---- all of them ---- */

static bool is_over(const struct forwarding *forwarding, const struct forwarding_wait *wait, uint64_t told,
                    int64_t now_us)
{
    return (wait->told <= told && wait->look <= forwarding->looks_over) || now_us >= wait->until_us;
}

void forwarding_wait_on(struct forwarding *forwarding)
{
    int64_t now_us = clock_monotonic_us();
    end_looks(forwarding, now_us);
    tell_load(forwarding, now_us);
    uint64_t told = node_messages_told(forwarding->node_messages);
    for (struct forwarding_wait *at = forwarding->waits, *next; at; at = next) {
        next = at->after;
        if (!is_over(forwarding, at, told, now_us)) continue;
        unlink_wait(forwarding, at);
        at->go(at->user);
    }
}

void forwarding_end_waits(struct forwarding *forwarding)
{
    while (forwarding->waits) {
        struct forwarding_wait *wait = forwarding->waits;
        unlink_wait(forwarding, wait);
        wait->go(wait->user);
    }
}
