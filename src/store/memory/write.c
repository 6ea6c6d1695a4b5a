/* store/memory/write.c — turns changesets into rows of the memory store, and purges old ones. */
#include "store/memory/memory_int.h"

#include "base/must.h"

static struct memory_store *self(struct store *store) { return (struct memory_store *)store; }

static enum status put_new(struct memory_store *store, enum memory_table table, str key,
                           struct memory_cell *cell, struct error *err)
{
    struct memory_tree *tree = &store->working.table[table];
    if (memory_tree_has(tree, key)) {
        memory_cell_unref(cell);
        return fail(err, ST_CONFLICT, "memory", "it is there already");
    }
    memory_tree_put(tree, key, cell);
    return ST_OK;
}

/* ---- the instance ---- */

struct index_key {
    enum memory_table table;
    str key;
    bool wanted;
};

enum { INDEX_COUNT = 4 };

/* The index rows that an instance has, or would have. */
static void index_keys(const struct instance_row *row, struct arena *arena,
                       struct index_key ret_index[INDEX_COUNT])
{
    struct memory_key key = memory_key(arena);
    memory_key_add_number(&key, row->ns);
    memory_key_add_text(&key, row->business_key);
    memory_key_add_id(&key, row->id);
    struct memory_key ended = memory_key(arena);
    memory_key_add_number(&ended, row->ended_ms);
    memory_key_add_id(&ended, row->id);
    ret_index[0] = (struct index_key){ TABLE_INSTANCE_KEY, memory_key_str(&key), row->business_key.n > 0 };
    ret_index[1] =
        (struct index_key){ row->status == INSTANCE_FAILED ? TABLE_INSTANCE_FAILED : TABLE_INSTANCE_ENDED,
                            memory_key_str(&ended), row->ended_ms != 0 };
    ret_index[2] = (struct index_key){ TABLE_INSTANCE_JOBS, memory_key_of_id(arena, row->id), row->has_jobs };
    struct memory_key living = memory_key(arena);
    memory_key_add_number(&living, row->definition);
    memory_key_add_id(&living, row->id);
    ret_index[3] = (struct index_key){ TABLE_INSTANCE_LIVING, memory_key_str(&living),
                                       !instance_status_ended(row->status) };
}

static void remove_indexes(struct memory_store *store, const struct instance_row *row)
{
    struct index_key index[INDEX_COUNT];
    index_keys(row, &store->scratch, index);
    must(store->working.state_bytes >= row->state.n);
    store->working.state_bytes -= row->state.n;
    for (size_t i = 0; i < INDEX_COUNT; i++)
        if (index[i].wanted) memory_tree_remove(&store->working.table[index[i].table], index[i].key);
}

static void add_indexes(struct memory_store *store, const struct instance_row *row)
{
    struct index_key index[INDEX_COUNT];
    index_keys(row, &store->scratch, index);
    store->working.state_bytes += row->state.n;
    for (size_t i = 0; i < INDEX_COUNT; i++)
        if (index[i].wanted) memory_tree_put(&store->working.table[index[i].table], index[i].key, NULL);
}

static enum status append_history(struct memory_store *store, const struct changeset *changeset,
                                  struct memory_instance *after, struct error *err)
{
    struct memory_history history = {
        .instance = after->row.id,
        .prev = after->row.last_history,
        .revision = ++after->revision,
        .at_ms = changeset->at_ms,
        .blob = changeset->history,
    };
    after->row.last_history = store->working.next_history++;
    return put_new(store, TABLE_HISTORY, memory_key_of_id(&store->scratch, (uint64_t)after->row.last_history),
                   memory_row_pack(&memory_row_history, &history), err);
}

/* Another changeset brings the row. Meanwhile a node's next one is compared with this revision. */
static void advance(struct memory_store *store, const struct memory_instance *before,
                    const struct memory_instance *after)
{
    struct memory_instance moved = *before;
    moved.revision = after->revision;
    memory_tree_put(&store->working.table[TABLE_INSTANCE], memory_key_of_id(&store->scratch, after->row.id),
                    memory_row_pack(&memory_row_instance, &moved));
}

/* Has another node changed or purged the instance since the caller saw it? */
static bool is_stale(struct memory_store *store, const struct changeset *changeset)
{
    if (!store->node || !changeset->instance || changeset->insert || !changeset->before) return false;
    const struct memory_instance *there =
        memory_find_instance(&store->working, changeset->instance->id, &store->scratch);
    return !there || there->revision != changeset->before->revision;
}

static enum status apply_instance(struct memory_store *store, struct changeset *changeset, struct error *err)
{
    const struct instance_row *row = changeset->instance;
    struct memory_instance after = { .row = *row };
    after.row.definition_id = STR_NONE;
    after.row.definition_version = 0;
    after.row.last_history = 0;
    const struct memory_instance *before = memory_find_instance(&store->working, row->id, &store->scratch);
    if (changeset->insert && before) return fail(err, ST_CONFLICT, "memory", "the instance is there already");
    if (!changeset->insert) {
        const struct instance_row *newest = changeset->before;
        if (!before && !(store->stale && newest)) return store_fail_no_instance(row->id, err);
        after.revision = newest ? newest->revision : before->revision;
        after.row.last_history = newest ? newest->last_history : before->row.last_history;
    }
    if (changeset->history.n) TRY(append_history(store, changeset, &after, err));
    changeset->ret_last_history = after.row.last_history;
    if (changeset->row_later) {
        if (store->node && before) advance(store, before, &after);
        return ST_OK;
    }
    if (before) remove_indexes(store, &before->row);
    memory_tree_put(&store->working.table[TABLE_INSTANCE], memory_key_of_id(&store->scratch, row->id),
                    memory_row_pack(&memory_row_instance, &after));
    add_indexes(store, &after.row);
    return ST_OK;
}

/* ---- what hangs on it ---- */

static enum status add_task(struct memory_store *store, const struct task_row *row, struct error *err)
{
    struct task_row stored = *row;
    stored.definition_id = stored.business_key = STR_NONE;
    stored.definition_version = 0;
    stored.instance_created_ms = 0;
    return put_new(store, TABLE_TASK, memory_key_of_pair(&store->scratch, row->instance, row->execution),
                   memory_row_pack(&memory_row_task, &stored), err);
}

static str subscription_key(struct arena *arena, const struct subscription_row *row)
{
    return memory_key_of_subscription(arena, row->definition, row->correlation, row->instance);
}

static enum status apply_subscription(struct memory_store *store, const struct changeset *change,
                                      struct error *err)
{
    const struct subscription_row *gone = change->subscription_remove, *added = change->subscription_add;
    if (gone)
        memory_tree_remove(&store->working.table[TABLE_SUBSCRIPTION],
                           subscription_key(&store->scratch, gone));
    if (!added) return ST_OK;
    return put_new(store, TABLE_SUBSCRIPTION, subscription_key(&store->scratch, added),
                   memory_row_pack(&memory_row_subscription, added), err);
}

static struct memory_cell *cell_of_key(str key)
{
    struct memory_cell *cell = memory_cell_new(key.n);
    memcpy(cell->data, key.p, key.n);
    return cell;
}

static enum status add_child(struct memory_store *store, const struct child_row *row, struct error *err)
{
    str key = memory_key_of_pair(&store->scratch, row->parent, row->number);
    if (store->forgets_links)
        memory_tree_put(&store->working.table[TABLE_CHILD_LINK],
                        memory_key_of_id(&store->scratch, row->instance), cell_of_key(key));
    return put_new(store, TABLE_CHILD, key, memory_row_pack(&memory_row_child, row), err);
}

static void remove_link(struct memory_store *store, uint64_t child)
{
    struct memory_tree *links = &store->working.table[TABLE_CHILD_LINK];
    str id = memory_key_of_id(&store->scratch, child);
    const struct memory_cell *cell = memory_tree_get(links, id);
    if (!cell) return;
    memory_tree_remove(&store->working.table[TABLE_CHILD], (str){ cell->data, cell->bytes });
    memory_tree_remove(links, id);
}

static str unmatched_age_key(struct arena *arena, const struct unmatched_row *row)
{
    struct memory_key age = memory_key(arena);
    memory_key_add_number(&age, row->received_ms);
    memory_key_add_id(&age, (uint64_t)row->number);
    return memory_key_str(&age);
}

static void add_unmatched(struct memory_store *store, const struct unmatched_row *row)
{
    struct unmatched_row stored = *row;
    struct memory_tree *table = store->working.table;
    stored.number = store->working.next_unmatched++;
    memory_tree_put(&table[TABLE_UNMATCHED], memory_key_of_id(&store->scratch, (uint64_t)stored.number),
                    memory_row_pack(&memory_row_unmatched, &stored));
    memory_tree_put(&table[TABLE_UNMATCHED_AGE], unmatched_age_key(&store->scratch, &stored), NULL);
    if (row->identity.n)
        memory_tree_put(
            &table[TABLE_UNMATCHED_EVENT],
            memory_key_of_identity(&store->scratch, row->ns, row->identity, (uint64_t)stored.number), NULL);
}

void memory_remove_unmatched(struct memory_store *store, int64_t number)
{
    struct memory_tree *table = store->working.table;
    str key = memory_key_of_id(&store->scratch, (uint64_t)number);
    const struct memory_cell *cell = memory_tree_get(&table[TABLE_UNMATCHED], key);
    if (!cell) return;
    const struct unmatched_row *row = memory_row_of(cell);
    memory_tree_remove(&table[TABLE_UNMATCHED_AGE], unmatched_age_key(&store->scratch, row));
    if (row->identity.n)
        memory_tree_remove(&table[TABLE_UNMATCHED_EVENT],
                           memory_key_of_identity(&store->scratch, row->ns, row->identity, (uint64_t)number));
    memory_tree_remove(&table[TABLE_UNMATCHED], key);
}

static str idempotency_key(struct arena *arena, int32_t ns, str key)
{
    struct memory_key bytes = memory_key(arena);
    memory_key_add_number(&bytes, ns);
    memory_key_add_text(&bytes, key);
    return memory_key_str(&bytes);
}

static str idempotency_age_key(struct arena *arena, const struct idempotency_row *row)
{
    struct memory_key bytes = memory_key(arena);
    memory_key_add_number(&bytes, row->created_ms);
    memory_key_add_number(&bytes, row->ns);
    memory_key_add_text(&bytes, row->key);
    return memory_key_str(&bytes);
}

static void add_idempotency(struct memory_store *store, const struct idempotency_row *row)
{
    struct memory_tree *rows = &store->working.table[TABLE_IDEMPOTENCY];
    struct memory_tree *ages = &store->working.table[TABLE_IDEMPOTENCY_AGE];
    str key = idempotency_key(&store->scratch, row->ns, row->key);
    const struct memory_cell *before = memory_tree_get(rows, key);
    if (before) memory_tree_remove(ages, idempotency_age_key(&store->scratch, memory_row_of(before)));
    memory_tree_put(rows, key, memory_row_pack(&memory_row_idempotency, row));
    /* The cell leads back to the row, so that the key need not be parsed. */
    memory_tree_put(ages, idempotency_age_key(&store->scratch, row), cell_of_key(key));
}

void memory_remove_idempotency(struct memory_store *store, const struct idempotency_row *row)
{
    str age = idempotency_age_key(&store->scratch, row);
    str key = idempotency_key(&store->scratch, row->ns, row->key);
    memory_tree_remove(&store->working.table[TABLE_IDEMPOTENCY_AGE], age);
    memory_tree_remove(&store->working.table[TABLE_IDEMPOTENCY], key);
}

static enum status add_definition(struct memory_store *store, const struct definition_row *row,
                                  struct error *err)
{
    TRY(put_new(store, TABLE_DEFINITION_NAME,
                memory_key_of_definition(&store->scratch, row->ns, row->id, row->version),
                memory_row_pack(&memory_row_number, &row->number), err));
    TRY(put_new(store, TABLE_DEFINITION_RANK,
                memory_key_of_rank(&store->scratch, row->ns, row->id, row->rank, row->version),
                memory_row_pack(&memory_row_number, &row->number), err));
    return put_new(store, TABLE_DEFINITION, memory_key_of_id(&store->scratch, (uint64_t)row->number),
                   memory_row_pack(&memory_row_definition, row), err);
}

static enum status retire_definition(struct memory_store *store, const struct definition_row *change,
                                     struct error *err)
{
    struct definition_row row;
    TRY(memory_definition_number(&store->working, change->number, &store->scratch, &store->scratch, &row,
                                 err));
    row.retired_ms = change->retired_ms;
    row.is_leaving = change->is_leaving;
    memory_tree_put(&store->working.table[TABLE_DEFINITION],
                    memory_key_of_id(&store->scratch, (uint64_t)row.number),
                    memory_row_pack(&memory_row_definition, &row));
    return ST_OK;
}

static enum status add_trigger(struct memory_store *store, const struct trigger_row *row, struct error *err)
{
    str key = memory_key_of_trigger(&store->scratch, row->ns, row->source, row->type, row->definition);
    return put_new(store, TABLE_TRIGGER, key, NULL, err);
}

static enum status apply(struct memory_store *store, struct changeset *change, struct error *err)
{
    struct memory_tree *table = store->working.table;
    struct arena *scratch = &store->scratch;
    if (change->instance_high > store->working.instance_high)
        store->working.instance_high = change->instance_high;
    if (change->definition) TRY(add_definition(store, change->definition, err));
    if (change->definition_retire) TRY(retire_definition(store, change->definition_retire, err));
    if (change->definition_remove)
        memory_remove_definition(store, change->definition_remove->ns, change->definition_remove->id);
    for (size_t i = 0; i < change->trigger_add_count; i++)
        TRY(add_trigger(store, &change->trigger_add[i], err));
    if (change->instance) TRY(apply_instance(store, change, err));
    for (size_t i = 0; i < change->timer_remove_count; i++)
        memory_tree_remove(&table[TABLE_TIMER], memory_key_of_timer(scratch, &change->timer_remove[i]));
    for (size_t i = 0; i < change->timer_add_count; i++)
        TRY(put_new(store, TABLE_TIMER, memory_key_of_timer(scratch, &change->timer_add[i]),
                    memory_row_pack(&memory_row_timer, &change->timer_add[i]), err));
    for (size_t i = 0; i < change->task_remove_count; i++)
        memory_tree_remove(&table[TABLE_TASK], memory_key_of_pair(scratch, change->task_remove[i].instance,
                                                                  change->task_remove[i].execution));
    for (size_t i = 0; i < change->task_add_count; i++) TRY(add_task(store, &change->task_add[i], err));
    const struct pending_row *gone = change->pending_remove, *added = change->pending_add;
    if (gone)
        memory_tree_remove(&table[TABLE_PENDING], memory_key_of_pair(scratch, gone->parent, gone->number));
    if (added)
        TRY(put_new(store, TABLE_PENDING, memory_key_of_pair(scratch, added->parent, added->number),
                    memory_row_pack(&memory_row_pending, added), err));
    TRY(apply_subscription(store, change, err));
    if (change->child_add) TRY(add_child(store, change->child_add, err));
    if (change->unmatched_remove) memory_remove_unmatched(store, change->unmatched_remove);
    if (change->unmatched_add) add_unmatched(store, change->unmatched_add);
    if (change->idempotency) add_idempotency(store, change->idempotency);
    memory_apply_jobs(store, change);
    memory_apply_records(store, change);
    return memory_apply_bulk(store, change, err);
}

static bool is_configuration(enum record_kind kind)
{
    return kind == RECORD_SECRET || kind == RECORD_ROUTE || kind == RECORD_PAUSED || kind == RECORD_MODEL ||
           kind == RECORD_INDEXED || kind == RECORD_SECRET_KEY || kind == RECORD_REMOVAL;
}

static bool changes_configuration(const struct changeset *change)
{
    if (change->definition || change->definition_retire || change->definition_remove) return true;
    for (size_t i = 0; i < change->record_put_count; i++)
        if (is_configuration(change->record_put[i].kind)) return true;
    for (size_t i = 0; i < change->record_remove_count; i++)
        if (is_configuration(change->record_remove[i].kind)) return true;
    return false;
}

enum status memory_apply(struct store *base, struct changeset *changeset, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    if (is_stale(store, changeset)) store->stale = true;
    if (changes_configuration(changeset)) store->configures = true;
    enum status status = apply(store, changeset, err);
    bool stale = store->stale;
    memory_unlock(store);
    return stale ? ST_OK
                 : status; /* A transaction that is stale goes on until its commit, as far as it can. */
}

/* ---- purge ---- */

/* Where the chain is broken it ends: one damaged instance must not keep all others from being removed. */
static void remove_history(struct memory_store *store, const struct memory_instance *instance,
                           struct purged *purged)
{
    for (int64_t id = instance->row.last_history; id;) {
        const struct memory_history *row =
            memory_find_history(&store->working, instance->row.id, id, &store->scratch);
        if (!row) {
            store_note_broken_chain(instance->row.id, purged);
            return;
        }
        str key = memory_key_of_id(&store->scratch, (uint64_t)id);
        id = row->prev;
        memory_tree_remove(&store->working.table[TABLE_HISTORY], key);
    }
}

/* Removes the rows of a table whose keys begin with the instance's id. */
static void remove_prefix(struct memory_store *store, enum memory_table table, uint64_t id)
{
    struct memory_tree *tree = &store->working.table[table];
    str prefix = memory_key_of_id(&store->scratch, id);
    struct memory_found found;
    while (memory_tree_at_or_after(tree, prefix, &found) && str_starts(found.key, prefix)) {
        str key = arena_str(&store->scratch, found.key);
        memory_tree_remove(tree, key);
    }
}

static void remove_jobs(struct memory_store *store, uint64_t id)
{
    struct memory_tree *jobs = &store->working.table[TABLE_JOB];
    str prefix = memory_key_of_id(&store->scratch, id);
    struct memory_found found;
    while (memory_tree_at_or_after(jobs, prefix, &found) && str_starts(found.key, prefix))
        memory_remove_job(&store->working, id, (uint32_t)memory_key_last_id(found.key), &store->scratch);
}

/* Removes the rows of a table whose keys do not begin with the instance's id, if its state is damaged and
 * cannot name them. */
static void remove_by_scan(struct memory_store *store, enum memory_table table, uint64_t id)
{
    struct memory_tree *tree = &store->working.table[table];
    struct memory_found found;
    for (str after = STR(""); memory_tree_after(tree, after, &found);) {
        after = arena_str(&store->scratch, found.key);
        uint64_t owner = table == TABLE_TIMER
                             ? ((const struct timer_row *)memory_row_of(found.cell))->instance
                             : ((const struct subscription_row *)memory_row_of(found.cell))->instance;
        if (owner == id) memory_tree_remove(tree, after);
    }
}

/* Instances that completed or were cancelled have no timers and no subscription. */
static void remove_left(struct memory_store *store, const struct instance_row *row)
{
    struct state_left left;
    if (!store_may_have_left(row->status)) return;
    if (!store_state_left(row->state, &store->scratch, &left)) {
        remove_by_scan(store, TABLE_TIMER, row->id);
        remove_by_scan(store, TABLE_SUBSCRIPTION, row->id);
        return;
    }
    for (size_t i = 0; i < left.timer_count; i++)
        memory_tree_remove(&store->working.table[TABLE_TIMER],
                           memory_key_of_timer(&store->scratch, &left.timer[i]));
    memory_tree_remove(&store->working.table[TABLE_SUBSCRIPTION],
                       subscription_key(&store->scratch, &left.subscription));
}

static void remove_instance(struct memory_store *store, uint64_t id, struct purged *purged)
{
    const struct memory_instance *instance = memory_find_instance(&store->working, id, &store->scratch);
    must(instance);
    remove_history(store, instance, purged);
    remove_left(store, &instance->row);
    remove_prefix(store, TABLE_TASK, id);
    remove_jobs(store, id);
    remove_prefix(store, TABLE_CHILD, id);
    remove_link(store, id);
    memory_tree_remove(&store->working.table[TABLE_FAILURE],
                       memory_key_of_failure(&store->scratch, instance->row.definition, id));
    remove_indexes(store, &instance->row);
    memory_tree_remove(&store->working.table[TABLE_INSTANCE], memory_key_of_id(&store->scratch, id));
    if (id > store->working.instance_high) store->working.instance_high = id;
}

static bool is_older(const struct memory_store *store, enum memory_table table, str before,
                     struct memory_found *ret_found)
{
    return memory_tree_at_or_after(&store->working.table[table], STR(""), ret_found) &&
           str_compare(ret_found->key, before) < 0;
}

static str time_key(struct memory_store *store, int64_t time_ms)
{
    struct memory_key key = memory_key(&store->scratch);
    memory_key_add_number(&key, time_ms);
    return memory_key_str(&key);
}

static void purge_instances(struct memory_store *store, const struct purge *purge, enum memory_table table,
                            int64_t before_ms, size_t *left, struct purged *purged)
{
    struct memory_found found;
    for (; *left && is_older(store, table, time_key(store, before_ms), &found); --*left) {
        uint64_t id = memory_key_last_id(found.key);
        const struct memory_instance *instance = memory_find_instance(&store->working, id, &store->scratch);
        must(instance && instance_status_ended(instance->row.status));
        if (!store_purge_takes(purge, instance->revision, purged)) return;
        purged->instances[instance->row.status]++;
        remove_instance(store, id, purged);
    }
}

/* Instances that the caller names. */
static void purge_named(struct memory_store *store, const struct purge *purge, size_t *left,
                        struct purged *purged)
{
    for (size_t i = 0; i < purge->instance_count; i++, purged->named++) {
        const struct memory_instance *instance =
            memory_find_instance(&store->working, purge->instance[i], &store->scratch);
        if (!instance) continue;
        if (!*left || !store_purge_takes(purge, instance->revision, purged)) return;
        purged->instances[instance->row.status]++;
        remove_instance(store, purge->instance[i], purged);
        --*left;
    }
}

static void purge_rows(struct memory_store *store, const struct purge *purge, size_t left,
                       struct purged *purged)
{
    struct memory_found found;
    purge_named(store, purge, &left, purged);
    purge_instances(store, purge, TABLE_INSTANCE_ENDED, purge->before_ms, &left, purged);
    purge_instances(store, purge, TABLE_INSTANCE_FAILED, purge->failed_before_ms, &left, purged);
    for (; left && is_older(store, TABLE_UNMATCHED_AGE, time_key(store, purge->before_ms), &found); left--) {
        memory_remove_unmatched(store, (int64_t)memory_key_last_id(found.key));
        purged->unmatched++;
    }
    for (; left && is_older(store, TABLE_IDEMPOTENCY_AGE, time_key(store, purge->keys_before_ms), &found);
         left--) {
        memory_tree_remove(&store->working.table[TABLE_IDEMPOTENCY],
                           (str){ found.cell->data, found.cell->bytes });
        memory_tree_remove(&store->working.table[TABLE_IDEMPOTENCY_AGE],
                           arena_str(&store->scratch, found.key));
        purged->keys++;
    }
}

enum status memory_purge(struct store *base, const struct purge *purge, size_t max, struct purged *ret_purged,
                         struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    bool stale = store->stale;
    if (!stale) purge_rows(store, purge, max, ret_purged);
    memory_unlock(store);
    return stale ? fail(err, ST_AGAIN, "store", "another node has changed an instance") : ST_OK;
}
