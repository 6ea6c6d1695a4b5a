/* tests/sim/checker_migrate.c — an instance goes on with another version: nothing of it may change but names.
 *
 * The model finds each step by its name in the other version, and holds it against what stands there: a job
 * must be one of that step, a timer must have its place there, a fork must have as many branches.
 */
#include "record.h"

#include <inttypes.h>

static const struct spec *find_spec(const struct checker *checker, int64_t number)
{
    for (size_t i = 0; i < checker->specs.count; i++)
        if (checker->specs.item[i]->number == number && !checker->specs.item[i]->is_gone)
            return checker->specs.item[i];
    return NULL;
}

/* The node that the request maps this one to, or the one of the same name. */
static str successor(struct record *record, const struct entry *entry, str name)
{
    const struct json *told = json_get(entry->renamed, name);
    const struct json *asked = json_get(json_get(record->bulk_body, STR("map")), name);
    str want = json_is(asked, JSON_STRING) ? json_string(asked) : name;
    str is = json_is(told, JSON_STRING) ? json_string(told) : name;
    if (!str_equal(want, is))
        bad(record, "\"%.*s\" became \"%.*s\", not \"%.*s\"", STR_ARG(name), STR_ARG(is), STR_ARG(want));
    return is;
}

static size_t place_in(struct record *record, const struct entry *entry, const struct spec *to, size_t step)
{
    str name = successor(record, entry, record_step(record, step)->id);
    size_t place = spec_find(to, name);
    if (place == STEP_NONE)
        bad(record, "it stands at \"%.*s\", which version %d lacks", STR_ARG(name), to->version);
    return place == STEP_NONE ? 0 : place;
}

static void check_token(struct record *record, const struct spec *to, const struct model_token *token)
{
    static const struct {
        enum token_state state;
        enum step_type type;
    } kinds[] = { { TOKEN_JOB, SERVICE_TASK },
                  { TOKEN_PERSON, USER_TASK },
                  { TOKEN_SIGNAL, WAIT },
                  { TOKEN_JOIN, JOIN_GATEWAY } };
    const struct spec_step *step = &to->step[token->step];
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (token->state == kinds[i].state && step->type != kinds[i].type)
            bad(record, "it waits at \"%.*s\", which is something else now", STR_ARG(step->id));
    for (size_t i = 0; i < record->instance->jobs.count; i++)
        if (record->instance->jobs.item[i].execution == token->execution &&
            !str_equal(record->instance->jobs.item[i].type, step->job_type))
            bad(record, "\"%.*s\" has a job of another type", STR_ARG(step->id));
    for (size_t i = 0; i < record->instance->timers.count; i++)
        if (record->instance->timers.item[i].execution == token->execution &&
            record->instance->timers.item[i].index >= step->timer_count)
            bad(record, "\"%.*s\" has a timer too many", STR_ARG(step->id));
}

static void move_scopes(struct record *record, const struct entry *entry, const struct spec *to)
{
    struct model_instance *instance = record->instance;
    for (size_t i = 0; i < instance->scopes.count && !record->world->failed; i++) {
        struct model_scope *scope = &instance->scopes.item[i];
        size_t count = record_step(record, scope->fork)->parallel_count;
        scope->fork = place_in(record, entry, to, scope->fork);
        if (to->step[scope->fork].type != PARALLEL_GATEWAY || to->step[scope->fork].parallel_count != count)
            bad(record, "the fork around it is another one");
    }
}

static void move_tokens(struct record *record, const struct entry *entry, const struct spec *to)
{
    struct model_instance *instance = record->instance;
    for (size_t i = 0; i < instance->tokens.count && !record->world->failed; i++) {
        struct model_token *token = &instance->tokens.item[i];
        token->step = place_in(record, entry, to, token->step);
        check_token(record, to, token);
        struct model_visit *visit = record_visit(instance, token->execution);
        if (visit && visit->status == EXECUTION_RUNNING) visit->node = to->step[token->step].id;
    }
    for (size_t i = 0; i < instance->mail.count && !record->world->failed; i++)
        instance->mail.item[i].step = place_in(record, entry, to, instance->mail.item[i].step);
}

void migrate_follow(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    const struct spec *to = find_spec(record->checker, (int64_t)entry->moved_to);
    int64_t version = 0;
    json_int64(json_get(record->bulk_body, STR("to")), &version);
    if (!to || !str_equal(to->id, instance->spec->id) || to->version != version) {
        bad(record, "it went to a version that nobody asked for");
        return;
    }
    if (model_is_retired(record->checker, to->id)) bad(record, "it went to a definition that is retired");
    move_scopes(record, entry, to);
    move_tokens(record, entry, to);
    instance->spec = to;
    instance->moved_ms = record->world->now_ms;
    instance->moved_commit = record->checker->commit_count;
}
