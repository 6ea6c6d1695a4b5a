/* scenario/record.c — the record of a run, line by line.
 *
 * The lines come from the instances' stored histories, not from what the runner believes it has caused, so
 * chained starts and timers show up like everything else. Inner nodes, which a front end made for its own
 * ends, are left out; their events are told of the state that they are a part of.
 */
#include "scenario/scenario_int.h"

/* An inner node is called "<state>/<word>". */
str record_node(const struct actor *actor, uint32_t node)
{
    const struct program *program = actor->program;
    if (node >= program->node_count) return STR("?");
    str name = program->node[node].name;
    while (program->node[node].inner) {
        size_t slash = name.n;
        while (slash && name.p[slash - 1] != '/') slash--;
        if (!slash) return program->node[node].name;
        name = str_slice(name, 0, slash - 1);
        uint32_t outer = program_find(program, name);
        if (outer != NODE_NONE) node = outer;
    }
    return dialect_node_name(actor->dialect, program->node[node].name, program->node[node].title);
}

static uint32_t node_of(const struct actor *actor, const struct history *history, uint32_t execution)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_ENTER && history->entry[i].execution == execution)
            return program_find(actor->program, history->entry[i].node);
    const struct token *token = actor->state ? instance_find_token(actor->state, execution) : NULL;
    return token ? program_find(actor->program, token->node_name) : NODE_NONE;
}

static bool is_inner(const struct actor *actor, uint32_t node)
{
    return node < actor->program->node_count && actor->program->node[node].inner;
}

/* ---- the command ---- */

/* The visit that a command other than START was about, by the first entry that names one. */
static str subject_of(const struct actor *actor, const struct history *history)
{
    const struct instance *before = actor->state;
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind == ENTRY_KIND_JOB_CLOSE || entry->kind == ENTRY_KIND_TIMER_CLOSE) {
            for (size_t k = 0; before && k < before->job_count; k++)
                if (before->job[k].number == entry->job)
                    return record_node(actor, node_of(actor, history, before->job[k].execution));
            for (size_t k = 0; before && k < before->timer_count; k++)
                if (before->timer[k].number == entry->timer)
                    return record_node(actor, node_of(actor, history, before->timer[k].execution));
        }
        if (entry->kind == ENTRY_KIND_LEAVE || entry->kind == ENTRY_KIND_REST ||
            entry->kind == ENTRY_KIND_FORGET || (entry->kind == ENTRY_KIND_DATA && entry->execution))
            return record_node(actor, node_of(actor, history, entry->execution));
    }
    return STR_NONE;
}

/* The data that came in with the command: the first that was merged. */
static const struct json *data_of(const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++) {
        if (history->entry[i].kind == ENTRY_KIND_ENTER && history->command != COMMAND_START) return NULL;
        if (history->entry[i].kind == ENTRY_KIND_DATA) return history->entry[i].data;
    }
    return NULL;
}

static void record_command(struct stage *stage, const struct actor *actor, const struct history *history)
{
    const struct json *data = data_of(history);
    str given = data ? stage_text(stage, data) : STR_NONE;
    if (history->command == COMMAND_START) {
        stage_record(stage, "start", actor->name, "%.*s v%d%s%.*s%s%.*s", STR_ARG(actor->definition_id),
                     actor->version, given.n ? " " : "", STR_ARG(given),
                     !actor->parent ? ""
                     : actor->child ? ", by "
                                    : ", chained by ",
                     STR_ARG(actor->parent ? actor->parent->name : STR_NONE));
        return;
    }
    if (history->command == COMMAND_EVENT) return; /* It was told when it came. */
    str node = subject_of(actor, history);
    stage_record(stage, core_command_word(history->command), actor->name, "%.*s%s%.*s", STR_ARG(node),
                 node.n && given.n ? " " : "", STR_ARG(given));
}

/* ---- what it changed ---- */

static const char *const wait_words[TOKEN_STATE_COUNT] = {
    [TOKEN_PERSON] = "a person", [TOKEN_SIGNAL] = "a signal", [TOKEN_JOIN] = "the other branches",
    [TOKEN_EVENT] = "events",    [TOKEN_TIME] = "a time",
};

static str event_text(struct stage *stage, const struct json *event)
{
    const struct json *type = json_get(event, STR("type")), *id = json_get(event, STR("id"));
    return arena_printf(stage->arena, "%.*s, id %.*s", STR_ARG(type ? json_string(type) : STR("?")),
                        STR_ARG(id ? json_string(id) : STR("?")));
}

static str error_text(struct stage *stage, const struct json *error)
{
    const struct json *name = json_get(error, STR("name")), *message = json_get(error, STR("message"));
    if (!json_is(name, JSON_STRING) || !json_is(message, JSON_STRING)) return stage_text(stage, error);
    return arena_printf(stage->arena, "%.*s: %.*s", STR_ARG(json_string(name)),
                        STR_ARG(json_string(message)));
}

/* The job's payload stands in an entry of its own, behind it. */
static const struct json *payload_of(const struct history *history, uint32_t number)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_JOB_INPUT && history->entry[i].job == number)
            return history->entry[i].payload;
    return NULL;
}

static void record_job(struct stage *stage, const struct actor *actor, const struct history *history,
                       const struct entry *entry, uint32_t node)
{
    const struct program_node *task = node < actor->program->node_count ? &actor->program->node[node] : NULL;
    str state = record_node(actor, node);
    if (!task || task->kind != NODE_TASK ||
        !(performer_function(task->as.task.config).n || performer_starts(task->as.task.performer))) {
        stage_record(stage, "  job", actor->name, "%.*s of type %.*s, attempt %u, %u retries left",
                     STR_ARG(state), STR_ARG(entry->job_type), entry->attempt, entry->retries_left);
        return;
    }
    str function = performer_function(task->as.task.config);
    const struct json *payload = payload_of(history, entry->job);
    str sent = payload ? stage_text(stage, performer_input_shown(payload, stage->arena)) : STR_NONE;
    if (performer_starts(task->as.task.performer))
        stage_record(stage, "  sub-flow", actor->name, "%.*s: %.*s%s", STR_ARG(state),
                     STR_ARG(task->as.task.job_type), task->as.task.detached ? ", not awaited" : "");
    else if (entry->attempt > 1)
        stage_record(stage, "  call", actor->name, "%.*s: %.*s, attempt %u %.*s", STR_ARG(state),
                     STR_ARG(function), entry->attempt, STR_ARG(sent));
    else
        stage_record(stage, "  call", actor->name, "%.*s: %.*s %.*s", STR_ARG(state), STR_ARG(function),
                     STR_ARG(sent));
}

static const struct program_region *region_of(const struct actor *actor, str node, uint32_t index)
{
    uint32_t at = program_find(actor->program, node);
    if (at == NODE_NONE || actor->program->node[at].kind != NODE_SCOPE) return NULL;
    if (index >= actor->program->node[at].as.scope.region_count) return NULL;
    const struct program_region *region = &actor->program->node[at].as.scope.region[index];
    return is_inner(actor, region->start) ? NULL : region;
}

/* Records regions only of nodes that an author wrote. */
static void record_region(struct stage *stage, const struct actor *actor, const struct history *history,
                          const struct entry *entry)
{
    static const char *const ends[] = {
        [REGION_DONE] = "is done", [REGION_FAILED] = "failed", [REGION_DETACHED] = "goes on alone"
    };
    str node = STR_NONE;
    uint32_t index = 0;
    bool opens = entry->kind == ENTRY_KIND_REGION_OPEN;
    if (opens) {
        node = entry->node;
        index = entry->index;
    }
    for (size_t i = 0; i < history->entry_count && !opens; i++)
        if (history->entry[i].kind == ENTRY_KIND_REGION_OPEN && history->entry[i].scope == entry->scope) {
            node = history->entry[i].node;
            index = history->entry[i].index;
        }
    for (size_t i = 0; !node.n && actor->state && i < actor->state->scope_count; i++)
        if (actor->state->scope[i].number == entry->scope) {
            node = actor->state->scope[i].fork_name;
            index = actor->state->scope[i].index;
        }
    const struct program_region *region = region_of(actor, node, index);
    if (!region) return;
    const char *word = opens                                              ? "begins"
                       : entry->state < COUNT(ends) && ends[entry->state] ? ends[entry->state]
                                                                          : "ends";
    stage_record(stage, "  branch", actor->name, "%.*s: %.*s %s%s%.*s",
                 STR_ARG(record_node(actor, program_find(actor->program, node))), STR_ARG(region->name), word,
                 !opens && entry->error ? ": " : "",
                 STR_ARG(!opens && entry->error ? error_text(stage, entry->error) : STR_NONE));
}

static void record_kept(struct stage *stage, const struct actor *actor, const struct entry *entry)
{
    if (entry->kind == ENTRY_KIND_MAIL_IN)
        stage_record(stage, "  keeps", actor->name, "%.*s", STR_ARG(event_text(stage, entry->event)));
    else if (entry->kind == ENTRY_KIND_SIGNAL_IN)
        stage_record(stage, "  keeps", actor->name, "a signal for %.*s: %.*s", STR_ARG(entry->node),
                     STR_ARG(stage_text(stage, entry->event)));
    else
        stage_record(stage, "  keeps", actor->name, "an arrival at %.*s: %.*s", STR_ARG(entry->arrival),
                     STR_ARG(stage_text(stage, entry->event)));
}

static void record_mail(struct stage *stage, const struct actor *actor, const struct history *history,
                        const struct entry *entry, uint32_t node)
{
    const struct json *event = NULL;
    str signal = STR_NONE, arrival = STR_NONE; /* The step it is for, or the trigger. */
    for (size_t i = 0; actor->state && i < actor->state->mail_count; i++)
        if (actor->state->mail[i].number == entry->mail) {
            event = actor->state->mail[i].event;
            signal = actor->state->mail[i].node;
            arrival = actor->state->mail[i].arrival;
        }
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_MAIL_IN && history->entry[i].mail == entry->mail)
            event = history->entry[i].event;
    if (arrival.n)
        stage_record(stage, entry->execution ? "  takes" : "  drops", actor->name,
                     "the early arrival at %.*s: %.*s", STR_ARG(arrival), STR_ARG(stage_text(stage, event)));
    else if (signal.n)
        stage_record(stage, entry->execution ? "  takes" : "  drops", actor->name,
                     "the early signal for %.*s: %.*s", STR_ARG(signal), STR_ARG(stage_text(stage, event)));
    else if (entry->execution)
        stage_record(stage, "  takes", actor->name, "%.*s: %.*s", STR_ARG(record_node(actor, node)),
                     STR_ARG(event_text(stage, event)));
    else stage_record(stage, "  drops", actor->name, "%.*s", STR_ARG(event_text(stage, event)));
}

static const struct json *error_of(const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_ERROR) return history->entry[i].error;
    return NULL;
}

static void record_status(struct stage *stage, const struct actor *actor, const struct history *history,
                          const struct entry *entry)
{
    const struct standing standing = standing_plain((enum instance_status)entry->status, error_of(history));
    str word = dialect_status_word(actor->dialect, &standing);
    stage_record(stage, "  status", actor->name, "%.*s%s%.*s", STR_ARG(word), entry->reason.n ? ": " : "",
                 STR_ARG(entry->reason));
}

static void record_entry(struct stage *stage, struct actor *actor, const struct history *history,
                         const struct entry *entry)
{
    uint32_t node = node_of(actor, history, entry->execution);
    bool inner = is_inner(actor, node);
    str state = record_node(actor, node);
    switch (entry->kind) {
    case ENTRY_KIND_ENTER:
        if (!inner)
            stage_record(stage, "  enter", actor->name, "%.*s (%.*s)", STR_ARG(state),
                         STR_ARG(node == NODE_NONE ? STR("?") : actor->program->node[node].type));
        break;
    case ENTRY_KIND_CARRY: entities_note_state(stage, actor, node); break;
    case ENTRY_KIND_JOB_OPEN: record_job(stage, actor, history, entry, node); break;
    case ENTRY_KIND_JOB_CLOSE:
        if (entry->verdict == JOB_FAILED)
            stage_record(stage, "  error", actor->name, "%.*s", STR_ARG(entry->reason));
        break;
    case ENTRY_KIND_PARK:
        if (entry->state < TOKEN_STATE_COUNT && wait_words[entry->state])
            stage_record(stage, "  wait", actor->name, "%.*s for %s", STR_ARG(state),
                         wait_words[entry->state]);
        break;
    case ENTRY_KIND_INTERRUPT:
        if (!inner)
            stage_record(stage, "  interrupt", actor->name, "%.*s: %.*s", STR_ARG(state),
                         STR_ARG(entry->reason));
        break;
    case ENTRY_KIND_FAIL:
        stage_record(stage, "  fail", actor->name, "%.*s: %.*s", STR_ARG(state), STR_ARG(entry->reason));
        break;
    case ENTRY_KIND_STALL:
        stage_record(stage, "  stuck", actor->name, "%.*s is done and cannot be left: %.*s", STR_ARG(state),
                     STR_ARG(entry->reason));
        break;
    case ENTRY_KIND_RAISE:
        stage_record(stage, "  raise", actor->name, "%.*s: %.*s", STR_ARG(state),
                     STR_ARG(error_text(stage, entry->error)));
        break;
    case ENTRY_KIND_STATUS: record_status(stage, actor, history, entry); break;
    case ENTRY_KIND_CONTINUE:
    case ENTRY_KIND_CHAIN:
        actor->chain = entry->definition;
        stage_record(stage, "  chain", actor->name, "%.*s", STR_ARG(entry->definition));
        break;
    case ENTRY_KIND_REGION_OPEN:
    case ENTRY_KIND_REGION_END: record_region(stage, actor, history, entry); break;
    case ENTRY_KIND_MAIL_IN:
    case ENTRY_KIND_SIGNAL_IN:
    case ENTRY_KIND_ARRIVAL_IN: record_kept(stage, actor, entry); break;
    case ENTRY_KIND_MAIL_TAKE:
    case ENTRY_KIND_MAIL_OUT: record_mail(stage, actor, history, entry, node); break;
    case ENTRY_KIND_CORRELATE:
        stage_record(stage, "  token", actor->name, "%.*s", STR_ARG(entry->correlation));
        break;
    case ENTRY_KIND_SCOPE_DATA:
    case ENTRY_KIND_DATA:
        if (entry->execution && !inner && entry->data != data_of(history))
            stage_record(stage, "  set", actor->name, "%.*s", STR_ARG(stage_text(stage, entry->data)));
        break;
    case ENTRY_KIND_DATA_CUT:
        stage_record(stage, "  unset", actor->name, "%.*s", STR_ARG(stage_text(stage, entry->names)));
        break;
    default: break;
    }
}

void record_history(struct stage *stage, struct actor *actor, const struct history *history)
{
    record_command(stage, actor, history);
    for (size_t i = 0; i < history->entry_count; i++) record_entry(stage, actor, history, &history->entry[i]);
}
