/* telemetry/spans.h — the spans of a run, computed from its history.
 *
 * A run may last for weeks, so no span exists in memory while it does. Its history says when everything began
 * and ended; the spans are computed from it when somebody wants them, and have the same ids each time.
 *
 *     start DEF         at the moment it begins; the parent of all others
 *     STEP              a visit that is over
 *     STEP attempt N    a job of it, from when it could be done to its verdict
 *     wait STEP         at the moment a wait begins, and once more over all of it when it is over
 *     end DEF           from its beginning, or the retry, to its end
 *
 * A span is complete with one command of the run, its *revision*. A complete span never changes. So the spans
 * of the commands from a to b are what was added meanwhile, whoever computes them. Spans have names, times,
 * ids and codes. They have no data of the run, and no words that a worker sent.
 */
#ifndef TELEMETRY_SPANS_H
#define TELEMETRY_SPANS_H

#include "core/core.h"
#include "telemetry/limits.h"

enum { TRACE_CHARS = 32 };

/* As OTLP numbers them. */
enum span_kind { SPAN_INTERNAL = 1, SPAN_CLIENT = 3 };
enum span_status { SPAN_UNSET, SPAN_OK, SPAN_ERROR };

struct telemetry_attribute {
    const char *key;
    str text;
    int64_t number; /* If there is no text (p == NULL). */
};

/* The cause or the consequence of a span in another trace. */
struct span_link {
    str trace; /* TRACE_CHARS hexadecimal digits. */
    uint64_t span;
    const char *relation; /* "parent", "child", "chained from", "chained to" */
};

struct span {
    uint64_t id;
    uint64_t parent; /* 0: none. */
    str name;
    enum span_kind kind;
    enum span_status status;
    int64_t start_ms, end_ms;
    uint32_t revision;
    struct telemetry_attribute attribute[SPAN_ATTRIBUTES_MAX];
    size_t attribute_count;
    const struct span_link *link;
    size_t link_count;
};

/* An end of the run: it completed, was cancelled or failed. A failed run may go on and end again. */
struct run_end {
    uint32_t revision;
    enum instance_status status;
    int64_t began_ms, ended_ms;
};

/* An instance that the run started. */
struct run_child {
    uint64_t instance;
    int64_t created_ms;
    uint32_t job; /* The job that did; 0: the end of the run did. */
};

/* Facts of a run that its history does not tell. All of it is borrowed by the spans. */
struct run_facts {
    uint64_t instance;
    int64_t created_ms;
    str id; /* Its public id. */
    str definition;
    int32_t version;
    str tenant, dialect;
    int64_t parent_created_ms, chained_created_ms; /* 0: there is none, or it is not known any more. */
    const struct run_child *child;
    size_t child_count;
};

struct run_spans {
    struct run_facts run;
    str trace;
    bool is_test;
    bool cut;          /* The history is longer than what was read. */
    struct span *span; /* By revision, then in the order of the history. */
    size_t count;
    struct run_end *end;
    size_t end_count;
    bool has_ended; /* The last end still holds: no retry has followed. */
};

/* The histories are told one by one, from the first on, and are not needed afterwards. */
struct spans_story;
struct spans_story *spans_story_new(const struct program *program, struct arena *arena);
enum status spans_tell(struct spans_story *story, const struct history *history, struct error *err);

/* Instances that the histories name. The caller looks them up, and puts what it finds into the facts. */
struct spans_kin {
    uint64_t parent, chained_from; /* 0: none. */
    bool has_children;
};
struct spans_kin spans_kin(const struct spans_story *story);

/* The spans, in the story's arena. */
void spans_finish(struct spans_story *story, const struct run_facts *run, struct run_spans *ret_spans);

#endif
