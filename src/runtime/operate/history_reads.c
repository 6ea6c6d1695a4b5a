/* runtime/operate/history_reads.c — the visits of an instance: all of them, or a page from either end.
 *
 * Visits are told by the whole history, piece by piece: all of it may be far more than memory should hold. A
 * page needs two rounds. The first one tells the numbers of the visits. The second one tells them with the
 * data of those on the page.
 */
#include "runtime/operate/operate_int.h"

#include "runtime/memory/memory.h"

/* ---- one round over the history ---- */

static enum status tell_pieces(struct query *query, uint64_t instance, uint32_t last, history_teller *tell,
                               void *story, struct arena *scratch, bool *ret_cut, struct error *err)
{
    uint32_t told = 0;
    size_t bytes = 0;
    for (;;) {
        str *blob;
        size_t count;
        arena_reset(scratch);
        reader_bound(query->reader, (size_t)query->limits.answer_bytes_max);
        TRY(reader_history(query->reader, instance, told, 0, scratch, &blob, &count, err));
        for (size_t i = 0; i < count; i++) {
            struct history history;
            TRY(history_decode(blob[i], scratch, &history, err));
            TRY(tell(story, &history, err));
            told = history.revision;
            bytes += blob[i].n;
        }
        *ret_cut = bytes > HISTORY_BYTES_MAX;
        if (!count || *ret_cut || (last && told >= last)) return ST_OK;
    }
}

enum status history_reads_each(struct query *query, uint64_t instance, uint32_t last, history_teller *tell,
                               void *story, bool *ret_cut, struct error *err)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    enum status status = tell_pieces(query, instance, last, tell, story, &scratch, ret_cut, err);
    arena_done(&scratch);
    return status;
}

static enum status tell_trail(void *story, const struct history *history, struct error *err)
{
    return core_tell(story, history, err);
}

enum status history_reads_tell(struct query *query, uint64_t instance, struct trail *trail, bool *ret_cut,
                               struct error *err)
{
    return history_reads_each(query, instance, 0, tell_trail, trail, ret_cut, err);
}

static enum status tell_history(struct query *query, struct call *call, struct trail *trail,
                                struct error *err)
{
    return history_reads_tell(query, call->as.read.id.instance, trail, &call->value.instances.cut, err);
}

/* Visits of an instance, in order of their numbers. */
struct visits {
    struct execution *visit;
    size_t count;
};

/* Visits are in order of their numbers. */
static const struct execution *find_visit(const struct visits *visits, uint32_t number)
{
    size_t low = 0, high = visits->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (visits->visit[middle].number < number) low = middle + 1;
        else high = middle;
    }
    return low < visits->count && visits->visit[low].number == number ? &visits->visit[low] : NULL;
}

/* Leaves out visits to inner nodes. The visits behind them show the place before the inner ones as their
 * origin. */
static void leave_out_inner(struct visits *visits)
{
    size_t kept = 0;
    for (size_t i = 0; i < visits->count; i++) {
        const struct execution *from = find_visit(visits, visits->visit[i].from);
        if (from && from->inner) visits->visit[i].from = from->from;
    }
    for (size_t i = 0; i < visits->count; i++)
        if (!visits->visit[i].inner) visits->visit[kept++] = visits->visit[i];
    visits->count = kept;
}

/* ---- a page ---- */

/* The visits on a page: some of them, one behind the other. */
struct history_window {
    uint32_t first, last;
    size_t count;
    uint32_t next_after; /* 0: nothing follows. */
};

static struct history_window choose(const struct visits *visits, const struct history_page *page)
{
    size_t from = 0, to = visits->count;
    if (page->after && page->newest)
        while (to && visits->visit[to - 1].number >= page->after) to--;
    if (page->after && !page->newest)
        while (from < to && visits->visit[from].number <= page->after) from++;
    bool more = to - from > page->max;
    if (more && page->newest) from = to - page->max;
    if (more && !page->newest) to = from + page->max;
    if (from == to) return (struct history_window){ .count = 0 };
    must(to <= visits->count && to - from <= page->max);
    uint32_t first = visits->visit[from].number, last = visits->visit[to - 1].number;
    return (struct history_window){ first, last, to - from, !more ? 0 : page->newest ? first : last };
}

/* The first round: which visits are on the page? */
static enum status find_window(struct query *query, struct call *call, const struct program *program,
                               struct history_window *ret_window, struct error *err)
{
    struct arena told;
    struct visits visits;
    arena_init(&told, 0);
    struct trail *trail = core_trail_new(program, &told);
    core_trail_without_data(trail);
    enum status status = tell_history(query, call, trail, err);
    if (status == ST_OK) {
        core_trail_end(trail, &visits.visit, &visits.count);
        leave_out_inner(&visits);
        *ret_window = choose(&visits, &call->as.read.page);
    }
    arena_done(&told);
    return status;
}

/* Keeps the visits of the window, in the order that was asked for. */
static void keep_window(struct visits *visits, const struct history_window *window, bool newest)
{
    size_t from = 0;
    while (from < visits->count && visits->visit[from].number < window->first) from++;
    must(visits->count - from >= window->count);
    visits->visit += from;
    visits->count = window->count;
    for (size_t i = 0; newest && i < visits->count / 2; i++) {
        struct execution swapped = visits->visit[i];
        visits->visit[i] = visits->visit[visits->count - 1 - i];
        visits->visit[visits->count - 1 - i] = swapped;
    }
}

/* ---- the visits ---- */

/* Tells the visits with their data, as far as the budget goes. `window` is NULL for all of them. */
static enum status tell_visits(struct query *query, struct call *call, const struct program *program,
                               const struct history_window *window, struct visits *ret_visits,
                               struct error *err)
{
    struct arena *arena = call->arena, past[2];
    arena_init(&past[0], 0);
    arena_init(&past[1], 0);
    size_t budget = arena->budget;
    arena->budget = arena->used + (size_t)query->limits.answer_bytes_max * TOLD_PART;
    struct trail *trail = core_trail_new(program, arena);
    if (window) core_trail_window(trail, window->first, window->last, past);
    enum status status = tell_history(query, call, trail, err);
    arena->budget = budget;
    if (status == ST_OK) {
        core_trail_end(trail, &ret_visits->visit, &ret_visits->count);
        leave_out_inner(ret_visits);
        if (!window) call->value.instances.acts = core_trail_acts(trail);
    }
    arena_done(&past[1]);
    arena_done(&past[0]);
    return status;
}

static enum status tell_page(struct query *query, struct call *call, const struct program *program,
                             struct visits *ret_visits, struct error *err)
{
    struct history_window window;
    *ret_visits = (struct visits){ .count = 0 };
    TRY(find_window(query, call, program, &window, err));
    if (!window.count) return ST_OK;
    TRY(tell_visits(query, call, program, &window, ret_visits, err));
    keep_window(ret_visits, &window, call->as.read.page.newest);
    call->value.instances.next_after = window.next_after;
    return ST_OK;
}

enum status history_reads_get(struct query *query, struct call *call, struct error *err)
{
    struct instance_row row;
    struct definition *definition;
    struct visits visits;
    TRY(found_needed(instance_reads_find(query, call, call->as.read.id, call->arena, &row, err)));
    TRY(instance_reads_show(query, call, call->as.read.id, call->as.read.with_children, err));
    TRY(found_needed(catalogue_get(&query->catalogue, row.definition, &definition, err)));
    if (call->as.read.page.max) TRY(tell_page(query, call, definition->program, &visits, err));
    else TRY(tell_visits(query, call, definition->program, NULL, &visits, err));
    /* Types are borrowed from the program, which may be trimmed away. */
    for (size_t i = 0; i < visits.count; i++) {
        visits.visit[i].type = arena_str(call->arena, visits.visit[i].type);
        visits.visit[i].title = arena_str(call->arena, visits.visit[i].title);
        visits.visit[i].region = arena_str(call->arena, visits.visit[i].region);
    }
    call->value.instances.execution = visits.visit;
    call->value.instances.execution_count = visits.count;
    return ST_OK;
}
