/* runtime/definitions/missing.c — finds what a published document needs outside of it and does not have.
 *
 * A document that names a secret nobody has set, or a job type no worker polls for, is a good document: the
 * one who publishes it learns at once what its first run would only tell later. The query thread looks for
 * secrets, the mail server and calculation nodes and notes all types of jobs. The engine's thread, which
 * alone knows the workers, takes out the types that somebody polls for.
 */
#include "runtime/definitions/definitions_int.h"

#include "base/must.h"
#include "dialect/secrets.h"
#include "program/program.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "vault/vault.h"

static const struct {
    const char *code, *before, *behind, *then;
} words[] = {
#define XX(NAME, before, behind, then) [MISSING_##NAME] = { "MISSING_" #NAME, before, behind, then },
    MISSING_MAP(XX)
#undef XX
};

const char *missing_word(enum missing_kind kind) { return words[kind].code; }

str missing_sentence(const struct missing_view *missing, const char *where, struct arena *arena)
{
    const char *behind = words[missing->kind].behind;
    return arena_printf(arena, "%s \"%.*s\"%s%s%s: %s", words[missing->kind].before, STR_ARG(missing->name),
                        *behind ? " " : "", behind, where, words[missing->kind].then);
}

struct missing_search {
    struct query *query;
    struct call *call;
    const struct program *program;
    const struct json *document;
};

/* Each thing is told once. */
static void add(struct call *call, enum missing_kind kind, str name, str place)
{
    struct answer_definitions *answer = &call->value.definitions;
    if (!answer->missing) answer->missing = arena_make_n(call->arena, struct missing_view, MISSING_TOLD_MAX);
    for (size_t i = 0; i < answer->missing_count; i++)
        if (answer->missing[i].kind == kind && str_equal(answer->missing[i].name, name)) return;
    if (answer->missing_count == MISSING_TOLD_MAX) return;
    must(answer->missing_count < MISSING_TOLD_MAX);
    answer->missing[answer->missing_count++] = (struct missing_view){
        .kind = kind, .name = arena_str(call->arena, name), .place = arena_str(call->arena, place)
    };
}

/* ---- secrets ---- */

/* A caller is not told of secrets that it may not use. */
static bool may_know(const struct call *call, str name)
{
    return !call->caller ||
           principal_may(call->caller->principal, call->caller->tenant, MAY_SECRETS_USE, name);
}

static void find_secrets(struct missing_search *search)
{
    struct call *call = search->call;
    struct vault *vault = search->query->vault;
    struct secret_use *use;
    size_t count = dialect_secrets(search->program, search->document, call->arena, &use);
    for (size_t i = 0; i < count; i++) {
        bool is_any = !use[i].name.n; /* Data says which. */
        if (is_any || !may_know(call, use[i].name)) continue;
        if (vault && vault_has(vault, call->ns, use[i].name, call->arena)) continue;
        bool is_connection =
            str_ends(use[i].place, STR("/connectionRef")) || str_ends(use[i].place, STR("/brokerRef"));
        add(call, is_connection ? MISSING_CONNECTION : MISSING_SECRET, use[i].name, use[i].place);
    }
}

/* ---- the mail server ---- */

static bool tells_people(const struct program_node *node)
{
    for (size_t i = 0; i < node->timer_count; i++)
        if (node->timer[i].does == TIMER_TASK && !node->timer[i].is_quiet) return true;
    return false;
}

/* The author's node has no server of its own. */
static bool uses_our_server(const struct json *document, const struct program_node *node)
{
    if (node->kind != NODE_TASK || node->as.task.performer != PERFORM_EMAIL) return tells_people(node);
    const struct json *author = json_pointer(document, node->pointer);
    const struct json *config = json_get(author, STR("config"));
    return !json_get(config ? config : author, STR("connectionRef"));
}

/* ---- calculation nodes ---- */

static bool has_tag(const struct around_member *member, str tag)
{
    for (size_t i = 0; i < member->tag_count; i++)
        if (str_equal(member->tag[i], tag)) return true;
    return false;
}

/* `tags` with commas between them, as a request has them. */
static bool has_tags(const struct around_member *member, str tags)
{
    for (size_t at = 0; at < tags.n;) {
        size_t comma = str_find(tags, STR(","), at);
        size_t end = comma == SIZE_MAX ? tags.n : comma;
        str tag = str_trim(str_slice(tags, at, end));
        if (tag.n && !has_tag(member, tag)) return false;
        at = end + 1;
    }
    return true;
}

static bool has_member(const struct call_around *around, str tags)
{
    for (size_t i = 0; i < around->member_count; i++)
        if (has_tags(&around->member[i], tags)) return true;
    return false;
}

/* ---- all of it ---- */

static void look_at_node(struct missing_search *search, const struct program_node *node)
{
    struct call *call = search->call;
    const struct call_around *around = call->as.deploy.around;
    if (!around->has_mail && uses_our_server(search->document, node))
        add(call, MISSING_CONNECTION, STR("--smtp"), node->pointer);
    if (node->kind != NODE_TASK) return;
    str tags = json_text(node->as.task.config, STR("tags"));
    if (node->as.task.performer == PERFORM_WORKER)
        add(call, MISSING_WORKER, node->as.task.job_type, node->pointer);
    if (node->as.task.performer == PERFORM_COMPUTE && !has_member(around, tags))
        add(call, MISSING_CALCULATION_NODE, tags.n ? tags : STR("any"), node->pointer);
}

void missing_find(struct query *query, struct call *call, const struct program *program,
                  const struct json *document)
{
    struct missing_search search = { query, call, program, document };
    if (!call->as.deploy.around) return;
    must(program && document);
    find_secrets(&search);
    for (size_t i = 0; i < program->node_count; i++) look_at_node(&search, &program->node[i]);
}

/* ---- workers ---- */

static bool has_worker(struct turn *turn, int32_t ns, str type)
{
    const struct memory *memory = &turn->engine->memory;
    str key = tenant_key(ns, type, &turn->arena);
    const struct job_queue *queue = text_map_get(&memory->jobs.queues, key);
    const struct activity_type *known = text_map_get(&memory->activity.types, key);
    if (queue && queue->first_poll) return true;
    for (size_t i = 0; known && i < known->worker_count; i++)
        if (turn->now_ms - known->worker[i].seen_ms <= WORKER_SEEN_MS) return true;
    return false;
}

void missing_leave_out_workers(struct turn *turn, struct call *call)
{
    struct answer_definitions *answer = &call->value.definitions;
    size_t kept = 0;
    for (size_t i = 0; i < answer->missing_count; i++) {
        const struct missing_view missing = answer->missing[i];
        if (missing.kind == MISSING_WORKER && has_worker(turn, call->ns, missing.name)) continue;
        answer->missing[kept++] = missing;
    }
    must(kept <= answer->missing_count);
    answer->missing_count = kept;
    answer->others_may_have = nodes_have_others(turn->engine);
}
