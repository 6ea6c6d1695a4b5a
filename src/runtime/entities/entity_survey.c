/* runtime/entities/entity_survey.c — the entities of models as they were at a time: listed, and counted.
 *
 * No record tells which entities lived at a time. Each one that a model has had is looked at, as long as its
 * history is kept, a part at a time, because others wait for the query thread.
 */
#include "runtime/entities/entities_int.h"

#include "base/array.h"
#include "base/sort.h"
#include "runtime/call/sight.h"
#include "runtime/entities/entity_history.h"
#include "runtime/memory/memory.h"

/* Between the parts of a survey. */
struct entity_survey {
    int64_t at_ms;
    str definition_id; /* The model that is looked at. */
    uint64_t last;     /* The last instance that was looked at. */
    size_t looked;
    bool is_over;
    size_t skip, left, bytes; /* LIST_ENTITIES */
    size_t first;             /* COUNT_ENTITIES: the first count of the model. */
};

typedef void survey_fn(struct call *call, const struct instance_row *row, const struct past_state *state);

static enum status look_at(struct query *query, struct call *call, const struct instance_row *row,
                           survey_fn *see, struct arena *scratch, struct error *err)
{
    struct entity_survey *survey = call->entity_.survey;
    struct past_state state;
    bool lived;
    survey->last = row->id;
    if (row->created_ms > survey->at_ms) return ST_OK;
    if (++survey->looked > SEARCH_PAST_LOOKED_MAX)
        return fail_code(err, ST_INVALID, "SCAN_BUDGET_EXHAUSTED",
                         "pointInTime: more than %d entities would have to be looked at, one by one",
                         SEARCH_PAST_LOOKED_MAX);
    TRY(entity_history_at(query, row->id, survey->at_ms, scratch, &state, &lived, err));
    if (lived) see(call, row, &state);
    return ST_OK;
}

/* Looks at some entities of the model. `*ret_more`: it may have had others. */
static enum status survey_some(struct query *query, struct call *call, survey_fn *see, bool *ret_more,
                               struct error *err)
{
    struct entity_survey *survey = call->entity_.survey;
    const struct selection_filter filter = { .ns = call->ns,
                                             .definition_id = survey->definition_id,
                                             .statuses = UINT32_MAX,
                                             .after = survey->last,
                                             .upto = ID_INSTANCE_MAX,
                                             .max = SEARCH_SLICE_MAX };
    struct arena rows, scratch;
    struct instance_row *row;
    size_t count = 0;
    arena_init(&rows, 0);
    arena_init(&scratch, 0);
    enum status status = reader_candidates(query->reader, &filter, &rows, &row, &count, err);
    for (size_t i = 0; status == ST_OK && i < count && !survey->is_over; i++) {
        status = look_at(query, call, &row[i], see, &scratch, err);
        arena_reset(&scratch);
    }
    arena_done(&scratch);
    arena_done(&rows);
    *ret_more = status == ST_OK && count == filter.max && !survey->is_over;
    return status;
}

/* ---- lists ---- */

static void list_one(struct call *call, const struct instance_row *row, const struct past_state *state)
{
    struct entity_survey *survey = call->entity_.survey;
    struct answer_entities *answer = &call->value.entities;
    if (survey->skip) {
        survey->skip--;
        return;
    }
    struct entity_view *view = &answer->view[answer->count++];
    *view = (struct entity_view){ .id = uuid_of_instance(row->created_ms, row->id),
                                  .model = call->as.entity_list.model,
                                  .version = call->as.entity_list.version,
                                  .data = json_copy(call->arena, state->data) };
    if (state->carried) view->carried = json_copy(call->arena, state->carried);
    survey->bytes += json_bytes(state->data);
    survey->is_over = !--survey->left;
}

static enum status begin_list(struct query *query, struct call *call, struct error *err)
{
    const struct call_entity_list *asked = &call->as.entity_list;
    struct entity_survey *survey = arena_make(call->arena, struct entity_survey);
    TRY(found_needed(models_exist(query->reader, call->ns, asked->model, asked->version, err)));
    *survey = (struct entity_survey){ .at_ms = asked->at_ms,
                                      .definition_id = model_key(asked->model, asked->version, call->arena),
                                      .last = asked->after,
                                      .skip = asked->skip,
                                      .left = asked->max };
    call->value.entities.view = arena_make_n(call->arena, struct entity_view, asked->max);
    call->entity_.survey = survey;
    return ST_OK;
}

enum status entity_survey_list(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    if (!call->entity_.survey) TRY(begin_list(query, call, err));
    const struct entity_survey *survey = call->entity_.survey;
    TRY(survey_some(query, call, list_one, ret_more, err));
    if (!*ret_more || survey->bytes < (size_t)query->limits.answer_bytes_max) return ST_OK;
    *ret_more = false;
    return call->as.entity_list.may_be_short
               ? ST_OK
               : entity_fail_page(call->value.entities.count, survey->bytes, err);
}

/* ---- counts ---- */

static void count_one(struct call *call, const struct instance_row *row, const struct past_state *state)
{
    struct answer_counts *answer = &call->value.counts;
    str name = json_text(state->carried, ENTITY_STATE);
    struct entity_count *count = NULL;
    (void)row;
    if (!entity_count_is_asked(&call->as.counts, name)) return;
    for (size_t i = call->entity_.survey->first; i < answer->count && !count; i++)
        if (!call->as.counts.by_state || str_equal(answer->item[i].state, name)) count = &answer->item[i];
    if (!count) {
        array_reserve_in(call->arena, answer->item, answer->count, answer->cap);
        count = &answer->item[answer->count++];
        *count = (struct entity_count){ .state = arena_str(call->arena, name) };
        entity_model_of(call->entity_.survey->definition_id, &count->model, &count->version);
    }
    count->count++;
}

static int compare_states(const void *a, const void *b, const void *context)
{
    const struct entity_count *x = a, *y = b;
    (void)context;
    return str_compare(x->state, y->state);
}

static void end_model(struct call *call)
{
    struct answer_counts *answer = &call->value.counts;
    struct entity_survey *survey = call->entity_.survey;
    size_t count = answer->count - survey->first;
    struct entity_count *room = arena_make_n(call->arena, struct entity_count, count);
    if (count) sort_stable(answer->item + survey->first, room, count, sizeof *room, compare_states, NULL);
    survey->first = answer->count;
}

/* The model that is looked at next; `is_over`: there is none. */
static enum status next_model(struct query *query, struct call *call, struct error *err)
{
    struct entity_survey *survey = call->entity_.survey;
    const struct record_filter filter = {
        .ns = call->ns, .kind = RECORD_MODEL, .after = survey->definition_id, .max = 1
    };
    struct record_row *row;
    struct arena scratch;
    size_t count = 0;
    survey->is_over = call->as.counts.model.n > 0;
    if (survey->is_over) return ST_OK;
    arena_init(&scratch, 0);
    enum status status = reader_records(query->reader, &filter, &scratch, &row, &count, err);
    if (status == ST_OK) {
        if (count) survey->definition_id = arena_str(call->arena, row->key);
        survey->last = 0;
        survey->is_over = !count;
    }
    arena_done(&scratch);
    return status;
}

static enum status begin_counts(struct query *query, struct call *call, struct error *err)
{
    const struct call_counts *asked = &call->as.counts;
    struct entity_survey *survey = arena_make(call->arena, struct entity_survey);
    if (asked->model.n)
        TRY(found_needed(models_exist(query->reader, call->ns, asked->model, asked->version, err)));
    *survey = (struct entity_survey){ .at_ms = asked->at_ms };
    call->entity_.survey = survey;
    if (!asked->model.n) return next_model(query, call, err);
    survey->definition_id = model_key(asked->model, asked->version, call->arena);
    return ST_OK;
}

enum status entity_survey_count(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    bool has_more = false;
    if (!call->entity_.survey) TRY(begin_counts(query, call, err));
    struct entity_survey *survey = call->entity_.survey;
    const struct sight sight = sight_of(call);
    bool is_seen = survey->is_over || sight_has(&sight, sight_object(call, survey->definition_id));
    if (!survey->is_over && is_seen) TRY(survey_some(query, call, count_one, &has_more, err));
    if (!has_more) {
        end_model(call);
        if (!survey->is_over) TRY(next_model(query, call, err));
    }
    *ret_more = !survey->is_over;
    return ST_OK;
}
