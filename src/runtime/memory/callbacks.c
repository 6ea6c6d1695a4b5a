/* runtime/memory/callbacks.c — remembers, counts and logs callbacks that came too late to count. */
#include "runtime/memory/callbacks.h"

#include "base/log.h"
#include "base/must.h"
#include "runtime/memory/metrics.h"

#include <stdlib.h>

const char *callback_drop_word(enum callback_drop why)
{
    static const char *const words[] = {
#define XX(NAME, word, meaning) [CALLBACK_##NAME] = word,
        CALLBACK_DROP_MAP(XX)
#undef XX
    };
    must(why < COUNT(words));
    return words[why];
}

const char *callback_drop_meaning(enum callback_drop why)
{
    static const char *const meanings[] = {
#define XX(NAME, word, meaning) [CALLBACK_##NAME] = meaning,
        CALLBACK_DROP_MAP(XX)
#undef XX
    };
    return meanings[why];
}

const char *callback_kind_word(enum call_kind kind)
{
    switch (kind) {
    case CALL_COMPLETE_JOB: return "complete";
    case CALL_FAIL_JOB: return "fail";
    default: return "extend";
    }
}

void callbacks_done(struct callbacks *callbacks)
{
    free(callbacks->ring);
    *callbacks = (struct callbacks){ 0 };
}

/* A broken worker may send callbacks without end, so the log takes only some of them. */
static bool may_log(struct callbacks *callbacks, int64_t now_ms)
{
    int64_t second = now_ms / 1000;
    if (second != callbacks->logged_second) callbacks->logged_count = 0;
    callbacks->logged_second = second;
    return callbacks->logged_count++ < CALLBACKS_LOGGED_PER_SECOND;
}

static void add(struct callbacks *callbacks, const struct call *call, int64_t now_ms)
{
    must(call->dropped_ != CALLBACK_USED);
    if (!callbacks->ring) callbacks->ring = calloc(CALLBACKS_KEPT, sizeof callbacks->ring[0]);
    must(callbacks->ring);
    struct dropped_callback *drop = &callbacks->ring[callbacks->count++ % CALLBACKS_KEPT];
    *drop = (struct dropped_callback){
        .at_ms = now_ms, .job = call->as.job.id, .kind = call->kind, .why = call->dropped_
    };
    str worker =
        str_slice(call->as.job.worker, 0,
                  call->as.job.worker.n < sizeof drop->worker ? call->as.job.worker.n : sizeof drop->worker);
    memcpy(drop->worker, worker.p, worker.n);
    drop->worker_bytes = (uint32_t)worker.n;
    if (!may_log(callbacks, now_ms)) return;
    char job[ID_CHARS + 1], name[sizeof drop->worker + 1];
    id_print(call->as.job.id, job);
    memcpy(name, worker.p, worker.n);
    name[worker.n] = '\0';
    log_write(LOG_INFO, "a worker's callback changed nothing", "callback", callback_kind_word(call->kind),
              "job", job, "worker", name, "reason", callback_drop_meaning(call->dropped_), NULL);
}

void callbacks_note(struct callbacks *callbacks, struct metrics *metrics, const struct call *call,
                    int64_t now_ms)
{
    for (size_t i = 0; call->kind == CALL_BATCH && i < call->as.batch.item_count; i++)
        callbacks_note(callbacks, metrics, &call->as.batch.item[i], now_ms);
    if (call->status != ST_OK) return;
    if (call->late_) metric_add(&metrics->late_completions, 1);
    if (call->dropped_ == CALLBACK_USED) return;
    metric_add(&metrics->stale_callbacks, 1);
    if (call->dropped_ == CALLBACK_EXPIRED || call->dropped_ == CALLBACK_HELD)
        metric_add(&metrics->job_lock_conflicts, 1);
    add(callbacks, call, now_ms);
}

size_t callbacks_of(const struct callbacks *callbacks, uint64_t instance, struct arena *arena,
                    struct callback_view **ret_view)
{
    struct callback_view *view = arena_make_n(arena, struct callback_view, CALLBACKS_SHOWN);
    size_t kept = callbacks->count < CALLBACKS_KEPT ? (size_t)callbacks->count : CALLBACKS_KEPT, count = 0;
    for (size_t i = 1; i <= kept && count < CALLBACKS_SHOWN; i++) {
        const struct dropped_callback *drop = &callbacks->ring[(callbacks->count - i) % CALLBACKS_KEPT];
        if (drop->job.instance != instance) continue;
        view[count++] =
            (struct callback_view){ .at_ms = drop->at_ms,
                                    .job = drop->job,
                                    .kind = drop->kind,
                                    .why = drop->why,
                                    .worker = arena_str(arena, (str){ drop->worker, drop->worker_bytes }) };
    }
    *ret_view = view;
    return count;
}
