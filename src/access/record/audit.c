/* access/record/audit.c — rows of the audit as bytes, and their chain. */
#include "access/record/audit.h"

#include "access/secret/key.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "base/must.h"
#include "base/utf8.h"
#include "json/put.h"

/* ---- keys ---- */

enum { DIGITS = 16, KEY_DIGITS = 3 * DIGITS };

static const char digits[] = "0123456789abcdef";

static void print_digits(uint64_t value, char *out)
{
    for (size_t i = DIGITS; i--; value >>= 4) out[i] = digits[value & 15];
}

str audit_key(int64_t at_ms, int64_t node, uint64_t number, struct arena *arena)
{
    char *key = arena_alloc(arena, KEY_DIGITS + 1);
    /* The difference turns the order round. */
    print_digits((uint64_t)(INT64_MAX - clock_within(at_ms)), key);
    print_digits((uint64_t)node, key + DIGITS);
    print_digits(UINT64_MAX - number, key + 2 * DIGITS);
    key[KEY_DIGITS] = '\0';
    return (str){ key, KEY_DIGITS };
}

static bool parse_digits(str text, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.n; i++) {
        int digit = ascii_hex(text.p[i]);
        if (digit < 0 || ascii_is_upper(text.p[i])) return false;
        value = value << 4 | (unsigned)digit;
    }
    *ret_value = value;
    return true;
}

bool audit_key_parse(str key, int64_t *ret_at_ms, int64_t *ret_node, uint64_t *ret_number)
{
    uint64_t at, node, number;
    if (key.n != KEY_DIGITS || !parse_digits(str_slice(key, 0, DIGITS), &at) ||
        !parse_digits(str_slice(key, DIGITS, 2 * DIGITS), &node) ||
        !parse_digits(str_slice(key, 2 * DIGITS, KEY_DIGITS), &number))
        return false;
    if (at > INT64_MAX || INT64_MAX - (int64_t)at > CLOCK_MS_MAX) return false;
    *ret_at_ms = INT64_MAX - (int64_t)at;
    *ret_node = (int64_t)node;
    *ret_number = UINT64_MAX - number;
    return true;
}

/* ---- hashes ---- */

struct audit_hash audit_hash_of(str bytes)
{
    struct credential_hash hash = credential_hash(bytes);
    struct audit_hash audit;
    _Static_assert(sizeof audit.bytes == sizeof hash.bytes, "both are SHA-256");
    memcpy(audit.bytes, hash.bytes, sizeof audit.bytes);
    return audit;
}

static void put_hash(struct buf *out, const struct audit_hash *hash)
{
    char text[2 + 2 * AUDIT_HASH_BYTES], *at = text;
    *at++ = '"';
    for (size_t i = 0; i < AUDIT_HASH_BYTES; i++) {
        *at++ = digits[hash->bytes[i] >> 4];
        *at++ = digits[hash->bytes[i] & 15];
    }
    *at = '"';
    buf_add(out, text, sizeof text);
}

static bool read_hash(const struct json *object, str name, struct audit_hash *ret_hash)
{
    struct credential_hash hash;
    if (!credential_hash_parse(json_text(object, name), &hash)) return false;
    memcpy(ret_hash->bytes, hash.bytes, sizeof ret_hash->bytes);
    return true;
}

/* ---- rows ---- */

str audit_action_word(enum audit_action action)
{
    static const str words[DID_ACTION_COUNT] = {
#define XX(NAME, word) [DID_##NAME] = STR_INIT(word),
        AUDIT_ACTION_MAP(XX)
#undef XX
    };
    must(action < DID_ACTION_COUNT);
    return words[action];
}

/* Clients choose some of the texts. One that is not UTF-8 would make the row unreadable. */
static void put_any_text(struct buf *out, str text)
{
    if (utf8_is_valid(text)) {
        put_text(out, text);
        return;
    }
    struct buf clean;
    buf_init(&clean, NULL);
    for (size_t i = 0; i < text.n; i++) buf_add_char(&clean, text.p[i] & 0x80 ? '?' : text.p[i]);
    put_text(out, buf_str(&clean));
    buf_done(&clean);
}

/* Details whose text is cut somewhere stay readable, but are one text then. */
static void put_details(str details, struct buf *out)
{
    struct arena arena;
    struct buf object;
    const struct json *value;
    if (details.n && details.p[0] == ',') details = str_slice(details, 1, details.n);
    arena_init(&arena, 0);
    buf_init(&object, &arena);
    PUT(&object, "{");
    buf_add_str(&object, details);
    PUT(&object, "}");
    PUT(out, ",\"details\":");
    if (json_parse(buf_str(&object), NULL, &arena, &value, NULL) == ST_OK && json_is(value, JSON_OBJECT))
        json_print(value, out);
    else {
        PUT(out, "{\"text\":");
        put_any_text(out, details);
        PUT(out, "}");
    }
    arena_done(&arena);
}

static void put_member(struct buf *out, str name, str text)
{
    if (!text.n) return;
    PUT(out, ",\"");
    buf_add_str(out, name);
    PUT(out, "\":");
    put_any_text(out, text);
}

static void put_members(const struct audit_row *row, struct buf *out)
{
    put_member(out, STR("principal"), row->principal);
    put_member(out, STR("for"), row->for_whom);
    put_member(out, STR("way"), str_of(way_in_word(row->way)));
    put_member(out, STR("action"), row->action);
    put_member(out, STR("object"), row->object);
    put_member(out, STR("outcome"), row->outcome);
    put_member(out, STR("requestId"), row->request_id);
    put_member(out, STR("address"), row->address);
    if (row->details.n) put_details(row->details, out);
    if (row->count != 1) {
        PUT(out, ",\"count\":");
        put_int(out, row->count);
    }
}

static str read_details(const struct json *value, struct arena *arena)
{
    struct buf out;
    if (!json_is(value, JSON_OBJECT)) return STR_NONE;
    buf_init(&out, arena);
    json_print(value, &out);
    return str_slice(buf_str(&out), 1, out.n - 1);
}

static bool read_numbers(const struct json *value, struct audit_row *row, uint64_t *ret_number)
{
    int64_t number = json_integer(value, STR("number")), tenant = json_integer(value, STR("tenant"));
    const struct json *count = json_get(value, STR("count"));
    if (number <= 0 || tenant <= TENANT_ANY || tenant > INT32_MAX) return false;
    if (!json_is(json_get(value, STR("at")), JSON_NUMBER)) return false;
    row->at_ms = json_integer(value, STR("at"));
    row->tenant = (int32_t)tenant;
    row->count = count ? json_integer(value, STR("count")) : 1;
    *ret_number = (uint64_t)number;
    return true;
}

enum status audit_decode(str value, struct arena *arena, struct audit_row *ret_row, uint64_t *ret_number,
                         struct audit_hash *ret_before, struct audit_hash *ret_hash, struct error *err)
{
    const struct json *object;
    struct audit_row row = { 0 };
    struct audit_hash before;
    uint64_t number;
    if (json_parse(value, NULL, arena, &object, NULL) != ST_OK || !json_is(object, JSON_OBJECT) ||
        !read_numbers(object, &row, &number) || !read_hash(object, STR("before"), &before) ||
        !way_in_find(json_text(object, STR("way")), &row.way))
        return fail(err, ST_INVALID, "audit", "a row of the audit is damaged");
    row.principal = json_text(object, STR("principal"));
    row.for_whom = json_text(object, STR("for"));
    row.action = json_text(object, STR("action"));
    row.object = json_text(object, STR("object"));
    row.outcome = json_text(object, STR("outcome"));
    row.request_id = json_text(object, STR("requestId"));
    row.address = json_text(object, STR("address"));
    row.details = read_details(json_get(object, STR("details")), arena);
    *ret_row = row;
    *ret_number = number;
    *ret_before = before;
    *ret_hash = audit_hash_of(value);
    return ST_OK;
}

/* ---- heads ---- */

str audit_head_encode(const struct audit_head *head, struct arena *arena)
{
    struct buf out;
    must(head->number <= INT64_MAX && head->purged <= head->number);
    buf_init(&out, arena);
    PUT(&out, "{\"at\":");
    put_int(&out, head->at_ms);
    PUT(&out, ",\"number\":");
    put_int(&out, (int64_t)head->number);
    PUT(&out, ",\"purged\":");
    put_int(&out, (int64_t)head->purged);
    PUT(&out, ",\"hash\":");
    put_hash(&out, &head->hash);
    PUT(&out, ",\"anchor\":");
    put_hash(&out, &head->anchor);
    PUT(&out, "}");
    return buf_str(&out);
}

static bool read_head(const struct json *value, struct audit_head *ret_head)
{
    int64_t number = json_integer(value, STR("number")), purged = json_integer(value, STR("purged"));
    if (number < 0 || purged < 0 || purged > number) return false;
    if (!json_is(json_get(value, STR("number")), JSON_NUMBER)) return false;
    ret_head->at_ms = json_integer(value, STR("at"));
    ret_head->number = (uint64_t)number;
    ret_head->purged = (uint64_t)purged;
    return read_hash(value, STR("hash"), &ret_head->hash) &&
           read_hash(value, STR("anchor"), &ret_head->anchor);
}

enum status audit_head_decode(str value, struct audit_head *ret_head, struct error *err)
{
    struct arena arena;
    struct audit_head head;
    const struct json *object;
    arena_init(&arena, 0);
    bool right = json_parse(value, NULL, &arena, &object, NULL) == ST_OK && json_is(object, JSON_OBJECT) &&
                 read_head(object, &head);
    arena_done(&arena);
    if (!right) return fail(err, ST_INVALID, "audit", "the head of a chain of the audit is damaged");
    *ret_head = head;
    return ST_OK;
}

/* ---- for clients ---- */

void audit_put_of_tenant(const struct audit_row *row, str id, str tenant, struct buf *out)
{
    PUT(out, "{\"id\":");
    put_text(out, id);
    PUT(out, ",\"at\":");
    put_time(out, row->at_ms);
    put_member(out, STR("tenant"), tenant);
    put_members(row, out);
    PUT(out, "}");
}

void audit_put(const struct audit_row *row, str id, struct buf *out)
{
    audit_put_of_tenant(row, id, STR_NONE, out);
}
