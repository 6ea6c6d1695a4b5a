/* tests/unit/store/reader_reads.h — all reads of a reader, for tests in which they fail.
 *
 * XX(name, what, parameters, arguments): one function of struct reader_ops. A test makes of each row a
 * function that fails now and then and else calls the real one.
 */
#ifndef TESTS_UNIT_STORE_READER_READS_H
#define TESTS_UNIT_STORE_READER_READS_H

#include "store/store_int.h"

/* clang-format off */
#define READER_READS(XX)                                                                                     \
    XX(instances, "instances",                                                                               \
       (struct store_reader *reader, const struct instance_filter *filter, struct arena *arena,              \
        struct instance_row **ret_row, size_t *ret_count, int64_t *ret_total, struct error *err),            \
       (reader, filter, arena, ret_row, ret_count, ret_total, err))                                          \
    XX(instance, "an instance",                                                                              \
       (struct store_reader *reader, uint64_t id, struct arena *arena, struct instance_row *ret_row,         \
        struct error *err),                                                                                  \
       (reader, id, arena, ret_row, err))                                                                    \
    XX(history, "a history",                                                                                 \
       (struct store_reader *reader, uint64_t instance, uint32_t after, size_t max, struct arena *arena,     \
        str **ret_blob, size_t *ret_count, struct error *err),                                               \
       (reader, instance, after, max, arena, ret_blob, ret_count, err))                                      \
    XX(history_back, "a history backwards",                                                                  \
       (struct store_reader *reader, const struct history_filter *filter, struct arena *arena,               \
        struct history_row **ret_row, size_t *ret_count, struct history_place *ret_next,                     \
        struct error *err),                                                                                  \
       (reader, filter, arena, ret_row, ret_count, ret_next, err))                                           \
    XX(definitions, "definitions",                                                                           \
       (struct store_reader *reader, int32_t ns, str keyword, int64_t skip, size_t max,                      \
        struct arena *arena, struct definition_row **ret_row, size_t *ret_count, int64_t *ret_total,         \
        struct error *err),                                                                                  \
       (reader, ns, keyword, skip, max, arena, ret_row, ret_count, ret_total, err))                          \
    XX(definitions_after, "definitions behind one",                                                          \
       (struct store_reader *reader, int32_t ns, str after, size_t max, struct arena *arena,                 \
        struct definition_row **ret_row, size_t *ret_count, struct error *err),                              \
       (reader, ns, after, max, arena, ret_row, ret_count, err))                                             \
    XX(definition, "a definition",                                                                           \
       (struct store_reader *reader, int32_t ns, str id, int32_t version, struct arena *arena,               \
        struct definition_row *ret_row, struct error *err),                                                  \
       (reader, ns, id, version, arena, ret_row, err))                                                       \
    XX(definition_by_number, "a version",                                                                    \
       (struct store_reader *reader, int64_t number, struct arena *arena, struct definition_row *ret_row,    \
        struct error *err),                                                                                  \
       (reader, number, arena, ret_row, err))                                                                \
    XX(tasks, "tasks",                                                                                       \
       (struct store_reader *reader, const struct task_filter *filter, struct arena *arena,                  \
        struct task_row **ret_row, size_t *ret_count, int64_t *ret_total, struct error *err),                \
       (reader, filter, arena, ret_row, ret_count, ret_total, err))                                          \
    XX(worklist, "a worklist",                                                                               \
       (struct store_reader *reader, const struct worklist_filter *filter, struct arena *arena,              \
        struct task_row **ret_row, size_t *ret_count, struct worklist_place *ret_next, struct error *err),   \
       (reader, filter, arena, ret_row, ret_count, ret_next, err))                                           \
    XX(children, "children",                                                                                 \
       (struct store_reader *reader, uint64_t parent, size_t max, struct arena *arena,                       \
        struct child_listed **ret_view, size_t *ret_count, int64_t *ret_total, struct error *err),           \
       (reader, parent, max, arena, ret_view, ret_count, ret_total, err))                                    \
    XX(unmatched, "unmatched events",                                                                        \
       (struct store_reader *reader, int32_t ns, int64_t before, size_t max, struct arena *arena,            \
        struct unmatched_row **ret_row, size_t *ret_count, int64_t *ret_total, struct error *err),           \
       (reader, ns, before, max, arena, ret_row, ret_count, ret_total, err))                                 \
    XX(failures, "failures",                                                                                 \
       (struct store_reader *reader, const struct selection_filter *filter, struct arena *arena,             \
        struct failure_row **ret_row, size_t *ret_count, struct error *err),                                 \
       (reader, filter, arena, ret_row, ret_count, err))                                                     \
    XX(candidates, "candidates",                                                                             \
       (struct store_reader *reader, const struct selection_filter *filter, struct arena *arena,             \
        struct instance_row **ret_row, size_t *ret_count, struct error *err),                                \
       (reader, filter, arena, ret_row, ret_count, err))                                                     \
    XX(bulks, "bulks",                                                                                       \
       (struct store_reader *reader, int32_t ns, int64_t before, size_t max, struct arena *arena,            \
        struct bulk_row **ret_row, size_t *ret_count, struct error *err),                                    \
       (reader, ns, before, max, arena, ret_row, ret_count, err))                                            \
    XX(bulk_parts, "parts of a bulk",                                                                        \
       (struct store_reader *reader, int64_t bulk, enum bulk_part kind, int64_t from, size_t max,            \
        struct arena *arena, struct bulk_part_row **ret_row, size_t *ret_count, struct error *err),          \
       (reader, bulk, kind, from, max, arena, ret_row, ret_count, err))                                      \
    XX(find_record, "a record",                                                                              \
       (struct store_reader *reader, int32_t ns, enum record_kind kind, str key, struct arena *arena,        \
        struct record_row *ret_row, struct error *err),                                                      \
       (reader, ns, kind, key, arena, ret_row, err))                                                         \
    XX(records, "records",                                                                                   \
       (struct store_reader *reader, const struct record_filter *filter, struct arena *arena,                \
        struct record_row **ret_row, size_t *ret_count, struct error *err),                                  \
       (reader, filter, arena, ret_row, ret_count, err))                                                     \
    XX(find, "ids",                                                                                          \
       (struct store_reader *reader, const struct find_filter *filter, struct arena *arena,                  \
        uint64_t **ret_id, size_t *ret_count, struct error *err),                                            \
       (reader, filter, arena, ret_id, ret_count, err))                                                      \
    XX(find_keys, "business keys",                                                                           \
       (struct store_reader *reader, int32_t ns, str prefix, const struct found_key *after, size_t max,      \
        struct arena *arena, struct found_key **ret_found, size_t *ret_count, struct error *err),            \
       (reader, ns, prefix, after, max, arena, ret_found, ret_count, err))                                   \
    XX(counts, "counts",                                                                                     \
       (struct store_reader *reader, const struct find_filter *filter, struct store_counts *counts,          \
        struct error *err),                                                                                  \
       (reader, filter, counts, err))                                                                        \
    XX(statistics, "statistics",                                                                             \
       (struct store_reader *reader, struct store_statistics *ret_statistics, struct error *err),            \
       (reader, ret_statistics, err))
/* clang-format on */

#endif
