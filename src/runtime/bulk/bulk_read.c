/* runtime/bulk/bulk_read.c — bulks and their results, as they are shown. On the query thread. */
#include "runtime/bulk/bulk_int.h"

#include "json/json.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"

static enum status view_bulk(struct query *query, const struct bulk_row *row, struct call *call,
                             struct bulk_view *ret_view, struct error *err)
{
    struct bulk_part_row *part;
    size_t count;
    TRY(reader_bulk_parts(query->reader, row->number, BULK_PART_REQUEST, 0, 1, call->arena, &part, &count,
                          err));
    *ret_view =
        (struct bulk_view){ .row = *row, .request = count ? json_decode(part->blob, call->arena) : NULL };
    return ST_OK;
}

bool bulk_is_seen(const struct sight *sight, const struct json *request)
{
    return sight_has(sight,
                     request ? json_text(json_get(request, STR("filter")), STR("definitionId")) : STR_NONE);
}

enum status bulk_load_view(struct query *query, struct call *call, struct id id, struct bulk_view *ret_view,
                           struct error *err)
{
    struct bulk_row *row;
    size_t count;
    char text[ID_CHARS + 1];
    const struct sight sight = sight_of(call);
    id_print(id, text);
    TRY(reader_bulks(query->reader, call->ns, (int64_t)id.instance + 1, 1, call->arena, &row, &count, err));
    if (!count || (uint64_t)row->number != id.instance || row->created_ms != id.ms)
        return fail(err, ST_NOT_FOUND, "bulk", "bulk %s not found", text);
    TRY(view_bulk(query, row, call, ret_view, err));
    if (bulk_is_seen(&sight, ret_view->request)) return ST_OK;
    return fail(err, ST_NOT_FOUND, "bulk", "bulk %s not found", text);
}

enum status bulk_get(struct query *query, struct call *call, struct error *err)
{
    struct answer_bulks *answer = &call->value.bulks;
    answer->view = arena_make(call->arena, struct bulk_view);
    TRY(bulk_load_view(query, call, call->as.bulks.id, answer->view, err));
    answer->count = 1;
    return ST_OK;
}

/* Bulks that the caller may not see are left out, so a page may take several reads. */
enum status bulk_list(struct query *query, struct call *call, struct error *err)
{
    struct answer_bulks *answer = &call->value.bulks;
    const struct sight sight = sight_of(call);
    struct bulk_row *row;
    size_t count, left = call->as.bulks.max;
    int64_t before = call->as.bulks.before;
    answer->view = arena_make_n(call->arena, struct bulk_view, left);
    do {
        TRY(reader_bulks(query->reader, call->ns, before, left, call->arena, &row, &count, err));
        for (size_t i = 0; i < count; i++) {
            TRY(view_bulk(query, &row[i], call, &answer->view[answer->count], err));
            answer->count += bulk_is_seen(&sight, answer->view[answer->count].request);
            before = row[i].number;
        }
        bool was_full = count == left;
        left = call->as.bulks.max - answer->count;
        if (!was_full) break;
    } while (left);
    return ST_OK;
}

/* As it is stored: [number, created, outcome, words, revision, way back]. */
struct bulk_result bulk_result_read(const struct json *stored)
{
    const struct json *words = json_item(stored, 3), *back = json_item(stored, 5);
    return (struct bulk_result){ .target = { .number = (uint64_t)json_item_int64(stored, 0),
                                             .created_ms = json_item_int64(stored, 1),
                                             .revision = (uint32_t)json_item_int64(stored, 4),
                                             .way_back = back ? json_encoded(back) : STR_NONE },
                                 .outcome = (enum bulk_outcome)json_item_int64(stored, 2),
                                 .words = json_is(words, JSON_STRING) ? json_string(words) : STR_NONE };
}

/* The results of one part, as far as they are asked for. `skip` counts the places that were looked at. */
static void take_results(struct call *call, const struct bulk_part_row *part)
{
    struct answer_bulks *answer = &call->value.bulks;
    const struct json *list = json_decode(part->blob, call->arena);
    struct json_each each = json_each(list);
    for (int64_t place = part->number; json_next(&each) && answer->result_count < call->as.bulks.max;
         place++) {
        if (place < call->as.bulks.skip) continue;
        call->as.bulks.skip = place + 1;
        struct bulk_result result = bulk_result_read(each.value);
        if (call->as.bulks.outcome < 0 || (int32_t)result.outcome == call->as.bulks.outcome)
            answer->result[answer->result_count++] = result;
    }
}

enum status bulk_results(struct query *query, struct call *call, struct error *err)
{
    struct answer_bulks *answer = &call->value.bulks;
    enum { PARTS_PAGE = 64 };
    TRY(bulk_get(query, call, err));
    answer->result = arena_make_n(call->arena, struct bulk_result, call->as.bulks.max);
    /* Few results among many would make a page look at very many parts: then the page is short, and the next
     * one goes on. */
    for (size_t looked = 0; looked < BULK_PARTS_MAX && answer->result_count < call->as.bulks.max;
         looked += PARTS_PAGE) {
        struct bulk_part_row *part;
        size_t count;
        TRY(reader_bulk_parts(query->reader, answer->view->row.number, BULK_PART_RESULTS,
                              call->as.bulks.skip - BULK_SLICE_MAX + 1, PARTS_PAGE, call->arena, &part,
                              &count, err));
        int64_t before = call->as.bulks.skip;
        for (size_t i = 0; i < count && answer->result_count < call->as.bulks.max; i++)
            take_results(call, &part[i]);
        if (call->as.bulks.skip == before) break;
    }
    return ST_OK;
}
