/* runtime/entities/entity_reads.c — entities as they are committed, read on the query thread. */
#include "runtime/entities/entities_int.h"

#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* ---- one entity ---- */

enum status entity_find_row(struct query *query, const struct call *call, struct uuid id, struct arena *arena,
                            struct instance_row *ret_row, struct definition **ret_definition,
                            struct error *err)
{
    uint64_t number;
    int64_t created_ms;
    if (!uuid_instance(id, &created_ms, &number)) return entity_fail_not_found(id, err);
    bool is_there;
    TRY(found_asked(query_load_instance(query, call, number, arena, ret_row, err), &is_there));
    if (!is_there || ret_row->created_ms != created_ms) return entity_fail_not_found(id, err);
    TRY(found_needed(catalogue_get(&query->catalogue, ret_row->definition, ret_definition, err)));
    if (!dialect_has_entities((*ret_definition)->program->dialect)) return entity_fail_not_found(id, err);
    return ST_OK;
}

void entity_view_head(struct uuid id, const struct definition *definition, struct arena *arena,
                      struct entity_view *ret_view)
{
    *ret_view = (struct entity_view){ .id = id };
    entity_model_of(arena_str(arena, definition->id), &ret_view->model, &ret_view->version);
}

/* The values of the program are copied: programs may be trimmed away. */
static enum status view_state(const struct instance_row *row, const struct definition *definition,
                              struct arena *arena, struct entity_view *ret_view, bool *ret_lives,
                              struct error *err)
{
    const struct instance *instance;
    TRY(core_decode(row->state, definition->program, arena, &instance, err));
    *ret_lives = lives(instance);
    entity_view_head(uuid_of_instance(row->created_ms, row->id), definition, arena, ret_view);
    const struct token *token = entity_token(instance);
    ret_view->data = instance->data;
    ret_view->carried = token ? token->carried : NULL;
    ret_view->transition_count =
        entity_transitions(definition->program, instance, arena, &ret_view->transition);
    for (size_t i = 0; i < ret_view->transition_count; i++)
        ret_view->transition[i] = arena_str(arena, ret_view->transition[i]);
    return ST_OK;
}

enum status entity_get_call(struct query *query, struct call *call, struct error *err)
{
    struct answer_entities *answer = &call->value.entities;
    struct instance_row row;
    struct definition *definition;
    bool lives;
    TRY(entity_find_row(query, call, call->as.entity.id, call->arena, &row, &definition, err));
    *answer = (struct answer_entities){ .view = arena_make(call->arena, struct entity_view), .count = 1 };
    TRY(view_state(&row, definition, call->arena, answer->view, &lives, err));
    bool is_other = call->as.entity.model.n && (call->as.entity.version != answer->view->version ||
                                                !str_equal(call->as.entity.model, answer->view->model));
    return lives && !is_other ? ST_OK : entity_fail_not_found(call->as.entity.id, err);
}

/* ---- lists ---- */

/* A list is made a part at a time, because others wait for the query thread. */
struct entity_scan {
    str prefix;  /* The prefix of the keys of the model's members. */
    str after;   /* The key behind which the scan goes on. */
    size_t skip; /* So many are left out first. */
    size_t left;
    size_t bytes;
};

static enum status view_listed(struct query *query, const struct call *call, uint64_t instance,
                               struct arena *scratch, struct instance_row *ret_row,
                               struct entity_view *ret_view, bool *ret_is_there, struct error *err)
{
    struct definition *definition;
    struct error damage;
    bool is_intact = false, is_alive = false;
    *ret_is_there = false;
    TRY(found_intact(reader_instance(query->reader, call->ns, instance, scratch, ret_row, err), &is_intact));
    if (!is_intact) return ST_OK;
    TRY(found_intact(catalogue_get(&query->catalogue, ret_row->definition, &definition, err), &is_intact));
    if (!is_intact) return ST_OK;
    *ret_is_there =
        view_state(ret_row, definition, call->arena, ret_view, &is_alive, &damage) == ST_OK && is_alive;
    return ST_OK;
}

enum status entity_view_listed(struct query *query, const struct call *call, uint64_t instance,
                               struct entity_view *ret_view, bool *ret_is_there, size_t *ret_bytes,
                               struct error *err)
{
    struct instance_row row;
    struct arena scratch;
    arena_init(&scratch, 0);
    enum status status = view_listed(query, call, instance, &scratch, &row, ret_view, ret_is_there, err);
    *ret_bytes = status == ST_OK && *ret_is_there ? row.state.n : 0;
    arena_done(&scratch);
    return status;
}

static enum status begin_list(struct query *query, struct call *call, struct error *err)
{
    const struct call_entity_list *asked = &call->as.entity_list;
    struct entity_scan *scan = arena_make(call->arena, struct entity_scan);
    TRY(found_needed(models_exist(query->reader, call->ns, asked->model, asked->version, err)));
    *scan = (struct entity_scan){ .skip = asked->skip, .left = asked->max };
    scan->prefix = index_record_prefix(model_key(asked->model, asked->version, call->arena), call->arena);
    if (asked->after) scan->after = index_record_member(scan->prefix, asked->after, call->arena);
    call->value.entities.view = arena_make_n(call->arena, struct entity_view, asked->max);
    call->entity_.scan = scan;
    return ST_OK;
}

/* Leaves out some of the first entities. False: there are no more behind them. */
static enum status skip_some(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct entity_scan *scan = call->entity_.scan;
    struct record_row *row;
    size_t count, skipped = scan->skip < ENTITIES_SKIPPED_MAX ? scan->skip : ENTITIES_SKIPPED_MAX;
    const struct record_filter filter = { .ns = call->ns,
                                          .kind = RECORD_MEMBER,
                                          .prefix = scan->prefix,
                                          .after = scan->after,
                                          .max = 1,
                                          .skip = skipped - 1 };
    TRY(reader_records(query->reader, &filter, call->arena, &row, &count, err));
    *ret_more = count > 0;
    if (count) scan->after = row->key;
    scan->skip -= skipped;
    return ST_OK;
}

enum status entity_fail_page(size_t count, size_t bytes, struct error *err)
{
    return fail_code(
        err, ST_LIMIT, "BAD_REQUEST",
        "the first %zu entities of the page have %zu bytes already; ask for smaller pages (answer_bytes_max)",
        count, bytes);
}

/* Entities that are deleted meanwhile, or damaged, are not in the list. */
static enum status list_some(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct answer_entities *answer = &call->value.entities;
    struct entity_scan *scan = call->entity_.scan;
    const size_t bytes_max = (size_t)query->limits.answer_bytes_max;
    struct record_filter filter = { .ns = call->ns,
                                    .kind = RECORD_MEMBER,
                                    .prefix = scan->prefix,
                                    .after = scan->after,
                                    .max = ENTITIES_READ_MAX };
    struct record_row *row;
    size_t count, bytes, read = 0;
    bool is_there;
    if (filter.max > scan->left) filter.max = scan->left;
    TRY(reader_records(query->reader, &filter, call->arena, &row, &count, err));
    size_t i = 0;
    for (; i < count && scan->bytes < bytes_max && read < ENTITIES_READ_BYTES_MAX; i++) {
        TRY(entity_view_listed(query, call, index_record_instance_of(row[i].key),
                               &answer->view[answer->count], &is_there, &bytes, err));
        answer->count += is_there;
        scan->after = row[i].key;
        scan->left--;
        scan->bytes += bytes;
        read += bytes;
    }
    bool is_over = !scan->left || (i == count && count < filter.max), is_full = scan->bytes >= bytes_max;
    *ret_more = !is_over && !is_full;
    if (is_over || !is_full || call->as.entity_list.may_be_short) return ST_OK;
    return entity_fail_page(answer->count, scan->bytes, err);
}

enum status entity_list_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    if (!call->entity_.scan) TRY(begin_list(query, call, err));
    if (call->entity_.scan->skip) return skip_some(query, call, ret_more, err);
    return call->entity_.scan->left ? list_some(query, call, ret_more, err) : ST_OK;
}
