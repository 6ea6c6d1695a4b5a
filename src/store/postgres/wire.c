/* store/postgres/wire.c — parameters and results in PostgreSQL's binary form. */
#include "store/postgres/postgres_int.h"

#include "base/must.h"

#include <endian.h>

enum { OID_BYTEA = 17, OID_INT8 = 20, ARRAY_HEAD_BYTES = 20 };

/* ---- parameters ---- */

static void add(struct postgres_params *params, const char *value, size_t bytes)
{
    must(params->count < POSTGRES_PARAMS_MAX && bytes <= INT32_MAX);
    params->value[params->count] = value;
    params->length[params->count++] = (int)bytes;
}

void postgres_add_number(struct postgres_params *params, int64_t value)
{
    uint64_t wire = htobe64((uint64_t)value);
    char *place = params->number[params->count];
    memcpy(place, &wire, sizeof wire);
    add(params, place, sizeof wire);
}

/* A parameter without an address would be NULL. */
void postgres_add_bytes(struct postgres_params *params, str bytes)
{
    add(params, bytes.n ? bytes.p : "", bytes.n);
}

void postgres_add_null(struct postgres_params *params) { add(params, NULL, 0); }

void postgres_add_optional(struct postgres_params *params, str bytes)
{
    if (bytes.n) postgres_add_bytes(params, bytes);
    else postgres_add_null(params);
}

/* ---- arrays ---- */

static void put_word(char *place, uint32_t value)
{
    uint32_t wire = htobe32(value);
    memcpy(place, &wire, sizeof wire);
}

void postgres_array_clear(struct postgres_array *array)
{
    array->bytes.n = 0;
    array->count = 0;
    array->has_null = false;
}

void postgres_array_done(struct postgres_array *array) { buf_done(&array->bytes); }

/* The head is filled in when the array is sent. */
static char *new_item(struct postgres_array *array, uint32_t length, size_t bytes)
{
    if (!array->bytes.n) {
        buf_reserve(&array->bytes, ARRAY_HEAD_BYTES);
        array->bytes.n = ARRAY_HEAD_BYTES;
    }
    char *place = buf_reserve(&array->bytes, sizeof length + bytes);
    put_word(place, length);
    array->bytes.n += sizeof length + bytes;
    array->count++;
    return place + sizeof length;
}

void postgres_array_number(struct postgres_array *array, int64_t value)
{
    uint64_t wire = htobe64((uint64_t)value);
    memcpy(new_item(array, sizeof wire, sizeof wire), &wire, sizeof wire);
}

void postgres_array_bytes(struct postgres_array *array, str bytes)
{
    must(bytes.n <= INT32_MAX);
    char *place = new_item(array, (uint32_t)bytes.n, bytes.n);
    if (bytes.n) memcpy(place, bytes.p, bytes.n);
}

static size_t checksum_of(str state)
{
    return state.n < POSTGRES_CHECKSUM_BYTES ? 0 : POSTGRES_CHECKSUM_BYTES;
}

void postgres_array_state(struct postgres_array *array, str state)
{
    must(state.n <= INT32_MAX);
    size_t checksum = checksum_of(state), rest = state.n - checksum;
    char *place = new_item(array, (uint32_t)state.n, state.n);
    if (checksum) memcpy(place, state.p + rest, checksum);
    if (rest) memcpy(place + checksum, state.p, rest);
}

void postgres_array_null(struct postgres_array *array)
{
    new_item(array, UINT32_MAX, 0);
    array->has_null = true;
}

/* One dimension, numbered from 1. An empty array has none. */
static void fill_head(struct postgres_array *array, uint32_t type)
{
    must(array->bytes.n >= ARRAY_HEAD_BYTES);
    char *head = array->bytes.p;
    put_word(head, array->count > 0);
    put_word(head + 4, array->has_null);
    put_word(head + 8, type);
    put_word(head + 12, (uint32_t)array->count);
    put_word(head + 16, 1);
}

void postgres_add_array(struct postgres_params *params, struct postgres_array *array, char letter)
{
    if (!array->bytes.n) {
        buf_reserve(&array->bytes, ARRAY_HEAD_BYTES);
        array->bytes.n = ARRAY_HEAD_BYTES;
    }
    fill_head(array, letter == 'I' ? OID_INT8 : OID_BYTEA);
    /* The head of an empty array ends with the type. */
    add(params, array->bytes.p, array->count ? array->bytes.n : 12);
}

/* ---- results ---- */

bool postgres_is_null(const PGresult *result, int row, int column)
{
    return libpq.getisnull(result, row, column) != 0;
}

int64_t postgres_number(const PGresult *result, int row, int column)
{
    if (postgres_is_null(result, row, column)) return 0;
    const unsigned char *byte = (const unsigned char *)libpq.getvalue(result, row, column);
    int length = libpq.getlength(result, row, column);
    must(length == 1 || length == 2 || length == 4 || length == 8);
    uint64_t value = byte[0] & 0x80 && length > 1 ? UINT64_MAX : 0;
    for (int i = 0; i < length; i++) value = value << 8 | byte[i];
    return (int64_t)value;
}

str postgres_borrowed(const PGresult *result, int row, int column)
{
    if (postgres_is_null(result, row, column)) return STR_NONE;
    return (str){ libpq.getvalue(result, row, column), (size_t)libpq.getlength(result, row, column) };
}

str postgres_bytes(const PGresult *result, int row, int column, struct arena *arena)
{
    return arena_str(arena, postgres_borrowed(result, row, column));
}

str postgres_state(const PGresult *result, int row, int column, struct arena *arena)
{
    str stored = postgres_borrowed(result, row, column);
    size_t checksum = checksum_of(stored), rest = stored.n - checksum;
    if (!stored.n) return STR_NONE;
    char *state = arena_alloc(arena, stored.n + 1);
    memcpy(state, stored.p + checksum, rest);
    memcpy(state + rest, stored.p, checksum);
    state[stored.n] = '\0';
    return (str){ state, stored.n };
}
