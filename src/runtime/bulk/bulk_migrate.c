/* runtime/bulk/bulk_migrate.c — one instance of a bulk goes on with another version, or back again.
 *
 * The result of a migration keeps what its undoing needs: the revision of the instance, so that one that has
 * moved on since is left alone, and the way back, which names for each node that was renamed the one before.
 * The request's mapping would not do: the instance may have stood at a node that others were mapped to.
 */
#include "runtime/bulk/bulk_int.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* ---- the mapping ---- */

enum status bulk_mapping_of(const struct bulk_request *request, const struct bulk_target *target,
                            struct arena *arena, struct command_migrate *migrate, struct error *err)
{
    const struct json *map = request->map;
    if (request->action == BULK_UNDO) {
        map = target->way_back.n ? json_decode(target->way_back, arena) : NULL;
        if (target->way_back.n && !json_is(map, JSON_OBJECT))
            return fail_code(err, ST_CONFLICT, "NO_WAY_BACK",
                             "two of its nodes became one: nobody knows which of them it came from");
        migrate->if_revision = target->revision;
    }
    struct node_mapping *mapping = arena_make_n(arena, struct node_mapping, json_count(map));
    struct json_each each = json_each(map);
    for (migrate->mapping_count = 0; json_next(&each);)
        mapping[migrate->mapping_count++] = (struct node_mapping){ each.name, json_string(each.value) };
    migrate->mapping = mapping;
    migrate->reason = request->reason;
    migrate->retries = request->action == BULK_MIGRATE && request->retries;
    return ST_OK;
}

/* ---- the way back ---- */

static bool is_value(const struct json *object, str name)
{
    struct json_each each = json_each(object);
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING) && str_equal(json_string(each.value), name)) return true;
    return false;
}

/* Did the instance stand at a node that kept its name, and that another node was renamed to? */
static bool has_merged(const struct instance *before, const struct json *renamed)
{
    for (size_t i = 0; i < before->token_count; i++)
        if (!json_get(renamed, before->token[i].node_name) && is_value(renamed, before->token[i].node_name))
            return true;
    for (size_t i = 0; i < before->scope_count; i++)
        if (!json_get(renamed, before->scope[i].fork_name) && is_value(renamed, before->scope[i].fork_name))
            return true;
    for (size_t i = 0; i < before->undo_item_count; i++)
        if (!json_get(renamed, before->undo_item[i].node_name) &&
            is_value(renamed, before->undo_item[i].node_name))
            return true;
    return false;
}

static const struct json *renamed_by(const struct transition *transition)
{
    for (size_t i = 0; i < transition->history->entry_count; i++)
        if (transition->history->entry[i].kind == ENTRY_KIND_MIGRATE)
            return transition->history->entry[i].renamed;
    return NULL;
}

/* Are two nodes renamed to one? */
static bool has_twins(const struct json *renamed)
{
    struct json_each each = json_each(renamed);
    while (json_next(&each)) {
        struct json_each other = each;
        while (json_next(&other))
            if (json_is(each.value, JSON_STRING) && json_is(other.value, JSON_STRING) &&
                str_equal(json_string(each.value), json_string(other.value)))
                return true;
    }
    return false;
}

static str way_back(struct turn *turn, const struct transition *transition)
{
    enum { NAMES_PER_FUEL = 4 };
    const struct json *renamed = renamed_by(transition);
    struct json_builder back;
    if (!renamed) return STR_NONE;
    turn->spent += (int64_t)((transition->before->token_count + 1) * json_count(renamed) / NAMES_PER_FUEL);
    if (json_count(renamed) > NODE_MAPPINGS_MAX || has_twins(renamed) ||
        has_merged(transition->before, renamed))
        return json_encoded(json_of_bool(false));
    json_builder_init(&back, &turn->arena);
    json_open_object(&back);
    struct json_each each = json_each(renamed);
    while (json_next(&each)) {
        if (!json_is(each.value, JSON_STRING)) continue; /* Visits that count no more. */
        json_add_name(&back, json_string(each.value));
        json_add_string(&back, each.name);
    }
    json_close(&back);
    return json_encoded(json_built(&back));
}

/* ---- the command ---- */

/* The conditions of a retry hold for an instance that is retried on its way. */
static enum status check_retry(struct turn *turn, const struct command_migrate *migrate,
                               const struct instance *instance, const struct definition *definition,
                               struct error *err)
{
    if (!migrate->retries || instance->status != INSTANCE_FAILED) return ST_OK;
    TRY(target_check_parent(turn, instance, err));
    return target_check_key(turn->engine, instance, definition, err);
}

enum status bulk_migrate(struct turn *turn, const struct bulk_request *request, str actor,
                         const struct instance *instance, struct definition *definition,
                         struct bulk_target *target, struct error *err)
{
    struct definition *to;
    struct transition *transition = NULL;
    struct command_migrate migrate = { .from = definition->program };
    TRY(found_needed(catalogue_find(&turn->engine->memory.catalogue, definition->ns, definition->id,
                                    request->to, &to, err)));
    if (request->action == BULK_MIGRATE) TRY(start_check_retired(turn, to, err));
    TRY(bulk_mapping_of(request, target, &turn->arena, &migrate, err));
    TRY(check_retry(turn, &migrate, instance, definition, err));
    migrate.definition = to->number;
    struct command command = command_migrate(turn->now_ms, actor, NULL, migrate);
    TRY(follow_migrate(turn, to, instance, &command, &transition, err));
    must(transition);
    target->revision = transition->after->revision;
    target->way_back = way_back(turn, transition);
    return ST_OK;
}
