/* runtime/access/access_rows.c — keys and values of the records about access. */
#include "runtime/access/access_int.h"

#include "base/datetime.h"
#include "base/must.h"

enum record_kind access_rows_kind(enum access_kind kind)
{
    static const enum record_kind kinds[] = {
#define XX(NAME, ...) [ACCESS_##NAME] = RECORD_##NAME,
        ACCESS_KIND_MAP(XX)
#undef XX
    };
    must(kind < ACCESS_KIND_COUNT);
    return kinds[kind];
}

/* ---- keys ---- */

str access_rows_pair(str first, str second, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, first);
    buf_add_char(&key, 0);
    buf_add_str(&key, second);
    return buf_str(&key);
}

str access_rows_second(str pair)
{
    const char *end = memchr(pair.p, 0, pair.n);
    return end ? str_slice(pair, (size_t)(end - pair.p) + 1, pair.n) : STR_NONE;
}

str access_rows_prefix(str first, struct arena *arena) { return access_rows_pair(first, STR_NONE, arena); }

str access_rows_number_key(int32_t number, struct arena *arena)
{
    must(number > 0);
    char key[ACCESS_ROWS_NUMBER_BYTES];
    for (int i = 0; i < ACCESS_ROWS_NUMBER_BYTES; i++) key[i] = (char)((uint32_t)number >> (24 - 8 * i));
    return arena_str(arena, (str){ key, sizeof key });
}

str access_rows_of_tenant(int32_t number, str id, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, access_rows_number_key(number, arena));
    buf_add_str(&key, id);
    return buf_str(&key);
}

/* ---- values ---- */

const struct json *access_rows_decode(enum access_kind kind, str value, struct arena *arena)
{
    const struct json *record = json_decode(value, arena);
    return record && access_record_check(kind, record, NULL) == ST_OK ? record : NULL;
}

int64_t access_rows_time(const struct json *record, str member)
{
    const struct json *value = json_get(record, member);
    int64_t ms;
    if (json_is(value, JSON_NUMBER) && json_int64(value, &ms)) return ms;
    return json_is(value, JSON_STRING) && datetime_parse(json_string(value), &ms) ? ms : 0;
}

bool access_rows_hash(const struct json *record, str member, struct credential_hash *ret_hash)
{
    return credential_hash_parse(json_text(record, member), ret_hash);
}

str access_rows_owner(const struct json *session, struct arena *arena)
{
    str user = json_text(session, STR("user")), issuer = json_text(session, STR("issuer"));
    return issuer.n ? arena_printf(arena, "%.*s#%.*s", STR_ARG(issuer), STR_ARG(user)) : user;
}

bool access_rows_is_user(const struct caller *caller, str owner)
{
    if (!caller || caller->principal->kind != PRINCIPAL_USER) return false;
    str id = caller->principal->id;
    return str_starts(id, STR("user:")) && str_equal(str_slice(id, 5, id.n), owner);
}

const struct json *access_rows_default_tenant(struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("state"), STR("active"));
    json_add_name(&builder, STR("number"));
    json_add_int(&builder, TENANT_DEFAULT);
    json_close(&builder);
    return json_built(&builder);
}

uint64_t access_rows_generation(str value)
{
    uint64_t generation = 0;
    for (size_t i = 0; i < value.n && value.p[i] >= '0' && value.p[i] <= '9'; i++)
        generation = generation * 10 + (uint64_t)(value.p[i] - '0');
    return generation;
}

str access_rows_generation_value(uint64_t generation, struct arena *arena)
{
    return arena_printf(arena, "%llu", (unsigned long long)generation);
}
