/* perform/sql/postgres_value.c — JSON values and PostgreSQL's texts of them.
 *
 * Both directions use the text form: the server converts a parameter to the type that its place in the
 * statement has, so 64-bit integers and decimals keep every digit.
 */
#include "perform/sql/postgres_int.h"

#include "base/ascii.h"
#include "base/base64.h"

/* Oids of types, which are the same on all servers. */
enum {
    OID_BOOL = 16,
    OID_BYTEA = 17,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_OID = 26,
    OID_JSON = 114,
    OID_FLOAT4 = 700,
    OID_FLOAT8 = 701,
    OID_TIMESTAMP = 1114,
    OID_TIMESTAMPTZ = 1184,
    OID_NUMERIC = 1700,
    OID_VOID = 2278,
    OID_JSONB = 3802,
};

/* "\x0102" as base64. */
static const struct json *read_bytes(str text, struct arena *arena)
{
    str hex = str_slice(text, 2, text.n);
    char *bytes = arena_alloc(arena, hex.n / 2 + 1);
    for (size_t i = 0; i + 1 < hex.n; i += 2)
        bytes[i / 2] = (char)(ascii_hex(hex.p[i]) << 4 | ascii_hex(hex.p[i + 1]));
    return json_of_string(arena, base64_encode((str){ bytes, hex.n / 2 }, arena));
}

/* "2026-01-31 10:20:30.5+00" as RFC 3339. Years beyond 9999, BC and infinity have no such form and stay.
 * The server may be any that speaks the protocol, so the text is checked. */
static const struct json *read_time(struct sql_rows *rows, str text, bool zoned)
{
    bool plain = text.n >= 19 && text.p[4] == '-' && text.p[10] == ' ' && !str_ends(text, STR(" BC"));
    if (!plain || (zoned && !str_ends(text, STR("+00")))) return sql_rows_text(rows, text);
    str clock = str_slice(text, 11, zoned ? text.n - 3 : text.n);
    return sql_rows_text(rows, arena_printf(rows->job->job->arena, "%.*sT%.*s%s", 10, text.p, STR_ARG(clock),
                                            zoned ? "Z" : ""));
}

const struct json *postgres_value(struct sql_rows *rows, uint32_t type, str text)
{
    struct arena *arena = rows->job->job->arena;
    const struct json *number;
    switch (type) {
    case OID_BOOL: return json_of_bool(str_equal(text, STR("t")));
    case OID_INT2:
    case OID_INT4:
    case OID_INT8:
    case OID_OID:
    case OID_FLOAT4:
    case OID_FLOAT8:
    case OID_NUMERIC:
        /* NaN, Infinity and numbers of more digits than ours may have stay texts. */
        number = json_number_parse(text, arena);
        return number ? number : sql_rows_text(rows, text);
    case OID_BYTEA: return read_bytes(text, arena);
    case OID_JSON:
    case OID_JSONB: return sql_rows_json(rows, text);
    case OID_TIMESTAMP: return read_time(rows, text, false);
    case OID_TIMESTAMPTZ: return read_time(rows, text, true);
    case OID_VOID: return json_null();
    default: return sql_rows_text(rows, text);
    }
}

const char *postgres_parameter(const struct json *value, struct arena *arena)
{
    /* sql_text_read() has refused texts with a NUL; other values are printed, and escape it. */
    if (json_is(value, JSON_NULL)) return NULL;
    if (json_is(value, JSON_STRING)) return arena_str(arena, json_string(value)).p;
    struct buf text;
    buf_init(&text, arena);
    json_print(value, &text);
    return arena_str(arena, buf_str(&text)).p;
}
