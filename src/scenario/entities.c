/* scenario/entities.c — what a run knows of its entities: writes that wait for an answer, entities that are
 * not stored yet, states and versions. */
#include "scenario/scenario_int.h"

#include "base/array.h"
#include "base/must.h"
#include "dialect/entity/entity.h"

/* ---- writes ---- */

bool entities_has(const struct program *program) { return program && dialect_has_entities(program->dialect); }

uint64_t entities_created(const struct call *call)
{
    const struct entity_item *item = call->as.entities.item;
    int64_t ms;
    uint64_t instance;
    return item->action == ENTITY_CREATE && uuid_instance(item->id, &ms, &instance) ? instance : 0;
}

/* ---- answers that may wait ---- */

void entities_submitted(struct stage *stage, const struct op *op, struct call *call)
{
    struct open_write *write = arena_make(stage->arena, struct open_write);
    *write = (struct open_write){ .op = op, .call = call };
    struct open_write **link = &stage->writes;
    while (*link) link = &(*link)->next;
    *link = write;
}

void entities_answered(struct stage *stage, const struct call *call)
{
    for (struct open_write *write = stage->writes; write; write = write->next)
        if (write->call == call) write->is_answered = true;
}

const struct open_write *entities_take_answered(struct stage *stage)
{
    for (struct open_write **link = &stage->writes; *link; link = &(*link)->next) {
        const struct open_write *write = *link;
        if (!write->is_answered) continue;
        *link = write->next;
        return write;
    }
    return NULL;
}

/* ---- entities that are being created ---- */

struct actor *entities_take_coming(struct stage *stage, uint64_t instance)
{
    for (struct actor **link = &stage->coming; *link; link = &(*link)->next_coming) {
        struct actor *actor = *link;
        if (actor->id.instance != instance) continue;
        *link = actor->next_coming;
        return actor;
    }
    return NULL;
}

void entities_forget_coming(struct stage *stage)
{
    for (struct actor *actor = stage->coming; actor; actor = actor->next_coming)
        program_unref(actor->program);
    stage->coming = NULL;
}

/* ---- states and versions ---- */

void entities_note_state(struct stage *stage, struct actor *actor, uint32_t node)
{
    if (!entities_has(actor->program) || node == NODE_NONE) return;
    const struct program_node *at = &actor->program->node[node];
    if (!entity_arrives(at)) return;
    array_reserve_in(stage->arena, actor->passed, actor->passed_count, actor->passed_cap);
    actor->passed[actor->passed_count++] = arena_str(stage->arena, at->title);
    stage_record(stage, "  state", actor->name, "%.*s", STR_ARG(at->title));
}

void entities_follow_version(struct stage *stage, struct actor *actor, const struct history *history)
{
    struct definition *definition;
    struct error err;
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind != ENTRY_KIND_FIRE || !entry->moved_to) continue;
        must(found_is(catalogue_get(&stage->query.catalogue, (int64_t)entry->moved_to, &definition, &err)) ==
             FOUND);
        program_unref(actor->program);
        actor->program = program_ref(definition->program);
        actor->version = definition->version;
    }
}
