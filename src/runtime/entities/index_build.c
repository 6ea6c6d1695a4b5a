/* runtime/entities/index_build.c — indexes that are built or dropped while entities are there, a slice in
 * every turn.
 *
 * How far a field is built commits with the rows of its slice, so a crash repeats and loses nothing. A slice
 * takes each entity as the store has it; a write of the same turn that follows changes those rows, as it
 * changes others.
 *
 * No slice changes the state of a field, because all nodes read the configuration again after that, and
 * because such a transaction fails at first if other nodes commit meanwhile (store/postgres/commit.c). When a
 * field has no work left, index_finish() changes its state in a transaction of its own, which may be repeated
 * and rests on nothing but the store.
 */
#include "runtime/entities/entities_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

static size_t slice_max(const struct engine *engine)
{
    size_t slice = engine->transact.backlog[BACKLOG_INDEX].slice;
    return slice ? slice : INDEX_SLICE_MAX;
}

/* ---- building ---- */

static bool is_built(const struct indexed_field *field)
{
    return field->state == INDEX_BUILDING && field->done == INDEX_WHOLE;
}

static bool is_built_with(const struct indexed_field *field, const struct indexed_field *first)
{
    return field->state == INDEX_BUILDING && field->done == first->done;
}

/* An entity that cannot be read has no rows: searches cannot read it, either. */
static enum status add_rows(struct turn *turn, int32_t ns, const struct indexes *indexes,
                            const struct indexed_field *first, uint64_t id, struct error *err)
{
    struct instance_row stored;
    struct definition *definition;
    const struct instance *instance;
    bool is_there;
    TRY(found_asked(store_load_instance(turn->engine->store, TENANT_ANY, id, &turn->arena, &stored, err),
                    &is_there));
    if (!is_there) return ST_OK;
    enum status status =
        found_needed(catalogue_get(&turn->engine->memory.catalogue, stored.definition, &definition, err));
    if (status != ST_OK) return transact_is_lost(turn, status) ? status : ST_OK;
    turn->spent += FUEL_READ + (int64_t)(stored.state.n / STATE_BYTES_PER_FUEL);
    if (core_decode(stored.state, definition->program, &turn->arena, &instance, NULL) != ST_OK) return ST_OK;
    for (size_t i = 0; i < indexes->field_count; i++) {
        struct record_row *row;
        if (!is_built_with(&indexes->field[i], first)) continue;
        size_t count =
            index_rows_of_field(indexes, &indexes->field[i], ns, id, instance->data, &turn->arena, &row);
        turn->spent += FUEL_COMMAND;
        TRY(transact_rows(turn, &(struct changeset){ .record_put = row, .record_put_count = count }, err));
    }
    return ST_OK;
}

/* All fields that have come as far as this one. */
static enum status build(struct turn *turn, int32_t ns, struct indexes *indexes, struct indexed_field *field,
                         struct error *err)
{
    struct indexed_field first = *field;
    struct record_row *member;
    size_t count, done = 0;
    struct record_filter filter = { .ns = ns,
                                    .kind = RECORD_MEMBER,
                                    .prefix = index_record_prefix(indexes->definition_id, &turn->arena),
                                    .max = slice_max(turn->engine) };
    if (first.done) filter.after = index_record_member(filter.prefix, first.done, &turn->arena);
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &member, &count, err));
    uint64_t last = first.done;
    for (; done < count && !(done && slice_is_over(turn)); done++) {
        last = index_record_instance_of(member[done].key);
        TRY(add_rows(turn, ns, indexes, &first, last, err));
    }
    bool is_whole = done == count && count < filter.max;
    uint64_t reached = is_whole ? INDEX_WHOLE : last;
    for (size_t i = 0; i < indexes->field_count; i++)
        if (is_built_with(&indexes->field[i], &first)) indexes->field[i].done = reached;
    turn->engine->entities.index_finished |= is_whole;
    return index_progress_save(turn, ns, indexes, err);
}

/* ---- dropping ---- */

static enum status find_rows(struct turn *turn, int32_t ns, const struct indexes *indexes,
                             const struct indexed_field *field, size_t max, struct record_row **ret_row,
                             size_t *ret_count, struct error *err)
{
    const struct record_filter filter = { .ns = ns,
                                          .kind = RECORD_INDEX,
                                          .prefix = indexes_prefix(indexes->definition_id, field->number,
                                                                   &turn->arena),
                                          .max = max };
    return store_records(turn->engine->store, &filter, &turn->arena, ret_row, ret_count, err);
}

static enum status drop(struct turn *turn, int32_t ns, const struct indexes *indexes,
                        const struct indexed_field *field, struct error *err)
{
    struct record_row *row;
    size_t count, max = slice_max(turn->engine);
    TRY(find_rows(turn, ns, indexes, field, max, &row, &count, err));
    turn->spent += (int64_t)count * FUEL_COMMAND;
    turn->engine->entities.index_finished |= count < max;
    if (!count) return ST_OK;
    return transact_rows(turn, &(struct changeset){ .record_remove = row, .record_remove_count = count },
                         err);
}

/* ---- going on ---- */

/* A copy, which a save does not take away. */
static struct indexes *copy_of(const struct indexes *indexes, struct arena *arena)
{
    struct indexes *copy = arena_make(arena, struct indexes);
    *copy = *indexes;
    copy->field = arena_make_n(arena, struct indexed_field, indexes->field_count);
    if (indexes->field_count) memcpy(copy->field, indexes->field, indexes->field_count * sizeof *copy->field);
    return copy;
}

/* A copy of what is indexed of a model, with its progress. */
static enum status load(struct turn *turn, int32_t ns, str definition_id, struct indexes **ret_indexes,
                        struct error *err)
{
    const struct indexes *found;
    TRY(indexes_find(turn, ns, definition_id, &found, err));
    *ret_indexes = copy_of(found, &turn->arena);
    return index_progress_load(turn, ns, *ret_indexes, err);
}

static enum status do_slice(struct turn *turn, const struct record_row *record, bool *ret_did,
                            struct error *err)
{
    struct indexes *indexes;
    *ret_did = false;
    int32_t ns;
    str definition_id = tenant_name(record->key, &ns);
    enum status status = load(turn, ns, definition_id, &indexes, err);
    if (status == ST_INTERNAL) return ST_OK; /* It is damaged; writes of its entities say so. */
    TRY(status);
    for (size_t i = 0; i < indexes->field_count; i++) {
        struct indexed_field *field = &indexes->field[i];
        if (field->state == INDEX_READY) continue;
        *ret_did = true;
        if (is_built(field)) { /* Its state could not change yet. */
            turn->engine->entities.index_finished = true;
            continue;
        }
        turn->engine->transact.backlog[BACKLOG_INDEX].did = true;
        return field->state == INDEX_BUILDING ? build(turn, ns, indexes, field, err)
                                              : drop(turn, ns, indexes, field, err);
    }
    return ST_OK;
}

/* Models take turns. When a round finds nothing to do, it was the last: `left` tells that it has found some.
 * A model has had its turn even if the transaction fails, so that it does not keep others waiting. */
static enum status go_on(struct turn *turn, struct backlog *backlog, struct error *err)
{
    struct record_row *record;
    size_t count;
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_INDEXED,
                                          .after = buf_str(&backlog->after),
                                          .max = INDEX_MODELS_PER_TURN_MAX };
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &record, &count, err));
    bool did = false;
    for (size_t i = 0; i < count && !did; i++) {
        backlog_pass(backlog, record[i].key);
        TRY(do_slice(turn, &record[i], &did, err));
    }
    backlog->left |= did;
    if (did || count == filter.max) return ST_OK;
    backlog->due = backlog->left;
    backlog->left = false;
    backlog_restart(backlog);
    return ST_OK;
}

void index_go_on(struct turn *turn)
{
    struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_INDEX];
    struct error err;
    backlog_begin(backlog, INDEX_SLICE_MAX);
    enum status status = transact_begin(turn, &err);
    if (status == ST_OK) status = go_on(turn, backlog, &err);
    if (status == ST_OK) return;
    if (transact_is_lost(turn, status)) transact_failed(turn, &err);
    else backlog_hold(backlog, turn->now_ms);
}

/* ---- finishing ---- */

/* Once a field has no work left, that stays so: writes keep the rows of a field that is BUILDING, and give a
 * field that is DROPPING none. */
static enum status is_finished(struct turn *turn, int32_t ns, const struct indexes *indexes,
                               const struct indexed_field *field, bool *ret_is, struct error *err)
{
    struct record_row *row;
    size_t count;
    *ret_is = is_built(field);
    if (field->state != INDEX_DROPPING) return ST_OK;
    TRY(find_rows(turn, ns, indexes, field, 1, &row, &count, err));
    *ret_is = !count;
    return ST_OK;
}

static enum status finish(struct turn *turn, struct error *err)
{
    struct indexes *indexes;
    size_t kept = 0;
    bool changes = false;
    int32_t ns;
    str definition_id = tenant_name(buf_str(&turn->engine->transact.backlog[BACKLOG_INDEX].after), &ns);
    TRY(load(turn, ns, definition_id, &indexes, err));
    for (size_t i = 0; i < indexes->field_count; i++) {
        struct indexed_field field = indexes->field[i];
        bool finished;
        TRY(is_finished(turn, ns, indexes, &field, &finished, err));
        changes |= finished;
        if (finished && field.state == INDEX_DROPPING) continue;
        if (finished) field.state = INDEX_READY;
        indexes->field[kept++] = field;
    }
    indexes->field_count = kept;
    return changes ? index_save(turn, ns, indexes, err) : ST_OK;
}

/* If it fails for good, the next slice notes again that there is something to finish. */
void index_finish(struct turn *turn)
{
    struct error err;
    turn->engine->entities.index_finished = false;
    enum status status = transact_begin(turn, &err);
    if (status == ST_OK) status = finish(turn, &err);
    if (status == ST_OK) return;
    if (transact_is_lost(turn, status)) transact_failed(turn, &err);
    else backlog_hold(&turn->engine->transact.backlog[BACKLOG_INDEX], turn->now_ms);
}
