/* runtime/entities/entities.c — writes of entities: one transaction for all items of a call.
 *
 * An entity is an instance (dialect/entity). A write is a START, a FIRE or a CANCEL of it, in a unit
 * (units.h): if a processor has to be asked first, nothing is written before its answer, and if one item
 * fails, none is written. A document must fit its model; the model's level says how far it may change the
 * model.
 */
#include "runtime/entities/entities_int.h"

#include "base/datetime.h"
#include "base/must.h"
#include "base/uuid.h"
#include "dialect/entity/entity.h"
#include "runtime/call/call.h"
#include "runtime/entities/models.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* ---- documents ---- */

/* The models that the call has looked at, with what its documents add to them. */
struct seen_model {
    struct model model;
    bool has_grown;
    struct seen_model *next;
};

static enum status find_model(struct turn *turn, int32_t ns, str name, int32_t version,
                              struct seen_model **seen, struct seen_model **ret_seen, struct error *err)
{
    for (struct seen_model *it = *seen; it; it = it->next)
        if (it->model.version == version && str_equal(it->model.name, name)) {
            *ret_seen = it;
            return ST_OK;
        }
    struct seen_model *added = arena_make(&turn->arena, struct seen_model);
    *added = (struct seen_model){ .next = *seen };
    TRY(found_needed(models_find(turn, ns, name, version, &added->model, err)));
    *ret_seen = *seen = added;
    return ST_OK;
}

enum status entity_fit_document(struct turn *turn, struct model *model, const struct json *data,
                                bool *ret_grows, struct error *err)
{
    struct model_problem problem;
    *ret_grows = false;
    turn->spent += (int64_t)(json_bytes(data) / STATE_BYTES_PER_FUEL);
    if (!json_is(data, JSON_OBJECT))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "an entity is an object, not %s",
                         json_kind_name(json_kind(data)));
    if (!model_check(model->schema, data, model->level, &turn->arena, ret_grows, &problem))
        return entity_fail_problem(model, &problem, err);
    return *ret_grows ? model_extend(model->schema, data, &turn->arena, &model->schema, err) : ST_OK;
}

static enum status check_document(struct turn *turn, struct seen_model *seen, const struct json *data,
                                  struct error *err)
{
    bool grows;
    TRY(entity_fit_document(turn, &seen->model, data, &grows, err));
    seen->has_grown |= grows;
    return ST_OK;
}

static enum status check_locked(const struct model *model, struct error *err)
{
    if (model->is_locked) return ST_OK;
    return models_fail_state(model, "MODEL_NOT_LOCKED", "is not locked, so it has no entities yet", err);
}

enum status entity_grow_model(struct turn *turn, const struct definition *definition,
                              const struct instance *instance, struct error *err)
{
    struct model model;
    str name;
    int32_t version;
    bool grows;
    if (!lives(instance)) return ST_OK;
    entity_model_of(definition->id, &name, &version);
    TRY(found_needed(models_find(turn, definition->ns, name, version, &model, err)));
    TRY(check_locked(&model, err));
    TRY(entity_fit_document(turn, &model, instance->data, &grows, err));
    return grows ? models_save(turn, definition->ns, &model, err) : ST_OK;
}

/* The model stays as it is, whatever its level. */
static enum status check_strictly(struct turn *turn, const struct seen_model *seen, const struct json *data,
                                  struct error *err)
{
    struct model model = seen->model;
    bool grows;
    model.level = MODEL_LEVEL_NONE;
    return entity_fit_document(turn, &model, data, &grows, err);
}

/* ---- one item ---- */

static enum status create(struct turn *turn, struct call *call, struct entity_item *item,
                          struct seen_model **seen, struct error *err)
{
    struct seen_model *of;
    struct definition *definition;
    struct transition *transition;
    TRY(find_model(turn, call->ns, item->model, item->version, seen, &of, err));
    TRY(check_locked(&of->model, err));
    TRY(check_document(turn, of, item->data, err));
    TRY(found_needed(catalogue_find(&turn->engine->memory.catalogue, call->ns,
                                    model_key(item->model, item->version, &turn->arena), VERSION_LATEST,
                                    &definition, err)));
    TRY(usage_check_there(&turn->engine->memory.usage, call->ns, err));
    TRY(start_check_retired(turn, definition, err));
    TRY(quota_check_start(turn, call->ns, err));
    uint64_t instance;
    TRY(transact_next_instance(turn, &instance, err));
    struct command command =
        command_start(turn->now_ms, call->as.entities.actor, item->data,
                      (struct command_start){ .instance = instance, .definition = definition->number });
    const struct entity_write write = { .transition = item->transition,
                                        .transaction = call->as.entities.transaction,
                                        .created = instance,
                                        .originator = entity_originator(call, call->as.entities.joined, NULL,
                                                                        &turn->arena) };
    command.stamp = entity_write_stamp(&write, turn->now_ms, &turn->arena);
    item->id = uuid_of_instance(turn->now_ms, instance);
    TRY(transact_step(turn, definition, NULL, &command, &transition, err));
    must(!transition);
    turn->engine->transact.numbers.instance++;
    return ST_OK;
}

/* The entity that the id names, as the turn sees it. */
static enum status find(struct turn *turn, const struct call *call, struct uuid uuid,
                        const struct instance **ret_instance, struct definition **ret_definition,
                        struct error *err)
{
    uint64_t id;
    int64_t created_ms;
    if (!uuid_instance(uuid, &created_ms, &id)) return entity_fail_not_found(uuid, err);
    bool is_there;
    TRY(found_asked(transact_load_for(turn, call, id, ret_instance, ret_definition, err), &is_there));
    is_there = is_there && lives(*ret_instance) && (*ret_instance)->created_ms == created_ms &&
               dialect_has_entities((*ret_definition)->program->dialect);
    return is_there ? ST_OK : entity_fail_not_found(uuid, err);
}

static enum status fail_busy(struct error *err)
{
    return fail_code(err, ST_CONFLICT, "CONFLICT",
                     "another write of this entity waits for a calculation node; try again later");
}

/* The entity for a write; one that another unit is changing is refused. */
static enum status load(struct turn *turn, const struct call *call, const struct entity_item *item,
                        const struct instance **ret_instance, struct definition **ret_definition,
                        struct error *err)
{
    uint64_t id;
    int64_t created_ms;
    bool is_busy = uuid_instance(item->id, &created_ms, &id) && units_have(turn, id) && !unit_takes(turn, id);
    if (is_busy) return fail_busy(err);
    TRY(find(turn, call, item->id, ret_instance, ret_definition, err));
    str now = entity_mark(*ret_instance, ENTITY_TRANSACTION);
    if (!item->if_match.n || str_equal(item->if_match, now)) return ST_OK;
    fail_code(err, ST_STALE, "ENTITY_MODIFIED", "the entity was changed by transaction %.*s, not %.*s",
              STR_ARG(now), STR_ARG(item->if_match));
    entity_error_add_id(err, item->id);
    return ST_STALE;
}

/* The latest version of its workflows takes the entity, if it has the entity's state. */
static enum status follow_version(struct turn *turn, int32_t ns, const struct instance **instance,
                                  struct definition **definition, int64_t *ret_moved, struct error *err)
{
    struct definition *latest;
    const struct token *token = entity_token(*instance);
    *ret_moved = 0;
    if (units_have(turn, (*instance)->id)) return ST_OK; /* Its working copy stays with its version. */
    TRY(found_needed(catalogue_find(&turn->engine->memory.catalogue, ns, (*definition)->id, VERSION_LATEST,
                                    &latest, err)));
    if (latest->number == (*definition)->number || !token ||
        program_find(latest->program, token->node_name) == NODE_NONE)
        return ST_OK;
    *instance = transact_moved(turn, *instance, latest);
    *definition = latest;
    *ret_moved = latest->number;
    return ST_OK;
}

static enum status update(struct turn *turn, struct call *call, struct entity_item *item,
                          struct seen_model **seen, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    struct transition *transition;
    struct seen_model *of;
    int64_t moved;
    const struct json *data = item->data;
    TRY(load(turn, call, item, &instance, &definition, err));
    bool in_place = unit_is_joined_by(turn, instance->id);
    if (in_place && item->transition.n) return fail_busy(err);
    if (item->data) {
        str name;
        int32_t version;
        entity_model_of(definition->id, &name, &version);
        TRY(find_model(turn, call->ns, name, version, seen, &of, err));
        if (item->is_patch) data = json_merge_patch(instance->data, item->data, &turn->arena);
        if (item->is_patch) TRY(check_strictly(turn, of, data, err));
        else TRY(check_document(turn, of, data, err));
    }
    if (in_place) moved = 0;
    else TRY(follow_version(turn, call->ns, &instance, &definition, &moved, err));
    struct command command = command_fire(
        turn->now_ms, call->as.entities.actor, data,
        (struct command_fire){ .transition = item->transition, .definition = moved, .in_place = in_place });
    const struct entity_write write = { .transition = item->transition,
                                        .transaction = call->as.entities.transaction,
                                        .originator = entity_originator(call, call->as.entities.joined,
                                                                        instance, &turn->arena) };
    command.stamp = entity_write_stamp(&write, turn->now_ms, &turn->arena);
    enum status status = transact_step(turn, definition, instance, &command, &transition, err);
    if (status == ST_NOT_FOUND) err->code = "TRANSITION_NOT_FOUND";
    if (status == ST_INVALID && !err->code && !err->where[0]) err->code = "WORKFLOW_FAILED";
    return status;
}

static enum status remove_entity(struct turn *turn, struct call *call, struct entity_item *item,
                                 struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    struct transition *transition;
    TRY(load(turn, call, item, &instance, &definition, err));
    if (unit_is_joined_by(turn, instance->id)) return fail_busy(err);
    entity_model_of(arena_str(call->arena, definition->id), &item->model, &item->version);
    struct command command = command_cancel(
        turn->now_ms, call->as.entities.actor, NULL,
        (struct command_cancel){
            .reason = arena_printf(&turn->arena, "%.*s", STR_ARG(call->as.entities.transaction)) });
    command.stamp = entity_delete_stamp(
        entity_originator(call, call->as.entities.joined, instance, &turn->arena), &turn->arena);
    return transact_step(turn, definition, instance, &command, &transition, err);
}

static enum status run_item(struct turn *turn, struct call *call, struct entity_item *item,
                            struct seen_model **seen, struct error *err)
{
    switch (item->action) {
    case ENTITY_CREATE: return create(turn, call, item, seen, err);
    case ENTITY_UPDATE: return update(turn, call, item, seen, err);
    case ENTITY_DELETE: return remove_entity(turn, call, item, err);
    }
    return fail(err, ST_INTERNAL, "", "no such action");
}

/* ---- the call ---- */

static enum status run_items(struct turn *turn, struct call *call, struct seen_model **seen,
                             struct error *err)
{
    must(turn->unit && turn->unit->fate <= UNIT_WAITS);
    struct call_entities *asked = &call->as.entities;
    for (size_t i = 0; i < asked->count; i++) {
        struct entity_item *item = &asked->item[i];
        item->status = run_item(turn, call, item, seen, &item->error);
        if (item->status == ST_OK) continue;
        if (asked->stale_fail_alone && item->status == ST_STALE && turn->failed == ST_OK) continue;
        *err = item->error;
        asked->failed = i;
        return item->status;
    }
    return ST_OK;
}

/* The writes of a processor belong to the transaction of the entity for which it works. */
static enum status join(struct turn *turn, struct call *call, struct error *err)
{
    const struct instance *instance;
    if (call->idempotency_key.n)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "a write that joins a transaction has no key");
    TRY(unit_join(turn, call, call->as.entities.token, &instance, err));
    call->as.entities.transaction = arena_str(call->arena, entity_mark(instance, ENTITY_TRANSACTION));
    call->as.entities.joined = entity_keep_originator(instance, call->arena);
    return ST_OK;
}

enum status entities_call(struct turn *turn, struct call *call, struct error *err)
{
    struct seen_model *seen = NULL;
    TRY(call->as.entities.token.n ? join(turn, call, err) : unit_begin(turn, call, err));
    enum status status = run_items(turn, call, &seen, err);
    if (status != ST_OK) {
        unit_forget(turn);
        return status;
    }
    struct staged_unit *staged = turn->unit;
    TRY(unit_end(turn, err));
    must(!turn->unit);
    /* A write that waits may be dropped, and its models may change meanwhile: they are checked when it ends.
     */
    if (staged->fate == UNIT_WAITS) staged->grow = entity_grow_model;
    for (struct seen_model *it = seen; it && staged->fate != UNIT_WAITS; it = it->next)
        if (it->has_grown) TRY(models_save(turn, call->ns, &it->model, err));
    return ST_OK;
}

/* ---- reading in a transaction ---- */

enum status entities_get_joined(struct turn *turn, struct call *call, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    TRY(unit_check_token(turn, call->ns, call->as.entity.token, err));
    /* Changes of other transactions that have not committed are not seen. */
    TRY(find(turn, call, call->as.entity.id, &instance, &definition, err));
    if (units_have(turn, instance->id) && !unit_shares(turn, call->as.entity.token, instance->id))
        TRY(found_needed(transact_load_stored(turn, instance->id, &instance, &definition, err)));
    if (!lives(instance)) return entity_fail_not_found(call->as.entity.id, err);
    const struct token *token = entity_token(instance);
    struct entity_view *view = arena_make(call->arena, struct entity_view);
    *view = (struct entity_view){ .id = call->as.entity.id, .data = json_copy(call->arena, instance->data) };
    if (token && token->carried) view->carried = json_copy(call->arena, token->carried);
    entity_model_of(arena_str(call->arena, definition->id), &view->model, &view->version);
    bool is_other = call->as.entity.model.n && (call->as.entity.version != view->version ||
                                                !str_equal(call->as.entity.model, view->model));
    if (is_other) return entity_fail_not_found(call->as.entity.id, err);
    view->transition_count =
        entity_transitions(definition->program, instance, call->arena, &view->transition);
    for (size_t i = 0; i < view->transition_count; i++)
        view->transition[i] = arena_str(call->arena, view->transition[i]);
    call->value.entities = (struct answer_entities){ .view = view, .count = 1 };
    return ST_OK;
}
