/* store/memory/memory.c — a store in memory, for tests, simulation and instances that need not survive. In
 * everything else it behaves like a durable store.
 */
#include "store/memory/memory_int.h"

#include "base/must.h"

#include <stdlib.h>

static const struct store_ops memory_ops;

static struct memory_store *self(struct store *store) { return (struct memory_store *)store; }

static void drop_tables(struct memory_state *state)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) memory_tree_drop(&state->table[i]);
}

static struct memory_store *new_handle(struct memory_common *common)
{
    struct memory_store *store = calloc(1, sizeof *store);
    must(store);
    store->base.ops = &memory_ops;
    store->common = common;
    arena_init(&store->scratch, 0);
    arena_init(&store->telling, 0);
    memory_lock(store);
    store->next_handle = common->handle;
    common->handle = store;
    memory_unlock(store);
    return store;
}

struct store *memory_open(void)
{
    struct memory_common *common = calloc(1, sizeof *common);
    must(common);
    common->committed.next_history = 1;
    common->committed.next_unmatched = 1;
    common->committed.next_bulk = 1;
    common->generation = 1;
    must(pthread_mutex_init(&common->mutex, NULL) == 0);
    return &new_handle(common)->base;
}

struct store *memory_open_node(struct store *first)
{
    struct memory_store *store = new_handle(self(first)->common);
    memory_lock(store);
    memory_join(store);
    memory_unlock(store);
    return &store->base;
}

static void drop_common(struct memory_common *common)
{
    drop_tables(&common->committed);
    memory_drop_news(common);
    free(common->node);
    pthread_mutex_destroy(&common->mutex);
    free(common);
}

static void close_handle(struct memory_store *store)
{
    struct memory_common *common = store->common;
    must(store->readers == 0);
    memory_lock(store);
    struct memory_store **place = &common->handle;
    while (*place != store) place = &(*place)->next_handle;
    *place = store->next_handle;
    bool last = !common->handle;
    memory_unlock(store);
    if (last) drop_common(common);
    arena_done(&store->scratch);
    arena_done(&store->telling);
    free(store);
}

static void memory_close(struct store *base)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    memory_leave(store);
    memory_unlock(store);
    close_handle(store);
}

void memory_vanish(struct store *base)
{
    if (base->in_transaction) store_rollback(base);
    close_handle(self(base));
}

/* ---- transactions ---- */

static void forget_transaction(struct memory_store *store)
{
    store->stale = store->configures = false;
    store->told = NULL;
    store->told_count = store->told_cap = 0;
    arena_reset(&store->telling);
}

static enum status memory_begin(struct store *base, struct error *err)
{
    must(!self(base)->told_count && !self(base)->stale && !self(base)->configures);
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    store->working = store->common->committed;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        store->working.table[i] = memory_tree_share(&store->common->committed.table[i]);
    store->began_at = store->common->changes;
    memory_unlock(store);
    return ST_OK;
}

static enum status memory_commit(struct store *base, struct error *err)
{
    struct memory_store *store = self(base);
    must(store->began_at <= store->common->changes);
    memory_lock(store);
    enum status status = memory_fence(store, err);
    if (status == ST_OK) {
        drop_tables(&store->common->committed);
        store->common->committed = store->working;
        store->common->changes++;
        memory_publish(store);
        forget_transaction(store);
    }
    memory_unlock(store);
    return status;
}

static void memory_rollback(struct store *base)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    drop_tables(&store->working);
    forget_transaction(store);
    memory_unlock(store);
}

/* ---- the writer's queries ---- */

static enum status memory_take_numbers(struct store *base, struct store_numbers *numbers, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_state *state = memory_current(store);
    str end = STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff");
    struct memory_found found;
    uint64_t instance = state->instance_high, definition = 0;
    if (memory_tree_before(&state->table[TABLE_INSTANCE], end, &found) &&
        memory_key_last_id(found.key) > instance)
        instance = memory_key_last_id(found.key);
    if (memory_tree_before(&state->table[TABLE_DEFINITION], end, &found))
        definition = memory_key_last_id(found.key);
    if (store->node) memory_take_block(store, instance, (int64_t)definition, numbers);
    else *numbers = store_all_numbers(instance + 1, (int64_t)definition + 1);
    memory_unlock(store);
    return ST_OK;
}

static enum status memory_load_instance(struct store *base, uint64_t id, struct arena *arena,
                                        struct instance_row *ret_row, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    enum status status = memory_instance(memory_current(store), id, &store->scratch, arena, ret_row, err);
    memory_unlock(store);
    return status;
}

static enum status memory_find_version(struct store *base, int32_t ns, str id, int32_t version,
                                       struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    enum status status =
        memory_definition(memory_current(store), ns, id, version, &store->scratch, arena, ret_row, err);
    memory_unlock(store);
    return status;
}

static enum status memory_load_definition(struct store *base, int64_t number, struct arena *arena,
                                          struct definition_row *ret_row, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    enum status status =
        memory_definition_number(memory_current(store), number, &store->scratch, arena, ret_row, err);
    memory_unlock(store);
    return status;
}

/* The newest version with that content, or NULL. */
static const struct memory_cell *find_content(struct memory_store *store, int32_t ns, str id,
                                              uint64_t content)
{
    const struct memory_state *state = memory_current(store);
    const struct memory_tree *names = &state->table[TABLE_DEFINITION_NAME];
    str first = memory_key_of_definition(&store->scratch, ns, id, INT32_MIN);
    struct memory_found found;
    for (str to = memory_key_of_definition(&store->scratch, ns, id, INT32_MAX);
         memory_tree_before(names, to, &found) && str_compare(found.key, first) > 0; to = found.key) {
        int64_t number = *(const int64_t *)memory_row_of(found.cell);
        const struct memory_cell *cell = memory_tree_get(&state->table[TABLE_DEFINITION],
                                                         memory_key_of_id(&store->scratch, (uint64_t)number));
        must(cell);
        if (((const struct definition_row *)memory_row_of(cell))->content == content) return cell;
    }
    return NULL;
}

static enum status memory_find_content(struct store *base, int32_t ns, str id, uint64_t content,
                                       struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_cell *cell = find_content(store, ns, id, content);
    if (cell) memory_row_unpack(&memory_row_definition, cell, arena, ret_row);
    memory_unlock(store);
    return cell ? ST_OK : store_fail_no_definition(err);
}

static bool holds_key(struct memory_store *store, uint64_t id, str definition_id)
{
    const struct memory_state *state = memory_current(store);
    const struct memory_instance *instance = memory_find_instance(state, id, &store->scratch);
    must(instance);
    if (instance_status_ended(instance->row.status)) return false;
    const struct definition_row *definition =
        memory_find_definition(state, instance->row.definition, &store->scratch);
    return definition && str_equal(definition->id, definition_id);
}

static uint64_t find_key(struct memory_store *store, int32_t ns, str definition_id, str key)
{
    const struct memory_tree *keys = &memory_current(store)->table[TABLE_INSTANCE_KEY];
    struct memory_key bytes = memory_key(&store->scratch);
    memory_key_add_number(&bytes, ns);
    memory_key_add_text(&bytes, key);
    str prefix = memory_key_str(&bytes);
    struct memory_found found;
    for (str after = prefix; memory_tree_after(keys, after, &found) && str_starts(found.key, prefix);
         after = found.key)
        if (holds_key(store, memory_key_last_id(found.key), definition_id))
            return memory_key_last_id(found.key);
    return 0;
}

/* Counts the instances of one version. */
static int64_t count_living(struct memory_store *store, int64_t definition)
{
    const struct memory_tree *living = &memory_current(store)->table[TABLE_INSTANCE_LIVING];
    struct memory_key key = memory_key(&store->scratch);
    memory_key_add_number(&key, definition);
    str prefix = memory_key_str(&key);
    struct memory_found found;
    int64_t count = 0;
    for (str after = prefix; memory_tree_after(living, after, &found) && str_starts(found.key, prefix);
         after = found.key)
        count++;
    return count;
}

static enum status memory_count_living(struct store *base, int32_t ns, str definition_id, int64_t *ret_count,
                                       struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_tree *names = &memory_current(store)->table[TABLE_DEFINITION_NAME];
    str key = memory_key_of_definition(&store->scratch, ns, definition_id, INT32_MIN),
        end = memory_key_of_definition(&store->scratch, ns, definition_id, INT32_MAX);
    struct memory_found found;
    int64_t count = 0;
    for (; memory_tree_after(names, key, &found) && str_compare(found.key, end) < 0; key = found.key)
        count += count_living(store, *(const int64_t *)memory_row_of(found.cell));
    memory_unlock(store);
    *ret_count = count;
    return ST_OK;
}

/* Is it an ended instance of the definition? */
static bool is_ended_of(struct memory_store *store, const struct instance_row *row, int32_t ns,
                        str definition_id)
{
    if (!instance_status_ended(row->status) || row->ns != ns) return false;
    const struct definition_row *definition =
        memory_find_definition(memory_current(store), row->definition, &store->scratch);
    return definition && str_equal(definition->id, definition_id);
}

/* All instances are walked: the store is small. */
static enum status memory_ended(struct store *base, int32_t ns, str definition_id, size_t max,
                                struct arena *arena, struct ended_instance **ret_instance, size_t *ret_count,
                                struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct ended_instance *list = NULL;
    struct memory_found found;
    size_t count = 0, cap = 0;
    memory_lock(store);
    const struct memory_tree *instances = &memory_current(store)->table[TABLE_INSTANCE];
    for (str after = STR(""); count < max && memory_tree_after(instances, after, &found); after = found.key) {
        const struct instance_row *row = &((const struct memory_instance *)memory_row_of(found.cell))->row;
        if (!is_ended_of(store, row, ns, definition_id)) continue;
        array_reserve_in(arena, list, count, cap);
        list[count++] = (struct ended_instance){ row->id, row->status, row->has_jobs };
    }
    memory_unlock(store);
    *ret_instance = list;
    *ret_count = count;
    return ST_OK;
}

static size_t ended_count(const struct memory_state *state)
{
    return state->table[TABLE_INSTANCE_ENDED].count + state->table[TABLE_INSTANCE_FAILED].count;
}

void memory_forget_links(struct store *base) { self(base)->forgets_links = true; }

size_t memory_ended_count(struct store *base)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    size_t count = ended_count(memory_current(store));
    memory_unlock(store);
    return count;
}

struct transients memory_transients(struct store *base)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_state *state = memory_current(store);
    struct transients transients = { state->table[TABLE_INSTANCE].count - ended_count(state),
                                     state->state_bytes };
    memory_unlock(store);
    return transients;
}

static enum status memory_find_business_key(struct store *base, int32_t ns, str definition_id, str key,
                                            uint64_t *ret_instance, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    uint64_t holder = find_key(store, ns, definition_id, key);
    memory_unlock(store);
    if (!holder) return store_fail_no_holder(err);
    *ret_instance = holder;
    return ST_OK;
}

static enum status memory_find_idempotency(struct store *base, int32_t ns, str key, struct arena *arena,
                                           struct idempotency_row *ret_row, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    struct memory_key bytes = memory_key(&store->scratch);
    memory_key_add_number(&bytes, ns);
    memory_key_add_text(&bytes, key);
    const struct memory_cell *cell =
        memory_tree_get(&memory_current(store)->table[TABLE_IDEMPOTENCY], memory_key_str(&bytes));
    if (cell) memory_row_unpack(&memory_row_idempotency, cell, arena, ret_row);
    memory_unlock(store);
    return cell ? ST_OK : fail(err, ST_NOT_FOUND, "idempotency", "the key was not used");
}

static enum status find_record(struct store *base, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    enum status status =
        memory_records_find(memory_current(store), ns, kind, key, &store->scratch, arena, ret_row, err);
    memory_unlock(store);
    return status;
}

static enum status list_records(struct store *base, const struct record_filter *filter, struct arena *arena,
                                struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    memory_records(memory_current(store), filter, &store->scratch, arena, ret_row, ret_count);
    memory_unlock(store);
    return ST_OK;
}

static enum status memory_timers(struct store *base, const struct timer_row *after, int64_t until_ms,
                                 struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_tree *timers = &memory_current(store)->table[TABLE_TIMER];
    struct memory_found found;
    size_t count = 0;
    for (str key = after ? memory_key_of_timer(&store->scratch, after) : STR("");
         count < max && memory_tree_after(timers, key, &found); key = found.key) {
        const struct timer_row *row = memory_row_of(found.cell);
        if (row->due_ms > until_ms) break;
        ret_row[count++] = *row;
    }
    memory_unlock(store);
    *ret_count = count;
    return ST_OK;
}

static enum status memory_ids_with_jobs(struct store *base, int32_t ns, uint64_t after, size_t max,
                                        struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                        struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_tree *jobs = &memory_current(store)->table[TABLE_INSTANCE_JOBS];
    struct memory_found found;
    uint64_t *id = NULL;
    size_t count = 0, cap = 0;
    for (str key = memory_key_of_id(&store->scratch, after);
         count < max && memory_tree_after(jobs, key, &found); key = found.key) {
        const struct memory_instance *of =
            ns == TENANT_ANY
                ? NULL
                : memory_find_instance(memory_current(store), memory_key_last_id(found.key), &store->scratch);
        if (of && of->row.ns != ns) continue;
        array_reserve_in(arena, id, count, cap);
        id[count++] = memory_key_last_id(found.key);
    }
    memory_unlock(store);
    *ret_id = id;
    *ret_count = count;
    return ST_OK;
}

static int order_pending(const struct pending_row *x, const struct pending_row *y)
{
    if (x->created_ms != y->created_ms) return x->created_ms < y->created_ms ? -1 : 1;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int compare_pending(const void *a, const void *b)
{
    return order_pending(memory_row_of(*(const struct memory_cell *const *)a),
                         memory_row_of(*(const struct memory_cell *const *)b));
}

static bool latest_has_priority(struct memory_store *store, int32_t ns, str id, int32_t priority)
{
    struct definition_row row;
    return memory_definition(memory_current(store), ns, id, VERSION_LATEST, &store->scratch, &store->scratch,
                             &row, NULL) == ST_OK &&
           row.priority == priority;
}

static enum status memory_pending(struct store *base, int32_t ns, str target, int32_t priority,
                                  const struct pending_row *after, struct arena *arena,
                                  struct pending_row *ret_row, size_t max, size_t *ret_count,
                                  struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_tree *table = &memory_current(store)->table[TABLE_PENDING];
    const struct memory_cell **cell = arena_make_n(&store->scratch, const struct memory_cell *, table->count);
    size_t count = 0;
    struct memory_found found;
    for (str key = STR(""); memory_tree_after(table, key, &found); key = found.key) {
        const struct pending_row *row = memory_row_of(found.cell);
        if (after && order_pending(row, after) <= 0) continue;
        if (target.n ? row->ns == ns && str_equal(row->target, target)
                     : latest_has_priority(store, row->ns, row->target, priority))
            cell[count++] = found.cell;
    }
    qsort(cell, count, sizeof(struct memory_cell *), compare_pending);
    if (count > max) count = max;
    for (size_t i = 0; i < count; i++) memory_row_unpack(&memory_row_pending, cell[i], arena, &ret_row[i]);
    memory_unlock(store);
    *ret_count = count;
    return ST_OK;
}

static enum status memory_subscribers(struct store *base, int64_t definition, str correlation, uint64_t after,
                                      uint64_t *ret_instance, size_t max, size_t *ret_count,
                                      struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_tree *table = &memory_current(store)->table[TABLE_SUBSCRIPTION];
    str key = memory_key_of_subscription(&store->scratch, definition, correlation, after);
    str prefix = str_slice(key, 0, key.n - sizeof after);
    struct memory_found found;
    size_t count = 0;
    for (; count < max && memory_tree_after(table, key, &found) && str_starts(found.key, prefix);
         key = found.key)
        ret_instance[count++] = memory_key_last_id(found.key);
    memory_unlock(store);
    *ret_count = count;
    return ST_OK;
}

static bool is_latest(struct memory_store *store, int64_t number)
{
    const struct memory_state *state = memory_current(store);
    const struct definition_row *row = memory_find_definition(state, number, &store->scratch);
    struct memory_found found;
    if (!row) return true;
    return memory_find_latest(state, row->ns, row->id, &store->scratch, &found) &&
           *(const int64_t *)memory_row_of(found.cell) == number;
}

static bool has_subscribers(struct memory_store *store, int64_t number)
{
    struct memory_key key = memory_key(&store->scratch);
    memory_key_add_number(&key, number);
    struct memory_found found;
    return memory_tree_after(&memory_current(store)->table[TABLE_SUBSCRIPTION], memory_key_str(&key),
                             &found) &&
           str_starts(found.key, memory_key_str(&key));
}

static enum status memory_triggered(struct store *base, int32_t ns, str source, str type, int64_t after,
                                    struct triggered *ret_triggered, size_t max, size_t *ret_count,
                                    struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_tree *table = &memory_current(store)->table[TABLE_TRIGGER];
    str key = memory_key_of_trigger(&store->scratch, ns, source, type, after);
    str prefix = str_slice(key, 0, key.n - sizeof after);
    struct memory_found found;
    size_t count = 0;
    for (; count < max && memory_tree_after(table, key, &found) && str_starts(found.key, prefix);
         key = found.key) {
        int64_t definition = (int64_t)memory_key_last_id(found.key);
        bool latest = is_latest(store, definition);
        if (latest || has_subscribers(store, definition))
            ret_triggered[count++] = (struct triggered){ .definition = definition, .latest = latest };
    }
    memory_unlock(store);
    *ret_count = count;
    return ST_OK;
}

static enum status memory_subscriptions(struct store *base, const struct subscription_row *after,
                                        struct arena *arena, struct subscription_row *ret_row, size_t max,
                                        size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_tree *table = &memory_current(store)->table[TABLE_SUBSCRIPTION];
    str key = after ? memory_key_of_subscription(&store->scratch, after->definition, after->correlation,
                                                 after->instance)
                    : STR("");
    struct memory_found found;
    size_t count = 0;
    for (; count < max && memory_tree_after(table, key, &found); key = found.key)
        memory_row_unpack(&memory_row_subscription, found.cell, arena, &ret_row[count++]);
    memory_unlock(store);
    *ret_count = count;
    return ST_OK;
}

static enum status memory_find_child(struct store *base, uint64_t parent, uint32_t number,
                                     struct child_row *ret_row, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_cell *cell = memory_tree_get(&memory_current(store)->table[TABLE_CHILD],
                                                     memory_key_of_pair(&store->scratch, parent, number));
    if (cell) *ret_row = *(const struct child_row *)memory_row_of(cell);
    memory_unlock(store);
    return cell ? ST_OK : store_fail_no_child(parent, number, err);
}

/* The number of the newest one of an event; 0: there is none. */
static uint64_t newest_of(struct memory_store *store, int32_t ns, str identity)
{
    str end = memory_key_of_identity(&store->scratch, ns, identity, UINT64_MAX);
    struct memory_found found;
    bool is_there = memory_tree_before(&memory_current(store)->table[TABLE_UNMATCHED_EVENT], end, &found) &&
                    str_starts(found.key, str_slice(end, 0, end.n - sizeof(uint64_t)));
    return is_there ? memory_key_last_id(found.key) : 0;
}

static enum status memory_find_unmatched(struct store *base, const struct unmatched_row *like,
                                         struct arena *arena, struct unmatched_row *ret_row,
                                         struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    uint64_t number = like->number ? (uint64_t)like->number : newest_of(store, like->ns, like->identity);
    const struct memory_cell *cell = memory_tree_get(&memory_current(store)->table[TABLE_UNMATCHED],
                                                     memory_key_of_id(&store->scratch, number));
    if (cell) memory_row_unpack(&memory_row_unmatched, cell, arena, ret_row);
    memory_unlock(store);
    return cell ? ST_OK : fail(err, ST_NOT_FOUND, "event", "no such unmatched event");
}

static enum status memory_children(struct store *base, const struct child_row *after,
                                   struct child_row *ret_row, size_t max, size_t *ret_count,
                                   struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_tree *table = &memory_current(store)->table[TABLE_CHILD];
    str key = after ? memory_key_of_pair(&store->scratch, after->parent, after->number) : STR("");
    struct memory_found found;
    size_t count = 0;
    for (; count < max && memory_tree_after(table, key, &found); key = found.key)
        ret_row[count++] = *(const struct child_row *)memory_row_of(found.cell);
    memory_unlock(store);
    *ret_count = count;
    return ST_OK;
}

static enum status memory_integrity(struct store *store, store_found_fn *found, void *context,
                                    struct error *err)
{
    (void)store;
    (void)found;
    (void)context;
    (void)err;
    return ST_OK;
}

static const struct store_ops memory_ops = {
    .close = memory_close,
    .begin = memory_begin,
    .apply = memory_apply,
    .commit = memory_commit,
    .rollback = memory_rollback,
    .take_numbers = memory_take_numbers,
    .load_instance = memory_load_instance,
    .find_definition = memory_find_version,
    .load_definition = memory_load_definition,
    .find_content = memory_find_content,
    .count_living = memory_count_living,
    .ended = memory_ended,
    .find_business_key = memory_find_business_key,
    .find_idempotency = memory_find_idempotency,
    .timers = memory_timers,
    .ids_with_jobs = memory_ids_with_jobs,
    .pending = memory_pending,
    .subscribers = memory_subscribers,
    .triggered = memory_triggered,
    .find_child = memory_find_child,
    .find_unmatched = memory_find_unmatched,
    .running_bulk = memory_running_bulk,
    .load_bulk = memory_load_bulk,
    .load_bulk_part = memory_load_bulk_part,
    .purge_bulks = memory_purge_bulks,
    .find_record = find_record,
    .records = list_records,
    .purge_records = memory_purge_records,
    .purge = memory_purge,
    .remove_tenant = memory_remove_tenant,
    .reader_open = memory_reader_open,
    .integrity = memory_integrity,
    .subscriptions = memory_subscriptions,
    .children = memory_children,
};
