/* access/record/file_write.c — records become an access file. */
#include "access/record/file.h"

#include "base/must.h"

static void add_item(struct json_builder *builder, const struct access_file_record *record,
                     bool with_passwords, struct arena *arena)
{
    bool has_id = record->kind == ACCESS_KEY || record->kind == ACCESS_GRANT;
    json_open_object(builder);
    json_add_text(builder, has_id ? STR("id") : STR("name"), record->name);
    struct json_each each = json_each(access_record_given(record->kind, record->record, arena));
    while (json_next(&each)) {
        json_add_name(builder, each.name);
        json_add(builder, each.value);
    }
    if (record->kind == ACCESS_KEY)
        json_add_text(builder, STR("hash"), json_text(record->record, STR("hash")));
    str password = json_text(record->record, STR("password"));
    if (record->kind == ACCESS_USER && with_passwords && password.n)
        json_add_text(builder, STR("passwordHash"), password);
    json_close(builder);
}

/* A key without its hash could not be applied again. */
static bool is_whole(const struct access_file_record *record)
{
    if (access_record_check(record->kind, record->record, NULL) != ST_OK) return false;
    return record->kind != ACCESS_KEY || json_get(record->record, STR("hash"));
}

static void add_list(struct json_builder *builder, enum access_kind kind,
                     const struct access_file_record *record, size_t count, bool with_passwords,
                     struct arena *arena, size_t *damaged)
{
    json_add_name(builder, str_of(access_kind_words(kind)));
    json_open_array(builder);
    for (size_t i = 0; i < count; i++) {
        if (record[i].kind != kind) continue;
        if (is_whole(&record[i])) add_item(builder, &record[i], with_passwords, arena);
        else ++*damaged;
    }
    json_close(builder);
}

const struct json *access_file_write(const struct access_file_record *record, size_t count,
                                     bool with_passwords, struct arena *arena, size_t *ret_damaged)
{
    static const enum access_kind lists[] = { ACCESS_TENANT, ACCESS_USER, ACCESS_ISSUER, ACCESS_KEY,
                                              ACCESS_GRANT };
    struct json_builder builder;
    *ret_damaged = 0;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < COUNT(lists); i++)
        add_list(&builder, lists[i], record, count, with_passwords, arena, ret_damaged);
    json_close(&builder);
    return json_built(&builder);
}
