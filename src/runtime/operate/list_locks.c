/* runtime/operate/list_locks.c — the locks of a tenant by name: who holds them, and who waits. */
#include "json/put.h"
#include "runtime/call/sight.h"
#include "runtime/operate/operate_int.h"
#include "runtime/transact/transact.h"

static void put_moment(struct buf *out, const char *name, int64_t ms)
{
    buf_printf(out, ",\"%s\":", name);
    put_time(out, ms);
}

static void put_seat(struct buf *out, const struct lock_seat *seat)
{
    PUT(out, "{\"instanceId\":");
    put_id(out, seat->id);
    PUT(out, ",\"definitionId\":");
    put_text(out, seat->definition_id);
    PUT(out, ",\"node\":");
    put_text(out, seat->node);
    put_moment(out, "askedAt", seat->asked_ms);
    if (seat->granted_ms) put_moment(out, "heldSince", seat->granted_ms);
    buf_printf(out, ",\"size\":%u}", seat->size);
}

/* Somebody who may see some definitions only learns that others have the lock, and not which. */
static void put_seats(struct buf *out, const struct call *call, const char *name,
                      const struct lock_seats *seats)
{
    const struct sight sight = sight_of(call);
    bool first = true;
    buf_printf(out, ",\"%s\":[", name);
    for (size_t i = 0; i < seats->count; i++) {
        if (!sight.all && !sight_has(&sight, sight_object(call, seats->seat[i].definition_id))) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_seat(out, &seats->seat[i]);
    }
    buf_add_char(out, ']');
}

static void put_circle(struct buf *out, const struct call *call, const struct lock_circle *circle)
{
    const struct sight sight = sight_of(call);
    bool first = true;
    if (!circle->count) return;
    PUT(out, ",\"circle\":[");
    for (size_t i = 0; i < circle->count; i++) {
        const struct circle_link *link = &circle->link[i];
        if (!sight.all && !sight_has(&sight, sight_object(call, link->seat.definition_id))) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        PUT(out, "{\"instanceId\":");
        put_id(out, link->seat.id);
        PUT(out, ",\"definitionId\":");
        put_text(out, link->seat.definition_id);
        PUT(out, ",\"holds\":");
        put_text(out, link->holds);
        PUT(out, ",\"waitsFor\":");
        put_text(out, link->waits);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static void put_lock(struct buf *out, const struct call *call, const struct lock_view *lock)
{
    PUT(out, "{\"name\":");
    put_text(out, lock->name);
    buf_printf(out, ",\"held\":%zu,\"waiting\":%zu", lock->holders.count, lock->waiters.count);
    if (lock->holders.more || lock->waiters.more) PUT(out, ",\"more\":true");
    put_seats(out, call, "holders", &lock->holders);
    put_seats(out, call, "waiters", &lock->waiters);
    put_circle(out, call, &lock->circle);
    buf_add_char(out, '}');
}

enum status operate_list_locks(struct query *query, struct call *call, struct error *err)
{
    const struct call_summaries *asked = &call->as.summaries;
    str after = asked->after;
    struct buf out;
    size_t count = 0, runs_left = CIRCLE_RUNS_PAGE_MAX;
    bool more = false;
    buf_init(&out, call->arena);
    PUT(&out, "{\"items\":[");
    for (;;) {
        struct lock_view *lock;
        TRY(locks_next(query->reader, call->ns, after, asked->keyword, &runs_left, call->arena, &lock, err));
        if (!lock) break;
        /* A page that has read its runs ends early: the next one has the rest of the circles. */
        more = count == asked->max || out.n > (size_t)query->limits.answer_bytes_max || !runs_left;
        if (more) break;
        if (count++) buf_add_char(&out, ',');
        put_lock(&out, call, lock);
        after = lock->name;
        if (asked->keyword.n) break;
    }
    buf_add_char(&out, ']');
    if (more) {
        PUT(&out, ",\"nextCursor\":");
        put_text(&out, after);
    }
    buf_add_char(&out, '}');
    call->value.design.text = buf_str(&out);
    return ST_OK;
}
