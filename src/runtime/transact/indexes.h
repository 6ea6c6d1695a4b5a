/* runtime/transact/indexes.h — indexed fields and unique keys of models.
 *
 * A model may have indexed fields, by which searches find entities without looking at all of them, and unique
 * keys, which no two living entities have in common. Both are declared in one record per model, and each has
 * a number that is never used again, so that rows of a field that was dropped are told from others.
 *
 *     RECORD_INDEX    definition id, NUL, number of the field, key of the value (json/key.h), instance
 *     RECORD_UNIQUE   definition id, NUL, number of the unique key, keys of its values → instance
 *
 * Invariants:
 *  (1) A living entity has a row for each value that tests look at in a field that is READY
 *      (predicate_values()), and no other row. An entity with too many values has one row instead, which
 *      every search looks at.
 *  (2) A living entity with values in all fields of a unique key has that key's row, and no other has it.
 *  (3) Rows change in the transaction of their entity.
 *
 * A field that is declared while there are entities is BUILDING: writes keep its rows, and the engine adds
 * those of the other entities, a slice in every turn (index_build.c). A field that is no longer declared is
 * DROPPING until its rows are gone.
 *
 * The state of a field is configuration: all nodes read the configuration again when it changes. How far a
 * field is built changes with every slice, so it has a record of its own that is not (index_progress.c).
 */
#ifndef RUNTIME_TRANSACT_INDEXES_H
#define RUNTIME_TRANSACT_INDEXES_H

#include "base/text_map.h"
#include "expr/predicate/predicate.h"
#include "runtime/limits.h"
#include "store/store.h"

struct call;
struct definition;
struct effects;
struct engine;
struct loaded;
struct model;
struct turn;

enum index_state { INDEX_READY, INDEX_BUILDING, INDEX_DROPPING };

struct indexed_field {
    uint32_t number;
    str path; /* Printed. */
    struct predicate_path steps;
    enum index_state state;
    uint64_t done; /* BUILDING: entities up to this instance have their rows. Only who has asked for it
                      (index_progress_…) knows it. */
};

/* `done` of a field whose entities all have their rows. */
#define INDEX_WHOLE ((uint64_t)INT64_MAX)

struct unique_key {
    uint32_t number;
    str id; /* The author's name for it. */
    str *path;
    struct predicate_path *steps; /* The steps of each path: names only. */
    size_t count;
};

/* The indexes of a model, in the arena in which they were read. */
struct indexes {
    str definition_id;
    uint32_t next_number;
    struct indexed_field *field;
    size_t field_count;
    struct unique_key *key;
    size_t key_count;
};

/* ---- the record (indexes.c) ---- */

/* The indexes of models that were used lately. */
struct index_cache {
    struct text_map by_id; /* struct cached_indexes, of the default namespace */
};

void indexes_cache_init(struct index_cache *cache);
void indexes_cache_done(struct index_cache *cache);
/* The record of a model may have changed, or a change was rolled back. */
void indexes_cache_clear(struct index_cache *cache);

/* Lives until the cache is cleared, or the turn is over. A model without a record has none of either. */
enum status indexes_find(struct turn *turn, int32_t ns, str definition_id, const struct indexes **ret_indexes,
                         struct error *err);
enum status indexes_read(struct store_reader *reader, int32_t ns, str definition_id, struct arena *arena,
                         struct indexes *ret_indexes, struct error *err);
/* Writes the record (index_save.c). When no field is BUILDING any more, the progress goes. */
enum status index_save(struct turn *turn, int32_t ns, const struct indexes *indexes, struct error *err);

/* The beginning of the keys of all rows of a field or a unique key. */
str indexes_prefix(str definition_id, uint32_t number, struct arena *arena);

/* ---- how far fields are built (index_progress.c) ---- */

/* Fill in `done` of the fields. A field without progress begins with its first entity: to add the rows of an
 * entity twice does no harm. */
enum status index_progress_load(struct turn *turn, int32_t ns, struct indexes *indexes, struct error *err);
enum status index_progress_read(struct store_reader *reader, int32_t ns, struct indexes *indexes,
                                struct arena *arena, struct error *err);
/* Writes `done` of the fields that are BUILDING. */
enum status index_progress_save(struct turn *turn, int32_t ns, const struct indexes *indexes,
                                struct error *err);

/* ---- declaring (index_declare.c) ---- */

/* Fields are a list of paths that replaces the fields before. */
enum status index_declare_fields(struct turn *turn, int32_t ns, const struct model *model,
                                 const struct json *fields, bool has_entities, struct error *err);
/* Keys are a list of {"id", "fields"}; the model is not locked, so it has no entities. */
enum status index_declare_keys(struct turn *turn, int32_t ns, const struct model *model,
                               const struct json *keys, struct error *err);
/* The model is removed. */
enum status index_declare_nothing(struct turn *turn, int32_t ns, str definition_id, struct error *err);

/* ---- rows (index_rows.c) ---- */

/* The rows of an entity in fields that are not DROPPING, in order of their keys, which end with the instance.
 */
size_t index_rows_of(const struct indexes *indexes, int32_t ns, uint64_t instance, const struct json *data,
                     struct arena *arena, struct record_row **ret_row);
/* The same for one field. */
size_t index_rows_of_field(const struct indexes *indexes, const struct indexed_field *field, int32_t ns,
                           uint64_t instance, const struct json *data, struct arena *arena,
                           struct record_row **ret_row);
/* Adds the rows that the write of an entity removes and puts. */
enum status index_rows_change(struct turn *turn, const struct loaded *loaded, struct effects *effects,
                              struct error *err);
/* The prefix of the rows of entities with too many values. */
str index_rows_crowd(str definition_id, uint32_t number, struct arena *arena);

/* ---- unique keys (unique.c) ---- */

/* An entity that is written. The store has the rows of `before`; NULL: there is none. */
struct unique_change {
    const struct definition *definition;
    const struct instance *before, *after;
};

/* ST_CONFLICT with the code UNIQUE_VIOLATION: an entity that does not change with these has the key, or two
 * of them have. ST_UNPROCESSABLE with INVALID_UNIQUE_KEY: a key has values in some of its fields only, or one
 * that is no scalar, or is too long. Writes the rows, unless it only looks. */
enum status unique_check(struct turn *turn, const struct unique_change *change, size_t count, bool only_looks,
                         struct error *err);
/* The row of an entity with such data; without values in the key's fields it has none. */
enum status unique_row_of(const struct indexes *indexes, const struct unique_key *key, int32_t ns,
                          uint64_t instance, const struct json *data, struct arena *arena, bool *ret_has,
                          struct record_row *ret_row, struct error *err);
/* Does the model of the definition, which is named by its number, have unique keys? */
enum status unique_is_declared(struct turn *turn, int64_t definition, bool *ret_is, struct error *err);

#endif
