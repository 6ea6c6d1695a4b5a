/* store/layered/read.c — lists that show transient instances and others as one. */
#include "store/layered/layered_int.h"
#include "store/worklist.h"

#include "base/must.h"

#include <stdlib.h>

struct layered_reader {
    struct store_reader base;
    struct layered_store *store;
    struct store_reader *under, *own; /* `own`: of the transient instances. */
};

static struct layered_reader *self(struct store_reader *reader) { return (struct layered_reader *)reader; }

/* True if there is something in both. The bound of the answer is that of each. */
static bool is_both(struct store_reader *base)
{
    struct layered_reader *reader = self(base);
    reader->under->bytes_max = reader->own->bytes_max = base->bytes_max;
    return layered_is_used(reader->store);
}

/* ---- instances ---- */

/* The id of the row at a place of the durable list; 0: it is shorter. */
static enum status id_at(struct layered_reader *reader, struct instance_filter filter, int64_t place,
                         struct arena *arena, uint64_t *ret_id, struct error *err)
{
    struct instance_row *row;
    size_t count;
    filter.skip = place;
    filter.max = 1;
    TRY(reader_instances(reader->under, &filter, arena, &row, &count, NULL, err));
    *ret_id = count ? row->id : 0;
    return ST_OK;
}

/* How many of the transient instances are among the first `skip` of both lists together: the lowest k for
 * which the durable list has, at the place before its remaining ones, a newer one than own[k]. */
static enum status count_skipped(struct layered_reader *reader, const struct instance_filter *filter,
                                 const struct instance_row *own, size_t own_count, struct arena *arena,
                                 size_t *ret_count, struct error *err)
{
    size_t low = 0, high = own_count < (size_t)filter->skip ? own_count : (size_t)filter->skip;
    while (low < high) {
        size_t k = low + (high - low) / 2;
        uint64_t id;
        TRY(id_at(reader, *filter, filter->skip - (int64_t)k - 1, arena, &id, err));
        if (id > own[k].id) high = k;
        else low = k + 1;
    }
    *ret_count = low;
    return ST_OK;
}

static enum status read_both(struct layered_reader *reader, const struct instance_filter *filter,
                             struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                             int64_t *ret_total, struct error *err)
{
    struct instance_filter in_own = *filter, in_under = *filter;
    struct instance_row *a, *b;
    struct layered_rows under, own;
    size_t skipped = 0;
    int64_t more = 0;
    in_own.skip = 0;
    in_own.max = filter->max + (size_t)filter->skip;
    TRY(reader_instances(reader->own, &in_own, arena, &b, &own.count, ret_total ? &more : NULL, err));
    if (filter->skip) TRY(count_skipped(reader, filter, b, own.count, arena, &skipped, err));
    in_under.skip -= (int64_t)skipped;
    TRY(reader_instances(reader->under, &in_under, arena, &a, &under.count, ret_total, err));
    if (ret_total) *ret_total += more;
    under.row = a;
    own.row = own.count ? b + skipped : NULL, own.count -= skipped;
    size_t room = under.count + own.count;
    *ret_row = arena_make_n(arena, struct instance_row, room < filter->max ? room : filter->max);
    *ret_count = layered_merge(under, own, sizeof *a, layered_by_newest, filter->max, *ret_row);
    return ST_OK;
}

static enum status read_instances(struct store_reader *reader, const struct instance_filter *filter,
                                  struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                  int64_t *ret_total, struct error *err)
{
    if (is_both(reader)) return read_both(self(reader), filter, arena, ret_row, ret_count, ret_total, err);
    return reader_instances(self(reader)->under, filter, arena, ret_row, ret_count, ret_total, err);
}

static enum status read_instance(struct store_reader *reader, uint64_t id, struct arena *arena,
                                 struct instance_row *ret_row, struct error *err)
{
    if (is_both(reader)) {
        struct found own = reader_instance(self(reader)->own, TENANT_ANY, id, arena, ret_row, err);
        if (found_is(own) != NOT_THERE) return found_needed(own);
    }
    return found_needed(reader_instance(self(reader)->under, TENANT_ANY, id, arena, ret_row, err));
}

static enum status read_history_back(struct store_reader *reader, const struct history_filter *filter,
                                     struct arena *arena, struct history_row **ret_row, size_t *ret_count,
                                     struct history_place *ret_next, struct error *err)
{
    struct instance_row found;
    bool is_own = false;
    if (is_both(reader))
        TRY(found_asked(reader_instance(self(reader)->own, TENANT_ANY, filter->instance, arena, &found, err),
                        &is_own));
    if (!is_own)
        return reader_history_back(self(reader)->under, filter, arena, ret_row, ret_count, ret_next, err);
    if (self(reader)->store->keeps_histories)
        return reader_history_back(self(reader)->own, filter, arena, ret_row, ret_count, ret_next, err);
    *ret_row = NULL;
    *ret_count = 0;
    *ret_next = (struct history_place){ 0, 0 };
    return ST_OK;
}

static enum status read_history(struct store_reader *reader, uint64_t instance, uint32_t after, size_t max,
                                struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err)
{
    struct instance_row row;
    bool is_own = false;
    if (is_both(reader))
        TRY(found_asked(reader_instance(self(reader)->own, TENANT_ANY, instance, arena, &row, err), &is_own));
    if (!is_own)
        return reader_history(self(reader)->under, instance, after, max, arena, ret_blob, ret_count, err);
    if (self(reader)->store->keeps_histories)
        return reader_history(self(reader)->own, instance, after, max, arena, ret_blob, ret_count, err);
    *ret_blob = NULL;
    *ret_count = 0;
    return ST_OK;
}

static enum status read_candidates(struct store_reader *reader, const struct selection_filter *filter,
                                   struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                   struct error *err)
{
    struct instance_row *a, *b;
    struct layered_rows under, own;
    bool both = is_both(reader);
    TRY(reader_candidates(self(reader)->under, filter, arena, &a, &under.count, err));
    *ret_row = a, *ret_count = under.count;
    if (!both) return ST_OK;
    TRY(reader_candidates(self(reader)->own, filter, arena, &b, &own.count, err));
    under.row = a, own.row = b;
    *ret_row = arena_make_n(arena, struct instance_row, under.count + own.count);
    *ret_count = layered_merge(under, own, sizeof *a, layered_by_oldest, filter->max, *ret_row);
    return ST_OK;
}

static enum status read_failures(struct store_reader *reader, const struct selection_filter *filter,
                                 struct arena *arena, struct failure_row **ret_row, size_t *ret_count,
                                 struct error *err)
{
    struct failure_row *a, *b;
    struct layered_rows under, own;
    bool both = is_both(reader);
    TRY(reader_failures(self(reader)->under, filter, arena, &a, &under.count, err));
    *ret_row = a, *ret_count = under.count;
    if (!both) return ST_OK;
    TRY(reader_failures(self(reader)->own, filter, arena, &b, &own.count, err));
    under.row = a, own.row = b;
    *ret_row = arena_make_n(arena, struct failure_row, under.count + own.count);
    *ret_count =
        layered_merge(under, own, sizeof *a, filter->newest ? layered_by_newest_failure : layered_by_failure,
                      filter->max, *ret_row);
    return ST_OK;
}

static enum status read_find(struct store_reader *reader, const struct find_filter *filter,
                             struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    uint64_t *a, *b;
    struct layered_rows under, own;
    bool both = is_both(reader);
    TRY(reader_find(self(reader)->under, filter, arena, &a, &under.count, err));
    *ret_id = a, *ret_count = under.count;
    if (!both) return ST_OK;
    TRY(reader_find(self(reader)->own, filter, arena, &b, &own.count, err));
    under.row = a, own.row = b;
    *ret_id = arena_make_n(arena, uint64_t, under.count + own.count);
    *ret_count = layered_merge(under, own, sizeof *a, layered_by_newest_id, filter->max, *ret_id);
    return ST_OK;
}

static enum status read_find_keys(struct store_reader *reader, int32_t ns, str prefix,
                                  const struct found_key *after, size_t max, struct arena *arena,
                                  struct found_key **ret_found, size_t *ret_count, struct error *err)
{
    struct found_key *a, *b;
    struct layered_rows under, own;
    bool both = is_both(reader);
    TRY(reader_find_keys(self(reader)->under, ns, prefix, after, max, arena, &a, &under.count, err));
    *ret_found = a, *ret_count = under.count;
    if (!both) return ST_OK;
    TRY(reader_find_keys(self(reader)->own, ns, prefix, after, max, arena, &b, &own.count, err));
    under.row = a, own.row = b;
    *ret_found = arena_make_n(arena, struct found_key, under.count + own.count);
    *ret_count = layered_merge(under, own, sizeof *a, layered_by_found_key, max, *ret_found);
    return ST_OK;
}

static enum status read_counts(struct store_reader *reader, const struct find_filter *filter,
                               struct store_counts *counts, struct error *err)
{
    struct store_counts more;
    bool both = is_both(reader);
    TRY(reader_counts(self(reader)->under, filter, counts, err));
    if (!both) return ST_OK;
    TRY(reader_counts(self(reader)->own, filter, &more, err));
    for (size_t i = 0; i < STORE_PHASES; i++) counts->phase[i] += more.phase[i];
    counts->tasks += more.tasks;
    return ST_OK;
}

/* Instances that are in memory only have a limit of their own. */
static enum status read_measure(struct store_reader *reader, struct store_measure *measure, size_t max,
                                struct arena *arena, struct error *err)
{
    return reader_measure(self(reader)->under, measure, max, arena, err);
}

/* ---- what hangs on instances ---- */

static enum status read_tasks(struct store_reader *reader, const struct task_filter *filter,
                              struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                              int64_t *ret_total, struct error *err)
{
    struct task_row *a, *b;
    struct layered_rows under, own;
    int64_t more = 0;
    bool both = is_both(reader);
    TRY(reader_tasks(self(reader)->under, filter, arena, &a, &under.count, ret_total, err));
    *ret_row = a, *ret_count = under.count;
    if (!both) return ST_OK;
    TRY(reader_tasks(self(reader)->own, filter, arena, &b, &own.count, ret_total ? &more : NULL, err));
    under.row = a, own.row = b;
    *ret_row = arena_make_n(arena, struct task_row, under.count + own.count);
    *ret_count = layered_merge(under, own, sizeof *a, layered_by_task, filter->max, *ret_row);
    if (ret_total) *ret_total += more;
    return ST_OK;
}

struct layered_task {
    struct task_row row;
    struct worklist_place place;
};

static int by_place(const void *a, const void *b)
{
    return worklist_compare(&((const struct layered_task *)a)->place,
                            &((const struct layered_task *)b)->place);
}

static struct layered_rows placed(const struct task_row *row, size_t count, struct arena *arena)
{
    struct layered_task *task = arena_make_n(arena, struct layered_task, count);
    for (size_t i = 0; i < count; i++)
        task[i] = (struct layered_task){ row[i], worklist_place_of(&row[i], arena) };
    return (struct layered_rows){ task, count };
}

/* Where the shorter of two pages ends; all 0: both are the last. */
static struct worklist_place first_end(const struct worklist_place *a, const struct worklist_place *b)
{
    if (!a->instance) return *b;
    return !b->instance || worklist_compare(a, b) < 0 ? *a : *b;
}

static enum status read_worklist(struct store_reader *reader, const struct worklist_filter *filter,
                                 struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                                 struct worklist_place *ret_next, struct error *err)
{
    struct task_row *a, *b;
    size_t a_count, b_count;
    struct worklist_place own_next;
    bool both = is_both(reader);
    TRY(reader_worklist(self(reader)->under, filter, arena, &a, &a_count, ret_next, err));
    *ret_row = a, *ret_count = a_count;
    if (!both) return ST_OK;
    TRY(reader_worklist(self(reader)->own, filter, arena, &b, &b_count, &own_next, err));
    if (!b_count) return ST_OK;
    struct layered_task *task = arena_make_n(arena, struct layered_task, a_count + b_count);
    size_t count = layered_merge(placed(a, a_count, arena), placed(b, b_count, arena), sizeof *task, by_place,
                                 a_count + b_count, task);
    /* Behind the end of the shorter page, rows of its list may be missing. */
    struct worklist_place end = first_end(ret_next, &own_next);
    while (end.instance && count && worklist_compare(&task[count - 1].place, &end) > 0) count--;
    if (count > filter->max) {
        count = filter->max;
        end = task[count - 1].place;
    }
    *ret_row = arena_make_n(arena, struct task_row, count);
    for (size_t i = 0; i < count; i++) (*ret_row)[i] = task[i].row;
    *ret_count = count;
    *ret_next = end;
    return ST_OK;
}

/* The children by links in memory. Either side of such a link may be in the store under it. */
static enum status read_linked(struct store_reader *reader, uint64_t parent, struct arena *arena,
                               struct child_listed **ret_view, size_t *ret_count, int64_t *ret_total,
                               struct error *err)
{
    struct child_row *row;
    size_t count, listed = 0;
    memory_links(self(reader)->own, parent, arena, &row, &count);
    struct child_listed *view = arena_make_n(arena, struct child_listed, count);
    for (size_t i = 0; i < count; i++) {
        enum status status = read_instance(reader, row[i].instance, arena, &view[listed].instance, err);
        if (status == ST_NOT_FOUND) continue;
        TRY(status);
        view[listed].instance.state = STR_NONE;
        view[listed++].child = row[i];
    }
    *ret_view = view;
    *ret_count = listed;
    *ret_total = (int64_t)count;
    return ST_OK;
}

static enum status read_children(struct store_reader *reader, uint64_t parent, size_t max,
                                 struct arena *arena, struct child_listed **ret_view, size_t *ret_count,
                                 int64_t *ret_total, struct error *err)
{
    struct child_listed *a, *b;
    struct layered_rows under, own;
    int64_t more;
    bool both = is_both(reader);
    TRY(reader_children(self(reader)->under, parent, max, arena, &a, &under.count, ret_total, err));
    *ret_view = a, *ret_count = under.count;
    if (!both) return ST_OK;
    TRY(read_linked(reader, parent, arena, &b, &own.count, &more, err));
    under.row = a, own.row = b;
    size_t count = under.count + own.count;
    struct child_listed *view = arena_make_n(arena, struct child_listed, count);
    layered_merge(under, own, sizeof *a, layered_by_child, count, view);
    size_t over = count > max ? count - max : 0;
    *ret_view = view + over;
    *ret_count = count - over;
    *ret_total += more;
    return ST_OK;
}

static enum status read_record(struct store_reader *reader, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    if (is_both(reader)) {
        struct found own = reader_find_record(self(reader)->own, ns, kind, key, arena, ret_row, err);
        if (found_is(own) != NOT_THERE) return found_needed(own);
    }
    return found_needed(reader_find_record(self(reader)->under, ns, kind, key, arena, ret_row, err));
}

static enum status read_records(struct store_reader *reader, const struct record_filter *filter,
                                struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                                struct error *err)
{
    struct record_row *a, *b;
    struct layered_rows under, own = { .count = 0 };
    const struct record_filter whole = layered_unskipped(filter);
    if (is_both(reader)) TRY(reader_records(self(reader)->own, &whole, arena, &b, &own.count, err));
    if (!own.count) return reader_records(self(reader)->under, filter, arena, ret_row, ret_count, err);
    TRY(reader_records(self(reader)->under, &whole, arena, &a, &under.count, err));
    under.row = a, own.row = b;
    *ret_row = arena_make_n(arena, struct record_row, under.count + own.count);
    *ret_count = layered_merge(under, own, sizeof *a, filter->down ? layered_by_last_key : layered_by_key,
                               whole.max, *ret_row);
    layered_skip(filter, ret_row, ret_count);
    return ST_OK;
}

static enum status read_statistics(struct store_reader *reader, struct store_statistics *ret_statistics,
                                   struct error *err)
{
    struct store_statistics own;
    bool both = is_both(reader);
    TRY(reader_statistics(self(reader)->under, ret_statistics, err));
    if (!both) return ST_OK;
    TRY(reader_statistics(self(reader)->own, &own, err));
    for (size_t i = 0; i < INSTANCE_STATUS_COUNT; i++)
        ret_statistics->instances_by_status[i] += own.instances_by_status[i];
    ret_statistics->timers += own.timers;
    ret_statistics->tasks += own.tasks;
    return ST_OK;
}

/* ---- what only the store under it has ---- */

static enum status read_definitions(struct store_reader *reader, int32_t ns, str keyword, int64_t skip,
                                    size_t max, struct arena *arena, struct definition_row **ret_row,
                                    size_t *ret_count, int64_t *ret_total, struct error *err)
{
    return reader_definitions(self(reader)->under, ns, keyword, skip, max, arena, ret_row, ret_count,
                              ret_total, err);
}

static enum status read_definitions_after(struct store_reader *reader, int32_t ns, str after, size_t max,
                                          struct arena *arena, struct definition_row **ret_row,
                                          size_t *ret_count, struct error *err)
{
    return reader_definitions_after(self(reader)->under, ns, after, max, arena, ret_row, ret_count, err);
}

static enum status read_definition(struct store_reader *reader, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    return found_needed(reader_definition(self(reader)->under, ns, id, version, arena, ret_row, err));
}

static enum status read_definition_by_number(struct store_reader *reader, int64_t number, struct arena *arena,
                                             struct definition_row *ret_row, struct error *err)
{
    return found_needed(reader_definition_by_number(self(reader)->under, number, arena, ret_row, err));
}

static enum status read_unmatched(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                                  struct arena *arena, struct unmatched_row **ret_row, size_t *ret_count,
                                  int64_t *ret_total, struct error *err)
{
    (void)is_both(reader);
    return reader_unmatched(self(reader)->under, ns, before, max, arena, ret_row, ret_count, ret_total, err);
}

static enum status read_bulks(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                              struct arena *arena, struct bulk_row **ret_row, size_t *ret_count,
                              struct error *err)
{
    return reader_bulks(self(reader)->under, ns, before, max, arena, ret_row, ret_count, err);
}

static enum status read_bulk_parts(struct store_reader *reader, int64_t bulk, enum bulk_part kind,
                                   int64_t from, size_t max, struct arena *arena,
                                   struct bulk_part_row **ret_row, size_t *ret_count, struct error *err)
{
    return reader_bulk_parts(self(reader)->under, bulk, kind, from, max, arena, ret_row, ret_count, err);
}

/* ---- opening ---- */

static void reader_close(struct store_reader *base)
{
    struct layered_reader *reader = self(base);
    store_reader_close(reader->own);
    store_reader_close(reader->under);
    free(reader);
}

static void leave(struct store_reader *base)
{
    reader_leave(self(base)->own);
    reader_leave(self(base)->under);
}

static const struct reader_ops layered_reader_ops = {
    .close = reader_close,
    .leave = leave,
    .instances = read_instances,
    .instance = read_instance,
    .history = read_history,
    .history_back = read_history_back,
    .definitions = read_definitions,
    .definitions_after = read_definitions_after,
    .definition = read_definition,
    .definition_by_number = read_definition_by_number,
    .tasks = read_tasks,
    .worklist = read_worklist,
    .children = read_children,
    .unmatched = read_unmatched,
    .failures = read_failures,
    .candidates = read_candidates,
    .bulks = read_bulks,
    .bulk_parts = read_bulk_parts,
    .find_record = read_record,
    .records = read_records,
    .find = read_find,
    .find_keys = read_find_keys,
    .counts = read_counts,
    .measure = read_measure,
    .statistics = read_statistics,
};

enum status layered_reader_open(struct store *base, struct store_reader **ret_reader, struct error *err)
{
    struct layered_store *store = (struct layered_store *)base;
    struct layered_reader *reader = calloc(1, sizeof *reader);
    must(reader);
    *reader = (struct layered_reader){ .base.ops = &layered_reader_ops, .store = store };
    enum status status = store_reader_open(store->under, &reader->under, err);
    if (status != ST_OK) {
        free(reader);
        return status;
    }
    must(store_reader_open(store->transient, &reader->own, NULL) == ST_OK);
    *ret_reader = &reader->base;
    return ST_OK;
}
