/* runtime/transact/said.c — lines of the log that tell of a change. They are written when the change has
 * committed. */
#include "runtime/transact/transact_int.h"

#include "access/directory/directory.h"
#include "base/log.h"
#include "base/must.h"
#include "base/utf8.h"
#include "core/trace.h"
#include "runtime/limits.h"

/* ---- lines of a change ---- */

struct said_line {
    enum log_level level;
    const char *event;
    const char *pair[2 * LOG_PAIRS_MAX + 1];
    struct said_line *next;
};

const char *said_tenant(struct turn *turn, int32_t ns)
{
    struct tenant tenant;
    struct directory *directory = turn->engine->memory.directory;
    if (directory && directory_tenant_by_number(directory, ns, &tenant))
        return arena_str(&turn->arena, tenant.name).p;
    return ns == TENANT_DEFAULT ? "default" : arena_printf(&turn->arena, "%d", ns).p;
}

void transact_say(struct turn *turn, enum log_level level, const char *event, ...)
{
    must(turn->in_transaction && event);
    struct said_line *line = arena_make(&turn->arena, struct said_line);
    *line = (struct said_line){ .level = level, .event = event };
    va_list pairs;
    va_start(pairs, event);
    log_collect(pairs, line->pair);
    va_end(pairs);
    for (size_t i = 1; line->pair[i - 1]; i += 2)
        line->pair[i] = arena_str(&turn->arena, str_of(line->pair[i])).p;
    if (turn->last_said) turn->last_said->next = line;
    else turn->first_said = line;
    turn->last_said = line;
}

void transact_say_end(struct turn *turn, bool committed)
{
    for (const struct said_line *line = turn->first_said; line && committed; line = line->next)
        log_write_pairs(line->level, line->event, line->pair);
    turn->first_said = turn->last_said = NULL;
}

const char *said_text(struct turn *turn, str words)
{
    return arena_str(&turn->arena, utf8_cut(words, SAID_BYTES_MAX)).p;
}

/* ---- runs, after the commit ---- */

static const char *text(struct turn *turn, str words) { return said_text(turn, words); }

static const char *id_text(struct turn *turn, const struct instance *instance)
{
    char id[ID_CHARS + 1];
    id_print((struct id){ .ms = instance->created_ms, .instance = instance->id }, id);
    return text(turn, str_of(id));
}

static const char *trace_text(struct turn *turn, const struct instance *instance)
{
    return trace_id(instance->id, instance->created_ms, &turn->arena).p;
}

static void say_failed(struct turn *turn, const struct transition *transition)
{
    const struct instance *run = transition->after;
    log_write(LOG_WARN, "a run failed", "tenant", said_tenant(turn, transition->ns), "definition",
              text(turn, transition->program->id), "step",
              text(turn, view_failed_step(transition->program, run)), "code", text(turn, run->failure_code),
              "reason", text(turn, run->failure), "name", text(turn, run->business_key), "instance",
              id_text(turn, run), "trace", trace_text(turn, run), NULL);
}

/* A test run has no effect, and the one who tests sees how it ends. */
void said_run(struct turn *turn, const struct transition *transition)
{
    const struct instance *before = transition->before, *run = transition->after;
    bool failed = before && before->status == INSTANCE_FAILED, fails = run->status == INSTANCE_FAILED;
    if (run->is_test || failed == fails) return;
    if (fails) say_failed(turn, transition);
    else if (run->status != INSTANCE_CANCELLED)
        log_write(LOG_INFO, "a failed run goes on", "tenant", said_tenant(turn, transition->ns), "definition",
                  text(turn, transition->program->id), "name", text(turn, run->business_key), "instance",
                  id_text(turn, run), "trace", trace_text(turn, run), NULL);
}

/* The reason of the failure names the address. A run that undoes its steps first has not failed yet. */
void said_guarded(struct turn *turn, const struct transition *transition)
{
    const struct instance *run = transition->after;
    bool has_failed = run->status == INSTANCE_FAILED;
    log_write(LOG_WARN, "a call was refused, because its address is not public", "tenant",
              said_tenant(turn, transition->ns), "definition", text(turn, transition->program->id), "step",
              text(turn, has_failed ? view_failed_step(transition->program, run) : STR_NONE), "reason",
              text(turn, has_failed ? run->failure : STR_NONE), "instance", id_text(turn, run), "trace",
              trace_text(turn, run), NULL);
}

void said_retried(struct turn *turn, const struct transition *transition, const struct job *job)
{
    const struct instance *run = transition->after;
    log_write(LOG_INFO, "a step succeeded after retries", "tenant", said_tenant(turn, transition->ns),
              "definition", text(turn, transition->program->id), "job type", text(turn, job->type),
              "#attempts", arena_printf(&turn->arena, "%u", job->attempt).p, "instance", id_text(turn, run),
              "trace", trace_text(turn, run), NULL);
}
