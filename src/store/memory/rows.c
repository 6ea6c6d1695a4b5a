/* store/memory/rows.c — keys whose byte order is the order of their parts, and rows packed into cells. */
#include "store/memory/memory_int.h"

#include "base/must.h"

#include <stddef.h>

/* ---- keys ---- */

struct memory_key memory_key(struct arena *arena)
{
    struct memory_key key;
    buf_init(&key.bytes, arena);
    return key;
}

void memory_key_add_id(struct memory_key *key, uint64_t id)
{
    char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (char)(id >> (56 - 8 * i));
    buf_add(&key->bytes, bytes, sizeof bytes);
}

/* Negative numbers come first when the sign bit is turned over. */
void memory_key_add_number(struct memory_key *key, int64_t number)
{
    memory_key_add_id(key, (uint64_t)number ^ (UINT64_C(1) << 63));
}

/* Ends with 00 01; a zero byte inside becomes 00 ff. So a text sorts before its extensions. */
void memory_key_add_text(struct memory_key *key, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        buf_add_char(&key->bytes, text.p[i]);
        if (!text.p[i]) buf_add_char(&key->bytes, '\xff');
    }
    buf_add(&key->bytes, "\0\1", 2);
}

uint64_t memory_key_last_id(str key)
{
    must(key.n >= 8);
    uint64_t id = 0;
    for (size_t i = key.n - 8; i < key.n; i++) id = id << 8 | (unsigned char)key.p[i];
    return id;
}

str memory_key_of_id(struct arena *arena, uint64_t id)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_id(&key, id);
    return memory_key_str(&key);
}

str memory_key_of_pair(struct arena *arena, uint64_t id, uint32_t number)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_id(&key, id);
    memory_key_add_id(&key, number);
    return memory_key_str(&key);
}

str memory_key_of_timer(struct arena *arena, const struct timer_row *row)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_number(&key, row->due_ms);
    memory_key_add_id(&key, row->instance);
    memory_key_add_id(&key, row->number);
    return memory_key_str(&key);
}

str memory_key_of_trigger(struct arena *arena, int32_t ns, str source, str type, int64_t definition)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_number(&key, ns);
    memory_key_add_text(&key, source);
    memory_key_add_text(&key, type);
    memory_key_add_id(&key, (uint64_t)definition);
    return memory_key_str(&key);
}

str memory_key_of_subscription(struct arena *arena, int64_t definition, str correlation, uint64_t instance)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_number(&key, definition);
    memory_key_add_text(&key, correlation);
    memory_key_add_id(&key, instance);
    return memory_key_str(&key);
}

str memory_key_of_definition(struct arena *arena, int32_t ns, str id, int32_t version)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_number(&key, ns);
    memory_key_add_text(&key, id);
    memory_key_add_number(&key, version);
    return memory_key_str(&key);
}

str memory_key_of_rank(struct arena *arena, int32_t ns, str id, int64_t rank, int32_t version)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_number(&key, ns);
    memory_key_add_text(&key, id);
    memory_key_add_number(&key, rank);
    memory_key_add_number(&key, version);
    return memory_key_str(&key);
}

str memory_key_of_identity(struct arena *arena, int32_t ns, str identity, uint64_t number)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_number(&key, ns);
    memory_key_add_text(&key, identity);
    memory_key_add_id(&key, number);
    return memory_key_str(&key);
}

/* ---- rows ---- */

#define AT(type, field) offsetof(type, field)

const struct memory_row_kind memory_row_instance = {
    sizeof(struct memory_instance),
    { AT(struct memory_instance, row.business_key), AT(struct memory_instance, row.state) },
    2,
};
const struct memory_row_kind memory_row_history = {
    sizeof(struct memory_history),
    { AT(struct memory_history, blob) },
    1,
};
const struct memory_row_kind memory_row_timer = { sizeof(struct timer_row), { 0 }, 0 };
const struct memory_row_kind memory_row_task = {
    sizeof(struct task_row),
    { AT(struct task_row, node), AT(struct task_row, title), AT(struct task_row, label),
      AT(struct task_row, details) },
    4,
};
const struct memory_row_kind memory_row_pending = {
    sizeof(struct pending_row),
    { AT(struct pending_row, target), AT(struct pending_row, business_key), AT(struct pending_row, data) },
    3,
};
const struct memory_row_kind memory_row_subscription = {
    sizeof(struct subscription_row),
    { AT(struct subscription_row, correlation) },
    1,
};
const struct memory_row_kind memory_row_child = { sizeof(struct child_row), { 0 }, 0 };
const struct memory_row_kind memory_row_unmatched = {
    sizeof(struct unmatched_row),
    { AT(struct unmatched_row, reason), AT(struct unmatched_row, event), AT(struct unmatched_row, identity) },
    3,
};
const struct memory_row_kind memory_row_failure = {
    sizeof(struct failure_row),
    { AT(struct failure_row, business_key), AT(struct failure_row, step), AT(struct failure_row, reason) },
    3,
};
const struct memory_row_kind memory_row_bulk = { sizeof(struct bulk_row), { 0 }, 0 };
const struct memory_row_kind memory_row_bulk_part = { sizeof(struct bulk_part_row),
                                                      { AT(struct bulk_part_row, blob) },
                                                      1 };
const struct memory_row_kind memory_row_record = {
    sizeof(struct record_row),
    { AT(struct record_row, key), AT(struct record_row, value) },
    2,
};
const struct memory_row_kind memory_row_idempotency = {
    sizeof(struct idempotency_row),
    { AT(struct idempotency_row, key), AT(struct idempotency_row, answer) },
    2,
};
const struct memory_row_kind memory_row_definition = {
    sizeof(struct definition_row),
    { AT(struct definition_row, id), AT(struct definition_row, dialect), AT(struct definition_row, title),
      AT(struct definition_row, source), AT(struct definition_row, author),
      AT(struct definition_row, revision) },
    6,
};
const struct memory_row_kind memory_row_job = { sizeof(struct job_row),
                                                { AT(struct job_row, queue), AT(struct job_row, worker) },
                                                2 };
const struct memory_row_kind memory_row_number = { sizeof(int64_t), { 0 }, 0 };

static str text_at(const void *row, size_t at)
{
    str text;
    memcpy(&text, (const char *)row + at, sizeof text);
    return text;
}

static void set_text(void *row, size_t at, str text) { memcpy((char *)row + at, &text, sizeof text); }

struct memory_cell *memory_row_pack(const struct memory_row_kind *kind, const void *row)
{
    size_t bytes = kind->bytes;
    for (size_t i = 0; i < kind->text_count; i++) bytes += text_at(row, kind->text[i]).n;
    struct memory_cell *cell = memory_cell_new(bytes);
    memcpy(cell->data, row, kind->bytes);
    char *next = cell->data + kind->bytes;
    for (size_t i = 0; i < kind->text_count; i++) {
        str text = text_at(row, kind->text[i]);
        if (text.n) memcpy(next, text.p, text.n);
        set_text(cell->data, kind->text[i], (str){ next, text.n });
        next += text.n;
    }
    must(next == cell->data + bytes);
    return cell;
}

void memory_row_unpack(const struct memory_row_kind *kind, const struct memory_cell *cell,
                       struct arena *arena, void *ret_row)
{
    memcpy(ret_row, cell->data, kind->bytes);
    for (size_t i = 0; i < kind->text_count; i++)
        set_text(ret_row, kind->text[i], arena_str(arena, text_at(cell->data, kind->text[i])));
}
