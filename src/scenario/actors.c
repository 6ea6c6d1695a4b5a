/* scenario/actors.c — the instances of a run, by name.
 *
 *     "o"       named by `as`
 *     "i2"      the second that was created, sub-flows not counted
 *     "o/1"     the first sub-flow that o started
 */
#include "scenario/scenario_int.h"

#include "base/array.h"
#include "base/must.h"

struct actor *actors_find(const struct stage *stage, str name)
{
    for (size_t i = 0; i < stage->actor_count; i++)
        if (str_equal(stage->actor[i]->name, name)) return stage->actor[i];
    for (size_t i = 0; i < stage->actor_count; i++)
        if (str_equal(stage->actor[i]->plain_name, name)) return stage->actor[i];
    return NULL;
}

struct actor *actors_last(const struct stage *stage)
{
    for (size_t i = stage->actor_count; i-- > 0;)
        if (!stage->actor[i]->child) return stage->actor[i];
    return NULL;
}

str actor_node(const struct actor *actor, str name)
{
    const struct program *program = actor->program;
    if (!actor->dialect->nodes_by_title || !name.n) return name;
    if (program_find(program, name) != NODE_NONE) return name;
    for (size_t i = 0; i < program->node_count; i++)
        if (!program->node[i].inner && str_equal(program->node[i].title, name)) return program->node[i].name;
    return name;
}

static struct actor *add_actor(struct stage *stage, const struct instance_row *row)
{
    array_reserve_in(stage->arena, stage->actor, stage->actor_count, stage->actor_cap);
    struct actor *actor = entities_take_coming(stage, row->id);
    struct definition *definition;
    struct error err;
    if (actor) program_unref(actor->program);
    else actor = arena_make(stage->arena, struct actor);
    must(found_is(catalogue_get(&stage->query.catalogue, row->definition, &definition, &err)) == FOUND);
    *actor = (struct actor){
        .id = { .ms = row->created_ms, .instance = row->id },
        .definition_id = arena_str(stage->arena, row->definition_id),
        .version = row->definition_version,
        .program = program_ref(definition->program),
        .dialect = dialect_named(definition->program->dialect),
    };
    stage->actor[stage->actor_count++] = actor;
    return actor;
}

static struct actor *find_by_id(const struct stage *stage, uint64_t instance)
{
    for (size_t i = 0; i < stage->actor_count; i++)
        if (stage->actor[i]->id.instance == instance) return stage->actor[i];
    return NULL;
}

/* Names the actor by its origin, which its first command tells. */
static void name_actor(struct stage *stage, struct actor *actor, const struct history *start)
{
    for (size_t i = 0; i < start->entry_count && !actor->child; i++) {
        if (start->entry[i].kind != ENTRY_KIND_BORN) continue;
        actor->parent = find_by_id(stage, start->entry[i].parent);
        actor->child = actor->parent != NULL;
    }
    if (actor->child)
        actor->plain_name = arena_printf(stage->arena, "%.*s/%zu", STR_ARG(actor->parent->name),
                                         ++actor->parent->child_count);
    else actor->plain_name = arena_printf(stage->arena, "i%zu", ++stage->top_count);
    actor->name = actor->plain_name;
    for (const struct naming *naming = stage->namings; naming; naming = naming->next)
        if (naming->instance == actor->id.instance) {
            actor->name = naming->name; /* The latest: a refused start leaves its number to the next one. */
            break;
        }
}

/* ---- following ---- */

static struct actor *take_parent(const struct stage *stage, const struct actor *child)
{
    for (size_t i = 0; i < stage->actor_count; i++) {
        struct actor *parent = stage->actor[i];
        if (parent == child || !parent->chain.n || !str_equal(parent->chain, child->definition_id)) continue;
        parent->chain = STR_NONE;
        return parent;
    }
    return NULL;
}

static void follow(struct stage *stage, struct actor *actor, const struct instance_row *row)
{
    str *blob;
    size_t count;
    struct error err;
    if (row->last_history == actor->last_history) return;
    must(reader_history(stage->query.reader, actor->id.instance, actor->revision, 0, stage->arena, &blob,
                        &count, &err) == ST_OK);
    for (size_t i = 0; i < count; i++) {
        struct history history;
        must(history_decode(blob[i], stage->arena, &history, &err) == ST_OK);
        if (history.revision == 1) name_actor(stage, actor, &history);
        if (history.command == COMMAND_START && str_equal(history.actor, STR("chain")))
            actor->parent = take_parent(stage, actor);
        entities_follow_version(stage, actor, &history);
        record_history(stage, actor, &history);
        if (stage->hooks) stage->hooks->history(stage->hooks->context, stage, actor, &history);
        actor->revision = history.revision;
        if (i + 1 < count) {
            /* The record of the next command needs the state that the command found. */
            const struct created created = { row->id, row->definition, row->business_key };
            const struct instance *after;
            must(core_replay(actor->program, actor->state, &created, &history, stage->arena, &after, &err) ==
                 ST_OK);
            actor->state = after;
        }
    }
    must(core_decode(row->state, actor->program, stage->arena, &actor->state, &err) == ST_OK);
    must(core_verify(actor->program, actor->state, &err) == ST_OK);
    actor->last_history = row->last_history;
    if (!actor->began && !actor->state->is_held) actor->began = row->last_history;
}

static void look_for_new(struct stage *stage, uint64_t instance)
{
    struct instance_row row;
    struct error err;
    bool is_there;
    must(found_asked(reader_instance(stage->query.reader, TENANT_ANY, instance, &stage->scratch, &row, &err),
                     &is_there) == ST_OK);
    if (!is_there) return;
    follow(stage, add_actor(stage, &row), &row);
}

void actors_follow(struct stage *stage)
{
    struct instance_row row;
    struct error err;
    for (size_t i = 0; i < stage->actor_count && world_has_room(stage); i++) {
        struct actor *actor = stage->actor[i];
        bool over = actor->state->status == INSTANCE_COMPLETED || actor->state->status == INSTANCE_CANCELLED;
        if (actor->gone || (over && !instance_lingers(actor->state))) continue;
        struct found found =
            reader_instance(stage->query.reader, TENANT_ANY, actor->id.instance, &stage->scratch, &row, &err);
        must(found_is(found) != NOT_NOW);
        /* It was kept in memory only, and the engine has restarted. */
        actor->gone = found_is(found) == NOT_THERE;
        if (!actor->gone) follow(stage, actor, &row);
    }
    for (struct actor *next, *actor = stage->coming; actor; actor = next) {
        next = actor->next_coming;
        look_for_new(stage, actor->id.instance);
    }
    for (; stage->next_instance < stage->engine.transact.numbers.instance && world_has_room(stage);
         stage->next_instance++)
        look_for_new(stage, stage->next_instance);
    arena_reset(&stage->scratch);
    arrivals_follow(stage);
}
