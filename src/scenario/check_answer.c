/* scenario/check_answer.c — the answer to a step against the answer that the step expects. */
#include "scenario/scenario_int.h"

bool check_status(struct stage *stage, const struct op *op, const struct call *call, int success)
{
    const struct json *status = json_get(op->body, STR("expectStatus")),
                      *code = json_get(op->body, STR("expectCode"));
    bool writes = call->kind == CALL_WRITE_ENTITIES;
    int got = call->status == ST_OK ? success
              : writes              ? entity_error_http(&call->error)
                                    : status_http(call->status);
    int64_t wanted;
    if (stage->variation != VARY_NOTHING) return true;
    if (status && (!json_int64(status, &wanted) || wanted != got)) {
        stage_differs(stage, arena_printf(stage->arena, "%.*s.expectStatus", STR_ARG(op->where)),
                      stage_text(stage, status),
                      arena_printf(stage->arena, "%d%s%s", got, call->status == ST_OK ? "" : ": ",
                                   call->status == ST_OK ? "" : call->error.message));
        return stage_stop(stage, "%.*s: not the expected answer", STR_ARG(op->where));
    }
    str word = str_of(call->status == ST_OK ? status_word(ST_OK)
                      : writes              ? entity_error_code(&call->error)
                      : call->error.code    ? call->error.code
                                            : status_word(call->status));
    if (code && (!json_is(code, JSON_STRING) || !str_equal(json_string(code), word))) {
        stage_differs(stage, arena_printf(stage->arena, "%.*s.expectCode", STR_ARG(op->where)),
                      stage_text(stage, code), word);
        return stage_stop(stage, "%.*s: not the expected answer", STR_ARG(op->where));
    }
    return true;
}

static bool check_outcome(struct stage *stage, const struct op *op, str got)
{
    const struct json *one = json_get(op->body, STR("expectOutcome")),
                      *several = json_get(op->body, STR("expectOutcomes"));
    size_t before = stage->difference_count;
    if (stage->variation != VARY_NOTHING) return true;
    const struct json *word = json_of_string(stage->arena, got);
    if (one)
        match(stage, one, word, false, arena_printf(stage->arena, "%.*s.expectOutcome", STR_ARG(op->where)));
    if (several) {
        struct json_builder list;
        json_builder_init(&list, stage->arena);
        json_open_array(&list);
        json_add(&list, word);
        json_close(&list);
        match(stage, several, json_built(&list), false,
              arena_printf(stage->arena, "%.*s.expectOutcomes", STR_ARG(op->where)));
    }
    if (stage->difference_count == before) return true;
    return stage_stop(stage, "%.*s: not the expected outcome", STR_ARG(op->where));
}

bool check_event(struct stage *stage, const struct op *op, const struct call *call)
{
    enum { ACCEPTED = 202 };
    static const char *const expectations[] = { "expectStatus", "expectCode", "expectOutcome",
                                                "expectOutcomes" };
    bool expected = false;
    for (size_t i = 0; i < COUNT(expectations); i++)
        expected |= json_get(op->body, str_of(expectations[i])) != NULL;
    str outcome = event_outcome(call);
    if (str_equal(outcome, STR("refused")) && !expected && stage->variation == VARY_NOTHING)
        return stage_stop(stage, "%.*s was refused: %s", STR_ARG(op->where), event_refusal(call));
    return check_status(stage, op, call, ACCEPTED) && check_outcome(stage, op, outcome);
}
