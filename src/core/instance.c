/* core/instance.c — looking at an instance. */

#include "core/core_int.h"

static const struct {
    const char *word;
    bool ended;
} instance_statuses[] = {
#define XX(NAME, word, ended, meaning) [INSTANCE_##NAME] = { word, ended },
    INSTANCE_STATUS_MAP(XX)
#undef XX
};

const char *instance_status_word(enum instance_status status)
{
    must((unsigned)status < INSTANCE_STATUS_COUNT);
    return instance_statuses[status].word;
}

bool instance_status_ended(enum instance_status status)
{
    must((unsigned)status < INSTANCE_STATUS_COUNT);
    return instance_statuses[status].ended;
}

bool instance_status_parse(str word, enum instance_status *ret_status)
{
    for (size_t i = 0; i < COUNT(instance_statuses); i++) {
        if (!str_equal(word, str_of(instance_statuses[i].word))) continue;
        *ret_status = (enum instance_status)i;
        return true;
    }
    return false;
}

_Static_assert(offsetof(struct token, execution) == 0 && offsetof(struct scope, number) == 0 &&
                   offsetof(struct job, number) == 0 && offsetof(struct timer, number) == 0,
               "number_index() reads the first member");
_Static_assert(offsetof(struct mail, number) == 0 && offsetof(struct taken_event, number) == 0,
               "number_index() reads the first member");

size_t number_index(const void *items, size_t count, size_t bytes, uint32_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t found;
        memcpy(&found, (const char *)items + middle * bytes, sizeof found);
        if (found == number) return middle;
        if (found < number) low = middle + 1;
        else high = middle;
    }
    return SIZE_MAX;
}

const struct token *instance_find_token(const struct instance *instance, uint32_t execution)
{
    size_t i = number_index(instance->token, instance->token_count, sizeof *instance->token, execution);
    return i == SIZE_MAX ? NULL : &instance->token[i];
}

const struct job *instance_find_job(const struct instance *instance, uint32_t number)
{
    size_t i = number_index(instance->job, instance->job_count, sizeof *instance->job, number);
    return i == SIZE_MAX ? NULL : &instance->job[i];
}

const struct scope *instance_find_scope(const struct instance *instance, uint32_t number)
{
    size_t i = number_index(instance->scope, instance->scope_count, sizeof *instance->scope, number);
    return i == SIZE_MAX ? NULL : &instance->scope[i];
}

const struct timer *instance_find_timer(const struct instance *instance, uint32_t number)
{
    size_t i = number_index(instance->timer, instance->timer_count, sizeof *instance->timer, number);
    return i == SIZE_MAX ? NULL : &instance->timer[i];
}

const struct mail *instance_find_mail(const struct instance *instance, uint32_t number)
{
    size_t i = number_index(instance->mail, instance->mail_count, sizeof *instance->mail, number);
    return i == SIZE_MAX ? NULL : &instance->mail[i];
}

const struct json *scope_data(const struct instance *instance, uint32_t number)
{
    while (number) {
        const struct scope *scope = instance_find_scope(instance, number);
        if (!scope) break;
        if (scope->data) return scope->data;
        number = scope->parent;
    }
    return instance->data;
}

const struct scope *scope_region(const struct instance *instance, uint32_t number)
{
    while (number) {
        const struct scope *scope = instance_find_scope(instance, number);
        if (!scope || scope->state != REGION_NONE) return scope;
        number = scope->parent;
    }
    return NULL;
}

bool is_detached(const struct instance *instance, uint32_t execution)
{
    if (!instance->scope_count) return false;
    const struct token *token = instance_find_token(instance, execution);
    uint32_t number = token ? token->scope : 0;
    while (number) {
        const struct scope *scope = instance_find_scope(instance, number);
        if (!scope) return false;
        if (scope->state == REGION_DETACHED) return true;
        number = scope->parent;
    }
    return false;
}

uint32_t outermost_token(const struct instance *instance, uint32_t execution)
{
    const struct scope *region;
    while (execution &&
           (region = scope_region(instance, instance_find_token(instance, execution)->scope)) != NULL)
        execution = region->host;
    return execution;
}

bool instance_reaches(const struct instance *instance, uint32_t execution)
{
    if (!instance_status_ended(instance->status)) return true;
    return instance->status != INSTANCE_CANCELLED && is_detached(instance, execution);
}

bool instance_takes_mail(const struct instance *instance)
{
    return instance->status == INSTANCE_FAILED || !instance_status_ended(instance->status);
}

bool instance_lingers(const struct instance *instance)
{
    if (!instance_status_ended(instance->status) || !instance->scope_count) return false;
    for (size_t i = 0; i < instance->job_count; i++)
        if (instance_reaches(instance, instance->job[i].execution)) return true;
    for (size_t i = 0; i < instance->timer_count; i++)
        if (instance_reaches(instance, instance->timer[i].execution)) return true;
    return false;
}

const struct job *instance_job_of(const struct instance *instance, uint32_t execution)
{
    for (size_t i = instance->job_count; i-- > 0;)
        if (instance->job[i].execution == execution) return &instance->job[i];
    return NULL;
}

const struct json *instance_job_payload(const struct instance *instance, const struct job *job)
{
    return job->payload ? job->payload : instance->data;
}

enum instance_status instance_live_status(const struct instance *instance)
{
    for (size_t i = 0; i < instance->token_count; i++)
        if (is_wait_for_others(instance->token[i].state)) return INSTANCE_WAITING;
    return INSTANCE_ACTIVE;
}

str reason_cut(str text) { return str_cut(text, FAILURE_REASON_BYTES_MAX); }

uint32_t scope_join(const struct program *program, const struct scope *scope)
{
    if (!program || scope->fork >= program->node_count || scope->state != REGION_NONE) return NODE_NONE;
    return program->node[scope->fork].as.fork.join;
}

struct scope_census scope_census(const struct program *program, const struct instance *instance,
                                 const struct scope *scope)
{
    bool known = program && scope->fork < program->node_count;
    struct scope_census census = { .branch_count = known ? program->node[scope->fork].edge_count : SIZE_MAX };
    uint32_t join = scope_join(program, scope);
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->scope != scope->number) continue;
        census.token_count++;
        if (token->state == TOKEN_JOIN && token->node == join) census.arrived_count++;
        if (token->state == TOKEN_RESTING) census.resting_count++;
    }
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].parent == scope->number) census.inner_count++;
    return census;
}

static bool is_among(const str *name, size_t count, str wanted)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(name[i], wanted)) return true;
    return false;
}

size_t core_current_nodes(const struct program *program, const struct instance *instance, struct arena *arena,
                          str **ret_name)
{
    str *name = arena_make_n(arena, str, instance->token_count);
    bool *listed = arena_make_n(arena, bool, program ? program->node_count : 0);
    size_t count = 0;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        bool known = program && token->node < program->node_count;
        if (known && (program->node[token->node].inner || listed[token->node])) continue;
        if (known) listed[token->node] = true;
        else if (is_among(name, count, token->node_name)) continue;
        name[count++] = token->node_name;
    }
    *ret_name = name;
    return count;
}
