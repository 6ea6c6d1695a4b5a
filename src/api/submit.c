/* api/submit.c — submits a call to the engine with its idempotency key and the person who acts. */
#include "api/access/person_int.h"
#include "api/submit_int.h"

#include "base/hash.h"
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

enum status submit_check_groups(str groups, struct error *err)
{
    if (groups.n <= GROUPS_HEADER_BYTES_MAX && utf8_is_valid(groups)) return ST_OK;
    return fail(err, ST_INVALID, "X-Groups",
                "X-Groups must be names between commas, in all at most %d bytes of UTF-8",
                GROUPS_HEADER_BYTES_MAX);
}

/* Where the call keeps who acts; NULL: it keeps nobody. */
static str *actor_of(struct call *call)
{
    switch (call->kind) {
    case CALL_DEPLOY: return &call->as.deploy.author;
    case CALL_RESTORE: return &call->as.restore.author;
    case CALL_APPLY: return &call->as.apply.author;
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
    case CALL_SAVE_DRAFT: return &call->as.draft.author;
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

static const struct json **groups_of(struct call *call)
{
    if (call->kind == CALL_COMPLETE_TASK) return &call->as.instance.groups;
    return call->kind == CALL_CLAIM_TASK ? &call->as.task.groups : NULL;
}

enum status submit_person(struct call *call, struct caller *caller, str actor, str groups, struct error *err)
{
    str *known = actor_of(call);
    const struct json **members = groups_of(call);
    if (known && actor.n && known->n && !str_equal(*known, actor))
        return fail(err, ST_INVALID, "X-Actor", "the request says that \"%.*s\" acts, and X-Actor \"%.*s\"",
                    STR_ARG(*known), STR_ARG(actor));
    if (known && !known->n) *known = actor;
    TRY(person_take(caller, known ? *known : actor, err));
    if (known) *known = person_name(caller, *known);
    return members ? person_take_groups(caller, groups, call->arena, members, err) : ST_OK;
}

str submit_own_key(const struct caller *caller, str key, struct arena *arena)
{
    const struct principal *principal = caller ? caller->principal : NULL;
    if (!key.n || !principal || principal->is_everybody || str_equal(principal->id, STR("key:root")))
        return key;
    return arena_printf(arena, "\x1d%016llx\x1d%.*s", (unsigned long long)hash_bytes(principal->id),
                        STR_ARG(key));
}

enum status submit_key(struct call *call, str key, uint64_t hash, struct error *err)
{
    if (!key.n || !call_takes_key(call)) return ST_OK;
    TRY(submit_check_key(key, err));
    call->idempotency_key = submit_own_key(call->caller, key, call->arena);
    call->request_hash = hash;
    return ST_OK;
}

enum status submit_call(struct api *api, struct call *call, int64_t answer_max, struct error *err)
{
    call->answer_max = answer_max;
    TRY(objects_check(call, err));
    bool needs_groups = groups_of(call) && person_is_another(call->caller);
    enum status status = needs_groups ? person_find_groups(api, call, groups_of(call))
                                      : runtime_submit(api->config.client, call);
    return status == ST_OK ? ST_OK : fail(err, status, "", "%s", status_meaning(status));
}

void submit_shorten(const struct api *api, struct call *call)
{
    if (budget_over(api->config.answers) && call->answer_max > SHORT_ANSWER_BYTES_MAX)
        call->answer_max = SHORT_ANSWER_BYTES_MAX;
}
