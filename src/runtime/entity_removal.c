/* runtime/entity_removal.c — all entities of a model are deleted, some in every turn.
 *
 * One transaction for a million entities would hold up all others, so each turn deletes as many as its slice
 * allows. After a crash those that were deleted are deleted, and the caller, who has no answer, asks again:
 * that deletes the rest. Entities that are created meanwhile stay. One that another write is changing,
 * because a calculation node is asked, stays, and the answer says so.
 */
#include "base/array.h"
#include "runtime/engine_int.h"
#include "runtime/entities.h"
#include "runtime/models.h"

/* How far a removal is. */
struct removal_count {
    uint64_t last; /* The last instance that was looked at. */
    int64_t found, removed;
    size_t error_count;
};

struct entity_removal {
    uint64_t upto; /* Only instances up to this one. */
    str prefix;
    struct removal_count done, ran; /* As committed, and in the running transaction. */
};

/* Whether the transaction before has committed, the call itself tells. */
static enum status begin_part(struct turn *turn, struct call *call, struct error *err)
{
    struct entity_removal *removal = call->entity_.removal;
    if (!removal) {
        struct model model;
        TRY(models_find(turn, call->ns, call->as.removal.model, call->as.removal.version, &model, err));
        call->entity_.removal = removal = arena_make(call->arena, struct entity_removal);
        *removal = (struct entity_removal){ .upto = turn->engine->next_instance - 1 };
        removal->prefix = mark_prefix(
            model_key(call->as.removal.model, call->as.removal.version, call->arena), call->arena);
    }
    if (removal->ran.last == call->done_) removal->done = removal->ran;
    else removal->ran = removal->done;
    return ST_OK;
}

static void keep_error(struct call *call, uint64_t instance, int64_t created_ms, const struct error *why)
{
    struct answer_removal *answer = &call->value.removal;
    struct removal_count *ran = &call->entity_.removal->ran;
    char id[UUID_CHARS + 1];
    if (ran->error_count == REMOVAL_ERRORS_MAX) return;
    uuid_print(uuid_of_instance(created_ms, instance), id);
    answer->error_count = ran->error_count;
    array_reserve_in(call->arena, answer->error, answer->error_count, answer->error_cap);
    answer->error[ran->error_count++] =
        (struct removal_error){ arena_str(call->arena, str_of(id)),
                                arena_str(call->arena, str_of(why->message)) };
}

static enum status remove_one(struct turn *turn, struct call *call, uint64_t instance, struct error *err)
{
    const struct instance *now;
    struct definition *definition;
    struct transition *transition;
    struct removal_count *ran = &call->entity_.removal->ran;
    struct error why;
    ran->last = call->ran_ = instance;
    ran->found++;
    enum status status = transact_load(turn, instance, &now, &definition, &why);
    if (status != ST_OK && !transact_is_lost(turn, status)) return ST_OK; /* It is damaged, and stays. */
    if (status != ST_OK) {
        *err = why;
        return status;
    }
    struct command command =
        command_cancel(turn->now_ms, call->as.removal.actor, NULL,
                       (struct command_cancel){ .reason = call->as.removal.transaction });
    status = transact_step(turn, definition, now, &command, &transition, &why);
    if (status == ST_OK) {
        ran->removed++;
        return ST_OK;
    }
    if (transact_is_lost(turn, status)) {
        *err = why;
        return status;
    }
    keep_error(call, instance, now->created_ms, &why);
    return ST_OK;
}

enum status entity_removal_call(struct turn *turn, struct call *call, struct error *err)
{
    struct record_row *row;
    size_t count;
    TRY(begin_part(turn, call, err));
    struct entity_removal *removal = call->entity_.removal;
    const struct record_filter filter = {
        .ns = call->ns,
        .kind = RECORD_MEMBER,
        .prefix = removal->prefix,
        .after = removal->ran.last ? mark_member(removal->prefix, removal->ran.last, &turn->arena) : STR_NONE,
        .max = REMOVED_PER_TURN_MAX,
    };
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    size_t i = 0;
    for (; i < count && mark_instance_of(row[i].key) <= removal->upto && !(i && slice_is_over(turn)); i++)
        TRY(remove_one(turn, call, mark_instance_of(row[i].key), err));
    call->unfinished_ =
        i && (i < count ? mark_instance_of(row[i].key) <= removal->upto : count == filter.max);
    call->value.removal.found = removal->ran.found;
    call->value.removal.removed = removal->ran.removed;
    call->value.removal.error_count = removal->ran.error_count;
    return ST_OK;
}
