/* access/record/file.c — an access file becomes changes. file_write.c goes the other way. */
#include "access/record/file.h"

#include "access/limits.h"
#include "access/secret/password.h"
#include "access/record/record_int.h"
#include "base/must.h"
#include "base/text_map.h"

#include <stdio.h>

/* The lists of a file in the order of its changes: others name tenants, and grants name all others. */
static const enum access_kind lists[] = { ACCESS_TENANT, ACCESS_USER, ACCESS_ISSUER, ACCESS_KEY,
                                          ACCESS_GRANT };

struct file_reader {
    struct arena *arena;
    struct access_change *change;
    size_t count;
    char place[ERROR_WHERE_BYTES]; /* The JSON Pointer of the item that is read. */
    struct error *err;
};

/* The place of a member of the item. */
static enum status fail_in(struct file_reader *reader, const char *member, const char *message)
{
    char place[2 * ERROR_WHERE_BYTES];
    snprintf(place, sizeof place, "%s%s", reader->place, member);
    return fail(reader->err, ST_INVALID, place, "%s", message);
}

/* ---- the lists ---- */

static bool is_list(str name)
{
    for (size_t i = 0; i < COUNT(lists); i++)
        if (str_equal(name, str_of(access_kind_words(lists[i])))) return true;
    return false;
}

static enum status check_lists(const struct json *document, size_t *ret_count, struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    size_t count = 0;
    if (!json_is(document, JSON_OBJECT))
        return fail(err, ST_INVALID, "",
                    "an access file is an object with users, keys, issuers, tenants, grants");
    struct json_each each = json_each(document);
    while (json_next(&each)) {
        record_value_place(each.name, place);
        if (!is_list(each.name))
            return fail(err, ST_INVALID, place,
                        "an access file has users, keys, issuers, tenants and grants, and nothing else");
        if (!json_is(each.value, JSON_ARRAY) && !json_is(each.value, JSON_NULL))
            return fail(err, ST_INVALID, place, "must be a list");
        count += json_count(each.value);
    }
    if (count > ACCESS_FILE_ITEMS_MAX)
        return fail(err, ST_LIMIT, "", "%zu items; the most is %d (ACCESS_FILE_ITEMS_MAX)", count,
                    ACCESS_FILE_ITEMS_MAX);
    *ret_count = count;
    return ST_OK;
}

/* ---- names and hashes of an item ---- */

static bool has_id(enum access_kind kind) { return kind == ACCESS_KEY || kind == ACCESS_GRANT; }

/* Takes a member out of the item. Absent: empty. */
static enum status take_text(struct file_reader *reader, const struct json **item, const char *member,
                             str *ret_text)
{
    char place[64];
    const struct json *value = json_get(*item, str_of(member));
    *ret_text = STR_NONE;
    if (!value) return ST_OK;
    snprintf(place, sizeof place, "/%s", member);
    if (!json_is(value, JSON_STRING)) return fail_in(reader, place, "must be a text");
    *ret_text = json_string(value);
    *item = json_without(reader->arena, *item, str_of(member));
    return ST_OK;
}

/* The same grant has the same id each time. */
static str grant_id(struct file_reader *reader, const struct json *item)
{
    struct buf text;
    buf_init(&text, reader->arena);
    json_print_canonical(item, &text);
    struct credential_hash hash = credential_hash(buf_str(&text));
    return str_slice(credential_hash_text(&hash, reader->arena), 0, 20);
}

static enum status take_name(struct file_reader *reader, struct access_change *change,
                             const struct json **item)
{
    struct error wrong;
    const char *member = has_id(change->kind) ? "id" : "name";
    char place[16];
    snprintf(place, sizeof place, "/%s", member);
    TRY(take_text(reader, item, member, &change->name));
    if (!change->name.n && change->kind == ACCESS_GRANT) change->name = grant_id(reader, *item);
    if (!change->name.n)
        return fail_in(reader, place,
                       has_id(change->kind) ? "a key needs its id, which is the second part of its "
                                              "text"
                                            : "must not be missing");
    if (access_check_name(change->kind, change->name, &wrong) != ST_OK)
        return fail_in(reader, place, wrong.message);
    return ST_OK;
}

static enum status take_key_hash(struct file_reader *reader, struct access_change *change,
                                 const struct json **item)
{
    str text;
    if (json_get(*item, STR("key")))
        return fail_in(reader, "/key",
                       "an access file has hashes of keys only, as hash: SHA-256 of the whole key");
    TRY(take_text(reader, item, "hash", &text));
    if (!credential_hash_parse(text, &change->hash))
        return fail_in(reader, "/hash", "must be the SHA-256 of the whole key in 64 hexadecimal digits");
    return ST_OK;
}

static enum status take_password_hash(struct file_reader *reader, struct access_change *change,
                                      const struct json **item)
{
    if (json_get(*item, STR("password")))
        return fail_in(reader, "/password", "an access file has hashes of passwords only, as passwordHash");
    TRY(take_text(reader, item, "passwordHash", &change->secret));
    if (change->secret.n && !password_hash_is_valid(change->secret))
        return fail_in(reader, "/passwordHash",
                       "must be a hash of argon2id in its encoded form, of bounded cost");
    return ST_OK;
}

/* ---- items ---- */

static const struct json *with_tenant(struct file_reader *reader, enum access_kind kind,
                                      const struct json *item)
{
    if (!has_id(kind) || json_get(item, STR("tenant"))) return item;
    return json_set(reader->arena, item, STR("tenant"), json_of_string(reader->arena, STR("default")));
}

static enum status read_item(struct file_reader *reader, enum access_kind kind, const struct json *item)
{
    struct access_change *change = &reader->change[reader->count];
    const struct json *record;
    struct error wrong;
    *change = (struct access_change){ .kind = kind, .action = ACCESS_PUT };
    if (!json_is(item, JSON_OBJECT)) return fail_in(reader, "", "must be an object");
    item = with_tenant(reader, kind, item);
    TRY(take_name(reader, change, &item));
    if (kind == ACCESS_KEY) TRY(take_key_hash(reader, change, &item));
    if (kind == ACCESS_USER) TRY(take_password_hash(reader, change, &item));
    if (access_record_make(kind, change->name, item, NULL, reader->arena, &record, &wrong) != ST_OK)
        return fail_in(reader, wrong.where, wrong.message);
    change->object = item;
    reader->count++;
    return ST_OK;
}

static enum status read_list(struct file_reader *reader, enum access_kind kind, const struct json *list)
{
    struct text_map names;
    enum status status = ST_OK;
    if (!json_is(list, JSON_ARRAY)) return ST_OK;
    text_map_init(&names);
    struct json_each each = json_each(list);
    for (size_t i = 0; status == ST_OK && json_next(&each); i++) {
        snprintf(reader->place, sizeof reader->place, "/%s/%zu", access_kind_words(kind), i);
        status = read_item(reader, kind, each.value);
        if (status != ST_OK) break;
        struct access_change *change = &reader->change[reader->count - 1];
        if (text_map_put(&names, change->name, change))
            status = fail_in(reader, has_id(kind) ? "/id" : "/name", "is in the file already");
    }
    text_map_done(&names);
    return status;
}

enum status access_file_read(const struct json *document, struct arena *arena,
                             struct access_change **ret_change, size_t *ret_count, struct error *err)
{
    struct file_reader reader = { .arena = arena, .err = err };
    size_t count = 0;
    TRY(check_lists(document, &count, err));
    reader.change = arena_make_n(arena, struct access_change, count);
    for (size_t i = 0; i < COUNT(lists); i++)
        TRY(read_list(&reader, lists[i], json_get(document, str_of(access_kind_words(lists[i])))));
    must(reader.count == count);
    *ret_change = reader.change;
    *ret_count = count;
    return ST_OK;
}
