/* core/apply_migrate.c — applies a migration to a state: nodes get the names of the new version.
 *
 * Everything keeps its number, its times and its data. Only names change, and with them the indices in the
 * program, if there is one.
 */

#include "core/change_int.h"

struct renaming {
    const struct program *program;
    const struct json *renamed;
    bool misses; /* The program lacks a node that is left. */
};

/* False: the new version has no such node, and nothing of it is kept. */
static bool rename_node(struct renaming *renaming, str *name, uint32_t *node)
{
    const struct json *other = json_get(renaming->renamed, *name);
    if (other && !json_is(other, JSON_STRING)) return false;
    if (other) *name = json_string(other);
    *node = renaming->program ? program_find(renaming->program, *name) : NODE_NONE;
    renaming->misses |= renaming->program && *node == NODE_NONE;
    return true;
}

/* Visits to two nodes that are one now count together. */
static void rename_visited(struct change *change, struct renaming *renaming)
{
    struct instance *instance = change->instance;
    OWN(change, visited);
    size_t kept = 0;
    for (size_t i = 0; i < instance->visited_count; i++) {
        struct visited visited = instance->visited[i];
        if (!rename_node(renaming, &visited.node_name, &visited.node)) continue;
        size_t k = 0;
        while (k < kept && (instance->visited[k].scope != visited.scope ||
                            !str_equal(instance->visited[k].node_name, visited.node_name)))
            k++;
        if (k < kept) instance->visited[k].count += visited.count;
        else instance->visited[kept++] = visited;
    }
    instance->visited_count = kept;
}

/* Two milestones may be one now: the later visit counts. */
static void rename_reached(struct change *change, struct renaming *renaming)
{
    struct instance *instance = change->instance;
    OWN(change, reached);
    size_t kept = 0;
    for (size_t i = 0; i < instance->reached_count; i++) {
        struct reached_node reached = instance->reached[i];
        if (!rename_node(renaming, &reached.node_name, &reached.node)) continue;
        size_t k = 0;
        while (k < kept && !str_equal(instance->reached[k].node_name, reached.node_name)) k++;
        if (k == kept) instance->reached[kept++] = reached;
        else if (instance->reached[k].execution < reached.execution) instance->reached[k] = reached;
    }
    instance->reached_count = kept;
}

static void rename_mail(struct change *change, struct renaming *renaming)
{
    uint32_t node;
    OWN(change, mail);
    for (size_t i = 0; i < change->instance->mail_count; i++)
        if (change->instance->mail[i].node.n) rename_node(renaming, &change->instance->mail[i].node, &node);
}

static bool are_names(const struct json *renamed)
{
    if (renamed && !json_is(renamed, JSON_OBJECT)) return false;
    struct json_each each = json_each(renamed);
    while (json_next(&each))
        if (!json_is(each.value, JSON_STRING) && !json_is(each.value, JSON_NULL)) return false;
    return true;
}

enum status apply_migrate(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    struct renaming renaming = { .program = change->program, .renamed = entry->renamed };
    if (!are_names(entry->renamed)) return change_misfit(entry, "no names of nodes", err);
    OWN(change, token);
    OWN(change, scope);
    OWN(change, owed);
    OWN(change, undo_item);
    bool kept = true;
    for (size_t i = 0; i < instance->token_count; i++)
        kept &= rename_node(&renaming, &instance->token[i].node_name, &instance->token[i].node);
    for (size_t i = 0; i < instance->scope_count; i++)
        kept &= rename_node(&renaming, &instance->scope[i].fork_name, &instance->scope[i].fork);
    for (size_t i = 0; i < instance->owed_count; i++)
        kept &= rename_node(&renaming, &instance->owed[i].node_name, &instance->owed[i].node);
    for (size_t i = 0; i < instance->undo_item_count; i++)
        kept &= rename_node(&renaming, &instance->undo_item[i].node_name, &instance->undo_item[i].node);
    rename_visited(change, &renaming);
    rename_reached(change, &renaming);
    rename_mail(change, &renaming);
    if (!kept || renaming.misses) return change_misfit(entry, "no such node", err);
    if (entry->moved_to) instance->definition = (int64_t)entry->moved_to;
    return ST_OK;
}
