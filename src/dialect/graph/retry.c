/* dialect/graph/retry.c — when a call is tried again: contracts/graph.md 1.6, defaultRetryPolicy.
 *
 * The policy of a node replaces fields of the workflow's. If neither has a field, the engine's own policy
 * holds: three attempts, after two and four seconds. Else fields that are missing have defaults of their own.
 */
#include "dialect/graph/graph_int.h"

#include "base/duration.h"

enum { BACKOFF_NONE, BACKOFF_FIXED, BACKOFF_LINEAR, BACKOFF_EXPONENTIAL };

static double read_number(struct graph *graph, const struct graph_place *at, const char *name, double least,
                          double most, double otherwise)
{
    const struct json *value = graph_member(at, name);
    if (!value) return otherwise;
    if (!json_is(value, JSON_NUMBER)) {
        graph_wrong_type(graph, at, name, "a number", value);
        return otherwise;
    }
    double number = json_double(value);
    if (number >= least && number <= most) return number;
    problem_error(graph_about(graph, at), PROBLEM_BAD_VALUE, graph_pointer(graph, at, name), NULL,
                  "%s%s%s must be a number from %g to %g", at->what, at->what[0] ? ": " : "", name, least,
                  most);
    return otherwise;
}

static const struct json *read_codes(struct graph *graph, const struct graph_place *at)
{
    const struct json *codes = graph_list(graph, at, "retryOn");
    struct json_each each = json_each(codes);
    while (codes && json_next(&each))
        if (!json_is(each.value, JSON_STRING)) {
            graph_wrong_type(graph, at, "retryOn", "a list of error codes", each.value);
            return NULL;
        }
    return json_count(codes) ? json_copy(graph->arena, codes) : NULL;
}

static struct graph_retry read_policy(struct graph *graph, const struct graph_place *at)
{
    graph_only_params(graph, at, graph_params_of_retry());
    struct graph_retry retry = {
        .attempts_max = (uint32_t)graph_integer(graph, at, "maxAttempts", 1, GRAPH_ATTEMPTS_MAX, 1),
        .delay = { .first_ms = graph_duration(graph, at, "initialDelay", SECOND_MS),
                   .factor = read_number(graph, at, "factor", 1, RETRY_FACTOR_MAX, 2),
                   .max_ms = graph_duration(graph, at, "maxDelay", 5 * MINUTE_MS),
                   .jitter = read_number(graph, at, "jitter", 0, 1, 0) },
        .codes = read_codes(graph, at),
    };
    switch (graph_word(graph, at, "backoffStrategy", "None|Fixed|Linear|Exponential", PROBLEM_BAD_VALUE,
                       BACKOFF_EXPONENTIAL)) {
    case BACKOFF_NONE: retry.delay.first_ms = 0; break;
    case BACKOFF_FIXED: retry.delay.factor = 1; break;
    case BACKOFF_LINEAR: retry.delay.is_linear = true; break;
    default: break;
    }
    return retry;
}

struct graph_retry graph_retry_policy(struct graph *graph, const struct graph_node *node)
{
    static const struct graph_retry engines_own = {
        .attempts_max = 3, .delay = { .first_ms = 2 * SECOND_MS, .factor = 2, .max_ms = 5 * MINUTE_MS }
    };
    struct graph_place at = graph_object(graph, &node->at, "retry");
    if (!json_count(at.object)) {
        if (!json_count(graph->retry_policy)) return engines_own;
        return graph->retry; /* It has been checked. */
    }
    if (json_count(graph->retry_policy)) at.object = json_merge(graph->retry_policy, at.object, graph->arena);
    return read_policy(graph, &at);
}

void graph_read_retry(struct graph *graph, const struct graph_place *settings)
{
    struct graph_place at = graph_object(graph, settings, "defaultRetryPolicy");
    graph->retry_policy = at.object;
    if (json_count(at.object)) graph->retry = read_policy(graph, &at);
}
