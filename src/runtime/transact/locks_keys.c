/* runtime/transact/locks_keys.c — the keys and the values of the rows of named locks. */
#include "runtime/transact/locks_int.h"

#include "json/json.h"

enum { NUMBER_BYTES = 8, KEY_TAIL = 2 * NUMBER_BYTES };

void locks_add_number(struct buf *key, uint64_t number)
{
    for (int i = 0; i < NUMBER_BYTES; i++) buf_add_char(key, (char)(number >> (56 - 8 * i)));
}

static uint64_t number_at(str key, size_t at)
{
    uint64_t number = 0;
    for (size_t i = at; i < at + NUMBER_BYTES; i++) number = number << 8 | (unsigned char)key.p[i];
    return number;
}

str locks_prefix(char tag, str qualified, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_char(&key, tag);
    buf_add_str(&key, qualified);
    buf_add_char(&key, '\0');
    return buf_str(&key);
}

struct record_row locks_due(str qualified, struct arena *arena)
{
    return (struct record_row){ .ns = NAMESPACE_DEFAULT,
                                .kind = RECORD_LOCK,
                                .key = locks_prefix(LOCK_DUE, qualified, arena) };
}

bool locks_read_key(str key, str *ret_qualified, uint64_t *ret_instance, uint32_t *ret_number)
{
    size_t end = str_find(key, (str){ "\0", 1 }, 1);
    if (end == SIZE_MAX) return false;
    *ret_qualified = str_slice(key, 1, end);
    if (key.p[0] == LOCK_DUE) return true;
    if (key.n < end + 1 + KEY_TAIL) return false;
    uint64_t number = number_at(key, key.n - NUMBER_BYTES);
    *ret_instance = number_at(key, key.n - KEY_TAIL);
    *ret_number = (uint32_t)number;
    return number <= UINT32_MAX;
}

bool locks_read_seat(const struct record_row *row, struct arena *arena, struct lock_seat *ret_seat)
{
    const struct json *value = json_decode(row->value, arena);
    str qualified;
    uint64_t instance;
    uint32_t number;
    if (!json_is(value, JSON_OBJECT) || !locks_read_key(row->key, &qualified, &instance, &number))
        return false;
    *ret_seat = (struct lock_seat){ .id = { .ms = json_integer(value, STR("created")), .instance = instance },
                                    .definition_id = arena_str(arena, json_text(value, STR("definition"))),
                                    .node = arena_str(arena, json_text(value, STR("node"))),
                                    .asked_ms = json_integer(value, STR("asked")),
                                    .granted_ms = json_integer(value, STR("granted")),
                                    .size = (uint32_t)json_integer(value, STR("size")) };
    return true;
}
