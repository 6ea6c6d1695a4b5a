/* dialect/steps/lower_timing.c — durations: boundary timers and the delays of retries. */
#include "dialect/steps/steps_int.h"

#include "base/datetime.h"
#include "base/duration.h"
#include "base/must.h"

enum { RETRY_FACTOR_DEFAULT = 2, RETRY_MAX_MS_DEFAULT = 5 * 60 * 1000 };

static const int64_t duration_ms_max = INT64_C(10) * 365 * 24 * 3600 * 1000;

/* Returns 0 and reports a problem if the text is no duration that can be waited for. `what` begins the
 * message: `step "a" boundaryEvents[0]: duration`. */
static int64_t lower_duration(struct steps *steps, str text, const char *what, str pointer)
{
    int64_t ms = 0;
    bool calendar = false;
    struct error err = { 0 };
    const char *quoted = problem_quote(steps->arena, text);
    if (duration_parse(text, &ms, &calendar, &err) != ST_OK) {
        problem_error(steps->problems, PROBLEM_BAD_DURATION, pointer,
                      "five minutes are written PT5M, two days P2D", "%s %s: %s", what, quoted, err.message);
        return 0;
    }
    const char *complaint = NULL;
    if (calendar) complaint = "years and months have no fixed length";
    else if (ms <= 0) complaint = "it must be longer than zero";
    else if (ms > duration_ms_max) complaint = "it must not be longer than ten years";
    if (!complaint) return ms;
    problem_error(steps->problems, PROBLEM_BAD_DURATION, pointer,
                  calendar ? "five minutes are written PT5M; write months and years as days" : NULL,
                  "%s %s: %s", what, quoted, complaint);
    return 0;
}

void steps_lower_timers(struct steps *steps, size_t index)
{
    const struct steps_step *step = &steps->definition.step[index];
    struct program_node *node = &steps->node[index];
    if (!step->event_count) return;
    struct program_timer *timer =
        arena_make_n(program_arena(steps->program), struct program_timer, step->event_count);
    for (size_t i = 0; i < step->event_count; i++) {
        const struct fields *event = &step->event[i];
        const char *what =
            arena_printf(steps->arena, "%s boundaryEvents[%zu]: duration", step_label(steps, index), i).p;
        str duration = fields_text(event, EVENT_DURATION);
        str target = fields_text(event, EVENT_TARGET);
        int64_t delay_ms = 0;
        if (duration.n)
            delay_ms = lower_duration(steps, duration, what, fields_pointer(steps, event, EVENT_DURATION));
        uint32_t to = target.n ? program_find(steps->program, target) : NODE_NONE;
        if (to == NODE_NONE) continue;
        timer[node->timer_count++] = (struct program_timer){
            .delay_ms = delay_ms,
            .interrupting = fields_flag(event, EVENT_INTERRUPTING),
            .target = to,
        };
    }
    must(node->timer_count <= step->event_count);
    node->timer = timer;
}

/* ---- retries ---- */

static void lower_factor(struct steps *steps, size_t index, struct program_delay *delay)
{
    const struct fields *backoff = steps->definition.step[index].backoff;
    delay->factor = RETRY_FACTOR_DEFAULT;
    if (!backoff->at[BACKOFF_FACTOR].value) return;
    delay->factor = json_double(backoff->at[BACKOFF_FACTOR].value);
    if (delay->factor >= 1 && delay->factor <= RETRY_FACTOR_MAX) return;
    problem_error(steps->problems, PROBLEM_BAD_VALUE, fields_pointer(steps, backoff, BACKOFF_FACTOR), NULL,
                  "%s: retryBackoff.factor must be between 1 and %d", step_typed_label(steps, index),
                  RETRY_FACTOR_MAX);
}

static void lower_backoff(struct steps *steps, size_t index, struct program_delay *delay)
{
    must(steps->definition.step[index].backoff);
    const struct fields *backoff = steps->definition.step[index].backoff;
    const char *label = step_typed_label(steps, index);
    str initial = fields_text(backoff, BACKOFF_INITIAL);
    str max = fields_text(backoff, BACKOFF_MAX);
    if (initial.n)
        delay->first_ms =
            lower_duration(steps, initial, arena_printf(steps->arena, "%s: retryBackoff.initial", label).p,
                           fields_pointer(steps, backoff, BACKOFF_INITIAL));
    else if (!backoff->at[BACKOFF_INITIAL].refused)
        problem_error(steps->problems, PROBLEM_REQUIRED, fields_pointer(steps, backoff, BACKOFF_INITIAL),
                      "the delay before the first retry, as in PT1S", "%s: retryBackoff.initial is required",
                      label);
    lower_factor(steps, index, delay);

    delay->max_ms = delay->first_ms > RETRY_MAX_MS_DEFAULT ? delay->first_ms : RETRY_MAX_MS_DEFAULT;
    if (!max.n) return;
    str pointer = fields_pointer(steps, backoff, BACKOFF_MAX);
    int64_t max_ms =
        lower_duration(steps, max, arena_printf(steps->arena, "%s: retryBackoff.max", label).p, pointer);
    if (!max_ms) return;
    delay->max_ms = max_ms;
    if (max_ms < delay->first_ms)
        problem_error(steps->problems, PROBLEM_BAD_VALUE, pointer, NULL,
                      "%s: retryBackoff.max must not be shorter than retryBackoff.initial", label);
}

void steps_lower_retry(struct steps *steps, size_t index)
{
    const struct steps_step *step = &steps->definition.step[index];
    struct program_delay delay = { .factor = 1 };
    int64_t count = 0;
    if (step->fields.at[STEP_RETRY_COUNT].value) json_int64(step->fields.at[STEP_RETRY_COUNT].value, &count);
    if (step->backoff) lower_backoff(steps, index, &delay);
    if (count <= 0) return;
    struct program_node *node = &steps->node[index];
    must(node->kind == NODE_TASK && !node->as.task.retry_count);
    struct program_retry *retry = arena_make(program_arena(steps->program), struct program_retry);
    *retry = (struct program_retry){
        .only_retryable = true,
        .count = (uint32_t)count,
        .delay = delay,
        .counts_down = true,
        .exit = { .target = NODE_NONE },
    };
    node->as.task.retry = retry;
    node->as.task.retry_count = 1;
}
