/* runtime/entities/entity_check.c — verifies the rows by which entities are found.
 *
 * First each entity is asked for its rows, then each row for its entity. Rows of fields that are no longer
 * indexed are on their way out, and rows of fields whose index is being built may not be there yet
 * (indexes.h).
 */
#include "runtime/entities/entity_check.h"

#include "base/array.h"
#include "dialect/entity/entity.h"
#include "runtime/call/call.h"
#include "runtime/entities/entities_int.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { CHECK_PAGE_ROWS = 100, CHECK_SENTENCE_BYTES = 1200 };

struct entity_checking {
    struct store_reader *reader;
    store_found_fn *found;
    void *context;
    struct map is_entity; /* Definition's number → &yes or &no. */
    struct arena page;    /* A page of rows. */
    struct arena item;    /* Memory of one item, reset after it. */
    struct arena kept;    /* Memory of the indexes of the model that was looked at last. */
    struct indexes indexes;
    int32_t ns, indexes_ns; /* The tenant that is looked at; that of the indexes. */
};

/* A row that an entity has. */
struct wanted_row {
    struct record_row row;
    bool may_miss;
};

struct wanted_rows {
    struct wanted_row *row;
    size_t count, cap;
};

static char yes, no; /* The values of `is_entity`. */

__attribute__((format(printf, 2, 3))) static void report(struct entity_checking *check, const char *format,
                                                         ...)
{
    char sentence[CHECK_SENTENCE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    check->found(check->context, sentence);
}

/* ---- the rows of an entity ---- */

static enum status find_indexes(struct entity_checking *check, str definition_id, struct error *err)
{
    if (check->indexes_ns == check->ns && str_equal(check->indexes.definition_id, definition_id))
        return ST_OK;
    arena_reset(&check->kept);
    check->indexes = (struct indexes){ 0 };
    check->indexes_ns = check->ns;
    TRY(indexes_read(check->reader, check->ns, definition_id, &check->kept, &check->indexes, err));
    return index_progress_read(check->reader, check->ns, &check->indexes, &check->kept, err);
}

static void want(struct entity_checking *check, struct wanted_rows *rows, struct record_row row,
                 bool may_miss)
{
    array_reserve_in(&check->item, rows->row, rows->count, rows->cap);
    rows->row[rows->count++] = (struct wanted_row){ row, may_miss };
}

static struct record_row row_of(const struct entity_checking *check, enum record_kind kind, str key,
                                str value)
{
    return (struct record_row){ .ns = check->ns, .kind = kind, .key = key, .value = value };
}

static void want_places(struct entity_checking *check, const struct instance_row *row, str state,
                        struct wanted_rows *rows)
{
    struct arena *arena = &check->item;
    str model = index_record_prefix(row->definition_id, arena);
    struct buf place;
    buf_init(&place, arena);
    buf_add_str(&place, model);
    buf_add_str(&place, index_record_prefix(state, arena));
    want(check, rows, row_of(check, RECORD_MEMBER, index_record_member(model, row->id, arena), state), false);
    want(check, rows,
         row_of(check, RECORD_STATE, index_record_member(buf_str(&place), row->id, arena), STR_NONE), false);
}

static void want_indexed(struct entity_checking *check, const struct instance_row *row,
                         const struct json *data, struct wanted_rows *rows)
{
    const struct indexes *indexes = &check->indexes;
    for (size_t i = 0; i < indexes->field_count; i++) {
        const struct indexed_field *field = &indexes->field[i];
        struct record_row *found;
        if (field->state == INDEX_DROPPING) continue;
        size_t count = index_rows_of_field(indexes, field, row->ns, row->id, data, &check->item, &found);
        bool may_miss = field->state == INDEX_BUILDING && row->id > field->done;
        for (size_t k = 0; k < count; k++) want(check, rows, found[k], may_miss);
    }
    for (size_t i = 0; i < indexes->key_count; i++) {
        struct record_row found;
        bool has;
        if (unique_row_of(indexes, &indexes->key[i], row->ns, row->id, data, &check->item, &has, &found,
                          NULL) == ST_OK &&
            has)
            want(check, rows, found, false);
    }
}

/* `state` is the entity's; both live in the arena of the item. */
static enum status rows_of(struct entity_checking *check, const struct instance_row *row,
                           const struct instance *entity, struct wanted_rows *ret_rows, struct error *err)
{
    *ret_rows = (struct wanted_rows){ 0 };
    TRY(find_indexes(check, row->definition_id, err));
    want_places(check, row, json_text(entity->token_count ? entity->token[0].carried : NULL, ENTITY_STATE),
                ret_rows);
    want_indexed(check, row, entity->data, ret_rows);
    return ST_OK;
}

static enum status is_entity(struct entity_checking *check, const struct instance_row *row, bool *ret_is,
                             struct error *err)
{
    char *is = map_get(&check->is_entity, (uint64_t)row->definition);
    if (!is) {
        struct definition_row definition;
        bool is_there;
        TRY(found_intact(
            reader_definition_by_number(check->reader, row->definition, &check->item, &definition, err),
            &is_there));
        is = is_there && dialect_has_entities(definition.dialect) ? &yes : &no;
        map_put(&check->is_entity, (uint64_t)row->definition, is);
    }
    *ret_is = is == &yes;
    return ST_OK;
}

/* ---- entities ---- */

static enum status check_entity(struct entity_checking *check, const struct instance_row *row,
                                struct error *err)
{
    const struct instance *entity;
    struct wanted_rows rows;
    bool is;
    if (instance_status_ended(row->status)) return ST_OK;
    TRY(is_entity(check, row, &is, err));
    if (!is) return ST_OK;
    if (core_decode(row->state, NULL, &check->item, &entity, NULL) != ST_OK) return ST_OK;
    TRY(rows_of(check, row, entity, &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        const struct record_row *wanted = &rows.row[i].row;
        struct record_row found;
        bool is_there;
        TRY(found_asked(reader_find_record(check->reader, wanted->ns, wanted->kind, wanted->key, &check->item,
                                           &found, err),
                        &is_there));
        if (!is_there && !rows.row[i].may_miss)
            report(check,
                   "instance %" PRIu64 ": this entity lacks a row of kind \"%s\", and is not found by it",
                   row->id, store_record_word(wanted->kind));
        else if (is_there && !str_equal(found.value, wanted->value))
            report(check, "instance %" PRIu64 ": the row of kind \"%s\" of this entity says something else",
                   row->id, store_record_word(wanted->kind));
    }
    return ST_OK;
}

static enum status visit_instance(void *context, const struct instance_row *row, struct error *err)
{
    struct entity_checking *check = context;
    arena_reset(&check->item);
    return check_entity(check, row, err);
}

/* ---- rows ---- */

/* Does the row belong to a field that is no longer indexed? */
static enum status is_dropped(struct entity_checking *check, const struct record_row *row, bool *ret_is,
                              struct error *err)
{
    const char *end = memchr(row->key.p, '\0', row->key.n);
    *ret_is = false;
    if (row->kind != RECORD_INDEX || !end) return ST_OK;
    TRY(find_indexes(check, str_slice(row->key, 0, (size_t)(end - row->key.p)), err));
    for (size_t i = 0; i < check->indexes.field_count; i++) {
        const struct indexed_field *field = &check->indexes.field[i];
        str prefix = indexes_prefix(check->indexes.definition_id, field->number, &check->item);
        *ret_is |= field->state == INDEX_DROPPING && str_starts(row->key, prefix);
    }
    return ST_OK;
}

/* Why no entity has the row; NULL: one has it, or nobody can tell. */
static enum status judge(struct entity_checking *check, const struct record_row *row, uint64_t id,
                         const char **ret_why, struct error *err)
{
    struct instance_row owner;
    const struct instance *entity;
    struct wanted_rows rows;
    bool is_there;
    TRY(found_asked(reader_instance(check->reader, check->ns, id, &check->item, &owner, err), &is_there));
    *ret_why = "which is not there";
    if (!is_there) return ST_OK;
    *ret_why = "which has ended";
    if (instance_status_ended(owner.status)) return ST_OK;
    *ret_why = "which is no entity";
    TRY(is_entity(check, &owner, &is_there, err));
    if (!is_there) return ST_OK;
    *ret_why = NULL;
    if (core_decode(owner.state, NULL, &check->item, &entity, NULL) != ST_OK) return ST_OK;
    TRY(rows_of(check, &owner, entity, &rows, err));
    *ret_why = "which has other values";
    for (size_t i = 0; i < rows.count; i++)
        if (rows.row[i].row.kind == row->kind && str_equal(rows.row[i].row.key, row->key)) *ret_why = NULL;
    return ST_OK;
}

static enum status check_row(struct entity_checking *check, const struct record_row *row, struct error *err)
{
    uint64_t id = index_record_instance_of(row->kind == RECORD_UNIQUE ? row->value : row->key);
    const char *why;
    bool dropped;
    TRY(is_dropped(check, row, &dropped, err));
    if (dropped) return ST_OK;
    TRY(judge(check, row, id, &why, err));
    if (why)
        report(check, "a row of kind \"%s\" belongs to instance %" PRIu64 ", %s",
               store_record_word(row->kind), id, why);
    return ST_OK;
}

static enum status check_rows(struct entity_checking *check, enum record_kind kind, struct error *err)
{
    struct record_filter filter = { .ns = check->ns, .kind = kind, .max = CHECK_PAGE_ROWS };
    for (;;) {
        struct record_row *row;
        size_t count;
        arena_reset(&check->page);
        TRY(reader_records(check->reader, &filter, &check->page, &row, &count, err));
        if (!count) return ST_OK;
        for (size_t i = 0; i < count; i++) {
            arena_reset(&check->item);
            TRY(check_row(check, &row[i], err));
        }
        arena_reset(&check->item);
        filter.after = arena_str(&check->item, row[count - 1].key);
    }
}

static enum status check_tenant(struct entity_checking *check, struct error *err)
{
    static const enum record_kind kinds[] = { RECORD_MEMBER, RECORD_STATE, RECORD_INDEX, RECORD_UNIQUE };
    TRY(reader_each_instance(check->reader, check->ns, visit_instance, check, err));
    for (size_t i = 0; i < COUNT(kinds); i++) TRY(check_rows(check, kinds[i], err));
    return ST_OK;
}

enum status entity_check_rows(struct store *store, store_found_fn *found, void *context, struct error *err)
{
    struct entity_checking check = { .found = found, .context = context };
    struct error own; /* The message is needed even if the caller passes no error. */
    TRY(store_reader_open(store, &check.reader, err));
    map_init(&check.is_entity);
    arena_init(&check.page, 0);
    arena_init(&check.item, 0);
    arena_init(&check.kept, 0);
    if (!err) err = &own;
    enum status status = reader_next_tenant(check.reader, TENANT_ANY, &check.ns, err);
    while (status == ST_OK && check.ns) {
        status = check_tenant(&check, err);
        if (status == ST_OK) status = reader_next_tenant(check.reader, check.ns, &check.ns, err);
    }
    map_done(&check.is_entity);
    arena_done(&check.kept);
    arena_done(&check.item);
    arena_done(&check.page);
    store_reader_close(check.reader);
    return status;
}
