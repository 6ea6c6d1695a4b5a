/* runtime/transact/unique.c — unique keys: which key an entity has, and who has it already. */
#include "runtime/transact/transact_int.h"

#include "base/array.h"
#include "json/key.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/indexes.h"

/* A row that a write removes or puts. */
struct unique_row {
    const struct unique_key *key;
    struct record_row row;
    uint64_t instance;
};

struct unique_rows {
    struct unique_row *row;
    size_t count, cap;
};

enum { ID_BYTES = 8 };

static str id_bytes(uint64_t instance, struct arena *arena)
{
    char *bytes = arena_alloc(arena, ID_BYTES);
    for (int i = 0; i < ID_BYTES; i++) bytes[i] = (char)(instance >> (56 - 8 * i));
    return (str){ bytes, ID_BYTES };
}

/* ---- the key of an entity ---- */

static const struct json *value_at(const struct json *data, const struct predicate_path *steps)
{
    for (size_t i = 0; data && i < steps->count; i++) data = json_get(data, steps->step[i].name);
    return json_is(data, JSON_NULL) ? NULL : data;
}

static enum status refuse(const struct unique_key *key, const char *why, struct error *err)
{
    return fail_code(err, ST_UNPROCESSABLE, "INVALID_UNIQUE_KEY", "the unique key \"%.*s\" %s",
                     STR_ARG(key->id), why);
}

/* Without any value there is no key: `*ret_has` false. */
static enum status key_of(const struct indexes *indexes, const struct unique_key *key,
                          const struct json *data, struct arena *arena, bool *ret_has, str *ret_key,
                          struct error *err)
{
    struct buf bytes;
    size_t there = 0;
    buf_init(&bytes, arena);
    buf_add_str(&bytes, indexes_prefix(indexes->definition_id, key->number, arena));
    size_t prefix = bytes.n;
    for (size_t i = 0; i < key->count; i++) {
        const struct json *value = value_at(data, &key->steps[i]);
        if (!value) continue;
        if (json_is(value, JSON_ARRAY) || json_is(value, JSON_OBJECT))
            return refuse(key, "needs single values", err);
        if (!json_key_add(value, UNIQUE_BYTES_MAX, &bytes) || bytes.n - prefix > UNIQUE_BYTES_MAX)
            return refuse(key, "has values that are too long", err);
        there++;
    }
    if (there && there < key->count)
        return refuse(key, "needs a value in each of its fields, or in none", err);
    *ret_has = there > 0;
    *ret_key = buf_str(&bytes);
    return ST_OK;
}

static struct record_row row_of(int32_t ns, str key, uint64_t instance, struct arena *arena)
{
    return (
        struct record_row){ .ns = ns, .kind = RECORD_UNIQUE, .key = key, .value = id_bytes(instance, arena) };
}

enum status unique_row_of(const struct indexes *indexes, const struct unique_key *key, int32_t ns,
                          uint64_t instance, const struct json *data, struct arena *arena, bool *ret_has,
                          struct record_row *ret_row, struct error *err)
{
    str bytes;
    TRY(key_of(indexes, key, data, arena, ret_has, &bytes, err));
    if (*ret_has) *ret_row = row_of(ns, bytes, instance, arena);
    return ST_OK;
}

/* ---- rows that change ---- */

static void add_row(struct turn *turn, struct unique_rows *rows, const struct unique_change *change,
                    const struct unique_key *key, str bytes)
{
    uint64_t instance = change->after->id;
    array_reserve_in(&turn->arena, rows->row, rows->count, rows->cap);
    rows->row[rows->count++] = (struct unique_row){
        .key = key,
        .instance = instance,
        .row = row_of(change->definition->ns, bytes, instance, &turn->arena),
    };
}

static enum status compare(struct turn *turn, const struct indexes *indexes,
                           const struct unique_change *change, struct unique_rows *freed,
                           struct unique_rows *claimed, struct error *err)
{
    struct error ignored;
    for (size_t i = 0; i < indexes->key_count; i++) {
        const struct unique_key *key = &indexes->key[i];
        str was, is;
        bool had = false, has = false;
        /* A stored value was accepted before. */
        if (lives(change->before) &&
            key_of(indexes, key, change->before->data, &turn->arena, &had, &was, &ignored) != ST_OK)
            had = false;
        if (lives(change->after))
            TRY(key_of(indexes, key, change->after->data, &turn->arena, &has, &is, err));
        if (had && has && str_equal(was, is)) continue;
        if (had) add_row(turn, freed, change, key, was);
        if (has) add_row(turn, claimed, change, key, is);
    }
    return ST_OK;
}

static bool is_among(const struct unique_rows *rows, const struct unique_row *row)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].row.ns == row->row.ns && str_equal(rows->row[i].row.key, row->row.key)) return true;
    return false;
}

static enum status refuse_taken(const struct unique_row *row, struct error *err)
{
    return fail_code(err, ST_CONFLICT, "UNIQUE_VIOLATION",
                     "another entity has the same values in the fields of the unique key \"%.*s\"",
                     STR_ARG(row->key->id));
}

/* A key is free if nobody has it, or whoever has it gives it up in the same write. */
static enum status check_claims(struct turn *turn, const struct unique_rows *freed,
                                const struct unique_rows *claimed, struct error *err)
{
    for (size_t i = 0; i < claimed->count; i++) {
        const struct unique_row *row = &claimed->row[i];
        const struct unique_rows before = { .row = claimed->row, .count = i };
        struct record_row holder;
        if (is_among(&before, row)) return refuse_taken(row, err);
        bool is_there;
        TRY(found_asked(store_find_record(turn->engine->store, row->row.ns, RECORD_UNIQUE, row->row.key,
                                          &turn->arena, &holder, err),
                        &is_there));
        if (!is_there) continue;
        if (!is_among(freed, row)) return refuse_taken(row, err);
    }
    return ST_OK;
}

static const struct record_row *records_of(struct turn *turn, const struct unique_rows *rows)
{
    struct record_row *record = arena_make_n(&turn->arena, struct record_row, rows->count);
    for (size_t i = 0; i < rows->count; i++) record[i] = rows->row[i].row;
    return record;
}

enum status unique_check(struct turn *turn, const struct unique_change *change, size_t count, bool only_looks,
                         struct error *err)
{
    struct unique_rows freed = { 0 }, claimed = { 0 };
    for (size_t i = 0; i < count; i++) {
        const struct indexes *indexes;
        if (!change[i].definition->program->rules->lists_state) continue;
        if (lives(change[i].before) && lives(change[i].after) &&
            change[i].before->data == change[i].after->data)
            continue;
        TRY(indexes_find(turn, change[i].definition->ns, change[i].definition->id, &indexes, err));
        if (indexes->key_count) TRY(compare(turn, indexes, &change[i], &freed, &claimed, err));
    }
    TRY(check_claims(turn, &freed, &claimed, err));
    if (only_looks || (!freed.count && !claimed.count)) return ST_OK;
    struct changeset changeset = { .record_remove = records_of(turn, &freed),
                                   .record_remove_count = freed.count,
                                   .record_put = records_of(turn, &claimed),
                                   .record_put_count = claimed.count };
    return transact_rows(turn, &changeset, err);
}

enum status unique_is_declared(struct turn *turn, int64_t definition, bool *ret_is, struct error *err)
{
    struct definition *of;
    const struct indexes *indexes;
    *ret_is = false;
    TRY(found_needed(catalogue_get(&turn->engine->memory.catalogue, definition, &of, err)));
    if (!of->program->rules->lists_state) return ST_OK;
    TRY(indexes_find(turn, of->ns, of->id, &indexes, err));
    *ret_is = indexes->key_count > 0;
    return ST_OK;
}
