/* runtime/transact/index_rows.c — the rows by which an entity is found. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "base/sort.h"
#include "json/key.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/indexes.h"

enum { ID_BYTES = 8, CROWD = 0x01 /* Before every key. */ };

str index_rows_crowd(str definition_id, uint32_t number, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, indexes_prefix(definition_id, number, arena));
    buf_add_char(&key, CROWD);
    return buf_str(&key);
}

/* ---- the values of a field ---- */

struct index_values {
    struct arena *arena;
    str *key;
    size_t count, looked;
    bool is_crowd;
};

static bool has_key(const struct index_values *gathered, str key)
{
    for (size_t i = 0; i < gathered->count; i++)
        if (str_equal(gathered->key[i], key)) return true;
    return false;
}

static bool gather(void *context, const struct json *value)
{
    struct index_values *gathered = context;
    struct buf key;
    buf_init(&key, gathered->arena);
    json_key_add(value, INDEX_VALUE_BYTES_MAX, &key);
    gathered->is_crowd = ++gathered->looked > INDEX_LOOKED_MAX;
    if (!gathered->is_crowd && has_key(gathered, buf_str(&key))) return true;
    gathered->is_crowd |= gathered->count == INDEX_VALUES_MAX;
    if (gathered->is_crowd) return false;
    gathered->key[gathered->count++] = buf_str(&key);
    return true;
}

static int compare_keys(const void *a, const void *b, const void *context)
{
    (void)context;
    return str_compare(*(const str *)a, *(const str *)b);
}

static struct record_row row_of(int32_t ns, str prefix, str key, uint64_t instance, struct arena *arena)
{
    struct buf whole;
    buf_init(&whole, arena);
    buf_reserve(&whole, prefix.n + key.n + ID_BYTES);
    buf_add_str(&whole, prefix);
    buf_add_str(&whole, key);
    for (int i = 0; i < ID_BYTES; i++) buf_add_char(&whole, (char)(instance >> (56 - 8 * i)));
    return (struct record_row){ .ns = ns, .kind = RECORD_INDEX, .key = buf_str(&whole) };
}

size_t index_rows_of_field(const struct indexes *indexes, const struct indexed_field *field, int32_t ns,
                           uint64_t instance, const struct json *data, struct arena *arena,
                           struct record_row **ret_row)
{
    str key[INDEX_VALUES_MAX], scratch[INDEX_VALUES_MAX];
    struct index_values gathered = { .arena = arena, .key = key };
    predicate_values(&field->steps, data, gather, &gathered);
    str prefix = gathered.is_crowd ? index_rows_crowd(indexes->definition_id, field->number, arena)
                                   : indexes_prefix(indexes->definition_id, field->number, arena);
    if (gathered.is_crowd) {
        gathered.count = 1;
        key[0] = STR_NONE;
    }
    sort_stable(key, scratch, gathered.count, sizeof *key, compare_keys, NULL);
    must(gathered.count <= INDEX_VALUES_MAX);
    *ret_row = arena_make_n(arena, struct record_row, gathered.count);
    for (size_t i = 0; i < gathered.count; i++) (*ret_row)[i] = row_of(ns, prefix, key[i], instance, arena);
    return gathered.count;
}

static int compare_numbers(const void *a, const void *b, const void *context)
{
    const struct indexed_field *x = *(const struct indexed_field *const *)a,
                               *y = *(const struct indexed_field *const *)b;
    (void)context;
    return (x->number > y->number) - (x->number < y->number);
}

size_t index_rows_of(const struct indexes *indexes, int32_t ns, uint64_t instance, const struct json *data,
                     struct arena *arena, struct record_row **ret_row)
{
    must(indexes->field_count <= 2 * (size_t)INDEX_FIELDS_MAX);
    const struct indexed_field *field[INDEX_FIELDS_MAX * 2], *scratch[INDEX_FIELDS_MAX * 2];
    struct record_row *rows[INDEX_FIELDS_MAX * 2];
    size_t count[INDEX_FIELDS_MAX * 2], fields = 0, total = 0;
    for (size_t i = 0; i < indexes->field_count; i++)
        if (indexes->field[i].state != INDEX_DROPPING) field[fields++] = &indexes->field[i];
    sort_stable(field, scratch, fields, sizeof *field, compare_numbers, NULL);
    for (size_t i = 0; i < fields; i++)
        total += count[i] = index_rows_of_field(indexes, field[i], ns, instance, data, arena, &rows[i]);
    *ret_row = arena_make_n(arena, struct record_row, total);
    for (size_t i = 0, at = 0; i < fields; at += count[i++])
        if (count[i]) memcpy(*ret_row + at, rows[i], count[i] * sizeof **ret_row);
    return total;
}

/* ---- the difference ---- */

/* Both sides are in order of their keys. Leaves out the rows that both have. */
static void leave_out_common(struct record_row *a, size_t *a_count, struct record_row *b, size_t *b_count)
{
    size_t i = 0, k = 0, a_kept = 0, b_kept = 0;
    while (i < *a_count || k < *b_count) {
        int order = i == *a_count ? 1 : k == *b_count ? -1 : str_compare(a[i].key, b[k].key);
        if (order < 0) a[a_kept++] = a[i];
        if (order > 0) b[b_kept++] = b[k];
        if (order <= 0) i++;
        if (order >= 0) k++;
    }
    must(a_kept <= *a_count && b_kept <= *b_count);
    *a_count = a_kept;
    *b_count = b_kept;
}

static struct record_row *append(struct arena *arena, struct record_row *row, size_t *count,
                                 const struct record_row *more, size_t more_count)
{
    struct record_row *all = arena_make_n(arena, struct record_row, *count + more_count);
    if (!more_count) return row;
    if (*count) memcpy(all, row, *count * sizeof *all);
    memcpy(all + *count, more, more_count * sizeof *all);
    *count += more_count;
    return all;
}

enum status index_rows_change(struct turn *turn, const struct loaded *loaded, struct effects *effects,
                              struct error *err)
{
    const struct instance *a = lives(loaded->written) ? loaded->written : NULL,
                          *b = lives(loaded->now) ? loaded->now : NULL;
    const struct indexes *indexes;
    struct record_row *before = NULL, *after = NULL;
    size_t before_count = 0, after_count = 0;
    if (!loaded->definition->program->rules->lists_state || (a && b && a->data == b->data)) return ST_OK;
    TRY(indexes_find(turn, loaded->definition->ns, loaded->definition->id, &indexes, err));
    if (!indexes->field_count) return ST_OK;
    int32_t ns = loaded->definition->ns;
    if (a) before_count = index_rows_of(indexes, ns, loaded->instance, a->data, &turn->arena, &before);
    if (b) after_count = index_rows_of(indexes, ns, loaded->instance, b->data, &turn->arena, &after);
    leave_out_common(before, &before_count, after, &after_count);
    effects->unmarked =
        append(&turn->arena, effects->unmarked, &effects->unmarked_count, before, before_count);
    effects->marked = append(&turn->arena, effects->marked, &effects->marked_count, after, after_count);
    return ST_OK;
}
