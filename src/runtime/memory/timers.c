/* runtime/memory/timers.c — heaps of timers, one by time and for each tenant one by priority, and their rows.
 */
#include "runtime/memory/timers.h"

#include "base/array.h"
#include "base/must.h"
#include "runtime/limits.h"

#include <stdlib.h>

enum {
    WINDOW_MS = 60000,
    SCAN_MS = 200,     /* Shared: how often timers are looked for that nobody has fired … */
    SCAN_LATE_MS = 50, /* … although they were due so long ago. */
};

static const struct timer_row before_all = { .due_ms = INT64_MIN };

static int by_time(const struct timer_row *a, const struct timer_row *b)
{
    if (a->due_ms != b->due_ms) return a->due_ms < b->due_ms ? -1 : 1;
    if (a->instance != b->instance) return a->instance < b->instance ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int by_priority(const struct timer_row *a, const struct timer_row *b)
{
    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    return by_time(a, b);
}

void timers_init(struct timers *timers)
{
    *timers =
        (struct timers){ .waiting.compare = by_time, .bound = before_all, .scanned = before_all, .parts = 1 };
    map_init(&timers->known);
    map_init(&timers->tenants);
}

static void free_tenant(struct timer_tenant *tenant)
{
    free(tenant->due.row);
    free(tenant);
}

void timers_done(struct timers *timers)
{
    size_t cursor = 0;
    for (struct timer_tenant *tenant; (tenant = map_next(&timers->tenants, &cursor)) != NULL;)
        free_tenant(tenant);
    free(timers->waiting.row);
    map_done(&timers->known);
    map_done(&timers->tenants);
    *timers = (struct timers){ 0 };
}

static void heap_add(struct timer_heap *heap, const struct timer_row *row)
{
    array_reserve(heap->row, heap->count, heap->cap);
    size_t i = heap->count++;
    while (i && heap->compare(&heap->row[(i - 1) / 2], row) > 0) {
        heap->row[i] = heap->row[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->row[i] = *row;
}

static struct timer_row heap_take(struct timer_heap *heap)
{
    must(heap->count > 0);
    struct timer_row first = heap->row[0], last = heap->row[--heap->count];
    size_t i = 0;
    for (size_t child = 1; child < heap->count; child = 2 * i + 1) {
        if (child + 1 < heap->count && heap->compare(&heap->row[child + 1], &heap->row[child]) < 0) child++;
        if (heap->compare(&heap->row[child], &last) >= 0) break;
        heap->row[i] = heap->row[child];
        i = child;
    }
    if (heap->count) heap->row[i] = last;
    return first;
}

/* ---- tenants ---- */

static struct timer_tenant *find_tenant(const struct timers *timers, int32_t ns)
{
    return map_get(&timers->tenants, (uint64_t)ns);
}

static struct timer_tenant *tenant_of(struct timers *timers, int32_t ns)
{
    struct timer_tenant *tenant = find_tenant(timers, ns);
    if (tenant) return tenant;
    tenant = calloc(1, sizeof *tenant);
    must(tenant);
    *tenant = (struct timer_tenant){ .ns = ns, .due.compare = by_priority };
    map_put(&timers->tenants, (uint64_t)ns, tenant);
    return tenant;
}

/* A tenant that has nothing in memory and nothing left out is forgotten. */
static void drop_if_idle(struct timers *timers, struct timer_tenant *tenant)
{
    if (tenant->count || tenant->is_behind) return;
    must(!tenant->due.count && !tenant->next);
    map_take(&timers->tenants, (uint64_t)tenant->ns);
    free_tenant(tenant);
}

/* So many of a tenant are loaded. All tenants together leave room to one that comes later. */
static size_t tenant_max(const struct timers *timers)
{
    size_t tenants = timers->tenants.count ? timers->tenants.count : 1;
    size_t max = (TIMER_WINDOW_ROWS_MAX - TIMER_WINDOW_ROWS_MAX / 4) / tenants;
    return max > TIMER_WINDOW_TENANT_MIN ? max : TIMER_WINDOW_TENANT_MIN;
}

static bool is_full(const struct timers *timers, int32_t ns)
{
    const struct timer_tenant *tenant = find_tenant(timers, ns);
    return tenant && tenant->count >= tenant_max(timers);
}

/* The timer's time has come: its tenant joins the ring, behind all others. */
static void note_due(struct timers *timers, const struct timer_row *row)
{
    struct timer_tenant *tenant = tenant_of(timers, row->ns);
    heap_add(&tenant->due, row);
    timers->due_count++;
    if (tenant->next) return;
    tenant->next = timers->last ? timers->last->next : tenant;
    if (timers->last) timers->last->next = tenant;
    timers->last = tenant;
}

/* The next tenant's first one. */
static struct timer_row take_turn(struct timers *timers)
{
    struct timer_tenant *tenant = timers->last->next;
    struct timer_row row = heap_take(&tenant->due);
    must(tenant->count > 0 && timers->due_count > 0);
    timers->due_count--;
    tenant->count--;
    if (tenant->was_passed && tenant->count <= tenant_max(timers) / 2) {
        tenant->was_passed = false;
        timers->scanned = before_all;
        timers->next_scan_ms = INT64_MIN;
    }
    if (tenant->due.count) {
        timers->last = tenant;
        return row;
    }
    timers->last->next = tenant->next;
    if (timers->last == tenant) timers->last = NULL;
    tenant->next = NULL;
    drop_if_idle(timers, tenant);
    return row;
}

/* ---- adding ---- */

/* Two timers with the same key are taken for one: the other one is found when it is late. */
static uint64_t key_of(const struct timer_row *row) { return row->instance << 28 ^ row->number; }

/* False: it is there already. */
static bool push(struct timers *timers, const struct timer_row *row)
{
    if (timers->shared && map_put(&timers->known, key_of(row), timers)) return false;
    heap_add(&timers->waiting, row);
    tenant_of(timers, row->ns)->count++;
    timers->count++;
    return true;
}

void timers_add(struct timers *timers, const struct timer_row *row)
{
    /* A scan finds it when it is late, as long as late ones find room. */
    if (timers->shared && (timers->count >= TIMER_WINDOW_ROWS_MAX / 2 || is_full(timers, row->ns))) return;
    if (by_time(row, &timers->bound) > 0) return;
    const struct timer_tenant *tenant = find_tenant(timers, row->ns);
    if (!tenant || !tenant->is_behind || by_time(row, &tenant->behind) <= 0) push(timers, row);
}

static bool is_ours(const struct timers *timers, const struct timer_row *row)
{
    must(timers->parts > 0);
    return row->instance % timers->parts == timers->part;
}

void timers_add_slow(struct timers *timers, const struct timer_row *row)
{
    if (is_ours(timers, row)) timers_add(timers, row);
}

/* Its row lies before the window's end, so it is not loaded a second time. */
void timers_add_again(struct timers *timers, const struct timer_row *row, int64_t at_ms)
{
    struct timer_row again = *row;
    again.due_ms = at_ms;
    push(timers, &again);
}

/* ---- loading ---- */

/* Takes our part of a page. False: memory is full, and the rest waits until some have fired. Rows of a tenant
 * that has its part of the memory are passed over, and looked for again when some of those have fired. */
static bool take_page(struct timers *timers, const struct timer_row *row, size_t count, bool *ret_found,
                      bool *ret_crowded)
{
    *ret_found = *ret_crowded = false;
    for (size_t i = 0; i < count; i++) {
        if (is_ours(timers, &row[i])) {
            if (timers->count >= TIMER_WINDOW_ROWS_MAX) return false;
            struct timer_tenant *tenant = tenant_of(timers, row[i].ns);
            if (tenant->count >= tenant_max(timers)) tenant->was_passed = true;
            else *ret_found |= push(timers, &row[i]);
            *ret_crowded |= tenant->count >= TIMERS_PER_TURN_MAX;
        }
        timers->scanned = row[i];
    }
    return true;
}

/* Timers of other nodes are not ours to fire, unless they do not.
 *
 * A scan goes on behind the row that the last one ended with, and begins anew when there are no more: rows
 * that stay because their timers cannot fire must not hide those behind them. Only what is new is worth
 * another turn at once. While a tenant has as many as a turn fires, a scan looks further for others. */
static enum status scan(struct timers *timers, struct store *store, int64_t now_ms, struct error *err)
{
    struct timer_row row[TIMERS_PER_TURN_MAX];
    timers->bound = (struct timer_row){ .due_ms = now_ms + WINDOW_MS };
    /* If it is further ahead the clock was set back. */
    if (now_ms < timers->next_scan_ms && timers->next_scan_ms - now_ms <= SCAN_MS) return ST_OK;
    timers->next_scan_ms = now_ms + SCAN_MS;
    bool found = false, crowded = false, ever_found = false;
    for (int page = 0; page < TIMER_SCAN_PAGES_MAX && (!found || crowded); page++) {
        size_t count = 0;
        TRY(store_timers(store, &timers->scanned, now_ms - SCAN_LATE_MS, row, COUNT(row), &count, err));
        if (!take_page(timers, row, count, &found, &crowded)) return ST_OK;
        ever_found |= found;
        if (count < COUNT(row)) {
            timers->scanned = before_all;
            return ST_OK;
        }
    }
    if (ever_found || (crowded && timers->last)) timers->next_scan_ms = now_ms;
    return ST_OK;
}

/* A tenant that is behind and has room for more; NULL: none. */
static struct timer_tenant *find_behind(const struct timers *timers)
{
    size_t cursor = 0;
    if (!timers->behind_count || timers->count >= TIMER_WINDOW_ROWS_MAX) return NULL;
    for (struct timer_tenant *tenant; (tenant = map_next(&timers->tenants, &cursor)) != NULL;)
        if (tenant->is_behind && tenant->count <= tenant_max(timers) / 2) return tenant;
    return NULL;
}

/* Loads more of a tenant that is behind, up to the bound. Rows of others on the way are in memory already. */
static enum status catch_up(struct timers *timers, struct timer_tenant *tenant, struct store *store,
                            struct error *err)
{
    struct timer_row *row = malloc(TIMER_WINDOW_ROWS_MAX * sizeof *row);
    must(row && tenant->is_behind);
    size_t count = 0, i = 0;
    enum status status =
        store_timers(store, &tenant->behind, timers->bound.due_ms, row, TIMER_WINDOW_ROWS_MAX, &count, err);
    for (; status == ST_OK && i < count && by_time(&row[i], &timers->bound) <= 0; i++) {
        if (row[i].ns == tenant->ns && tenant->count >= tenant_max(timers)) break;
        if (row[i].ns == tenant->ns) push(timers, &row[i]);
        tenant->behind = row[i];
    }
    bool has_more = i < count ? by_time(&row[i], &timers->bound) <= 0 : count == TIMER_WINDOW_ROWS_MAX;
    if (status == ST_OK && !has_more) {
        tenant->is_behind = false;
        timers->behind_count--;
        drop_if_idle(timers, tenant);
    }
    free(row);
    return status;
}

/* Leaves a row out if its tenant has its part of the memory. `before` is the place before the row. */
static void load_row(struct timers *timers, const struct timer_row *row, const struct timer_row *before)
{
    struct timer_tenant *tenant = tenant_of(timers, row->ns);
    if (tenant->is_behind) return;
    if (tenant->count < tenant_max(timers)) {
        push(timers, row);
        return;
    }
    tenant->is_behind = true;
    tenant->behind = *before;
    timers->behind_count++;
}

enum status timers_load(struct timers *timers, struct store *store, int64_t now_ms, struct error *err)
{
    if (timers->shared) return scan(timers, store, now_ms, err);
    struct timer_tenant *behind = find_behind(timers);
    if (behind) TRY(catch_up(timers, behind, store, err));
    if (timers->bound.due_ms > now_ms + WINDOW_MS / 2) return ST_OK;
    /* A full window is worked off before more is loaded. */
    if (timers->count >= TIMER_WINDOW_ROWS_MAX) return ST_OK;
    struct timer_row *row = malloc(TIMER_WINDOW_ROWS_MAX * sizeof *row);
    must(row);
    size_t count = 0;
    int64_t until_ms = now_ms + WINDOW_MS;
    enum status status =
        store_timers(store, &timers->bound, until_ms, row, TIMER_WINDOW_ROWS_MAX, &count, err);
    if (status == ST_OK) {
        for (size_t i = 0; i < count; i++) load_row(timers, &row[i], i ? &row[i - 1] : &timers->bound);
        timers->bound = count == TIMER_WINDOW_ROWS_MAX ? row[count - 1]
                                                       : (struct timer_row){ .due_ms = until_ms,
                                                                             .instance = (uint64_t)INT64_MAX,
                                                                             .number = UINT32_MAX };
    }
    free(row);
    return status;
}

bool timers_take_due(struct timers *timers, int64_t now_ms, struct timer_row *ret_row)
{
    while (timers->waiting.count && timers->waiting.row[0].due_ms <= now_ms) {
        const struct timer_row row = heap_take(&timers->waiting);
        note_due(timers, &row);
    }
    must(!timers->last == !timers->due_count);
    if (!timers->last) return false;
    *ret_row = take_turn(timers);
    map_take(&timers->known, key_of(ret_row));
    must(timers->count == timers->waiting.count + timers->due_count + 1);
    timers->count--;
    return true;
}

int64_t timers_first_ms(const struct timers *timers)
{
    if (timers->last) return timers->last->next->due.row[0].due_ms;
    return timers->waiting.count ? timers->waiting.row[0].due_ms : INT64_MAX;
}

int64_t timers_next_ms(const struct timers *timers)
{
    int64_t soonest_ms = timers_first_ms(timers);
    if (timers->shared) return soonest_ms < timers->next_scan_ms ? soonest_ms : timers->next_scan_ms;
    if (timers->count >= TIMER_WINDOW_ROWS_MAX) return soonest_ms;
    if (find_behind(timers)) return INT64_MIN;
    int64_t refill_ms = timers->bound.due_ms == INT64_MIN ? INT64_MIN : timers->bound.due_ms - WINDOW_MS / 2;
    return soonest_ms < refill_ms ? soonest_ms : refill_ms;
}

static int64_t first_of(const struct timer_heap *heap, int32_t ns)
{
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < heap->count; i++)
        if (heap->row[i].ns == ns && heap->row[i].due_ms < first_ms) first_ms = heap->row[i].due_ms;
    return first_ms;
}

int64_t timers_first_of(const struct timers *timers, int32_t ns)
{
    const struct timer_tenant *tenant = find_tenant(timers, ns);
    if (!tenant || !tenant->count) return INT64_MAX;
    int64_t waiting_ms = first_of(&timers->waiting, ns), due_ms = first_of(&tenant->due, ns);
    return waiting_ms < due_ms ? waiting_ms : due_ms;
}

const struct timer_row *timers_at(const struct timers *timers, size_t i)
{
    size_t cursor = 0;
    if (i < timers->waiting.count) return &timers->waiting.row[i];
    i -= timers->waiting.count;
    for (const struct timer_tenant *tenant; (tenant = map_next(&timers->tenants, &cursor)) != NULL;) {
        if (i < tenant->due.count) return &tenant->due.row[i];
        i -= tenant->due.count;
    }
    return NULL;
}
