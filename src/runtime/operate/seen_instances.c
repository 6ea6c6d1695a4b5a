/* runtime/operate/seen_instances.c — a page of instances for a caller who may see some definitions only.
 *
 * The list has no order by what a caller may see. So it is read in parts, and other instances are left
 * out: a page is full, or it is the last one. The total is told if the list is short enough.
 */
#include "runtime/operate/operate_int.h"

#include "runtime/call/sight.h"

/* Reads once more an instance whose state had no room in the part. */
static enum status view(struct query *query, struct call *call, const struct instance_row *row,
                        struct arena *scratch, struct error *err)
{
    struct answer_instances *answer = &call->value.instances;
    struct instance_view *shown = &answer->view[answer->count];
    struct instance_row whole = *row;
    bool is_whole = row->state.n > 0, is_there = true;
    if (!is_whole)
        TRY(found_asked(reader_instance(query->reader, call->ns, row->id, scratch, &whole, err), &is_there));
    if (!is_there) return ST_OK;
    enum status status = instance_reads_row(query, &whole, is_whole, scratch, call->arena, shown, err);
    if (status == ST_NOT_FOUND) return ST_OK; /* Retention has removed it meanwhile. */
    if (status == ST_OK) answer->count++;
    return status;
}

static enum status take(struct query *query, struct call *call, const struct instance_row *row,
                        struct arena *scratch, struct error *err)
{
    const struct sight sight = sight_of(call);
    struct call_instances *asked = &call->as.instances;
    struct answer_instances *answer = &call->value.instances;
    if (!sight_has(&sight, row->definition_id)) return ST_OK;
    answer->total++;
    if (answer->total <= asked->filter.skip) return ST_OK;
    if (answer->count == asked->filter.max) answer->cut = true;
    return answer->count < asked->filter.max ? view(query, call, row, scratch, err) : ST_OK;
}

enum status seen_instances_list(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct call_instances *asked = &call->as.instances;
    struct answer_instances *answer = &call->value.instances;
    struct instance_filter part = asked->filter;
    struct instance_row *row;
    size_t count = 0;
    struct arena rows, scratch;
    part.ns = call->ns;
    part.skip = 0;
    part.max = SEEN_INSTANCES_PART;
    if (!answer->view) answer->view = arena_make_n(call->arena, struct instance_view, asked->filter.max);
    arena_init(&rows, 0);
    arena_init(&scratch, 0);
    reader_bound(query->reader, (size_t)query->limits.answer_bytes_max);
    enum status status = reader_instances(query->reader, &part, &rows, &row, &count, NULL, err);
    reader_bound(query->reader, 0);
    for (size_t i = 0; status == ST_OK && i < count; i++) {
        status = take(query, call, &row[i], &scratch, err);
        arena_reset(&scratch);
        asked->filter.before = row[i].id;
    }
    arena_done(&scratch);
    arena_done(&rows);
    answer->looked += count;
    bool is_end = count < part.max;
    answer->has_no_total = !is_end;
    *ret_more = status == ST_OK && !is_end &&
                (answer->count < asked->filter.max ||
                 (asked->with_total && answer->looked < SEEN_INSTANCES_COUNTED_MAX));
    return status;
}
