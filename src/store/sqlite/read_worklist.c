/* store/sqlite/read_worklist.c — pages of people's tasks.
 *
 * A page takes rows from one list, or from two that are merged. A filter besides the list's name is asked for
 * each row: so the rows that are looked at for a page are bounded, and a page that ends early says where it
 * did.
 */
#include "store/worklist.h"
#include "store/limits.h"
#include "store/sqlite/sqlite_int.h"

#include <stdlib.h>

struct worklist_page {
    struct arena *arena;
    struct task_row *row;
    size_t count, cap;
    struct worklist_place
        stopped; /* Behind it nothing was looked at; instance 0: the lists are at their ends. */
};

static enum status take_list(struct sqlite_db *db, const struct worklist_filter *filter,
                             const struct worklist_entry *list, struct worklist_page *page, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_WORKLIST, &statement, err));
    sqlite_bind_number(statement, 1, filter->ns);
    sqlite_bind_number(statement, 2, list->list);
    sqlite_bind_str(statement, 3, list->who);
    sqlite_bind_number(statement, 4, filter->after.due_ms);
    sqlite_bind_id(statement, 5, filter->after.instance);
    sqlite_bind_number(statement, 6, filter->after.execution);
    size_t taken = 0;
    struct worklist_place last = { 0 };
    for (size_t looked = 0;; looked++) {
        bool more;
        TRY(sqlite_step(db, statement, &more, err));
        if (!more) return ST_OK;
        if (looked == WORKLIST_LOOKED_AT_MAX || taken == filter->max) break;
        struct task_row row = sqlite_task_row(statement, page->arena);
        last = worklist_place_of(&row, page->arena);
        if (filter->due_before_ms && last.due_ms >= filter->due_before_ms) {
            sqlite_end(statement);
            return ST_OK; /* All that follows is due later. */
        }
        if (!worklist_fits(filter, &row, page->arena)) continue;
        array_reserve_in(page->arena, page->row, page->count, page->cap);
        page->row[page->count++] = row;
        taken++;
    }
    sqlite_end(statement);
    if (!page->stopped.instance || worklist_compare(&last, &page->stopped) < 0) page->stopped = last;
    return ST_OK;
}

struct placed_task {
    struct worklist_place place;
    struct task_row row;
};

static int compare_placed(const void *a, const void *b)
{
    return worklist_compare(&((const struct placed_task *)a)->place, &((const struct placed_task *)b)->place);
}

/* Sorts the rows of two lists, and leaves those out that stand behind a place up to which only one was read.
 */
static void merge(struct worklist_page *page, size_t max)
{
    struct placed_task *task = arena_make_n(page->arena, struct placed_task, page->count);
    for (size_t i = 0; i < page->count; i++)
        task[i] = (struct placed_task){ worklist_place_of(&page->row[i], page->arena), page->row[i] };
    if (page->count) qsort(task, page->count, sizeof *task, compare_placed);
    size_t count = 0;
    for (size_t i = 0; i < page->count; i++) {
        if (page->stopped.instance && worklist_compare(&task[i].place, &page->stopped) > 0) break;
        if (count == max) {
            page->stopped = task[count - 1].place;
            break;
        }
        page->row[count++] = task[i].row;
    }
    page->count = count;
}

enum status sqlite_worklist(struct sqlite_db *db, const struct worklist_filter *filter, struct arena *arena,
                            struct task_row **ret_row, size_t *ret_count, struct worklist_place *ret_next,
                            struct error *err)
{
    struct worklist_page page = { .arena = arena };
    struct worklist_entry list[2];
    size_t count = worklist_choose(filter, list);
    for (size_t i = 0; i < count; i++) TRY(take_list(db, filter, &list[i], &page, err));
    if (count > 1) merge(&page, filter->max);
    *ret_row = page.row;
    *ret_count = page.count;
    *ret_next = page.stopped;
    return ST_OK;
}
