/* runtime/transact/locks_circle.c — finds runs that wait for each other's locks. */
#include "runtime/transact/locks_circle.h"

#include "base/must.h"
#include "json/json.h"
#include "program/performer.h"
#include "runtime/transact/locks_int.h"

/* A visit that holds a lock. */
struct circle_hold {
    struct lock_seat seat;
    size_t *wait; /* Locks for which something inside of it waits. */
    size_t wait_count;
    bool is_stuck;
};

/* A lock of the search. */
struct circle_lock {
    str qualified;
    struct circle_hold *hold;
    size_t hold_count;
    bool is_stuck;
};

struct circle_search {
    const struct circle_source *source;
    struct arena *arena;
    struct circle_lock lock[CIRCLE_LOCKS_MAX];
    size_t lock_count;
    size_t run_count, run_max; /* So many runs were read, and may be. */
    int32_t ns;
};

/* ---- what there is ---- */

static enum status read_run(struct circle_search *search, uint64_t id, const struct instance **ret_instance,
                            struct error *err)
{
    *ret_instance = NULL;
    if (search->run_count == search->run_max) return ST_OK;
    search->run_count++;
    return search->source->instance(search->source->of, id, search->arena, ret_instance, err);
}

/* The place of the lock in the search, or SIZE_MAX: it does not look at more. */
static size_t place_of(struct circle_search *search, str qualified)
{
    for (size_t i = 0; i < search->lock_count; i++)
        if (str_equal(search->lock[i].qualified, qualified)) return i;
    if (search->lock_count == CIRCLE_LOCKS_MAX) return SIZE_MAX;
    search->lock[search->lock_count] = (struct circle_lock){ .qualified = qualified };
    return search->lock_count++;
}

/* Adds the locks for which visits inside of that one wait, or all of the run (0). */
static void add_waits(struct circle_search *search, const struct instance *run, uint32_t inside,
                      struct circle_hold *hold)
{
    for (size_t i = 0; i < run->lock_count && hold->wait_count < CIRCLE_LOCKS_MAX; i++) {
        const struct lock *lock = &run->lock[i];
        if (lock->is_held || !reaches(run, lock->execution)) continue;
        if (inside && !instance_is_inside(run, lock->execution, inside)) continue;
        size_t at = place_of(search, tenant_key(search->ns, lock->name, search->arena));
        if (at != SIZE_MAX) hold->wait[hold->wait_count++] = at;
    }
}

/* The visit that holds the lock, the run that it waits for, the run that one waits for, and so on. */
static enum status read_waits(struct circle_search *search, const struct instance *run, uint32_t execution,
                              struct circle_hold *hold, struct error *err)
{
    struct {
        const struct instance *run;
        uint32_t inside;
    } open[CIRCLE_RUNS_MAX + 1] = { { run, execution } };
    size_t open_count = 1;
    for (size_t at = 0; at < open_count; at++) {
        run = open[at].run;
        add_waits(search, run, open[at].inside, hold);
        for (size_t i = 0; i < run->job_count; i++) {
            const struct job *job = &run->job[i];
            uint64_t child = 0;
            const struct instance *found = NULL;
            if (performer_place(job->performer) != PERFORMED_INSIDE || search->run_count == search->run_max)
                continue;
            if (open[at].inside && !instance_is_inside(run, job->execution, open[at].inside)) continue;
            TRY(search->source->child(search->source->of, run->id, job->number, search->arena, &child, err));
            if (child) TRY(read_run(search, child, &found, err));
            must(open_count < COUNT(open)); /* Each of them is a run that was read. */
            if (found) open[open_count].run = found, open[open_count++].inside = 0;
        }
    }
    return ST_OK;
}

static enum status read_hold(struct circle_search *search, const struct record_row *row,
                             struct circle_hold *hold, struct error *err)
{
    str name;
    uint64_t id;
    uint32_t number;
    const struct instance *run;
    hold->wait = arena_make_n(search->arena, size_t, CIRCLE_LOCKS_MAX);
    if (!locks_read_seat(row, search->arena, &hold->seat) || !locks_read_key(row->key, &name, &id, &number))
        return ST_OK;
    TRY(read_run(search, id, &run, err));
    const struct lock *lock = run ? instance_find_lock(run, number) : NULL;
    return lock && lock->is_held ? read_waits(search, run, lock->execution, hold, err) : ST_OK;
}

static enum status read_rows(struct circle_search *search, char tag, str qualified, size_t max,
                             struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_LOCK,
                                          .prefix = locks_prefix(tag, qualified, search->arena),
                                          .max = max };
    return search->source->records(search->source->of, &filter, search->arena, ret_row, ret_count, err);
}

/* A lock that has room, or more holders than the search looks at, is not stuck. */
static enum status read_lock(struct circle_search *search, size_t at, struct error *err)
{
    struct circle_lock *lock = &search->lock[at];
    struct lock_seat first = { 0 };
    struct record_row *row;
    size_t count;
    TRY(read_rows(search, LOCK_WAITER, lock->qualified, 1, &row, &count, err));
    if (!count || !locks_read_seat(row, search->arena, &first)) return ST_OK;
    TRY(read_rows(search, LOCK_HOLDER, lock->qualified, CIRCLE_HOLDERS_MAX + 1, &row, &count, err));
    if (!count || count < first.size || count > CIRCLE_HOLDERS_MAX) return ST_OK;
    lock->hold = arena_make_n(search->arena, struct circle_hold, count);
    for (size_t i = 0; i < count; i++) TRY(read_hold(search, &row[i], &lock->hold[i], err));
    lock->hold_count = count;
    return ST_OK;
}

/* ---- who is stuck ---- */

static bool goes_on(const struct circle_search *search, const struct circle_hold *hold)
{
    for (size_t i = 0; i < hold->wait_count; i++)
        if (search->lock[hold->wait[i]].is_stuck) return false;
    return true;
}

/* All are stuck but those who are found to go on, until nobody more is found. */
static void find_stuck(struct circle_search *search)
{
    bool found = true;
    for (size_t i = 0; i < search->lock_count; i++) search->lock[i].is_stuck = search->lock[i].hold_count > 0;
    while (found) {
        found = false;
        for (size_t i = 0; i < search->lock_count; i++) {
            struct circle_lock *lock = &search->lock[i];
            for (size_t k = 0; k < lock->hold_count && lock->is_stuck; k++)
                if (goes_on(search, &lock->hold[k])) lock->is_stuck = false, found = true;
        }
    }
}

static size_t stuck_wait(const struct circle_search *search, const struct circle_hold *hold)
{
    for (size_t i = 0;; i++) {
        must(i < hold->wait_count); /* The holder of a stuck lock waits for another stuck lock. */
        if (search->lock[hold->wait[i]].is_stuck) return hold->wait[i];
    }
}

/* Goes from a stuck lock to one of its holders and on to the lock for which that one waits, until it comes to
 * a lock for the second time. */
static void tell_circle(struct circle_search *search, struct lock_circle *ret_circle)
{
    struct circle_link *link = arena_make_n(search->arena, struct circle_link, search->lock_count);
    size_t place[CIRCLE_LOCKS_MAX] = { 0 }, count = 0;
    int32_t tenant;
    size_t at = 0;
    must(search->lock[at].is_stuck);
    while (!place[at]) {
        must(count < search->lock_count);
        const struct circle_hold *hold = &search->lock[at].hold[0];
        size_t next = stuck_wait(search, hold);
        place[at] = ++count;
        link[count - 1] = (struct circle_link){ .seat = hold->seat,
                                                .holds = tenant_name(search->lock[at].qualified, &tenant),
                                                .waits = tenant_name(search->lock[next].qualified, &tenant) };
        at = next;
    }
    must(count <= search->lock_count && place[at] <= count);
    *ret_circle = (struct lock_circle){ &link[place[at] - 1], count - (place[at] - 1) };
}

enum status locks_circle(const struct circle_source *source, str qualified, size_t *runs_left,
                         struct arena *arena, struct lock_circle *ret_circle, struct error *err)
{
    struct circle_search *search = arena_make(arena, struct circle_search);
    *ret_circle = (struct lock_circle){ 0 };
    search->source = source;
    search->arena = arena;
    search->run_max = *runs_left < CIRCLE_RUNS_MAX ? *runs_left : CIRCLE_RUNS_MAX;
    tenant_name(qualified, &search->ns);
    place_of(search, qualified);
    for (size_t i = 0; i < search->lock_count; i++) TRY(read_lock(search, i, err));
    must(search->run_count <= search->run_max && search->lock_count <= CIRCLE_LOCKS_MAX);
    *runs_left -= search->run_count;
    find_stuck(search);
    if (search->lock[0].is_stuck) tell_circle(search, ret_circle);
    return ST_OK;
}

/* ---- sources ---- */

static enum status turn_records(void *of, const struct record_filter *filter, struct arena *arena,
                                struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    struct turn *turn = of;
    return store_records(turn->engine->store, filter, arena, ret_row, ret_count, err);
}

static enum status turn_instance(void *of, uint64_t id, struct arena *arena,
                                 const struct instance **ret_instance, struct error *err)
{
    struct definition *definition;
    struct error damaged;
    (void)arena, (void)err;
    /* A run that cannot be read now is one that the search does not know. */
    if (!found_hint(transact_load(of, id, ret_instance, &definition, &damaged))) *ret_instance = NULL;
    return ST_OK;
}

static enum status turn_child(void *of, uint64_t parent, uint32_t job, struct arena *arena,
                              uint64_t *ret_child, struct error *err)
{
    struct turn *turn = of;
    struct child_row row = { 0 };
    bool is_there;
    (void)arena;
    TRY(found_asked(store_find_child(turn->engine->store, parent, job, &row, err), &is_there));
    *ret_child = is_there ? row.instance : 0;
    return ST_OK;
}

struct circle_source locks_source_turn(struct turn *turn)
{
    return (struct circle_source){ turn, turn_records, turn_instance, turn_child };
}

static enum status reader_rows(void *of, const struct record_filter *filter, struct arena *arena,
                               struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    return reader_records(of, filter, arena, ret_row, ret_count, err);
}

static enum status reader_run(void *of, uint64_t id, struct arena *arena,
                              const struct instance **ret_instance, struct error *err)
{
    struct instance_row row;
    struct error damaged;
    bool is_there;
    TRY(found_intact(reader_instance(of, TENANT_ANY, id, arena, &row, err), &is_there));
    if (!is_there || core_decode(row.state, NULL, arena, ret_instance, &damaged) != ST_OK)
        *ret_instance = NULL;
    return ST_OK;
}

static enum status reader_child(void *of, uint64_t parent, uint32_t job, struct arena *arena,
                                uint64_t *ret_child, struct error *err)
{
    struct child_listed *listed;
    size_t count;
    int64_t total;
    *ret_child = 0;
    TRY(reader_children(of, parent, CHILDREN_SHOWN_MAX, arena, &listed, &count, &total, err));
    for (size_t i = 0; i < count; i++)
        if (listed[i].child.number == job && !listed[i].child.chained) *ret_child = listed[i].child.instance;
    return ST_OK;
}

struct circle_source locks_source_reader(struct store_reader *reader)
{
    return (struct circle_source){ reader, reader_rows, reader_run, reader_child };
}
