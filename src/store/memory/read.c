/* store/memory/read.c — lists and histories of committed rows. Filters scan the table: a memory store is
 * small, or nobody lists it.
 */
#include "store/worklist.h"
#include "store/memory/memory_int.h"

#include "base/must.h"

#include <stdlib.h>

struct memory_reader {
    struct store_reader base;
    struct memory_store *store;
};

static struct memory_store *store_of(struct store_reader *reader)
{
    return ((struct memory_reader *)reader)->store;
}

/* Counts the bytes of a row. False if the rows before it have filled the answer. */
static bool fits(const struct store_reader *reader, size_t *bytes, size_t more)
{
    if (reader->bytes_max && *bytes >= reader->bytes_max) return false;
    *bytes += more;
    return true;
}

/* ---- instances ---- */

static bool is_of_definition(const struct memory_state *state, int64_t number, str id, struct arena *scratch)
{
    if (!id.n) return true;
    const struct definition_row *definition = memory_find_definition(state, number, scratch);
    return definition && str_equal(definition->id, id);
}

static bool instance_matches(const struct memory_state *state, const struct instance_row *row,
                             const struct instance_filter *filter, struct arena *scratch)
{
    return row->ns == filter->ns && (filter->status < 0 || (int32_t)row->status == filter->status) &&
           (!filter->business_key.n || str_equal(row->business_key, filter->business_key)) &&
           is_of_definition(state, row->definition, filter->definition_id, scratch);
}

static enum status read_instances(struct store_reader *reader, const struct instance_filter *filter,
                                  struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                  int64_t *ret_total, struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    const struct memory_state *state = &store->common->committed;
    struct instance_row *list = NULL;
    size_t count = 0, cap = 0, bytes = 0;
    int64_t total = 0, skip = filter->skip;
    struct memory_found found;
    for (str to = memory_key_of_id(&store->scratch, UINT64_MAX);
         (ret_total || count < filter->max) && memory_tree_before(&state->table[TABLE_INSTANCE], to, &found);
         to = found.key) {
        const struct memory_instance *instance = memory_row_of(found.cell);
        if (!instance_matches(state, &instance->row, filter, &store->scratch)) continue;
        total++;
        if (count == filter->max || (filter->before && instance->row.id >= filter->before) || skip-- > 0)
            continue;
        array_reserve_in(arena, list, count, cap);
        bool with_state = fits(reader, &bytes, instance->row.state.n);
        memory_fill_listed(state, found.cell, with_state, &store->scratch, arena, &list[count++]);
    }
    memory_unlock(store);
    *ret_row = list;
    *ret_count = count;
    if (ret_total) *ret_total = total;
    return ST_OK;
}

static enum status read_instance(struct store_reader *reader, uint64_t id, struct arena *arena,
                                 struct instance_row *ret_row, struct error *err)
{
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    enum status status = memory_instance(&store->common->committed, id, &store->scratch, arena, ret_row, err);
    memory_unlock(store);
    return status;
}

/* The blobs as the tree has them, oldest first. */
static enum status walk_history(struct memory_store *store, uint64_t id, uint32_t after, size_t max,
                                struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err)
{
    const struct memory_state *state = &store->common->committed;
    const struct memory_instance *instance = memory_find_instance(state, id, &store->scratch);
    if (!instance) return store_fail_no_instance(id, err);
    size_t count = instance->revision > after ? instance->revision - after : 0;
    if (max && count > max) count = max;
    str *blob = arena_make_n(arena, str, count);
    int64_t row_id = instance->row.last_history;
    for (uint32_t revision = instance->revision; revision > after; revision--) {
        const struct memory_history *row = memory_find_history(state, id, row_id, &store->scratch);
        if (!row) return store_fail_broken_chain(id, err);
        if (revision - after - 1 < count) blob[revision - after - 1] = row->blob;
        row_id = row->prev;
    }
    *ret_blob = blob;
    *ret_count = count;
    return ST_OK;
}

/* Copies as many as the bound allows. */
static enum status read_history(struct store_reader *reader, uint64_t instance, uint32_t after, size_t max,
                                struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err)
{
    struct memory_store *store = store_of(reader);
    size_t count = 0, bytes = 0, copied = 0;
    memory_lock(store);
    enum status status = walk_history(store, instance, after, max, arena, ret_blob, &count, err);
    for (; copied < count && fits(reader, &bytes, (*ret_blob)[copied].n); copied++)
        (*ret_blob)[copied] = arena_str(arena, (*ret_blob)[copied]);
    memory_unlock(store);
    *ret_count = copied;
    return status;
}

enum status memory_next_history(struct store *base, uint64_t instance, uint32_t after, struct arena *arena,
                                str **ret_blob, size_t *ret_count, struct error *err)
{
    struct memory_store *store = (struct memory_store *)base;
    *ret_count = 0;
    memory_lock(store);
    enum status status =
        walk_history(store, instance, after, NEXT_HISTORY_MAX, arena, ret_blob, ret_count, err);
    if (status == ST_NOT_FOUND) status = ST_OK;
    for (size_t i = 0; i < *ret_count; i++) (*ret_blob)[i] = arena_str(arena, (*ret_blob)[i]);
    memory_unlock(store);
    return status;
}

/* The same from the newest on back; all places are in memory, so that the caller's row is not needed. */
static enum status walk_back(const struct store_reader *reader, struct memory_store *store,
                             const struct history_filter *filter, struct arena *arena,
                             struct history_row **ret_row, size_t *ret_count, struct history_place *ret_next,
                             struct error *err)
{
    const struct memory_state *state = &store->common->committed;
    const struct memory_instance *instance = memory_find_instance(state, filter->instance, &store->scratch);
    if (!instance) return store_fail_no_instance(filter->instance, err);
    struct history_place at = { instance->revision, instance->row.last_history };
    size_t count = 0, cap = 0, bytes = 0;
    struct history_row *list = NULL;
    for (; at.revision && count < filter->max; at.revision--) {
        const struct memory_history *row =
            memory_find_history(state, filter->instance, at.row, &store->scratch);
        if (!row) return store_fail_broken_chain(filter->instance, err);
        if (count || (row->at_ms <= filter->upto_ms &&
                      (!filter->from.revision || at.revision <= filter->from.revision))) {
            if (!fits(reader, &bytes, row->blob.n)) break;
            array_reserve_in(arena, list, count, cap);
            list[count++] = (struct history_row){ at, arena_str(arena, row->blob) };
        }
        at.row = row->prev;
    }
    *ret_row = list;
    *ret_count = count;
    *ret_next = at;
    return ST_OK;
}

static enum status read_history_back(struct store_reader *reader, const struct history_filter *filter,
                                     struct arena *arena, struct history_row **ret_row, size_t *ret_count,
                                     struct history_place *ret_next, struct error *err)
{
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    enum status status = walk_back(reader, store, filter, arena, ret_row, ret_count, ret_next, err);
    memory_unlock(store);
    return status;
}

/* ---- definitions ---- */

/* The ranks are in order of namespace, id, rank and version: the last of an id is its latest. */
static const struct memory_cell *next_latest(const struct memory_state *state, str *after,
                                             struct arena *scratch)
{
    struct memory_found found;
    if (!memory_tree_after(&state->table[TABLE_DEFINITION_RANK], *after, &found)) return NULL;
    int64_t number = *(const int64_t *)memory_row_of(found.cell);
    const struct definition_row *first = memory_find_definition(state, number, scratch);
    must(first);
    must(memory_find_latest(state, first->ns, first->id, scratch, &found));
    *after = found.key;
    number = *(const int64_t *)memory_row_of(found.cell);
    return memory_tree_get(&state->table[TABLE_DEFINITION], memory_key_of_id(scratch, (uint64_t)number));
}

static enum status read_definitions(struct store_reader *reader, int32_t ns, str keyword, int64_t skip,
                                    size_t max, struct arena *arena, struct definition_row **ret_row,
                                    size_t *ret_count, int64_t *ret_total, struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    struct definition_row *list = NULL;
    size_t count = 0, cap = 0;
    int64_t total = 0;
    str after = STR("");
    const struct memory_cell *cell;
    while ((cell = next_latest(&store->common->committed, &after, &store->scratch))) {
        const struct definition_row *row = memory_row_of(cell);
        if (row->ns != ns || !store_definition_matches(row, keyword)) continue;
        if (total++ < skip || count == max) continue;
        array_reserve_in(arena, list, count, cap);
        memory_row_unpack(&memory_row_definition, cell, arena, &list[count]);
        list[count++].source = STR_NONE;
    }
    memory_unlock(store);
    *ret_row = list;
    *ret_count = count;
    if (ret_total) *ret_total = total;
    return ST_OK;
}

static enum status read_definitions_after(struct store_reader *reader, int32_t ns, str after, size_t max,
                                          struct arena *arena, struct definition_row **ret_row,
                                          size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    struct definition_row *list = arena_make_n(arena, struct definition_row, max);
    size_t count = 0;
    memory_lock(store);
    str place = STR("");
    const struct memory_cell *cell;
    while (count < max && (cell = next_latest(&store->common->committed, &place, &store->scratch))) {
        const struct definition_row *row = memory_row_of(cell);
        if (row->ns != ns || str_compare(row->id, after) <= 0) continue;
        memory_row_unpack(&memory_row_definition, cell, arena, &list[count]);
        list[count++].source = STR_NONE;
    }
    memory_unlock(store);
    *ret_row = list;
    *ret_count = count;
    return ST_OK;
}

static enum status read_definition(struct store_reader *reader, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    enum status status =
        memory_definition(&store->common->committed, ns, id, version, &store->scratch, arena, ret_row, err);
    memory_unlock(store);
    return status;
}

static enum status read_definition_by_number(struct store_reader *reader, int64_t number, struct arena *arena,
                                             struct definition_row *ret_row, struct error *err)
{
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    enum status status =
        memory_definition_number(&store->common->committed, number, &store->scratch, arena, ret_row, err);
    memory_unlock(store);
    return status;
}

/* ---- children and unmatched events ---- */

static enum status read_children(struct store_reader *reader, uint64_t parent, size_t max,
                                 struct arena *arena, struct child_listed **ret_view, size_t *ret_count,
                                 int64_t *ret_total, struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    const struct memory_state *state = &store->common->committed;
    struct child_listed *view = NULL;
    size_t count = 0, cap = 0;
    struct memory_found found;
    *ret_total = 0;
    str prefix = memory_key_of_id(&store->scratch, parent);
    for (str key = prefix;
         memory_tree_after(&state->table[TABLE_CHILD], key, &found) && str_starts(found.key, prefix);
         key = found.key) {
        const struct child_row *child = memory_row_of(found.cell);
        ++*ret_total;
        const struct memory_cell *cell = memory_tree_get(&state->table[TABLE_INSTANCE],
                                                         memory_key_of_id(&store->scratch, child->instance));
        if (!cell) continue;
        array_reserve_in(arena, view, count, cap);
        view[count].child = *child;
        memory_fill_instance(state, cell, &store->scratch, arena, &view[count].instance);
        view[count++].instance.state = STR_NONE;
    }
    memory_unlock(store);
    size_t over = count > max ? count - max : 0;
    *ret_view = view + over;
    *ret_count = count - over;
    return ST_OK;
}

void memory_links(struct store_reader *reader, uint64_t parent, struct arena *arena,
                  struct child_row **ret_row, size_t *ret_count)
{
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    const struct memory_tree *table = &store->common->committed.table[TABLE_CHILD];
    str prefix = memory_key_of_id(&store->scratch, parent);
    struct child_row *row = NULL;
    size_t count = 0, cap = 0;
    struct memory_found found;
    for (str key = prefix; memory_tree_after(table, key, &found) && str_starts(found.key, prefix);
         key = found.key) {
        array_reserve_in(arena, row, count, cap);
        row[count++] = *(const struct child_row *)memory_row_of(found.cell);
    }
    memory_unlock(store);
    *ret_row = row;
    *ret_count = count;
}

static enum status read_unmatched(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                                  struct arena *arena, struct unmatched_row **ret_row, size_t *ret_count,
                                  int64_t *ret_total, struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    const struct memory_tree *table = &store->common->committed.table[TABLE_UNMATCHED];
    struct unmatched_row *list = NULL;
    size_t count = 0, cap = 0, bytes = 0;
    bool full = false;
    int64_t total = 0;
    struct memory_found found;
    for (str to = memory_key_of_id(&store->scratch, UINT64_MAX);
         (ret_total || count < max) && memory_tree_before(table, to, &found); to = found.key) {
        const struct unmatched_row *row = memory_row_of(found.cell);
        if (row->ns != ns) continue;
        total++;
        if (count == max || (before && row->number >= before) || full) continue;
        full = !fits(reader, &bytes, row->event.n);
        if (full) continue;
        array_reserve_in(arena, list, count, cap);
        memory_row_unpack(&memory_row_unmatched, found.cell, arena, &list[count++]);
    }
    memory_unlock(store);
    *ret_row = list;
    *ret_count = count;
    if (ret_total) *ret_total = total;
    return ST_OK;
}

/* ---- tasks and statistics ---- */

static bool task_matches(const struct memory_state *state, const struct task_row *row,
                         const struct task_filter *filter, struct arena *scratch)
{
    return row->ns == filter->ns && (!filter->instance || row->instance == filter->instance) &&
           (!filter->label.n || str_equal(row->label, filter->label)) &&
           is_of_definition(state, row->definition, filter->definition_id, scratch);
}

static void fill_task(const struct memory_state *state, const struct memory_cell *cell, struct arena *scratch,
                      struct arena *arena, struct task_row *ret_row)
{
    memory_row_unpack(&memory_row_task, cell, arena, ret_row);
    const struct definition_row *definition = memory_find_definition(state, ret_row->definition, scratch);
    if (definition) {
        ret_row->definition_id = arena_str(arena, definition->id);
        ret_row->definition_version = definition->version;
    }
    const struct memory_instance *instance = memory_find_instance(state, ret_row->instance, scratch);
    if (instance) {
        ret_row->instance_created_ms = instance->row.created_ms;
        ret_row->business_key = arena_str(arena, instance->row.business_key);
    }
}

static enum status read_tasks(struct store_reader *reader, const struct task_filter *filter,
                              struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                              int64_t *ret_total, struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    const struct memory_state *state = &store->common->committed;
    str cursor = memory_key_of_pair(&store->scratch, filter->after_instance, filter->after_execution);
    struct task_row *list = NULL;
    size_t count = 0, cap = 0;
    int64_t total = 0;
    struct memory_found found;
    for (str key = STR(""); memory_tree_after(&state->table[TABLE_TASK], key, &found); key = found.key) {
        if (!task_matches(state, memory_row_of(found.cell), filter, &store->scratch)) continue;
        total++;
        if (count == filter->max || str_compare(found.key, cursor) <= 0) continue;
        array_reserve_in(arena, list, count, cap);
        fill_task(state, found.cell, &store->scratch, arena, &list[count++]);
    }
    memory_unlock(store);
    *ret_row = list;
    *ret_count = count;
    if (ret_total) *ret_total = total;
    return ST_OK;
}

/* Looks at every task: a memory store is for tests and small engines. */
static enum status read_worklist(struct store_reader *reader, const struct worklist_filter *filter,
                                 struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                                 struct worklist_place *ret_next, struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    const struct memory_state *state = &store->common->committed;
    struct task_row *list = arena_make_n(arena, struct task_row, filter->max + 1);
    struct worklist_place *place = arena_make_n(arena, struct worklist_place, filter->max + 1);
    size_t count = 0;
    struct memory_found found;
    for (str key = STR(""); memory_tree_after(&state->table[TABLE_TASK], key, &found); key = found.key) {
        struct task_row row;
        fill_task(state, found.cell, &store->scratch, arena, &row);
        struct worklist_place at = worklist_place_of(&row, arena);
        if (!worklist_fits(filter, &row, arena) || worklist_compare(&at, &filter->after) <= 0) continue;
        size_t i =
            count; /* The best ones so far are in order; one more than asked tells whether there are more. */
        for (; i && worklist_compare(&at, &place[i - 1]) < 0; i--) {
            if (i > filter->max) continue;
            list[i] = list[i - 1];
            place[i] = place[i - 1];
        }
        if (i > filter->max) continue;
        list[i] = row;
        place[i] = at;
        if (count <= filter->max) count++;
    }
    memory_unlock(store);
    *ret_next = count > filter->max && filter->max ? place[filter->max - 1] : (struct worklist_place){ 0 };
    *ret_row = list;
    *ret_count = count < filter->max ? count : filter->max;
    return ST_OK;
}

/* ---- failures and bulks ---- */

static enum status read_failures(struct store_reader *reader, const struct selection_filter *filter,
                                 struct arena *arena, struct failure_row **ret_row, size_t *ret_count,
                                 struct error *err)
{
    (void)err;
    memory_lock(store_of(reader));
    memory_failures(store_of(reader), filter, arena, ret_row, ret_count);
    memory_unlock(store_of(reader));
    return ST_OK;
}

static enum status read_candidates(struct store_reader *reader, const struct selection_filter *filter,
                                   struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                   struct error *err)
{
    (void)err;
    memory_lock(store_of(reader));
    memory_candidates(store_of(reader), filter, arena, ret_row, ret_count);
    memory_unlock(store_of(reader));
    return ST_OK;
}

static enum status read_bulks(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                              struct arena *arena, struct bulk_row **ret_row, size_t *ret_count,
                              struct error *err)
{
    (void)err;
    memory_lock(store_of(reader));
    memory_bulks(store_of(reader), ns, before, max, arena, ret_row, ret_count);
    memory_unlock(store_of(reader));
    return ST_OK;
}

static enum status read_bulk_parts(struct store_reader *reader, int64_t bulk, enum bulk_part kind,
                                   int64_t from, size_t max, struct arena *arena,
                                   struct bulk_part_row **ret_row, size_t *ret_count, struct error *err)
{
    (void)err;
    memory_lock(store_of(reader));
    memory_bulk_parts(store_of(reader), bulk, kind, from, max, arena, ret_row, ret_count);
    memory_unlock(store_of(reader));
    return ST_OK;
}

static enum status read_record(struct store_reader *reader, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    enum status status =
        memory_records_find(&store->common->committed, ns, kind, key, &store->scratch, arena, ret_row, err);
    memory_unlock(store);
    return status;
}

static enum status read_records(struct store_reader *reader, const struct record_filter *filter,
                                struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                                struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    memory_records(&store->common->committed, filter, &store->scratch, arena, ret_row, ret_count);
    memory_unlock(store);
    return ST_OK;
}

/* ---- lists of operators ---- */

static enum status read_find(struct store_reader *reader, const struct find_filter *filter,
                             struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    memory_find(&store->common->committed, filter, &store->scratch, arena, ret_id, ret_count);
    memory_unlock(store);
    return ST_OK;
}

static enum status read_find_keys(struct store_reader *reader, int32_t ns, str prefix,
                                  const struct found_key *after, size_t max, struct arena *arena,
                                  struct found_key **ret_found, size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    memory_pick_keys(&store->common->committed, ns, prefix, after, max, &store->scratch, arena, ret_found,
                     ret_count);
    memory_unlock(store);
    return ST_OK;
}

static enum status read_counts(struct store_reader *reader, const struct find_filter *filter,
                               struct store_counts *counts, struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    counts->kind = "memory";
    memory_counts(&store->common->committed, filter, &store->scratch, counts);
    const struct memory_cell *cell;
    str after = STR("");
    while (filter->with_definitions &&
           (cell = next_latest(&store->common->committed, &after, &store->scratch)) != NULL)
        counts->definitions += ((const struct definition_row *)memory_row_of(cell))->ns == filter->ns;
    memory_unlock(store);
    return ST_OK;
}

static void measure_rows(const struct memory_state *state, struct arena *scratch,
                         struct store_measure *measure)
{
    struct memory_found found;
    for (str key = STR(""); memory_tree_after(&state->table[TABLE_DEFINITION], key, &found);
         key = found.key) {
        const struct definition_row *row = memory_row_of(found.cell);
        if (row->ns == measure->ns) measure->bytes += (int64_t)row->source.n;
    }
    for (str key = STR(""); memory_tree_after(&state->table[TABLE_INSTANCE], key, &found); key = found.key) {
        const struct instance_row *row = &((const struct memory_instance *)memory_row_of(found.cell))->row;
        if (row->ns == measure->ns) measure->bytes += (int64_t)row->state.n;
    }
    for (str key = STR(""); memory_tree_after(&state->table[TABLE_HISTORY], key, &found); key = found.key) {
        const struct memory_history *row = memory_row_of(found.cell);
        const struct memory_instance *of = memory_find_instance(state, row->instance, scratch);
        if (of && of->row.ns == measure->ns) measure->bytes += (int64_t)row->blob.n;
    }
}

/* All of it at once: there is no disk to wait for. */
static enum status read_measure(struct store_reader *reader, struct store_measure *measure, size_t max,
                                struct arena *arena, struct error *err)
{
    (void)max, (void)arena, (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    measure_rows(&store->common->committed, &store->scratch, measure);
    memory_unlock(store);
    measure->is_over = true;
    return ST_OK;
}

/* ---- statistics ---- */

static enum status read_statistics(struct store_reader *reader, struct store_statistics *ret_statistics,
                                   struct error *err)
{
    (void)err;
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    const struct memory_state *state = &store->common->committed;
    struct store_statistics statistics = {
        .timers = (int64_t)state->table[TABLE_TIMER].count,
        .tasks = (int64_t)state->table[TABLE_TASK].count,
        .pending = (int64_t)state->table[TABLE_PENDING].count,
    };
    struct memory_found found;
    for (str key = STR(""); memory_tree_after(&state->table[TABLE_INSTANCE], key, &found); key = found.key)
        statistics
            .instances_by_status[((const struct memory_instance *)memory_row_of(found.cell))->row.status]++;
    for (str after = STR(""); next_latest(state, &after, &store->scratch);) statistics.definitions++;
    memory_unlock(store);
    *ret_statistics = statistics;
    return ST_OK;
}

/* ---- opening ---- */

static void reader_close(struct store_reader *reader)
{
    struct memory_store *store = store_of(reader);
    memory_lock(store);
    store->readers--;
    memory_unlock(store);
    free(reader);
}

static const struct reader_ops memory_reader_ops = {
    .close = reader_close,
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

enum status memory_reader_open(struct store *base, struct store_reader **ret_reader, struct error *err)
{
    (void)err;
    struct memory_store *store = (struct memory_store *)base;
    struct memory_reader *reader = calloc(1, sizeof *reader);
    must(reader);
    *reader = (struct memory_reader){ .base.ops = &memory_reader_ops, .store = store };
    memory_lock(store);
    store->readers++;
    memory_unlock(store);
    *ret_reader = &reader->base;
    return ST_OK;
}
