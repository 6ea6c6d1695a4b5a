/* runtime/transact/idempotency.c — a call that carries an idempotency key takes effect at most once.
 *
 * The answer of the first call is a row of the store, written in the transaction of its effect. A call with
 * the same key and the same request gets that answer again; a call with the same key and another request is
 * refused. The row holds the answer's value (answer_codec.h): it is rendered anew for every client that gets
 * it.
 */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/call/answer_codec.h"

/* Rows of the value have no HTTP status. Engines before this form stored the text of an HTTP answer, and such
 * a row is given as it is until its time is over. */
static void replay_text(struct call *call, const struct idempotency_row *row)
{
    struct answer_text *text = arena_make(call->arena, struct answer_text);
    *text = (struct answer_text){ .http_status = row->http_status, .body = row->answer };
    call->replayed_text = text;
}

enum status idempotency_replay(struct turn *turn, struct call *call, struct error *err)
{
    must(call->idempotency_key.n && !call->replayed);
    struct idempotency_row row;
    bool is_there;
    TRY(found_asked(
        store_find_idempotency(turn->engine->store, call->ns, call->idempotency_key, call->arena, &row, err),
        &is_there));
    if (!is_there) return ST_OK;
    if (row.request != call->request_hash)
        return fail(err, ST_UNPROCESSABLE, "Idempotency-Key",
                    "this key was used before for a different request");
    if (row.http_status) replay_text(call, &row);
    else TRY(answer_decode(row.answer, call, err));
    call->replayed = true;
    turn->counts.replays++;
    return ST_OK;
}

/* A single event that was refused has changed nothing: the same request may do better later. */
static bool took_effect(const struct call *call)
{
    return call->kind != CALL_EVENTS || call->as.events.event_count != 1 ||
           call->as.events.event->outcome != EVENT_REFUSED;
}

enum status idempotency_remember(struct turn *turn, struct call *call, struct error *err)
{
    must(call->idempotency_key.n && !call->replayed);
    if (!took_effect(call)) return ST_OK;
    struct idempotency_row row = { .ns = call->ns,
                                   .key = call->idempotency_key,
                                   .request = call->request_hash,
                                   .created_ms = turn->now_ms,
                                   .answer = answer_encode(call, &turn->arena) };
    struct changeset changeset = { .idempotency = &row };
    return transact_rows(turn, &changeset, err);
}
