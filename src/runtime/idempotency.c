/* runtime/idempotency.c — a call that carries an idempotency key takes effect at most once.
 *
 * The answer of the first call is a row of the store, written in the transaction of its effect. A call with
 * the same key and the same request gets that answer again; a call with the same key and another request is
 * refused.
 */
#include "runtime/engine_int.h"

/* Looks for the answer that was given under this key before. */
enum status idempotency_replay(struct turn *turn, struct call *call, struct error *err)
{
    struct idempotency_row row;
    enum status status =
        store_find_idempotency(turn->engine->store, call->ns, call->idempotency_key, call->arena, &row, err);
    if (status == ST_NOT_FOUND) return ST_OK;
    TRY(status);
    if (row.request != call->request_hash)
        return fail(err, ST_UNPROCESSABLE, "Idempotency-Key",
                    "this key was used before for a different request");
    call->replayed = true;
    call->replayed_http = row.http_status;
    call->replayed_body = row.answer;
    metric_add(&turn->engine->metrics->idempotent_replays, 1);
    return ST_OK;
}

enum status idempotency_remember(struct turn *turn, struct call *call, struct error *err)
{
    struct buf body;
    buf_init(&body, &turn->arena);
    int http_status = 0;
    call->render(call, &http_status, &body);
    if (http_status >= 400) return ST_OK; /* Nothing was done: the same request may do better later. */
    struct idempotency_row row = { .ns = call->ns,
                                   .key = call->idempotency_key,
                                   .request = call->request_hash,
                                   .created_ms = turn->now_ms,
                                   .http_status = http_status,
                                   .answer = buf_str(&body) };
    struct changeset changeset = { .idempotency = &row };
    return transact_rows(turn, &changeset, err);
}
