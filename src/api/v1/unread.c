/* api/v1/unread.c — a completion whose result cannot be read.
 *
 * Such a result fails its job (runtime/jobs/job_calls.c), but only if the worker that holds the job has sent
 * it. The path names the job and its delivery, and the body names the worker. In a body that is no JSON (NaN,
 * nested too deep) only that name is looked for.
 */
#include "api/v1/v1_int.h"

#include "json/json.h"

/* The index behind the string that begins at `at`. */
static size_t string_end(str text, size_t at)
{
    for (at++; at < text.n && text.p[at] != '"'; at++)
        if (text.p[at] == '\\') at++;
    return at < text.n ? at + 1 : text.n;
}

/* The text of a member whose name ends at `at`; empty if it is no text. */
static str text_at(str text, size_t at, struct arena *arena)
{
    size_t rest;
    const struct json_limits limits = { .rest = &rest };
    const struct json *value;
    struct error err;
    str behind = str_trim(str_slice(text, at, text.n));
    if (!str_starts(behind, STR(":"))) return STR_NONE;
    behind = str_trim(str_slice(behind, 1, behind.n));
    if (!str_starts(behind, STR("\""))) return STR_NONE;
    if (json_parse(behind, &limits, arena, &value, &err) != ST_OK) return STR_NONE;
    return json_string(value);
}

str unread_worker(str body, struct arena *arena)
{
    static const str name = STR_INIT("\"workerId\"");
    size_t depth = 0;
    for (size_t at = 0, end; at < body.n; at = end) {
        char c = body.p[at];
        end = c == '"' ? string_end(body, at) : at + 1;
        if (c == '{' || c == '[') depth++;
        else if ((c == '}' || c == ']') && depth) depth--;
        else if (depth == 1 && str_equal(str_slice(body, at, end), name)) return text_at(body, end, arena);
    }
    return STR_NONE;
}

bool unread_take(struct call_job *job, const struct error *why, struct arena *arena)
{
    bool is_content = why->status == ST_INVALID || why->status == ST_LIMIT;
    if (!is_content || !job->worker.n || job->worker.n > WORKER_ID_BYTES_MAX) return false;
    struct error *kept = arena_alloc(arena, sizeof *kept);
    *kept = *why;
    job->unread = kept;
    job->text = error_sentence(kept, arena); /* A sentence may be a part of its error. */
    return true;
}
