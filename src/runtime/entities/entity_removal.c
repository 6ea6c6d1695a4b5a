/* runtime/entities/entity_removal.c — entities of a model are deleted, some in every turn: all of them, or
 * those for which a condition holds.
 *
 * One transaction for a million entities would hold up all others, so each turn deletes as many as its slice
 * allows. After a crash those that were deleted are deleted, and the caller, who has no answer, asks again:
 * that deletes the rest. Entities that are created meanwhile stay. One that another write is changing,
 * because a calculation node is asked, stays, and the answer says so.
 *
 * With a condition each turn searches a slice, as searches beside others do (search_jobs.h), and deletes what
 * that has found. A search reads what is committed, so the condition is asked once more where the entity is
 * deleted. An index that leads to very many entities is not used: their ids would have to be kept.
 *
 * With the token of a processor (units.h) nothing may be deleted before the transaction that waits for the
 * processor is written. So the turns only search, and the last one joins the transaction and deletes all that
 * was found. Entities that the transaction has created or changed count as they are there. A removal that
 * finds too many for one turn is refused, and deletes nothing.
 */
#include "runtime/entities/entities_int.h"

#include "base/array.h"
#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/entities/models.h"
#include "runtime/entities/search.h"
#include "runtime/entities/search_jobs.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* How far a removal is. */
struct removal_count {
    size_t steps;  /* Entities that were looked at, and slices of a search. */
    uint64_t last; /* The last instance that was looked at. */
    size_t hit;    /* With a condition: hits of all slices that were looked at. */
    int64_t found, removed;
    size_t error_count;
    size_t ids, ids_bytes; /* Counts of the entities that the answer names. */
};

struct entity_removal {
    uint64_t upto; /* Only instances up to this one. */
    str prefix;
    struct removal_count done, ran; /* As committed, and in the running transaction. */
    struct buf ids;
    /* With a condition. */
    struct search search;
    uint64_t hits[SEARCH_SLICE_MAX]; /* The hits of the last slice. */
    size_t hit_count, hits_before;   /* hits_before: of the slices before it. */
    bool has_more;                   /* The search is not over. */
    /* With a token: entities that are looked at in the last turn. */
    uint64_t joined[REMOVAL_JOINED_MAX];
    size_t joined_count, joined_found; /* joined_found: of them, by the search. */
};

static enum status begin_search(struct turn *turn, struct call *call, struct entity_removal *removal,
                                struct error *err)
{
    const struct call_removal *asked = &call->as.removal;
    struct query *query;
    if (json_bytes(asked->condition) > SEARCH_CONDITION_BYTES_MAX)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "the condition has %zu bytes; the most is %d",
                         json_bytes(asked->condition), SEARCH_CONDITION_BYTES_MAX);
    TRY(search_jobs_query(turn->engine, &query, err));
    TRY(search_begin(query, call->ns, asked->model, asked->version, asked->condition, SEARCH_LOOKED_MAX,
                     call->arena, &removal->search, err));
    if (asked->is_past) search_begin_past(&removal->search, asked->at_ms);
    if (removal->search.plan.scans) removal->search.budget = SIZE_MAX;
    removal->has_more = true;
    return ST_OK;
}

/* The call itself tells whether the transaction before has committed. */
static enum status begin_part(struct turn *turn, struct call *call, struct error *err)
{
    struct entity_removal *removal = call->entity_.removal;
    if (!removal) {
        struct model model;
        TRY(found_needed(
            models_find(turn, call->ns, call->as.removal.model, call->as.removal.version, &model, err)));
        removal = arena_make(call->arena, struct entity_removal);
        uint64_t next;
        TRY(transact_next_instance(turn, &next, err));
        *removal = (struct entity_removal){ .upto = next - 1 };
        buf_init(&removal->ids, call->arena);
        if (call->as.removal.condition) TRY(begin_search(turn, call, removal, err));
        call->entity_.removal = removal;
        removal->prefix = index_record_prefix(
            model_key(call->as.removal.model, call->as.removal.version, call->arena), call->arena);
    }
    if (removal->ran.steps == call->done_) removal->done = removal->ran;
    else removal->ran = removal->done;
    must(removal->ran.steps == call->done_);
    removal->ids.n = removal->ran.ids_bytes;
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

static void keep_id(struct call *call, uint64_t instance, int64_t created_ms)
{
    struct entity_removal *removal = call->entity_.removal;
    char id[UUID_CHARS + 1];
    if (!call->as.removal.verbose || removal->ran.ids == REMOVAL_IDS_MAX) return;
    uuid_print(uuid_of_instance(created_ms, instance), id);
    buf_printf(&removal->ids, "%s\"%s\"", removal->ran.ids++ ? "," : "", id);
    removal->ran.ids_bytes = removal->ids.n;
}

/* One that waits for a calculation node is not asked: it is named in the answer. */
static enum status fits_still(struct turn *turn, const struct call *call, const struct instance *now,
                              bool *ret_fits, struct error *err)
{
    *ret_fits = lives(now);
    if (!call->as.removal.condition || call->as.removal.is_past || !*ret_fits || units_have(turn, now->id))
        return ST_OK;
    const struct token *token = entity_token(now);
    const struct search_hit hit = { .data = now->data, .carried = token ? token->carried : NULL };
    return search_fits_in(turn, &call->entity_.removal->search, &hit, ret_fits, err);
}

static enum status remove_one(struct turn *turn, struct call *call, uint64_t instance, struct error *err)
{
    const struct instance *now;
    struct definition *definition;
    struct transition *transition;
    struct removal_count *ran = &call->entity_.removal->ran;
    struct error why;
    ran->last = instance;
    call->ran_ = ++ran->steps;
    enum status status = found_needed(transact_load(turn, instance, &now, &definition, &why));
    if (status != ST_OK && !transact_is_lost(turn, status)) {
        ran->found += !call->as.removal.condition;
        return ST_OK; /* It is damaged, and stays. */
    }
    if (status != ST_OK) {
        *err = why;
        return status;
    }
    bool fits;
    TRY(fits_still(turn, call, now, &fits, err));
    if (!fits) return ST_OK;
    ran->found++;
    struct command command =
        command_cancel(turn->now_ms, call->as.removal.actor, NULL,
                       (struct command_cancel){ .reason = call->as.removal.transaction });
    command.stamp = entity_delete_stamp(entity_originator(call, NULL, now, &turn->arena), &turn->arena);
    status = transact_step(turn, definition, now, &command, &transition, &why);
    if (status == ST_OK) {
        ran->removed++;
        keep_id(call, instance, now->created_ms);
        return ST_OK;
    }
    if (transact_is_lost(turn, status)) {
        *err = why;
        return status;
    }
    keep_error(call, instance, now->created_ms, &why);
    return ST_OK;
}

/* ---- with a condition ---- */

static enum status take_hit(void *context, const struct search_hit *hit, struct error *err)
{
    struct entity_removal *removal = context;
    (void)err;
    if (hit->instance > removal->upto) return ST_OK;
    must(removal->hit_count < COUNT(removal->hits));
    removal->hits[removal->hit_count++] = hit->instance;
    return ST_OK;
}

static enum status search_slice(struct turn *turn, struct call *call, search_hit_fn *take, struct error *err)
{
    struct entity_removal *removal = call->entity_.removal;
    struct query *query;
    TRY(search_jobs_query(turn->engine, &query, err));
    enum status status =
        search_go_on_in(turn, query, &removal->search, take, removal, &removal->has_more, err);
    bool is_broad = status == ST_INVALID && !removal->search.plan.scans && err->code &&
                    str_equal(str_of(err->code), STR("SCAN_BUDGET_EXHAUSTED"));
    if (is_broad) search_begin_scan(&removal->search);
    removal->has_more |= is_broad;
    call->ran_ = ++removal->ran.steps;
    return is_broad ? ST_OK : status;
}

/* All hits of the slice before are gone, for good. */
static enum status read_slice(struct turn *turn, struct call *call, struct error *err)
{
    struct entity_removal *removal = call->entity_.removal;
    removal->hits_before += removal->hit_count;
    removal->hit_count = 0;
    return search_slice(turn, call, take_hit, err);
}

static enum status remove_found(struct turn *turn, struct call *call, struct error *err)
{
    struct entity_removal *removal = call->entity_.removal;
    if (removal->has_more && removal->ran.hit == removal->hits_before + removal->hit_count)
        TRY(read_slice(turn, call, err));
    size_t end = removal->hits_before + removal->hit_count;
    must(removal->ran.hit >= removal->hits_before && removal->ran.hit <= end);
    for (bool is_first = true; removal->ran.hit < end && (is_first || !slice_is_over(turn)); is_first = false)
        TRY(remove_one(turn, call, removal->hits[removal->ran.hit++ - removal->hits_before], err));
    call->unfinished_ = removal->has_more || removal->ran.hit < end;
    return ST_OK;
}

/* ---- without one ---- */

static enum status remove_all(struct turn *turn, struct call *call, struct error *err)
{
    struct record_row *row;
    size_t count;
    struct entity_removal *removal = call->entity_.removal;
    const struct record_filter filter = {
        .ns = call->ns,
        .kind = RECORD_MEMBER,
        .prefix = removal->prefix,
        .after = removal->ran.last ? index_record_member(removal->prefix, removal->ran.last, &turn->arena)
                                   : STR_NONE,
        .max = REMOVED_PER_TURN_MAX,
    };
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    size_t i = 0;
    for (; i < count && index_record_instance_of(row[i].key) <= removal->upto && !(i && slice_is_over(turn));
         i++)
        TRY(remove_one(turn, call, index_record_instance_of(row[i].key), err));
    call->unfinished_ =
        i && (i < count ? index_record_instance_of(row[i].key) <= removal->upto : count == filter.max);
    return ST_OK;
}

/* ---- in the transaction of a processor ---- */

static enum status add_joined(struct entity_removal *removal, uint64_t instance, struct error *err)
{
    for (size_t i = 0; i < removal->joined_count; i++)
        if (removal->joined[i] == instance) return ST_OK;
    if (removal->joined_count == COUNT(removal->joined))
        return fail(err, ST_LIMIT, "",
                    "more than %d entities would be deleted in the transaction of a processor; delete fewer "
                    "at once, or all of them without its token (REMOVAL_JOINED_MAX)",
                    REMOVAL_JOINED_MAX);
    removal->joined[removal->joined_count++] = instance;
    return ST_OK;
}

static enum status take_joined(void *context, const struct search_hit *hit, struct error *err)
{
    return add_joined(context, hit->instance, err);
}

static enum status see_joined(void *context, const struct instance *instance,
                              const struct definition *definition, struct error *err)
{
    const struct call *call = context;
    str name;
    int32_t version;
    entity_model_of(definition->id, &name, &version);
    bool is_of_model =
        version == call->as.removal.version && str_equal(name, call->as.removal.model) && lives(instance);
    return is_of_model ? add_joined(call->entity_.removal, instance->id, err) : ST_OK;
}

/* All that may have to be deleted: what is committed, and what the transaction has changed. */
static enum status collect_joined(struct turn *turn, struct call *call, struct error *err)
{
    struct entity_removal *removal = call->entity_.removal;
    const struct record_filter filter = {
        .ns = call->ns, .kind = RECORD_MEMBER, .prefix = removal->prefix, .max = REMOVAL_JOINED_MAX + 1
    };
    struct record_row *row;
    size_t count = 0;
    removal->joined_count = removal->joined_found;
    if (!call->as.removal.condition)
        TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    for (size_t i = 0; i < count; i++) TRY(add_joined(removal, index_record_instance_of(row[i].key), err));
    return unit_each_shared(turn, call->as.removal.token, UNIT_STEPS_MAX, see_joined, call, err);
}

/* As the transaction sees it. */
static enum status fits_joined(struct turn *turn, const struct call *call, const struct instance *now,
                               bool *ret_fits, struct error *err)
{
    const struct token *token = entity_token(now);
    const struct search_hit hit = { .data = now->data, .carried = token ? token->carried : NULL };
    *ret_fits = lives(now);
    if (!*ret_fits || !call->as.removal.condition) return ST_OK;
    return search_fits_in(turn, &call->entity_.removal->search, &hit, ret_fits, err);
}

static enum status remove_joined_one(struct turn *turn, struct call *call, uint64_t instance,
                                     struct error *err)
{
    const struct instance *now;
    struct definition *definition;
    struct transition *transition;
    struct removal_count *ran = &call->entity_.removal->ran;
    struct error why;
    bool fits = true;
    bool is_others = units_have(turn, instance) && !unit_takes(turn, instance);
    bool is_busy = is_others || unit_is_joined_by(turn, instance);
    TRY(found_needed(transact_load(turn, instance, &now, &definition, err)));
    if (!is_others) TRY(fits_joined(turn, call, now, &fits, err));
    if (!fits) return ST_OK;
    ran->found++;
    if (is_busy) {
        fail(&why, ST_CONFLICT, "", "a write of this entity waits for a calculation node");
        keep_error(call, instance, now->created_ms, &why);
        return ST_OK;
    }
    struct command command = command_cancel(
        turn->now_ms, call->as.removal.actor, NULL,
        (struct command_cancel){ .reason = arena_str(&turn->arena, call->as.removal.transaction) });
    command.stamp = entity_delete_stamp(entity_originator(call, call->as.removal.joined, now, &turn->arena),
                                        &turn->arena);
    TRY(transact_step(turn, definition, now, &command, &transition, err));
    ran->removed++;
    keep_id(call, instance, now->created_ms);
    return ST_OK;
}

static enum status run_joined(struct turn *turn, struct call *call, struct error *err)
{
    const struct entity_removal *removal = call->entity_.removal;
    TRY(collect_joined(turn, call, err));
    for (size_t i = 0; i < removal->joined_count; i++)
        TRY(remove_joined_one(turn, call, removal->joined[i], err));
    return ST_OK;
}

static enum status remove_joined(struct turn *turn, struct call *call, struct error *err)
{
    struct entity_removal *removal = call->entity_.removal;
    const struct instance *instance;
    if (call->idempotency_key.n)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "a write that joins a transaction has no key");
    if (removal->has_more) {
        TRY(unit_check_token(turn, call->ns, call->as.removal.token, err));
        TRY(search_slice(turn, call, take_joined, err));
        removal->joined_found = removal->joined_count;
        call->unfinished_ = true;
        return ST_OK;
    }
    TRY(unit_join(turn, call, call->as.removal.token, &instance, err));
    call->as.removal.transaction = arena_str(call->arena, entity_mark(instance, ENTITY_TRANSACTION));
    call->as.removal.joined = entity_keep_originator(instance, call->arena);
    enum status status = run_joined(turn, call, err);
    if (status == ST_OK && removal->ran.removed) return unit_end(turn, err);
    unit_forget(turn);
    return status;
}

enum status entity_removal_call(struct turn *turn, struct call *call, struct error *err)
{
    TRY(begin_part(turn, call, err));
    if (call->as.removal.token.n) TRY(remove_joined(turn, call, err));
    else if (call->as.removal.condition) TRY(remove_found(turn, call, err));
    else TRY(remove_all(turn, call, err));
    const struct entity_removal *removal = call->entity_.removal;
    call->value.removal.found = removal->ran.found;
    call->value.removal.removed = removal->ran.removed;
    call->value.removal.error_count = removal->ran.error_count;
    call->value.removal.ids = buf_str(&removal->ids);
    return ST_OK;
}
