/* store/postgres/read_int.h — what the files of readers share. */
#ifndef STORE_POSTGRES_READ_INT_H
#define STORE_POSTGRES_READ_INT_H

#include "store/postgres/load_int.h"

static inline struct postgres_db *postgres_reader_db(struct store_reader *reader)
{
    return ((struct postgres_reader *)reader)->db;
}

/* How many rows are wanted, or skipped. The server adds the two. */
static inline int64_t postgres_limit(size_t count)
{
    return count > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)count;
}

static inline void postgres_add_limit(struct postgres_params *params, size_t count)
{
    postgres_add_number(params, postgres_limit(count));
}

/* reader_bound(); 0: none. */
static inline void postgres_add_bound(struct postgres_params *params, size_t bytes_max)
{
    postgres_add_number(params, bytes_max && bytes_max < INT64_MAX ? (int64_t)bytes_max : INT64_MAX);
}

/* A cursor of a list that comes newest first; 0: from the newest. */
static inline void postgres_add_before(struct postgres_params *params, uint64_t before)
{
    postgres_add_number(params, before && before < INT64_MAX ? (int64_t)before : INT64_MAX);
}

/* The places of a list: see pick.c. */
struct postgres_places {
    int32_t ns;
    uint32_t phases; /* Bits 1 << store_phase(). */
    bool tasks;      /* Open tasks, too. */
    int32_t version; /* 0: any. */
    str dialect, other_dialect, definition_id;
};
enum { POSTGRES_PHASES_ALL = (1 << STORE_PHASES) - 1 };

/* The phases of one status; -1: of all. */
static inline uint32_t postgres_phases_of(int32_t status)
{
    if (status < 0) return POSTGRES_PHASES_ALL;
    return status < INSTANCE_STATUS_COUNT ? 3u << 2 * status : 0;
}

/* Parameter $2 of statements that name places or slots: slot -1, of open tasks, is bit 0. */
void postgres_add_slots(struct postgres_params *params, uint32_t phases, bool tasks);
/* Parameters $1 to $6 of statements that name places. */
void postgres_add_places(struct postgres_params *params, const struct postgres_places *places);
/* Adds the counts of the places to `counts`. */
enum status postgres_count_places(struct postgres_db *db, const struct postgres_places *places,
                                  struct store_counts *counts, struct error *err);

/* Takes the rows of a result with INSTANCE_COLUMNS, and clears it. */
enum status postgres_take_instances(PGresult *result, struct arena *arena, struct instance_row **ret_row,
                                    size_t *ret_count, struct error *err);
/* Asks for one number, of the first row. */
enum status postgres_ask_number(struct postgres_db *db, enum postgres_sql sql,
                                const struct postgres_params *params, int64_t *ret_number, struct error *err);

/* ---- functions of the table in reader.c ---- */

enum status postgres_read_instances(struct store_reader *reader, const struct instance_filter *filter,
                                    struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                    int64_t *ret_total, struct error *err);
enum status postgres_read_children(struct store_reader *reader, uint64_t parent, size_t max,
                                   struct arena *arena, struct child_listed **ret_view, size_t *ret_count,
                                   int64_t *ret_total, struct error *err);
enum status postgres_read_unmatched(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                                    struct arena *arena, struct unmatched_row **ret_row, size_t *ret_count,
                                    int64_t *ret_total, struct error *err);
enum status postgres_read_definitions(struct store_reader *reader, int32_t ns, str keyword, int64_t skip,
                                      size_t max, struct arena *arena, struct definition_row **ret_row,
                                      size_t *ret_count, int64_t *ret_total, struct error *err);
enum status postgres_read_definitions_after(struct store_reader *reader, int32_t ns, str after, size_t max,
                                            struct arena *arena, struct definition_row **ret_row,
                                            size_t *ret_count, struct error *err);

enum status postgres_history_read(struct store_reader *reader, uint64_t instance, uint32_t after, size_t max,
                                  struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err);
enum status postgres_history_read_back(struct store_reader *reader, const struct history_filter *filter,
                                       struct arena *arena, struct history_row **ret_row, size_t *ret_count,
                                       struct history_place *ret_next, struct error *err);

enum status postgres_ahead_histories(struct store_reader *reader, const struct instance_row *row,
                                     size_t count, size_t bytes_max, struct arena *arena,
                                     struct history_ahead **ret_read, size_t *ret_count, struct error *err);
enum status postgres_ahead_instances_of(struct store_reader *reader, const uint64_t *id, size_t count,
                                        size_t bytes_max, struct arena *arena, struct instance_row **ret_row,
                                        size_t *ret_count, struct error *err);

enum status postgres_tasks_read(struct store_reader *reader, const struct task_filter *filter,
                                struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                                int64_t *ret_total, struct error *err);
enum status postgres_tasks_worklist(struct store_reader *reader, const struct worklist_filter *filter,
                                    struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                                    struct worklist_place *ret_next, struct error *err);

enum status postgres_pick_find(struct store_reader *reader, const struct find_filter *filter,
                               struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err);
enum status postgres_pick_find_keys(struct store_reader *reader, int32_t ns, str prefix,
                                    const struct found_key *after, size_t max, struct arena *arena,
                                    struct found_key **ret_found, size_t *ret_count, struct error *err);
/* measure.c */
enum status postgres_count_definitions(struct store_reader *reader, int32_t ns, struct store_counts *counts,
                                       struct error *err);
enum status postgres_measure(struct store_reader *reader, struct store_measure *measure, size_t max,
                             struct arena *arena, struct error *err);

enum status postgres_pick_counts(struct store_reader *reader, const struct find_filter *filter,
                                 struct store_counts *counts, struct error *err);

enum status postgres_select_failures(struct store_reader *reader, const struct selection_filter *filter,
                                     struct arena *arena, struct failure_row **ret_row, size_t *ret_count,
                                     struct error *err);
enum status postgres_select_candidates(struct store_reader *reader, const struct selection_filter *filter,
                                       struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                       struct error *err);
enum status postgres_select_bulks(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                                  struct arena *arena, struct bulk_row **ret_row, size_t *ret_count,
                                  struct error *err);
enum status postgres_select_bulk_parts(struct store_reader *reader, int64_t bulk, enum bulk_part kind,
                                       int64_t from, size_t max, struct arena *arena,
                                       struct bulk_part_row **ret_row, size_t *ret_count, struct error *err);

#endif
