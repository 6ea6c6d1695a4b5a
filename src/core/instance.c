/* core/instance.c — looking at an instance. */

#include "core/change_int.h"

static const char *const instance_status_words[] = {
#define XX(NAME, word, ended, meaning) [INSTANCE_##NAME] = word,
    INSTANCE_STATUS_MAP(XX)
#undef XX
};

const char *instance_status_word(enum instance_status status)
{
    must((unsigned)status < INSTANCE_STATUS_COUNT);
    return instance_status_words[status];
}

bool instance_status_parse(str word, enum instance_status *ret_status)
{
    for (size_t i = 0; i < COUNT(instance_status_words); i++) {
        if (!str_equal(word, str_of(instance_status_words[i]))) continue;
        *ret_status = (enum instance_status)i;
        return true;
    }
    return false;
}

_Static_assert(offsetof(struct token, execution) == 0 && offsetof(struct scope, number) == 0 &&
                   offsetof(struct job, number) == 0 && offsetof(struct timer, number) == 0,
               "number_index() reads the first member");
_Static_assert(offsetof(struct mail, number) == 0 && offsetof(struct taken_event, number) == 0 &&
                   offsetof(struct each, host) == 0 && offsetof(struct undo_item, number) == 0,
               "number_index() reads the first member");

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

const struct each *instance_find_each(const struct instance *instance, uint32_t host)
{
    size_t i = number_index(instance->each, instance->each_count, sizeof *instance->each, host);
    return i == SIZE_MAX ? NULL : &instance->each[i];
}

bool instance_is_detached(const struct instance *instance, uint32_t execution)
{
    if (!instance->scope_count) return false;
    const struct token *token = instance_find_token(instance, execution);
    uint32_t number = token ? token->scope : 0;
    while (number) {
        const struct scope *scope = scope_find(instance, number);
        if (!scope) return false;
        if (scope->state == REGION_DETACHED) return true;
        number = scope->parent;
    }
    return false;
}

uint32_t instance_outermost(const struct instance *instance, uint32_t execution)
{
    const struct scope *region;
    while (execution &&
           (region = scope_region(instance, instance_find_token(instance, execution)->scope)) != NULL)
        execution = region->host;
    return execution;
}

bool instance_is_inside(const struct instance *instance, uint32_t execution, uint32_t host)
{
    while (execution && execution != host) {
        const struct token *token = instance_find_token(instance, execution);
        const struct scope *region = token ? scope_region(instance, token->scope) : NULL;
        execution = region ? region->host : 0;
    }
    return execution != 0;
}

const struct token *instance_authored(const struct program *program, const struct instance *instance,
                                      const struct token *token)
{
    const struct scope *region;
    while (program->node[token->node].inner && (region = scope_region(instance, token->scope)) &&
           region->host)
        token = instance_find_token(instance, region->host);
    return token;
}

bool instance_reaches(const struct instance *instance, uint32_t execution)
{
    if (!instance_status_ended(instance->status)) return true;
    return instance->status != INSTANCE_CANCELLED && instance_is_detached(instance, execution);
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

const struct lock *instance_find_lock(const struct instance *instance, uint32_t number)
{
    size_t i = number_index(instance->lock, instance->lock_count, sizeof *instance->lock, number);
    return i == SIZE_MAX ? NULL : &instance->lock[i];
}

const struct lock *instance_lock_of(const struct instance *instance, uint32_t execution)
{
    for (size_t i = instance->lock_count; i-- > 0;)
        if (instance->lock[i].execution == execution) return &instance->lock[i];
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

enum status instance_reject_ended(const struct instance *instance, struct error *rejection)
{
    enum instance_status status = instance->status;
    if (!instance_status_ended(status)) return ST_OK;
    return fail(rejection, ST_CONFLICT, "", "instance is already %s", instance_status_word(status));
}
