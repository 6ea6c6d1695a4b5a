/* runtime/operate/instance_reads.c — instances read on the query thread, as views. */
#include "runtime/operate/operate_int.h"

#include "dialect/dialect.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum { SMALL_ERROR_BYTES = 4096 }; /* The largest error shown by an instance without its data. */

/* Shows what the row alone tells of an instance whose state cannot be read. */
static void view_damaged(const struct instance_row *row, const char *why, struct arena *arena,
                         struct instance_view *ret_view)
{
    struct error words;
    damage_fail(row, why, &words);
    *ret_view = (struct instance_view){
        .id = row->id,
        .created_ms = row->created_ms,
        .ended_ms = row->ended_ms,
        .status = row->status,
        .definition_id = arena_str(arena, row->definition_id),
        .definition_version = row->definition_version,
        .dialect = dialect_named(STR_NONE),
        .business_key = arena_str(arena, row->business_key),
        .failure = arena_str(arena, str_of(words.message)),
        .data = json_empty_object(),
    };
}

/* When another instance was created, which may be purged by now. */
static enum status find_created(struct query *query, uint64_t other, struct arena *scratch,
                                int64_t *ret_created_ms, struct error *err)
{
    struct instance_row row;
    bool is_there = false;
    if (other)
        TRY(found_intact(reader_instance(query->reader, TENANT_ANY, other, scratch, &row, err), &is_there));
    if (is_there) *ret_created_ms = row.created_ms;
    return ST_OK;
}

enum status instance_reads_row(struct query *query, const struct instance_row *row, bool with_data,
                               struct arena *scratch, struct arena *arena, struct instance_view *ret_view,
                               struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    struct error unknown;
    bool known;
    TRY(found_intact(catalogue_get(&query->catalogue, row->definition, &definition, err), &known));
    const struct program *program = known ? definition->program : NULL;
    if ((!program || core_decode(row->state, program, scratch, &instance, &unknown) != ST_OK) &&
        core_decode(row->state, NULL, scratch, &instance, &unknown) != ST_OK) {
        view_damaged(row, unknown.message, arena, ret_view);
        return ST_OK;
    }
    struct instance shown = *instance;
    if (!with_data) {
        shown.data = json_empty_object();
        if (shown.error && json_bytes(shown.error) > SMALL_ERROR_BYTES) shown.error = NULL;
    }
    view_instance(program, &shown, row->definition_id, row->definition_version,
                  query->clock.now_ms ? clock_now_ms(&query->clock) : 0, arena, ret_view);
    ret_view->data_omitted = !with_data;
    TRY(find_created(query, instance->parent, scratch, &ret_view->parent_created_ms, err));
    return find_created(query, instance->chained_from, scratch, &ret_view->chained_from_created_ms, err);
}

struct found instance_reads_find(struct query *query, const struct call *call, struct id id,
                                 struct arena *arena, struct instance_row *ret_row, struct error *err)
{
    char text[ID_CHARS + 1];
    id_print(id, text);
    struct found found = id.number || id.delivery
                             ? found_of(ST_NOT_FOUND)
                             : query_load_instance(query, call, id.instance, arena, ret_row, err);
    if (found_is(found) == NOT_THERE || (found_is(found) == FOUND && ret_row->created_ms != id.ms))
        return found_of(fail(err, ST_NOT_FOUND, "instance", "instance %s not found", text));
    return found;
}

/* The node at which the parent waits for it, by the name its author knows. */
static enum status find_parent_node(struct query *query, const struct instance_row *row, uint32_t job,
                                    struct arena *arena, str *ret_node, struct error *err)
{
    struct definition *definition;
    const struct instance *parent;
    bool is_intact;
    TRY(found_intact(catalogue_get(&query->catalogue, row->definition, &definition, err), &is_intact));
    if (!is_intact || core_decode(row->state, definition->program, arena, &parent, NULL) != ST_OK)
        return ST_OK;
    const struct job *open = instance_find_job(parent, job);
    if (!open) return ST_OK;
    const struct token *token = instance_find_token(parent, open->execution);
    *ret_node = arena_str(arena, core_authored_node(definition->program, parent, token)->name);
    return ST_OK;
}

/* Without a parent that is there and intact the view shows less. */
static enum status view_parent(struct query *query, const struct instance_row *row, struct call *call,
                               struct error *err)
{
    const struct instance *instance;
    struct instance_row parent;
    bool is_intact;
    if (core_decode(row->state, NULL, call->arena, &instance, NULL) != ST_OK || !instance->parent)
        return ST_OK;
    TRY(found_intact(reader_instance(query->reader, call->ns, instance->parent, call->arena, &parent, err),
                     &is_intact));
    if (!is_intact) return ST_OK;
    return find_parent_node(query, &parent, instance->parent_job, call->arena,
                            &call->value.instances.view->parent_node, err);
}

static enum status view_children(struct query *query, struct call *call, struct error *err)
{
    struct child_listed *row;
    struct instance_view *view = call->value.instances.view;
    size_t count;
    TRY(reader_children(query->reader, view->id, CHILDREN_SHOWN_MAX, call->arena, &row, &count,
                        &view->child_total, err));
    struct child_view *child = arena_make_n(call->arena, struct child_view, count);
    for (size_t i = 0; i < count; i++) {
        struct child_view *listed = &child[view->child_count];
        *listed = (struct child_view){ .id = row[i].instance.id,
                                       .created_ms = row[i].instance.created_ms,
                                       .definition_id = row[i].instance.definition_id,
                                       .definition_version = row[i].instance.definition_version,
                                       .status = row[i].instance.status,
                                       .awaited = row[i].child.awaited };
        if (!row[i].child.chained) {
            view->child_count++;
            continue;
        }
        struct child_view *chained = arena_make(call->arena, struct child_view);
        *chained = *listed;
        view->chained_to = chained;
        view->child_total--;
    }
    view->child = child;
    return ST_OK;
}

enum status instance_reads_show(struct query *query, struct call *call, struct id id, bool with_children,
                                struct error *err)
{
    struct answer_instances *answer = &call->value.instances;
    struct instance_row row;
    TRY(found_needed(instance_reads_find(query, call, id, call->arena, &row, err)));
    answer->view = arena_make(call->arena, struct instance_view);
    answer->count = 1;
    TRY(instance_reads_row(query, &row, true, call->arena, call->arena, answer->view, err));
    if (!with_children) return ST_OK;
    TRY(view_parent(query, &row, call, err));
    return view_children(query, call, err);
}
