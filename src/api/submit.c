/* api/submit.c — submits a call to the engine with its idempotency key and the person who acts. */
#include "api/submit_int.h"

#include "base/utf8.h"
#include "json/json.h"

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

enum status submit_check_groups(str groups, struct error *err)
{
    if (groups.n <= GROUPS_HEADER_BYTES_MAX && utf8_is_valid(groups)) return ST_OK;
    return fail(err, ST_INVALID, "X-Groups",
                "X-Groups must be names between commas, in all at most %d bytes of UTF-8",
                GROUPS_HEADER_BYTES_MAX);
}

/* Adds the names of the header to those of the body (NULL: none). */
static const struct json *join_groups(struct arena *arena, const struct json *said, str groups)
{
    struct json_builder list;
    json_builder_init(&list, arena);
    json_open_array(&list);
    struct json_each each = json_each(said);
    while (said && json_next(&each)) json_add(&list, each.value);
    while (groups.n) {
        size_t end = str_find(groups, STR(","), 0);
        str name = str_trim(str_slice(groups, 0, end));
        if (name.n) json_add_string(&list, name);
        groups = end == SIZE_MAX ? STR_NONE : str_slice(groups, end + 1, groups.n);
    }
    json_close(&list);
    return json_built(&list);
}

/* Where the call keeps who acts; NULL: it keeps nobody. */
static str *actor_of(struct call *call)
{
    switch (call->kind) {
    case CALL_DEPLOY: return &call->as.deploy.author;
    case CALL_START: return &call->as.start.actor;
    case CALL_MODIFY: return &call->as.modify.actor;
    case CALL_BULK: return &call->as.bulk.actor;
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL:
    case CALL_CANCEL:
    case CALL_RETRY: return &call->as.instance.actor;
    case CALL_CLAIM_TASK:
    case CALL_UNCLAIM_TASK:
    case CALL_ASSIGN_TASK:
    case CALL_COMMENT_TASK: return &call->as.task.actor;
    case CALL_ARRIVE:
        return call->as.arrive.event.type == ARRIVAL_MANUAL ? &call->as.arrive.event.actor : NULL;
    default: return NULL;
    }
}

bool submit_takes_actor(struct call *call) { return actor_of(call) != NULL; }

bool submit_takes_groups(const struct call *call)
{
    return call->kind == CALL_COMPLETE_TASK || call->kind == CALL_CLAIM_TASK;
}

enum status submit_person(struct call *call, str actor, str groups, struct error *err)
{
    str *known = actor_of(call);
    if (known && actor.n && known->n && !str_equal(*known, actor))
        return fail(err, ST_INVALID, "X-Actor", "the request says that \"%.*s\" acts, and X-Actor \"%.*s\"",
                    STR_ARG(*known), STR_ARG(actor));
    if (known && !known->n) *known = actor;
    if (groups.n && call->kind == CALL_COMPLETE_TASK)
        call->as.instance.groups = join_groups(call->arena, call->as.instance.groups, groups);
    if (groups.n && call->kind == CALL_CLAIM_TASK)
        call->as.task.groups = join_groups(call->arena, call->as.task.groups, groups);
    return ST_OK;
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
