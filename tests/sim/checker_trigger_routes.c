/* tests/sim/checker_trigger_routes.c — paths of triggers: each belongs to one definition at a time.
 *
 * A definition has the paths of its latest version, from the transaction that stored that version until one
 * that stores another. A version whose path belongs to another definition is not stored, whatever fails and
 * at whichever node. It is refused exactly then. The store's routes are the paths of the latest versions. A
 * request to a path comes to the definition that has it.
 */
#include "checker.h"

#include <stdio.h>

static bool is_open(const struct model_path *path) { return !path->until; }

/* Did it belong to the definition at some time since the copy's turn began? */
static bool was_held(const struct model_path *path, const struct copy *copy)
{
    return is_open(path) || path->until > copy->commit_before;
}

/* ---- what is stored ---- */

void checker_trigger_routes_published(struct world *world, const struct spec *spec)
{
    struct checker *checker = world->checker;
    if (!spec->graph || model_latest(checker, spec->id) != spec) return;
    for (size_t i = 0; i < checker->paths.count; i++) {
        struct model_path *path = &checker->paths.item[i];
        if (is_open(path) && str_equal(path->definition_id, spec->id)) path->until = checker->commit_count;
    }
    for (size_t i = 0; i < spec->graph->triggers.count; i++) {
        const struct graph_trigger *trigger = &spec->graph->triggers.item[i];
        for (size_t k = 0; k < checker->paths.count; k++)
            if (is_open(&checker->paths.item[k]) && str_equal(checker->paths.item[k].path, trigger->path))
                violated(world, "%.*s was stored with the path %.*s, which belongs to %.*s",
                         STR_ARG(spec->id), STR_ARG(trigger->path),
                         STR_ARG(checker->paths.item[k].definition_id));
        *list_push(&checker->arena, &checker->paths) = (struct model_path){ .path = trigger->path,
                                                                            .definition_id = spec->id,
                                                                            .trigger = trigger->id,
                                                                            .number = spec->number,
                                                                            .since = checker->commit_count };
    }
    checker->paths_changed = true;
}

/* [definition, trigger, number, …] under "h", the path, NUL and the method. */
static bool is_route_of(const struct record_row *row, const struct model_path *path, struct arena *arena)
{
    str key = arena_printf(arena, "h%.*s%cPOST", STR_ARG(path->path), '\0');
    const struct json *value = json_decode(row->value, arena);
    const struct json *id = json_item(value, 0), *trigger = json_item(value, 1);
    return str_equal(row->key, key) && json_is(id, JSON_STRING) && json_is(trigger, JSON_STRING) &&
           str_equal(json_string(id), path->definition_id) &&
           str_equal(json_string(trigger), path->trigger) && json_item_int64(value, 2) == path->number;
}

void checker_trigger_routes_committed(struct world *world, struct store *store)
{
    enum { ROUTES = 200 };
    struct checker *checker = world->checker;
    const struct record_filter filter = {
        .ns = world->tenant, .kind = RECORD_ROUTE, .prefix = STR("h"), .max = ROUTES
    };
    struct record_row *row;
    size_t count, open = 0;
    struct error err;
    struct arena arena;
    if (!checker->paths_changed) return;
    checker->paths_changed = false;
    arena_init(&arena, 0);
    if (store_records(store, &filter, &arena, &row, &count, &err) != ST_OK) {
        violated(world, "the routes cannot be read: %s", err.message);
        count = 0;
    }
    for (size_t i = 0; i < checker->paths.count && !world->failed; i++) {
        const struct model_path *path = &checker->paths.item[i];
        size_t at = 0;
        if (!is_open(path)) continue;
        while (at < count && !is_route_of(&row[at], path, &arena)) at++;
        if (at == count)
            violated(world, "%.*s of %.*s has no route", STR_ARG(path->path), STR_ARG(path->definition_id));
        open++;
    }
    if (!world->failed && open != count)
        violated(world, "%zu paths belong to definitions, and there are %zu routes", open, count);
    arena_done(&arena);
}

/* ---- answers ---- */

/* Did the path belong to another definition? */
static bool is_taken(const struct checker *checker, const struct copy *copy, const struct spec *spec)
{
    for (size_t i = 0; spec->graph && i < spec->graph->triggers.count; i++)
        for (size_t k = 0; k < checker->paths.count; k++) {
            const struct model_path *path = &checker->paths.item[k];
            if (was_held(path, copy) && str_equal(path->path, spec->graph->triggers.item[i].path) &&
                !str_equal(path->definition_id, spec->id))
                return true;
        }
    return false;
}

void checker_trigger_routes_refused(struct world *world, const struct copy *copy)
{
    struct arena arena;
    arena_init(&arena, 0);
    const struct spec *spec = spec_read(copy->request->text, &arena);
    if (!is_taken(world->checker, copy, spec))
        violated(world, "op %u: a definition was refused whose paths are free: %s", copy->request->op,
                 copy->call->error.message);
    arena_done(&arena);
}

bool model_had_path(const struct checker *checker, const struct copy *copy, str definition_id, str trigger)
{
    for (size_t i = 0; i < checker->paths.count; i++) {
        const struct model_path *path = &checker->paths.item[i];
        if (was_held(path, copy) && str_equal(path->path, copy->request->text) &&
            str_equal(path->definition_id, definition_id) && str_equal(path->trigger, trigger))
            return true;
    }
    return false;
}

bool model_has_path(const struct checker *checker, const struct copy *copy)
{
    for (size_t i = 0; i < checker->paths.count; i++) {
        const struct model_path *path = &checker->paths.item[i];
        if (is_open(path) && path->since <= copy->commit_before && str_equal(path->path, copy->request->text))
            return true;
    }
    return false;
}

/* ---- the end ---- */

/* Every definition gets its paths in the end: the last version that was sent has only a path of its own. */
bool checker_trigger_routes_done(const struct world *world)
{
    char id[16];
    for (uint32_t i = 0; i < world->profile.trigger_routes; i++) {
        int bytes = snprintf(id, sizeof id, "route%u", i);
        if (!model_latest(world->checker, (str){ id, (size_t)bytes })) return false;
    }
    return true;
}
