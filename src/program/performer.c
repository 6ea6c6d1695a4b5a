/* program/performer.c — the texts and lookups of the table of performers. */
#include "program/performer.h"

#include "base/must.h"
#include "json/json.h"

/* ---- sentences ---- */

static void explain_worker(const struct performer_wait *wait, struct buf *out)
{
    if (wait->worker.n) buf_printf(out, "is with worker \"%.*s\", a job", STR_ARG(wait->worker));
    else buf_add_str(out, STR("waits for a worker"));
    buf_printf(out, " of type \"%.*s\" (attempt %u, %u %s left)", STR_ARG(wait->job_type), wait->attempt,
               wait->retries_left, wait->retries_left == 1 ? "retry" : "retries");
}

static void explain_http(const struct performer_wait *wait, struct buf *out)
{
    buf_printf(out, "waits for the answer to a request (attempt %u)", wait->attempt);
}

static void explain_emit(const struct performer_wait *wait, struct buf *out)
{
    buf_printf(out, "waits for an event to be accepted (attempt %u)", wait->attempt);
}

static void explain_child(const struct performer_wait *wait, struct buf *out)
{
    buf_printf(out, "waits for an instance of \"%.*s\"", STR_ARG(wait->job_type));
}

static void explain_sql(const struct performer_wait *wait, struct buf *out)
{
    buf_printf(out, "waits for a database (attempt %u)", wait->attempt);
}

static void explain_email(const struct performer_wait *wait, struct buf *out)
{
    buf_printf(out, "waits for a mail server (attempt %u)", wait->attempt);
}

static void explain_compute(const struct performer_wait *wait, struct buf *out)
{
    buf_printf(out, "waits for a calculation node to answer \"%.*s\"", STR_ARG(wait->job_type));
}

/* ---- the table ---- */

struct performer_row {
    const char *word;
    enum performer_place place;
    str queue;
    bool starts;
    const char *metric, *help;
    void (*explain)(const struct performer_wait *wait, struct buf *out);
};

static const struct performer_row *row_of(enum performer performer)
{
    static const struct performer_row rows[PERFORMER_COUNT] = {
#define XX(NAME, word, place, queue, starts, metric, help) \
    [PERFORM_##NAME] = { #word, PERFORMED_##place, STR_INIT(queue), starts, metric, help, explain_##word },
        PERFORMER_MAP(XX)
#undef XX
    };
    must((unsigned)performer < PERFORMER_COUNT);
    return &rows[performer];
}

const char *performer_word(enum performer performer) { return row_of(performer)->word; }
enum performer_place performer_place(enum performer performer) { return row_of(performer)->place; }
bool performer_starts(enum performer performer) { return row_of(performer)->starts; }
const char *performer_metric(enum performer performer) { return row_of(performer)->metric; }
const char *performer_metric_help(enum performer performer) { return row_of(performer)->help; }

str performer_queue(enum performer performer, str job_type)
{
    const struct performer_row *row = row_of(performer);
    if (row->queue.n) return row->queue;
    return performer_queue_is_reserved(job_type) ? STR("\1") : job_type;
}

void performer_explain(enum performer performer, const struct performer_wait *wait, struct buf *out)
{
    row_of(performer)->explain(wait, out);
}

str performer_function(const struct json *config) { return json_text(config, STR("function")); }

const struct json *performer_input_shown(const struct json *input, struct arena *arena)
{
    bool hides = false;
    struct json_each each = json_each(input);
    while (json_is(input, JSON_OBJECT) && !hides && json_next(&each))
        hides = each.name.n && each.name.p[0] == '\1';
    if (!hides) return input;
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    each = json_each(input);
    while (json_next(&each)) {
        if (each.name.n && each.name.p[0] == '\1') continue;
        json_add_name(&builder, each.name);
        json_add(&builder, each.value);
    }
    json_close(&builder);
    return json_built(&builder);
}
