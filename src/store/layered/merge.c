/* store/layered/merge.c — two lists in order become one. */
#include "store/layered/layered_int.h"

static const char *row_at(struct layered_rows rows, size_t i, size_t row_bytes)
{
    return (const char *)rows.row + i * row_bytes;
}

size_t layered_merge(struct layered_rows a, struct layered_rows b, size_t row_bytes,
                     layered_compare_fn *compare, size_t max, void *ret_row)
{
    size_t count = 0, i = 0, k = 0;
    for (; count < max && (i < a.count || k < b.count); count++) {
        bool from_a =
            k == b.count || (i < a.count && compare(row_at(a, i, row_bytes), row_at(b, k, row_bytes)) <= 0);
        memcpy((char *)ret_row + count * row_bytes,
               from_a ? row_at(a, i++, row_bytes) : row_at(b, k++, row_bytes), row_bytes);
    }
    return count;
}

struct record_filter layered_unskipped(const struct record_filter *filter)
{
    struct record_filter whole = *filter;
    whole.skip = 0;
    whole.max = filter->skip > SIZE_MAX - filter->max ? SIZE_MAX : filter->max + filter->skip;
    return whole;
}

void layered_skip(const struct record_filter *filter, struct record_row **row, size_t *count)
{
    size_t skipped = filter->skip < *count ? filter->skip : *count;
    *row += skipped;
    *count -= skipped;
}

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }
static int order_signed(int64_t a, int64_t b) { return (a > b) - (a < b); }

int layered_by_id(const void *a, const void *b) { return order(*(const uint64_t *)a, *(const uint64_t *)b); }

int layered_by_newest_id(const void *a, const void *b) { return layered_by_id(b, a); }

int layered_by_found_key(const void *a, const void *b)
{
    const struct found_key *x = a, *y = b;
    int by_key = str_compare(x->key, y->key), by_phase = order(x->phase, y->phase);
    if (by_key) return by_key;
    return by_phase ? by_phase : order(x->id, y->id);
}

int layered_by_oldest(const void *a, const void *b)
{
    return order(((const struct instance_row *)a)->id, ((const struct instance_row *)b)->id);
}

int layered_by_newest(const void *a, const void *b) { return layered_by_oldest(b, a); }

int layered_by_failure(const void *a, const void *b)
{
    const struct failure_row *x = a, *y = b;
    int by_definition = order_signed(x->definition, y->definition);
    return by_definition ? by_definition : order(x->instance, y->instance);
}

int layered_by_newest_failure(const void *a, const void *b)
{
    const struct failure_row *x = a, *y = b;
    int by_definition = order_signed(x->definition, y->definition);
    return by_definition ? by_definition : order(y->instance, x->instance);
}

int layered_by_task(const void *a, const void *b)
{
    const struct task_row *x = a, *y = b;
    int by_instance = order(x->instance, y->instance);
    return by_instance ? by_instance : order(x->execution, y->execution);
}

int layered_by_key(const void *a, const void *b)
{
    return str_compare(((const struct record_row *)a)->key, ((const struct record_row *)b)->key);
}

int layered_by_last_key(const void *a, const void *b) { return layered_by_key(b, a); }

int layered_by_timer(const void *a, const void *b)
{
    const struct timer_row *x = a, *y = b;
    int by_time = order_signed(x->due_ms, y->due_ms), by_instance = order(x->instance, y->instance);
    if (by_time) return by_time;
    return by_instance ? by_instance : order(x->number, y->number);
}

int layered_by_child(const void *a, const void *b)
{
    return order(((const struct child_listed *)a)->child.number,
                 ((const struct child_listed *)b)->child.number);
}
