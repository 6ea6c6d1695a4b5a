/* runtime/index_build.c — indexes that are built or dropped while entities are there, a slice in every turn.
 *
 * How far a field is built commits with the rows of its slice, so a crash repeats and loses nothing. A slice
 * takes each entity as the store has it; a write of the same turn that follows changes those rows, as it
 * changes others.
 */
#include "runtime/engine_int.h"
#include "runtime/indexes.h"

enum { HOLD_MS = 1000 };

/* ---- building ---- */

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
    enum status status = store_load_instance(turn->engine->store, id, &turn->arena, &stored, err);
    if (status == ST_NOT_FOUND) return ST_OK;
    TRY(status);
    status = catalogue_get(&turn->engine->catalogue, stored.definition, &definition, err);
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
                                    .prefix = mark_prefix(indexes->definition_id, &turn->arena),
                                    .max = INDEX_SLICE_MAX };
    if (first.done) filter.after = mark_member(filter.prefix, first.done, &turn->arena);
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &member, &count, err));
    uint64_t last = first.done;
    for (; done < count && !(done && slice_is_over(turn)); done++) {
        last = mark_instance_of(member[done].key);
        TRY(add_rows(turn, ns, indexes, &first, last, err));
    }
    bool is_whole = done == count && count < INDEX_SLICE_MAX;
    for (size_t i = 0; i < indexes->field_count; i++) {
        if (!is_built_with(&indexes->field[i], &first)) continue;
        indexes->field[i].done = last;
        if (is_whole) indexes->field[i].state = INDEX_READY;
    }
    return index_save(turn, ns, indexes, err);
}

/* ---- dropping ---- */

static enum status drop(struct turn *turn, int32_t ns, struct indexes *indexes, struct indexed_field *field,
                        struct error *err)
{
    struct record_row *row;
    size_t count;
    const struct record_filter filter = { .ns = ns,
                                          .kind = RECORD_INDEX,
                                          .prefix = indexes_prefix(indexes->definition_id, field->number,
                                                                   &turn->arena),
                                          .max = INDEX_SLICE_MAX };
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    turn->spent += (int64_t)count * FUEL_COMMAND;
    if (count)
        TRY(transact_rows(turn, &(struct changeset){ .record_remove = row, .record_remove_count = count },
                          err));
    if (count == INDEX_SLICE_MAX) return ST_OK;
    size_t at = (size_t)(field - indexes->field);
    memmove(field, field + 1, (--indexes->field_count - at) * sizeof *field);
    return index_save(turn, ns, indexes, err);
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

static enum status do_slice(struct turn *turn, const struct record_row *record, bool *ret_did,
                            struct error *err)
{
    const struct indexes *found;
    *ret_did = false;
    enum status status = indexes_find(turn, record->ns, record->key, &found, err);
    if (status == ST_INTERNAL) return ST_OK; /* It is damaged; writes of its entities say so. */
    TRY(status);
    struct indexes *indexes = copy_of(found, &turn->arena);
    for (size_t i = 0; i < indexes->field_count && !*ret_did; i++) {
        struct indexed_field *field = &indexes->field[i];
        if (field->state == INDEX_READY) continue;
        *ret_did = true;
        if (field->state == INDEX_BUILDING) TRY(build(turn, record->ns, indexes, field, err));
        else TRY(drop(turn, record->ns, indexes, field, err));
    }
    return ST_OK;
}

/* Models take turns. When a round finds nothing to do, it was the last. */
static enum status go_on(struct turn *turn, struct error *err)
{
    struct engine *engine = turn->engine;
    struct record_row *record;
    size_t count;
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_INDEXED,
                                          .after = buf_str(&engine->index_last),
                                          .max = INDEX_MODELS_PER_TURN_MAX };
    TRY(store_records(engine->store, &filter, &turn->arena, &record, &count, err));
    bool did = false;
    for (size_t i = 0; i < count && !did; i++) {
        engine->index_last.n = 0;
        buf_add_str(&engine->index_last, record[i].key);
        TRY(do_slice(turn, &record[i], &did, err));
    }
    engine->index_round |= did;
    if (did || count == filter.max) return ST_OK;
    engine->index_due = engine->index_round;
    engine->index_round = false;
    engine->index_last.n = 0;
    return ST_OK;
}

bool index_waiting(const struct engine *engine)
{
    return engine->index_due && !engine->draining && !engine->broken && room_for(engine, CALL_START);
}

int64_t index_next_ms(const struct engine *engine)
{
    if (!index_waiting(engine)) return INT64_MAX;
    return engine->index_hold_ms > engine->turn.now_ms ? engine->index_hold_ms : engine->turn.now_ms;
}

void index_go_on(struct turn *turn)
{
    struct error err;
    if (!index_waiting(turn->engine) || turn->now_ms < turn->engine->index_hold_ms) return;
    enum status status = transact_begin(turn, &err);
    if (status == ST_OK) status = go_on(turn, &err);
    if (status == ST_OK) return;
    turn->engine->index_hold_ms = turn->now_ms + HOLD_MS;
    if (transact_is_lost(turn, status)) transact_failed(turn, &err);
}
