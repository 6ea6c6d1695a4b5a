/* store/postgres/tasks.c — lists of people's open tasks, and their worklists.
 *
 * Each filter of a list uses an index of its own: an instance is a prefix of the primary key, a label has an
 * index, and a definition has one list for each version, which the statement merges.
 *
 * A page of a worklist takes rows from one list, or from two that are merged. A filter besides the list's
 * name is asked for each row: so the rows that are looked at for a page are bounded, and a page that ends
 * early says where it did.
 */
#include "store/worklist.h"
#include "store/limits.h"
#include "store/postgres/read_int.h"

#include <stdlib.h>

/* Rows of a worklist that are fetched at once, where many do not fit the filter. */
enum { WORKLIST_PIECE = 200 };

/* ---- lists ---- */

static bool by_definition(const struct task_filter *filter)
{
    return !filter->instance && !filter->label.n && filter->definition_id.n;
}

static enum status list_tasks(struct postgres_db *db, const struct task_filter *filter, struct arena *arena,
                              struct task_row **ret_row, size_t *ret_count, struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    enum postgres_sql sql = filter->instance        ? SQL_TASKS_INSTANCE
                            : filter->label.n       ? SQL_TASKS_LABEL
                            : by_definition(filter) ? SQL_TASKS_DEFINITION
                                                    : SQL_TASKS_ALL;
    postgres_add_number(&params, filter->ns);
    postgres_add_id(&params, filter->after_instance);
    postgres_add_number(&params, filter->after_execution);
    postgres_add_limit(&params, filter->max);
    if (filter->instance || filter->label.n) {
        postgres_add_id(&params, filter->instance);
        postgres_add_optional(&params, filter->label);
    }
    if (sql != SQL_TASKS_ALL) postgres_add_optional(&params, filter->definition_id);
    TRY(postgres_ask(db, sql, &params, &result, err));
    int count = libpq.ntuples(result);
    struct task_row *row = arena_make_n(arena, struct task_row, (size_t)count);
    for (int i = 0; i < count; i++) postgres_task_row(result, i, arena, &row[i]);
    libpq.clear(result);
    *ret_row = row;
    *ret_count = (size_t)count;
    return ST_OK;
}

static enum status count_tasks(struct postgres_db *db, const struct task_filter *filter, int64_t *ret_total,
                               struct error *err)
{
    if (filter->instance || filter->label.n) {
        struct postgres_params params = { 0 };
        postgres_add_number(&params, filter->ns);
        postgres_add_id(&params, filter->instance);
        postgres_add_optional(&params, filter->label);
        postgres_add_optional(&params, filter->definition_id);
        enum postgres_sql sql = filter->instance          ? SQL_TASKS_INSTANCE_TOTAL
                                : filter->definition_id.n ? SQL_TASKS_LABEL_OF_TOTAL
                                                          : SQL_TASKS_LABEL_TOTAL;
        return postgres_ask_number(db, sql, &params, ret_total, err);
    }
    struct postgres_places places = { .ns = filter->ns,
                                      .tasks = true,
                                      .definition_id = filter->definition_id };
    struct store_counts counts = { 0 };
    TRY(postgres_count_places(db, &places, &counts, err));
    *ret_total = counts.tasks;
    return ST_OK;
}

enum status postgres_tasks_read(struct store_reader *reader, const struct task_filter *filter,
                                struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                                int64_t *ret_total, struct error *err)
{
    struct postgres_db *db = postgres_reader_db(reader);
    if (!ret_total) return list_tasks(db, filter, arena, ret_row, ret_count, err);
    TRY(postgres_begin_read(db, err));
    enum status status = count_tasks(db, filter, ret_total, err);
    if (status == ST_OK) status = list_tasks(db, filter, arena, ret_row, ret_count, err);
    return postgres_end_read(db, status, err);
}

/* ---- worklists ---- */

struct found_task {
    struct worklist_place place;
    struct task_row row;
};

struct postgres_worklist {
    const struct worklist_filter *filter;
    struct arena *arena;
    struct found_task *task;
    size_t count, cap;
    /* Behind it nothing was looked at; instance 0: the lists are at their ends. */
    struct worklist_place stopped;
};

/* How far a list has been read. */
struct list_walk {
    struct worklist_place last;
    size_t looked, taken;
    bool is_over; /* Nothing that fits follows. */
};

/* One row more than the page needs, which tells whether there is a next page. If most rows do not fit, more
 * of them come at once. */
static size_t piece_of(const struct postgres_worklist *page, const struct list_walk *walk)
{
    size_t want = page->filter->max - walk->taken, left = WORKLIST_LOOKED_AT_MAX - walk->looked;
    if (walk->looked && want < WORKLIST_PIECE) want = WORKLIST_PIECE;
    return (want < left ? want : left) + 1;
}

static enum status ask_worklist(struct postgres_db *db, const struct worklist_filter *filter,
                                const struct worklist_entry *list, const struct worklist_place *after,
                                size_t max, PGresult **ret_result, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, filter->ns);
    postgres_add_number(&params, list->list);
    postgres_add_bytes(&params, list->who);
    postgres_add_number(&params, after->due_ms);
    postgres_add_id(&params, after->instance);
    postgres_add_number(&params, after->execution);
    postgres_add_limit(&params, max);
    return postgres_ask(db, SQL_WORKLIST_PAGE, &params, ret_result, err);
}

static bool is_enough(const struct postgres_worklist *page, const struct list_walk *walk)
{
    return walk->looked == WORKLIST_LOOKED_AT_MAX || walk->taken == page->filter->max;
}

static void look_at_task(struct postgres_worklist *page, struct list_walk *walk, const PGresult *result,
                         int row)
{
    const struct worklist_filter *filter = page->filter;
    struct found_task task;
    postgres_task_row(result, row, page->arena, &task.row);
    task.place = walk->last = worklist_place_of(&task.row, page->arena);
    walk->looked++;
    walk->is_over = filter->due_before_ms && task.place.due_ms >= filter->due_before_ms;
    if (walk->is_over || !worklist_fits(filter, &task.row, page->arena)) return;
    array_reserve_in(page->arena, page->task, page->count, page->cap);
    page->task[page->count++] = task;
    walk->taken++;
}

static enum status take_list(struct postgres_db *db, struct postgres_worklist *page,
                             const struct worklist_entry *list, struct error *err)
{
    struct list_walk walk = { .last = page->filter->after };
    for (bool more = true; more;) {
        PGresult *result;
        size_t piece = piece_of(page, &walk);
        TRY(ask_worklist(db, page->filter, list, &walk.last, piece, &result, err));
        int count = libpq.ntuples(result), row = 0;
        while (row < count && !walk.is_over && !is_enough(page, &walk))
            look_at_task(page, &walk, result, row++);
        libpq.clear(result);
        if (walk.is_over) return ST_OK;
        if (row == count && (size_t)count < piece) return ST_OK; /* The end of the list. */
        more = row == count; /* Else there is more, and it waits for the next page. */
    }
    if (!page->stopped.instance || worklist_compare(&walk.last, &page->stopped) < 0)
        page->stopped = walk.last;
    return ST_OK;
}

static int compare_placed(const void *a, const void *b)
{
    return worklist_compare(&((const struct found_task *)a)->place, &((const struct found_task *)b)->place);
}

/* Sorts the rows of two lists, and leaves those out that stand behind a place up to which only one was read.
 */
static void merge(struct postgres_worklist *page)
{
    if (page->count) qsort(page->task, page->count, sizeof *page->task, compare_placed);
    size_t count = 0;
    for (; count < page->count; count++) {
        if (page->stopped.instance && worklist_compare(&page->task[count].place, &page->stopped) > 0) break;
        if (count == page->filter->max) {
            page->stopped = page->task[count - 1].place;
            break;
        }
    }
    page->count = count;
}

static enum status take_lists(struct postgres_db *db, struct postgres_worklist *page, struct error *err)
{
    struct worklist_entry list[2];
    size_t count = worklist_choose(page->filter, list);
    for (size_t i = 0; i < count; i++) TRY(take_list(db, page, &list[i], err));
    if (count > 1) merge(page);
    return ST_OK;
}

enum status postgres_tasks_worklist(struct store_reader *reader, const struct worklist_filter *filter,
                                    struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                                    struct worklist_place *ret_next, struct error *err)
{
    struct postgres_db *db = postgres_reader_db(reader);
    struct postgres_worklist page = { .filter = filter, .arena = arena };
    TRY(postgres_begin_read(db, err));
    TRY(postgres_end_read(db, take_lists(db, &page, err), err));
    struct task_row *row = arena_make_n(arena, struct task_row, page.count);
    for (size_t i = 0; i < page.count; i++) row[i] = page.task[i].row;
    *ret_row = row;
    *ret_count = page.count;
    *ret_next = page.stopped;
    return ST_OK;
}
