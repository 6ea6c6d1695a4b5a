/* telemetry/spans.c — a history becomes spans. */
#include "telemetry/spans.h"

#include "base/array.h"
#include "base/must.h"
#include "base/sort.h"
#include "core/trace.h"
#include "core/trail.h"
#include "program/reason.h"

struct spans_story {
    const struct program *program;
    struct arena *arena;
    struct trail *trail;
    struct spans_kin kin;
    uint32_t parent_job;
    int64_t began_ms; /* The start, or the last retry. */
    bool is_test, has_ended;
    struct told_end {
        struct run_end end;
        str code; /* The failure's; empty: none. */
    } * end;
    size_t end_count, end_cap;

    /* While the spans are made. */
    const struct run_facts *run;
    str trace;
    struct span *span;
    size_t count, cap;
};

struct spans_story *spans_story_new(const struct program *program, struct arena *arena)
{
    struct spans_story *story = arena_make(arena, struct spans_story);
    *story =
        (struct spans_story){ .program = program, .arena = arena, .trail = core_trail_new(program, arena) };
    core_trail_without_data(story->trail);
    return story;
}

/* ---- telling ---- */

static void tell_status(struct spans_story *story, const struct history *history, enum instance_status status,
                        str code)
{
    if (!instance_status_ended(status)) {
        if (story->has_ended) story->began_ms = history->at_ms;
        story->has_ended = false;
        return;
    }
    if (story->has_ended && story->end[story->end_count - 1].end.status == status) return;
    array_reserve_in(story->arena, story->end, story->end_count, story->end_cap);
    story->end[story->end_count++] = (struct told_end){
        .end = { .revision = history->revision,
                 .status = status,
                 .began_ms = story->began_ms,
                 .ended_ms = history->at_ms },
        .code = status == INSTANCE_FAILED && reason_code_is_known(code) ? arena_str(story->arena, code)
                                                                        : STR_NONE,
    };
    story->has_ended = true;
}

enum status spans_tell(struct spans_story *story, const struct history *history, struct error *err)
{
    str code = STR_NONE;
    TRY(core_tell(story->trail, history, err));
    if (history->command == COMMAND_START) story->began_ms = history->at_ms;
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        switch (entry->kind) {
        case ENTRY_KIND_BORN:
            story->kin.parent = entry->parent;
            story->parent_job = entry->parent_job;
            break;
        case ENTRY_KIND_CHAINED: story->kin.chained_from = entry->chained_from; break;
        case ENTRY_KIND_TEST: story->is_test = true; break;
        case ENTRY_KIND_CODE: code = entry->code; break;
        case ENTRY_KIND_CHAIN: story->kin.has_children = true; break;
        case ENTRY_KIND_JOB_INPUT: story->kin.has_children |= entry->performer == PERFORM_CHILD; break;
        case ENTRY_KIND_STATUS:
            if (entry->status < INSTANCE_STATUS_COUNT)
                tell_status(story, history, (enum instance_status)entry->status, code);
            break;
        default: break;
        }
    }
    return ST_OK;
}

struct spans_kin spans_kin(const struct spans_story *story) { return story->kin; }

/* ---- spans ---- */

static struct span *add_span(struct spans_story *story, enum trace_part part, uint32_t number, str name)
{
    const struct run_facts *run = story->run;
    array_reserve_in(story->arena, story->span, story->count, story->cap);
    struct span *span = &story->span[story->count++];
    *span = (struct span){
        .id = trace_span(run->instance, run->created_ms, part, number),
        .name = name,
        .kind = SPAN_INTERNAL,
    };
    if (part != TRACE_START) span->parent = trace_span(run->instance, run->created_ms, TRACE_START, 0);
    return span;
}

static void add_text(struct span *span, const char *key, str text)
{
    must(span->attribute_count < SPAN_ATTRIBUTES_MAX);
    if (text.n) span->attribute[span->attribute_count++] = (struct telemetry_attribute){ key, text, 0 };
}

static void add_number(struct span *span, const char *key, int64_t number)
{
    must(span->attribute_count < SPAN_ATTRIBUTES_MAX);
    span->attribute[span->attribute_count++] = (struct telemetry_attribute){ key, STR_NONE, number };
}

static struct span_link link_to(const struct spans_story *story, uint64_t instance, int64_t created_ms,
                                enum trace_part part, uint32_t number, const char *relation)
{
    return (struct span_link){ trace_id(instance, created_ms, story->arena),
                               trace_span(instance, created_ms, part, number), relation };
}

/* Links a span to the instances that the job started; job 0: those which the end of the run did. */
static void link_children(const struct spans_story *story, struct span *span, uint32_t job)
{
    const struct run_facts *run = story->run;
    size_t count = 0;
    for (size_t i = 0; i < run->child_count; i++) count += run->child[i].job == job;
    if (!count) return;
    struct span_link *link = arena_make_n(story->arena, struct span_link, count);
    for (size_t i = 0; i < run->child_count; i++)
        if (run->child[i].job == job)
            link[span->link_count++] = link_to(story, run->child[i].instance, run->child[i].created_ms,
                                               TRACE_START, 0, job ? "child" : "chained to");
    span->link = link;
}

static str named(const struct spans_story *story, const char *before, str name)
{
    size_t n = strlen(before);
    char *p = arena_alloc(story->arena, n + 1 + name.n);
    memcpy(p, before, n);
    p[n] = ' ';
    if (name.n) memcpy(p + n + 1, name.p, name.n);
    return (str){ p, n + 1 + name.n };
}

static void add_start(struct spans_story *story)
{
    enum { LINKS = 2 };
    const struct run_facts *run = story->run;
    struct span *span = add_span(story, TRACE_START, 0, named(story, "start", run->definition));
    struct span_link *link = arena_make_n(story->arena, struct span_link, LINKS);
    span->start_ms = span->end_ms = run->created_ms;
    span->revision = 1;
    if (story->kin.parent && run->parent_created_ms)
        link[span->link_count++] =
            link_to(story, story->kin.parent, run->parent_created_ms, TRACE_JOB, story->parent_job, "parent");
    if (story->kin.chained_from && run->chained_created_ms)
        link[span->link_count++] =
            link_to(story, story->kin.chained_from, run->chained_created_ms, TRACE_START, 0, "chained from");
    span->link = link;
}

static str error_of_end(const struct told_end *told)
{
    if (told->end.status == INSTANCE_CANCELLED) return STR("cancelled");
    if (told->end.status != INSTANCE_FAILED) return STR_NONE;
    return told->code.n ? told->code : STR("failed");
}

static void add_ends(struct spans_story *story)
{
    for (size_t i = 0; i < story->end_count; i++) {
        const struct told_end *told = &story->end[i];
        struct span *span =
            add_span(story, TRACE_END, told->end.revision, named(story, "end", story->run->definition));
        span->start_ms = told->end.began_ms;
        span->end_ms = told->end.ended_ms;
        span->revision = told->end.revision;
        span->status = told->end.status == INSTANCE_COMPLETED ? SPAN_OK : SPAN_ERROR;
        add_text(span, "pawl.status", str_of(instance_status_word(told->end.status)));
        add_text(span, "error.type", error_of_end(told));
        if (told->end.status == INSTANCE_COMPLETED) link_children(story, span, 0);
    }
}

/* ---- spans of a visit ---- */

/* The waits that have spans of their own. NULL: none; attempts tell of jobs, and visits of what is inside. */
static const char *const wait_words[TOKEN_STATE_COUNT] = {
    [TOKEN_SIGNAL] = "signal",       [TOKEN_PERSON] = "person",   [TOKEN_EVENT] = "event",
    [TOKEN_TIME] = "time",           [TOKEN_ARRIVAL] = "arrival", [TOKEN_TRANSITION] = "transition",
    [TOKEN_MILESTONE] = "milestone", [TOKEN_LOCK] = "lock",
};

/* The visits are in order of their numbers. */
static const struct execution *find_visit(const struct execution *visit, size_t count, uint32_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (visit[middle].number < number) low = middle + 1;
        else high = middle;
    }
    return low < count && visit[low].number == number ? &visit[low] : NULL;
}

static void place(const struct spans_story *story, struct span *span, const struct execution *visit,
                  uint32_t around)
{
    const struct run_facts *run = story->run;
    if (around) span->parent = trace_span(run->instance, run->created_ms, TRACE_VISIT, around);
    add_text(span, "workflow.task.name", visit->node_name);
    add_text(span, "workflow.task.type", visit->type);
}

static void add_wait(struct spans_story *story, const struct execution *visit, const struct execution *shown)
{
    str name = named(story, "wait", shown->node_name), what = str_of(wait_words[visit->waited]);
    struct span *begin = add_span(story, TRACE_WAIT_BEGIN, visit->number, name);
    begin->start_ms = begin->end_ms = visit->waited_ms;
    begin->revision = visit->waited_revision;
    place(story, begin, shown, shown->number);
    add_text(begin, "pawl.wait", what);
    add_text(begin, "pawl.wait.part", STR("begin"));
    if (!visit->ended_revision) return;
    struct span *whole = add_span(story, TRACE_WAIT, visit->number, name);
    whole->start_ms = visit->waited_ms;
    whole->end_ms = visit->ended_ms;
    whole->revision = visit->ended_revision;
    place(story, whole, shown, shown->number);
    add_text(whole, "pawl.wait", what);
}

static void add_attempts(struct spans_story *story, const struct execution *visit)
{
    for (size_t i = 0; i < visit->tried_count; i++) {
        const struct job_attempt *attempt = &visit->tried[i];
        if (!attempt->ended_revision) continue;
        struct span *span = add_span(
            story, TRACE_JOB, attempt->job,
            arena_printf(story->arena, "%.*s attempt %u", STR_ARG(visit->node_name), attempt->number));
        span->kind = SPAN_CLIENT;
        span->end_ms = attempt->ended_ms;
        span->start_ms =
            attempt->available_ms > attempt->opened_ms ? attempt->available_ms : attempt->opened_ms;
        if (span->start_ms > span->end_ms) span->start_ms = span->end_ms; /* It ended before it was due. */
        span->revision = attempt->ended_revision;
        place(story, span, visit, visit->number);
        add_number(span, "pawl.attempt", attempt->number);
        add_text(span, "pawl.job.type", attempt->type);
        if (attempt->outcome != ATTEMPT_COMPLETED) {
            span->status = attempt->outcome == ATTEMPT_FAILED ? SPAN_ERROR : SPAN_UNSET;
            add_text(span, "error.type", str_of(execution_outcome_word(attempt->outcome)));
        }
        link_children(story, span, attempt->job);
    }
}

static void add_visit(struct spans_story *story, const struct execution *visit)
{
    if (!visit->ended_revision) return;
    struct span *span = add_span(story, TRACE_VISIT, visit->number, visit->node_name);
    span->start_ms = visit->started_ms;
    span->end_ms = visit->ended_ms;
    span->revision = visit->ended_revision;
    span->status = visit->status == EXECUTION_COMPLETED ? SPAN_OK : visit->raised ? SPAN_ERROR : SPAN_UNSET;
    place(story, span, visit, visit->host);
    if (visit->attempt > 1) add_number(span, "pawl.visit", visit->attempt);
    if (visit->tried_total) add_number(span, "pawl.attempts", (int64_t)visit->tried_total);
    if (visit->status != EXECUTION_COMPLETED)
        add_text(span, "error.type", visit->raised ? STR("failed") : STR("interrupted"));
}

/* ---- all of them ---- */

static int compare_revisions(const void *a, const void *b, const void *context)
{
    const struct span *one = a, *other = b;
    (void)context;
    return (one->revision > other->revision) - (one->revision < other->revision);
}

/* Spans of one command stay in the order in which they were made. */
static void sort_by_revision(struct spans_story *story)
{
    struct span *scratch = arena_make_n(story->arena, struct span, story->count);
    sort_stable(story->span, scratch, story->count, sizeof *story->span, compare_revisions, NULL);
}

void spans_finish(struct spans_story *story, const struct run_facts *run, struct run_spans *ret_spans)
{
    struct execution *visit;
    size_t visit_count;
    core_trail_end(story->trail, &visit, &visit_count);
    story->run = run;
    add_start(story);
    for (size_t i = 0; i < visit_count; i++) {
        const struct execution *shown = find_visit(visit, visit_count, visit[i].shown);
        if (wait_words[visit[i].waited] && shown) add_wait(story, &visit[i], shown);
        if (visit[i].inner) continue;
        add_attempts(story, &visit[i]);
        add_visit(story, &visit[i]);
    }
    add_ends(story);
    sort_by_revision(story);
    *ret_spans = (struct run_spans){
        .run = *run,
        .trace = trace_id(run->instance, run->created_ms, story->arena),
        .is_test = story->is_test,
        .span = story->span,
        .count = story->count,
        .end = arena_make_n(story->arena, struct run_end, story->end_count),
        .end_count = story->end_count,
        .has_ended = story->has_ended,
    };
    for (size_t i = 0; i < story->end_count; i++) ret_spans->end[i] = story->end[i].end;
}
