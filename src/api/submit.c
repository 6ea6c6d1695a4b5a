#include "api/submit_int.h"

#include "base/utf8.h"

enum status submit_check_key(str key, struct error *err)
{
    if (key.n <= IDEMPOTENCY_KEY_BYTES_MAX && utf8_is_valid(key)) return ST_OK;
    return fail(err, ST_INVALID, "Idempotency-Key", "Idempotency-Key must be at most %d bytes of UTF-8",
                IDEMPOTENCY_KEY_BYTES_MAX);
}

enum status submit_check_actor(str actor, struct error *err)
{
    if (actor.n <= WORKER_ID_BYTES_MAX && utf8_is_valid(actor)) return ST_OK;
    return fail(err, ST_INVALID, "X-Actor", "X-Actor must be at most %d bytes of UTF-8", WORKER_ID_BYTES_MAX);
}

enum status submit_key(struct call *call, str key, uint64_t hash, struct error *err)
{
    if (!key.n || !call_takes_key(call)) return ST_OK;
    TRY(submit_check_key(key, err));
    call->idempotency_key = key;
    call->request_hash = hash;
    return ST_OK;
}

enum status submit_call(struct api *api, struct call *call, int64_t answer_max, struct error *err)
{
    call->answer_max = answer_max;
    enum status status = runtime_submit(api->config.client, call);
    return status == ST_OK ? ST_OK : fail(err, status, "", "%s", status_meaning(status));
}

void submit_shorten(const struct api *api, struct call *call)
{
    if (budget_over(api->config.answers) && call->answer_max > SHORT_ANSWER_BYTES_MAX)
        call->answer_max = SHORT_ANSWER_BYTES_MAX;
}
