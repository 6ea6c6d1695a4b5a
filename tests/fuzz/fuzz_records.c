/* tests/fuzz/fuzz_records.c — records of access: a byte that chooses the kind, a client's object, then
 * perhaps a NUL and the record that the store has, which may be damaged. */

#include "fuzz.h"

#include "access/record/record.h"

static const char *const secrets[] = { "password", "hash", "oldHash" };

static void check_record(enum access_kind kind, const struct json *record, struct arena *arena)
{
    struct tenant tenant;
    const struct json *view = access_record_view(kind, STR("x"), record, arena);
    for (size_t i = 0; i < COUNT(secrets); i++) must(!json_get(view, str_of(secrets[i])));
    fuzz_check_value(view, arena);
    if (access_record_check(kind, record, NULL) != ST_OK) return;
    const struct json *given = access_record_given(kind, record, arena), *again;
    if (access_record_make(kind, STR("x"), given, NULL, arena, &again, NULL) == ST_OK)
        must(access_record_check(kind, again, NULL) == ST_OK);
    if (kind == ACCESS_TENANT && tenant_read(STR("x"), record, arena, &tenant, NULL) == ST_OK)
        must(tenant.number > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct error err = { 0 };
    const struct json *record, *same;
    str text, stored;
    if (!size) return 0;
    enum access_kind kind = (enum access_kind)(data[0] % ACCESS_KIND_COUNT);
    arena_init(&arena, 0);
    fuzz_split((str){ (const char *)data + 1, size - 1 }, &text, &stored);
    const struct json *object = fuzz_parse(text, &arena), *old = fuzz_parse(stored, &arena);
    if (old) check_record(kind, old, &arena);
    if (object) {
        check_record(kind, object, &arena);
        enum status status = access_record_make(kind, STR("x"), object, old, &arena, &record, &err);
        if (status == ST_OK) {
            must(access_record_check(kind, record, NULL) == ST_OK);
            check_record(kind, record, &arena);
            /* The same change again changes nothing. */
            must(access_record_make(kind, STR("x"), object, record, &arena, &same, NULL) == ST_OK);
            must(json_equal(record, same));
        } else must((status == ST_INVALID || status == ST_LIMIT) && err.message[0]);
    }
    arena_done(&arena);
    return 0;
}
