/* runtime/transact/views.c — instances and jobs as the API shows them. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "dialect/dialect.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"

/* The node of that name; NULL without a program. */
static const struct program_node *node_of(const struct program *program, str name)
{
    uint32_t node = program ? program_find(program, name) : NODE_NONE;
    return node == NODE_NONE ? NULL : &program->node[node];
}

static void view_current(const struct program *program, const struct instance *instance, struct arena *arena,
                         struct instance_view *view)
{
    str *current;
    size_t count = core_current_nodes(program, instance, arena, &current);
    str *title = arena_make_n(arena, str, count);
    for (size_t i = 0; i < count; i++) {
        const struct program_node *node = node_of(program, current[i]);
        current[i] = arena_str(arena, current[i]);
        title[i] = node ? arena_str(arena, node->title) : STR_NONE;
    }
    view->current = current;
    view->current_title = title;
    view->current_count = count;
}

static str text_of(const struct json *event, const char *name, struct arena *arena)
{
    const struct json *value = json_get(event, str_of(name));
    return json_is(value, JSON_STRING) ? arena_str(arena, json_string(value)) : STR_NONE;
}

static void view_mail(const struct instance *instance, struct arena *arena, struct instance_view *view)
{
    struct mail_view *mail = arena_make_n(arena, struct mail_view, instance->mail_count);
    for (size_t i = 0; i < instance->mail_count; i++) {
        const struct json *event = instance->mail[i].event;
        if (instance->mail[i].arrival.n) {
            mail[i] = (struct mail_view){ .arrival = arena_str(arena, instance->mail[i].arrival),
                                          .received_ms = instance->mail[i].at_ms };
            continue;
        }
        if (instance->mail[i].node.n) {
            mail[i] = (struct mail_view){ .node = arena_str(arena, instance->mail[i].node),
                                          .data = json_copy(arena, event),
                                          .received_ms = instance->mail[i].at_ms };
            continue;
        }
        mail[i] = (struct mail_view){ .id = text_of(event, "id", arena),
                                      .source = text_of(event, "source", arena),
                                      .type = text_of(event, "type", arena),
                                      .received_ms = instance->mail[i].at_ms };
    }
    view->mail = mail;
    view->mail_count = instance->mail_count;
}

/* When retention removes the instance, if its own definition says so. */
static int64_t purge_ms(const struct program *program, const struct instance *instance)
{
    if (!program || !instance->ended_ms || program->rules->retention_ms < 0) return 0;
    return instance->ended_ms + program->rules->retention_ms;
}

void view_instance(const struct program *program, const struct instance *instance, str definition_id,
                   int32_t definition_version, int64_t now_ms, struct arena *arena,
                   struct instance_view *ret_view)
{
    *ret_view = (struct instance_view){
        .id = instance->id,
        .created_ms = instance->created_ms,
        .ended_ms = instance->ended_ms,
        .status = instance->status,
        .lingers = instance_lingers(instance),
        .definition_id = arena_str(arena, definition_id),
        .definition_version = definition_version,
        .dialect = dialect_named(program ? program->dialect : STR_NONE),
        .standing = standing_of(program, instance, now_ms, arena),
        .is_test = instance->is_test,
        .has_handled_error = instance->has_handled_error,
        .replaced_by = instance->replaced_by,
        /* One transaction ends the one and creates the other. */
        .replaced_by_created_ms = instance->replaced_by ? instance->ended_ms : 0,
        .purge_ms = purge_ms(program, instance),
        .business_key = arena_str(arena, instance->business_key),
        .failure = arena_str(arena, instance->failure),
        .error = instance->error ? json_copy(arena, instance->error) : NULL,
        .data = json_copy(arena, instance->data),
        .revision = instance->revision,
        .correlation = arena_str(arena, instance->correlation),
        .parent = instance->parent,
        .chained_from = instance->chained_from,
    };
    ret_view->standing.error = ret_view->error;
    view_current(program, instance, arena, ret_view);
    view_mail(instance, arena, ret_view);
}

static const struct scope *find_scope(const struct instance *instance, uint32_t number)
{
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].number == number) return &instance->scope[i];
    return NULL;
}

/* The author's label of where a token stands: of its node, or of the one around it. */
static str visible_title(const struct program *program, const struct instance *instance,
                         const struct token *token)
{
    const struct program_node *node = node_of(program, token->node_name);
    while (node && node->inner && token) {
        const struct scope *scope = find_scope(instance, token->scope);
        while (scope && scope->state == REGION_NONE) scope = find_scope(instance, scope->parent);
        if (!scope) break;
        /* A detached region has no host any more. */
        token = instance_find_token(instance, scope->host);
        node = node_of(program, token ? token->node_name : scope->fork_name);
    }
    return node ? node->title : STR_NONE;
}

/* Fills in what only the program knows of a job. */
static void view_task(const struct program_node *node, struct arena *arena, struct job_view *view)
{
    if (node->as.task.config) view->config = json_copy(arena, node->as.task.config);
    for (size_t i = 0; i < node->timer_count; i++)
        if (node->timer[i].per_attempt) view->timeout_ms = node->timer[i].delay_ms;
}

/* The names that the program lists: no data can ask for another secret. */
static void view_secrets(const struct program *program, struct arena *arena, struct job_view *view)
{
    size_t count = program->rules->secret_count;
    str *name = arena_make_n(arena, str, count);
    for (size_t i = 0; i < count; i++) name[i] = arena_str(arena, program->rules->secret[i]);
    view->secret = name;
    view->secret_count = count;
}

void view_job(const struct program *program, const struct instance *instance, const struct job *job,
              const struct open_job *open, bool with_data, struct arena *arena, struct job_view *ret_view)
{
    const struct token *token = instance_find_token(instance, job->execution);
    must(token);
    *ret_view = (struct job_view){
        .instance = instance->id,
        .instance_created_ms = instance->created_ms,
        .number = job->number,
        .execution = job->execution,
        .execution_ms = token->since_ms,
        .type = arena_str(arena, job->type),
        .node = arena_str(arena, token->node_name),
        .performer = job->performer,
        .available_ms = job->available_ms,
        .retries_left = job->retries_left,
        .attempt = job->attempt,
        .created_ms = job->created_ms,
        .data = with_data ? json_copy(arena, instance_job_payload(instance, job)) : NULL,
        .carried = with_data && token->carried ? json_copy(arena, token->carried) : NULL,
    };
    const struct program_node *node = node_of(program, token->node_name);
    if (node && node->kind == NODE_TASK) view_task(node, arena, ret_view);
    if (with_data && token->state == TOKEN_PERSON)
        ret_view->task = json_copy(arena, token->task ? token->task : json_empty_object());
    if (program && with_data) view_secrets(program, arena, ret_view);
    ret_view->title = arena_str(arena, visible_title(program, instance, token));
    if (!open) return;
    ret_view->priority = open->priority;
    ret_view->delivery = open->delivery;
    ret_view->state = open->state;
    if (open->state != JOB_LOCKED) return;
    ret_view->worker = arena_str(arena, open->worker);
    ret_view->locked_ms = open->locked_ms;
    ret_view->lock_expires_ms = open->deadline.at_ms;
}

str view_failed_step(const struct program *program, const struct instance *instance)
{
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state == TOKEN_FAILED)
            return core_authored_node(program, instance, &instance->token[i])->name;
    return STR_NONE;
}

str view_failure_code(struct store_reader *reader, uint64_t id, str reason, struct arena *arena)
{
    const struct instance *instance;
    struct instance_row row;
    struct arena scratch;
    str code = STR_NONE;
    arena_init(&scratch, 0);
    if (found_hint(reader_instance(reader, TENANT_ANY, id, &scratch, &row, NULL)) &&
        core_decode(row.state, NULL, &scratch, &instance, NULL) == ST_OK &&
        str_equal(instance->failure, reason))
        code = arena_str(arena, instance->failure_code);
    arena_done(&scratch);
    return code;
}
