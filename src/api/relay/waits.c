/* api/relay/waits.c — who waits until others can see our members, or until we have looked at theirs. */
#include "api/relay/relay_int.h"

#include "base/clock.h"

static void unlink_wait(struct relay *relay, struct relay_wait *wait)
{
    if (wait->before) wait->before->after = wait->after;
    else relay->waits = wait->after;
    if (wait->after) wait->after->before = wait->before;
    wait->is_waiting = false;
}

static void link_wait(struct relay *relay, struct relay_wait *wait)
{
    wait->until_us = clock_monotonic_us() + RELAY_WAIT_MS * INT64_C(1000);
    wait->is_waiting = true;
    wait->before = NULL;
    wait->after = relay->waits;
    if (relay->waits) relay->waits->before = wait;
    relay->waits = wait;
}

void relay_stop_waiting(struct relay *relay, struct relay_wait *wait)
{
    if (wait->is_waiting) unlink_wait(relay, wait);
}

/* ---- our roster ---- */

static void tell(struct relay *relay, struct buf *roster)
{
    buf_done(&relay->roster);
    relay->roster = *roster;
    relay->told = errands_tell(relay->errands, buf_str(roster));
    relay->told_us = clock_monotonic_us();
}

void relay_tell_members(struct relay *relay, struct relay_wait *wait)
{
    struct buf roster;
    if (!relay) {
        if (wait) wait->go(wait->user);
        return;
    }
    buf_init(&roster, NULL);
    relay_write_roster(relay, &roster);
    tell(relay, &roster);
    if (!wait) return;
    wait->told = relay->told;
    wait->look = 0;
    link_wait(relay, wait);
}

/* The work of members changes all the time, so others hear of it now and then: the longer the roster, the
 * less often. */
static void tell_load(struct relay *relay, int64_t now_us)
{
    struct buf roster;
    int64_t pause_us = RELAY_LOAD_MS * INT64_C(1000) + (int64_t)relay->roster.n * RELAY_LOAD_BYTE_US;
    if (now_us - relay->told_us < pause_us) return;
    buf_init(&roster, NULL);
    relay_write_roster(relay, &roster);
    if (relay->told && str_equal(buf_str(&roster), buf_str(&relay->roster))) buf_done(&roster);
    else tell(relay, &roster);
}

/* ---- looks ---- */

static uint64_t begin_look(struct relay *relay)
{
    if (relay->looks == relay->looks_over) relay->look_us = clock_monotonic_us();
    relay->looks = errands_look(relay->errands);
    return relay->looks;
}

uint64_t relay_seek(void *context) { return begin_look(context); }

void relay_look_first(struct relay *relay, struct relay_wait *wait)
{
    if (!relay) {
        wait->go(wait->user);
        return;
    }
    wait->told = 0;
    wait->look = begin_look(relay);
    link_wait(relay, wait);
}

/* A database that does not answer holds nobody for long. */
static void end_looks(struct relay *relay, int64_t now_us)
{
    uint64_t over = errands_looked(relay->errands);
    if (over < relay->looks && now_us - relay->look_us >= RELAY_WAIT_MS * INT64_C(1000)) over = relay->looks;
    if (over <= relay->looks_over) return;
    relay->looks_over = over;
    relay->look_us = now_us;
    if (relay->compute) compute_looked(relay->compute, over);
}

/* ---- all of them ---- */

static bool is_over(const struct relay *relay, const struct relay_wait *wait, uint64_t told, int64_t now_us)
{
    return (wait->told <= told && wait->look <= relay->looks_over) || now_us >= wait->until_us;
}

void relay_wait_on(struct relay *relay)
{
    int64_t now_us = clock_monotonic_us();
    end_looks(relay, now_us);
    tell_load(relay, now_us);
    uint64_t told = errands_told(relay->errands);
    for (struct relay_wait *at = relay->waits, *next; at; at = next) {
        next = at->after;
        if (!is_over(relay, at, told, now_us)) continue;
        unlink_wait(relay, at);
        at->go(at->user);
    }
}

void relay_end_waits(struct relay *relay)
{
    while (relay->waits) {
        struct relay_wait *wait = relay->waits;
        unlink_wait(relay, wait);
        wait->go(wait->user);
    }
}
