/* runtime/entities/index_progress.c — the record of how far the fields of a model are built. */
#include "runtime/entities/entities_int.h"

#include "runtime/transact/transact.h"

/* ---- reading ---- */

static uint64_t done_of(const struct json *progress, uint32_t number)
{
    int64_t of, done;
    if (!json_is(progress, JSON_ARRAY)) return 0;
    struct json_each each = json_each(progress);
    while (json_next(&each))
        if (json_int64(json_get(each.value, STR("number")), &of) && of == number &&
            json_int64(json_get(each.value, STR("done")), &done))
            return (uint64_t)done;
    return 0;
}

/* No record: nothing is built yet. */
static enum status take(struct found found, const struct record_row *row, struct indexes *indexes,
                        struct arena *arena)
{
    bool is_there;
    TRY(found_asked(found, &is_there));
    const struct json *progress = is_there ? json_decode(row->value, arena) : NULL;
    for (size_t i = 0; i < indexes->field_count; i++)
        indexes->field[i].done = progress ? done_of(progress, indexes->field[i].number) : 0;
    return ST_OK;
}

enum status index_progress_load(struct turn *turn, int32_t ns, struct indexes *indexes, struct error *err)
{
    struct record_row row;
    struct found found = store_find_record(turn->engine->store, ns, RECORD_BUILT, indexes->definition_id,
                                           &turn->arena, &row, err);
    return take(found, &row, indexes, &turn->arena);
}

enum status index_progress_read(struct store_reader *reader, int32_t ns, struct indexes *indexes,
                                struct arena *arena, struct error *err)
{
    struct record_row row;
    struct found found =
        reader_find_record(reader, ns, RECORD_BUILT, indexes->definition_id, arena, &row, err);
    return take(found, &row, indexes, arena);
}

/* ---- writing ---- */

static void add_field(struct json_builder *builder, const struct indexed_field *field)
{
    json_open_object(builder);
    json_add_name(builder, STR("number"));
    json_add_int(builder, field->number);
    json_add_name(builder, STR("done"));
    json_add_int(builder, (int64_t)field->done);
    json_close(builder);
}

enum status index_progress_save(struct turn *turn, int32_t ns, const struct indexes *indexes,
                                struct error *err)
{
    struct json_builder builder;
    json_builder_init(&builder, &turn->arena);
    json_open_array(&builder);
    for (size_t i = 0; i < indexes->field_count; i++)
        if (indexes->field[i].state == INDEX_BUILDING) add_field(&builder, &indexes->field[i]);
    json_close(&builder);
    struct record_row row = { .ns = ns,
                              .kind = RECORD_BUILT,
                              .key = indexes->definition_id,
                              .value = json_encoded(json_built(&builder)) };
    return transact_rows(turn, &(struct changeset){ .record_put = &row, .record_put_count = 1 }, err);
}
