/* runtime/memory/timers.c — two heaps of timers, by time and by priority, and the rows that they hold. */
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
    *timers = (struct timers){ .waiting.compare = by_time,
                               .due.compare = by_priority,
                               .bound = before_all,
                               .scanned = before_all,
                               .parts = 1 };
    map_init(&timers->known);
}

void timers_done(struct timers *timers)
{
    free(timers->waiting.row);
    free(timers->due.row);
    map_done(&timers->known);
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

/* Two timers with the same key are taken for one: the other one is found when it is late. */
static uint64_t key_of(const struct timer_row *row) { return row->instance << 28 ^ row->number; }

/* False: it is there already. */
static bool push(struct timers *timers, const struct timer_row *row)
{
    if (timers->shared && map_put(&timers->known, key_of(row), timers)) return false;
    heap_add(&timers->waiting, row);
    timers->count++;
    return true;
}

void timers_add(struct timers *timers, const struct timer_row *row)
{
    /* A scan finds it when it is late, as long as late ones find room. */
    if (timers->shared && timers->count >= TIMER_WINDOW_ROWS_MAX / 2) return;
    if (by_time(row, &timers->bound) <= 0) push(timers, row);
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
    push(timers, &(struct timer_row){ at_ms, row->instance, row->number, row->priority });
}

/* Takes our part of a page. False: memory is full, and the rest waits until some have fired. */
static bool take_page(struct timers *timers, const struct timer_row *row, size_t count, bool *ret_found)
{
    *ret_found = false;
    for (size_t i = 0; i < count; i++) {
        if (is_ours(timers, &row[i])) {
            if (timers->count >= TIMER_WINDOW_ROWS_MAX) return false;
            *ret_found |= push(timers, &row[i]);
        }
        timers->scanned = row[i];
    }
    return true;
}

/* Timers of other nodes are not ours to fire, unless they do not.
 *
 * A scan goes on behind the row that the last one ended with, and begins anew when there are no more: rows
 * that stay because their timers cannot fire must not hide those behind them. Only what is new is worth
 * another turn at once. */
static enum status scan(struct timers *timers, struct store *store, int64_t now_ms, struct error *err)
{
    struct timer_row row[TIMERS_PER_TURN_MAX];
    timers->bound = (struct timer_row){ .due_ms = now_ms + WINDOW_MS };
    /* If it is further ahead the clock was set back. */
    if (now_ms < timers->next_scan_ms && timers->next_scan_ms - now_ms <= SCAN_MS) return ST_OK;
    timers->next_scan_ms = now_ms + SCAN_MS;
    bool found = false;
    for (int page = 0; page < TIMER_SCAN_PAGES_MAX && !found; page++) {
        size_t count = 0;
        TRY(store_timers(store, &timers->scanned, now_ms - SCAN_LATE_MS, row, COUNT(row), &count, err));
        if (!take_page(timers, row, count, &found)) return ST_OK;
        if (count < COUNT(row)) {
            timers->scanned = before_all;
            return ST_OK;
        }
    }
    if (found) timers->next_scan_ms = now_ms;
    return ST_OK;
}

enum status timers_load(struct timers *timers, struct store *store, int64_t now_ms, struct error *err)
{
    if (timers->shared) return scan(timers, store, now_ms, err);
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
        for (size_t i = 0; i < count; i++) push(timers, &row[i]);
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
        heap_add(&timers->due, &row);
    }
    if (!timers->due.count) return false;
    *ret_row = heap_take(&timers->due);
    map_take(&timers->known, key_of(ret_row));
    must(timers->count == timers->waiting.count + timers->due.count + 1);
    timers->count--;
    return true;
}

int64_t timers_first_ms(const struct timers *timers)
{
    if (timers->due.count) return timers->due.row[0].due_ms;
    return timers->waiting.count ? timers->waiting.row[0].due_ms : INT64_MAX;
}

int64_t timers_next_ms(const struct timers *timers)
{
    int64_t soonest_ms = timers_first_ms(timers);
    if (timers->shared) return soonest_ms < timers->next_scan_ms ? soonest_ms : timers->next_scan_ms;
    if (timers->count >= TIMER_WINDOW_ROWS_MAX) return soonest_ms;
    int64_t refill_ms = timers->bound.due_ms == INT64_MIN ? INT64_MIN : timers->bound.due_ms - WINDOW_MS / 2;
    return soonest_ms < refill_ms ? soonest_ms : refill_ms;
}
