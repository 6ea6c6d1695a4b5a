/* tests/fuzz/fuzz_access.c — access files: a JSON document. */

#include "fuzz.h"

#include "base/utf8.h"

#include "access/record/file.h"
#include "access/secret/password.h"

/* The pointer of a refusal leads into the document, or to a member that is missing. */
static void check_place(const struct json *document, const struct error *err)
{
    str where = str_of(err->where);
    must(utf8_is_valid(str_of(err->message)) && err->message[0]);
    if (!where.n || json_pointer(document, where)) return;
    must(where.p[0] == '/');
    while (where.p[where.n - 1] != '/') where.n--;
    where.n--;
    must(where.n > ERROR_WHERE_BYTES / 2 || json_pointer(document, where));
}

static void check_changes(const struct access_change *change, size_t count, struct arena *arena)
{
    struct access_file_record *record = arena_make_n(arena, struct access_file_record, count);
    for (size_t i = 0; i < count; i++) {
        must(change[i].action == ACCESS_PUT &&
             access_check_name(change[i].kind, change[i].name, NULL) == ST_OK);
        must(!change[i].secret.n || password_hash_is_valid(change[i].secret));
        record[i] = (struct access_file_record){ .kind = change[i].kind, .name = change[i].name };
        must(access_record_make(change[i].kind, change[i].name, change[i].object, NULL, arena,
                                &record[i].record, NULL) == ST_OK);
        if (change[i].kind == ACCESS_KEY)
            record[i].record =
                access_record_set(record[i].record, "hash",
                                  json_of_string(arena, credential_hash_text(&change[i].hash, arena)), arena);
        if (change[i].secret.n)
            record[i].record = access_record_set(record[i].record, "password",
                                                 json_of_string(arena, change[i].secret), arena);
    }
    struct access_change *again;
    size_t damaged, again_count;
    const struct json *document = access_file_write(record, count, true, arena, &damaged);
    must(!damaged && access_file_read(document, arena, &again, &again_count, NULL) == ST_OK);
    must(again_count == count);
    for (size_t i = 0; i < count; i++)
        must(again[i].kind == change[i].kind && str_equal(again[i].name, change[i].name) &&
             str_equal(again[i].secret, change[i].secret) &&
             credential_hash_equal(&again[i].hash, &change[i].hash));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct error err = { 0 };
    struct access_change *change;
    size_t count;
    arena_init(&arena, 0);
    const struct json *document = fuzz_parse((str){ (const char *)data, size }, &arena);
    if (document) {
        enum status status = access_file_read(document, &arena, &change, &count, &err);
        if (status == ST_OK) check_changes(change, count, &arena);
        else {
            must((status == ST_INVALID || status == ST_LIMIT) && err.status == status);
            check_place(document, &err);
        }
    }
    arena_done(&arena);
    return 0;
}
