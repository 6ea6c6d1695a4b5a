/* dialect/show/view_history.c — one visit of a token to a node, as the history shows it.
 *
 * Every member has two names: the API promises camelCase, and clients that were written for
 * the engine's first version read PascalCase.
 */
#include "dialect/show/view_int.h"

#include "base/must.h"

static void put_ids(struct buf *out, const struct instance_view *instance, const struct execution *visit,
                    bool old)
{
    struct id id = { .ms = visit->started_ms, .instance = instance->id, .number = visit->number };
    buf_add_str(out, old ? STR("\"ID\":") : STR("\"id\":"));
    put_id(out, id);
    buf_add_str(out, old ? STR(",\"InstanceID\":") : STR(",\"instanceId\":"));
    put_id(out, instance_view_id(instance));
    buf_add_str(out, old ? STR(",\"StepID\":") : STR(",\"stepId\":"));
    put_text(out, visit->node_name);
    buf_add_str(out, old ? STR(",\"StepType\":") : STR(",\"stepType\":"));
    put_text(out, visit->type);
}

/* Returns false if the snapshot was left out because the text is long enough. */
static bool put_snapshot(struct buf *out, const struct json *value, int64_t bytes_max)
{
    size_t before = out->n;
    if (value && put_may_fit(out, value, bytes_max)) {
        json_print(value, out);
        if (!put_is_beyond(out, bytes_max)) return true;
        out->n = before;
    }
    PUT(out, "null");
    return !value;
}

/* The first engine counted every visit to a step as an attempt. An item of a loop is none: only the tries of
 * its own job are. */
static int64_t attempt_number(const struct execution *visit)
{
    if (!visit->region.n) return visit->attempt;
    return visit->tried_total > 1 ? (int64_t)visit->tried_total : 1;
}

static bool put_course(struct buf *out, const struct execution *visit, bool old, int64_t bytes_max)
{
    buf_add_str(out, old ? STR(",\"AttemptNumber\":") : STR(",\"attemptNumber\":"));
    put_int(out, attempt_number(visit));
    buf_add_str(out, old ? STR(",\"Status\":") : STR(",\"status\":"));
    put_text(out, str_of(execution_status_word(visit->status)));
    buf_add_str(out, old ? STR(",\"StartedAt\":") : STR(",\"startedAt\":"));
    put_time(out, visit->started_ms);
    buf_add_str(out, old ? STR(",\"EndedAt\":") : STR(",\"endedAt\":"));
    if (visit->ended_ms) put_time(out, visit->ended_ms);
    else PUT(out, "null");
    buf_add_str(out, old ? STR(",\"InputSnapshot\":") : STR(",\"inputSnapshot\":"));
    bool whole = put_snapshot(out, visit->input, bytes_max);
    buf_add_str(out, old ? STR(",\"OutputSnapshot\":") : STR(",\"outputSnapshot\":"));
    whole = put_snapshot(out, visit->output, bytes_max) && whole;
    buf_add_str(out, old ? STR(",\"FailureReason\":") : STR(",\"failureReason\":"));
    if (visit->failure.n) put_text(out, visit->failure);
    else PUT(out, "null");
    return whole && !visit->omitted;
}

static void put_act(struct buf *out, const struct act *act, const char *node)
{
    PUT(out, "{\"at\":");
    put_time(out, act->at_ms);
    PUT(out, ",\"what\":");
    put_text(out, str_of(act->what));
    if (act->by.n) {
        PUT(out, ",\"by\":");
        put_text(out, act->by);
    }
    if (act->node.n) {
        buf_printf(out, ",\"%s\":", node);
        put_text(out, act->node);
    }
    if (act->comment.n) {
        PUT(out, ",\"comment\":");
        put_text(out, act->comment);
    }
    buf_add_char(out, '}');
}

void view_put_acts(struct buf *out, const struct trail_acts *acts, const char *node, int64_t bytes_max)
{
    must(acts->count <= acts->total);
    size_t shown = 0;
    if (!acts->total) return;
    PUT(out, ",\"acts\":[");
    for (; shown < acts->count && !put_is_beyond(out, bytes_max); shown++) {
        if (shown) buf_add_char(out, ',');
        put_act(out, &acts->act[shown], node);
    }
    buf_add_char(out, ']');
    if (shown == acts->total) return;
    PUT(out, ",\"actsTotal\":");
    put_int(out, (int64_t)acts->total);
}

void view_end_attempt(struct buf *out, const struct job_attempt *attempt)
{
    if (attempt->actor.n) {
        PUT(out, ",\"worker\":");
        put_text(out, attempt->actor);
    }
    if (attempt->error.n) {
        PUT(out, ",\"error\":");
        put_text(out, attempt->error);
    }
    buf_add_char(out, '}');
}

static void put_attempt(struct buf *out, const struct job_attempt *attempt)
{
    PUT(out, "{\"number\":");
    put_int(out, attempt->number);
    PUT(out, ",\"jobType\":");
    put_text(out, attempt->type);
    PUT(out, ",\"outcome\":");
    put_text(out, str_of(execution_outcome_word(attempt->outcome)));
    PUT(out, ",\"startedAt\":");
    put_time(out, attempt->opened_ms);
    PUT(out, ",\"availableAt\":");
    put_time(out, attempt->available_ms);
    if (attempt->ended_ms) {
        PUT(out, ",\"endedAt\":");
        put_time(out, attempt->ended_ms);
    }
    view_end_attempt(out, attempt);
}

/* The jobs of the visit, the latest ones. */
static void put_attempts(struct buf *out, const struct execution *visit)
{
    must(visit->tried_count <= visit->tried_total);
    PUT(out, ",\"attempts\":[");
    for (size_t i = 0; i < visit->tried_count; i++) {
        if (i) buf_add_char(out, ',');
        put_attempt(out, &visit->tried[i]);
    }
    PUT(out, "],\"attemptsTotal\":");
    put_int(out, (int64_t)visit->tried_total);
}

void view_put_visit(struct buf *out, const struct history_view *history, const struct execution *visit,
                    view_more_fn *more)
{
    buf_add_char(out, '{');
    put_ids(out, history->instance, visit, false);
    bool whole = put_course(out, visit, false, history->bytes_max);
    if (visit->region.n) {
        PUT(out, ",\"visitNumber\":");
        put_int(out, visit->attempt);
    }
    if (visit->title.n) {
        PUT(out, ",\"stepName\":");
        put_text(out, visit->title);
    }
    if (visit->by.n) {
        PUT(out, ",\"by\":");
        put_text(out, visit->by);
    }
    if (more) more(out, visit);
    if (visit->simulated) PUT(out, ",\"simulated\":true");
    if (visit->warning.n) {
        PUT(out, ",\"warning\":");
        put_text(out, visit->warning);
    }
    if (history->with_attempts && visit->tried_total) put_attempts(out, visit);
    buf_add_char(out, ',');
    put_ids(out, history->instance, visit, true);
    whole = put_course(out, visit, true, history->bytes_max) && whole;
    if (!whole) PUT(out, ",\"snapshotsOmitted\":true");
    buf_add_char(out, '}');
}
