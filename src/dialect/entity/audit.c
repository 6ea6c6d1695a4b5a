/* dialect/entity/audit.c — the events of a command, from its history and those before it. */
#include "dialect/entity/audit.h"

#include "base/array.h"
#include "base/datetime.h"
#include "base/must.h"

struct audit_telling {
    const struct entity_programs *programs;
    const struct program *program; /* The program of the command that is told. */
    int64_t version;
    const struct history *history; /* Newest first; the first one is told. */
    size_t count;
    bool is_whole;
    bool needs_more;
    struct arena *arena;
    struct entity_event *event;
    size_t event_count, event_cap;

    str state, workflow;             /* Where the entity is. */
    str transition;                  /* The transition that it makes. */
    str remark;                      /* The remark of the function that was asked last. */
    const struct entry *fired_timer; /* The TIMER_OPEN of the timer that fired. */
    bool is_chosen;                  /* The workflow was chosen just now. */
    bool has_failed;
};

const char *entity_event_word(enum entity_event_kind kind)
{
    static const char *const words[] = {
#define XX(NAME, word) [ENTITY_EVENT_##NAME] = word,
        ENTITY_EVENT_MAP(XX)
#undef XX
    };
    must(kind < COUNT(words));
    return words[kind];
}

/* ---- events ---- */

static struct entity_event *add(struct audit_telling *telling, enum entity_event_kind kind, str details)
{
    array_reserve_in(telling->arena, telling->event, telling->event_count, telling->event_cap);
    struct entity_event *event = &telling->event[telling->event_count++];
    *event = (struct entity_event){ .kind = kind,
                                    .state = arena_str(telling->arena, telling->state),
                                    .details = details };
    return event;
}

static void begin_data(struct audit_telling *telling, struct json_builder *builder)
{
    json_builder_init(builder, telling->arena);
    json_open_object(builder);
}

static const struct json *end_data(struct json_builder *builder)
{
    json_close(builder);
    return json_built(builder);
}

static str workflow_word(str name) { return name.n ? name : STR("default"); }

static void skip_workflow(struct audit_telling *telling, str name, str reason)
{
    struct json_builder data;
    begin_data(telling, &data);
    json_add_text(&data, STR("workflowName"), workflow_word(name));
    json_add_text(&data, STR("reason"), reason.n ? reason : STR("criterion did not match"));
    add(telling, ENTITY_EVENT_SKIP,
        arena_printf(telling->arena, "the criterion of workflow \"%.*s\" does not match",
                     STR_ARG(workflow_word(name))))
        ->data = end_data(&data);
}

static void find_workflow(struct audit_telling *telling, str name)
{
    add(telling, ENTITY_EVENT_FOUND,
        arena_printf(telling->arena, "workflow \"%.*s\" takes the entity", STR_ARG(workflow_word(name))));
    telling->workflow = name;
    telling->is_chosen = true;
}

static void pass_transition(struct audit_telling *telling, str name, str criterion, str reason)
{
    struct json_builder data;
    begin_data(telling, &data);
    json_add_text(&data, STR("workflowName"), workflow_word(telling->workflow));
    json_add_text(&data, STR("transition"), name);
    json_add_text(&data, STR("criterion"), criterion);
    json_add_text(&data, STR("reason"), reason.n ? reason : STR("criterion did not match"));
    add(telling, ENTITY_EVENT_NO_MATCH,
        arena_printf(telling->arena, "the criterion of transition \"%.*s\" does not match", STR_ARG(name)))
        ->data = end_data(&data);
}

/* ---- looking back ---- */

/* An entry of this history or of an older one, and the number of that. */
static const struct entry *find_place(struct audit_telling *telling, enum entry_kind kind, uint32_t number,
                                      size_t *ret_history)
{
    for (size_t i = 0; i < telling->count; i++)
        for (size_t k = 0; k < telling->history[i].entry_count; k++) {
            const struct entry *entry = &telling->history[i].entry[k];
            uint32_t found = kind == ENTRY_KIND_ENTER ? entry->execution : entry->number;
            *ret_history = i;
            if (entry->kind == kind && found == number) return entry;
        }
    telling->needs_more |= !telling->is_whole;
    return NULL;
}

static const struct entry *find_entry(struct audit_telling *telling, enum entry_kind kind, uint32_t number)
{
    size_t which;
    return find_place(telling, kind, number, &which);
}

static const struct program_node *node_named(const struct audit_telling *telling, str name)
{
    uint32_t node = telling->program ? program_find(telling->program, name) : NODE_NONE;
    return node == NODE_NONE ? NULL : &telling->program->node[node];
}

/* The node of a visit; NULL: it is not known. */
static const struct program_node *node_of(struct audit_telling *telling, uint32_t execution)
{
    const struct entry *enter = execution ? find_entry(telling, ENTRY_KIND_ENTER, execution) : NULL;
    return enter ? node_named(telling, enter->node) : NULL;
}

static bool is_type(const struct program_node *node, str type) { return node && str_equal(node->type, type); }

static str config_text(const struct program_node *node, str name)
{
    return json_text(node->as.task.config, name);
}

/* Where the entity was before the command. */
static void look_back(struct audit_telling *telling)
{
    if (telling->history->command == COMMAND_START) return;
    for (size_t i = 1; i < telling->count; i++)
        for (size_t k = telling->history[i].entry_count; k-- > 0;) {
            const struct entry *entry = &telling->history[i].entry[k];
            if (entry->kind != ENTRY_KIND_CARRY) continue;
            telling->state = json_text(entry->carried, ENTITY_STATE);
            telling->workflow = json_text(entry->carried, ENTITY_WORKFLOW);
            return;
        }
    telling->needs_more |= !telling->is_whole;
}

/* ---- ways ---- */

/* The token leaves a choice by the first edge that leads to where it arrives: the ones before it did not
 * match. */
static void leave_choice(struct audit_telling *telling, const struct program_node *from, uint32_t to)
{
    must(to < telling->program->node_count);
    bool is_selection = is_type(from, STR("SELECTION"));
    size_t taken = 0;
    if (from->carry)
        return; /* In the initial state no criterion decides, but a creator who names a transition. */
    while (taken < from->edge_count && from->edge[taken].target != to) taken++;
    if (taken == from->edge_count) return;
    for (size_t i = 0; i < taken; i++) {
        if (is_selection) skip_workflow(telling, from->edge[i].name, STR_NONE);
        else pass_transition(telling, from->edge[i].name, STR("condition"), STR_NONE);
    }
    const struct program_edge *edge = &from->edge[taken];
    if (is_selection && telling->program->node[to].kind == NODE_CHOOSE) find_workflow(telling, edge->name);
    else if (edge->name.n) telling->transition = edge->name;
}

/* A function has decided. */
static void leave_function(struct audit_telling *telling, const struct program_node *from, uint32_t to)
{
    bool matches = from->edge_count && from->edge[0].target == to;
    bool is_selection = str_equal(config_text(from, STR("target")), STR("WORKFLOW"));
    str workflow = config_text(from, STR("workflow")), transition = config_text(from, STR("transition"));
    if (is_selection && matches) find_workflow(telling, workflow);
    else if (is_selection) skip_workflow(telling, workflow, telling->remark);
    else if (matches) telling->transition = transition;
    else pass_transition(telling, transition, from->title, telling->remark);
}

static void pause(struct audit_telling *telling, const struct program_node *first)
{
    const struct program_node *node = first;
    struct buf names;
    buf_init(&names, telling->arena);
    while (is_type(node, STR("PROCESSOR")) && node->edge_count) { /* They are in a row. */
        buf_printf(&names, "%s%.*s", node == first ? "" : ", ", STR_ARG(node->title));
        must(node->edge[0].target < telling->program->node_count);
        node = &telling->program->node[node->edge[0].target];
    }
    telling->transition = config_text(first, STR("transition"));
    add(telling, ENTITY_EVENT_PAUSE,
        arena_printf(telling->arena, "transition \"%.*s\" waits for its processors: %.*s",
                     STR_ARG(telling->transition), STR_ARG(buf_str(&names))));
}

static void make_transition(struct audit_telling *telling, str to)
{
    if (!telling->is_chosen)
        add(telling, ENTITY_EVENT_MAKE,
            arena_printf(telling->arena, "transition \"%.*s\" leads from \"%.*s\" to \"%.*s\"",
                         STR_ARG(telling->transition), STR_ARG(telling->state), STR_ARG(to)));
    telling->is_chosen = false;
    telling->state = to;
}

static void tell_settled(struct audit_telling *telling);

static void finish(struct audit_telling *telling)
{
    struct json_builder data;
    if (telling->has_failed) return;
    begin_data(telling, &data);
    json_add_name(&data, STR("success"));
    json_add_bool(&data, true);
    add(telling, ENTITY_EVENT_FINISH,
        arena_printf(telling->arena, "the entity rests in state \"%.*s\"", STR_ARG(telling->state)))
        ->data = end_data(&data);
}

static void tell_enter(struct audit_telling *telling, const struct entry *entry)
{
    const struct program_node *from = node_of(telling, entry->from), *to = node_named(telling, entry->node);
    if (!to) return;
    uint32_t target = (uint32_t)(to - telling->program->node);
    if (from && from->kind == NODE_CHOOSE) leave_choice(telling, from, target);
    else if (is_type(from, STR("CRITERION"))) leave_function(telling, from, target);
    else if (is_type(from, STR("PROCESSOR"))) telling->transition = config_text(from, STR("transition"));
    if (is_type(to, STR("PROCESSOR")) && !is_type(from, STR("PROCESSOR"))) pause(telling, to);
    if (is_type(to, STR("STATE")) && to->carry) make_transition(telling, to->title);
    if (to->kind != NODE_WAIT) return;
    finish(telling);
    tell_settled(telling);
}

/* ---- processors ---- */

/* Does the command open another job for the visit, because the processor's policy says so? */
static bool is_tried_again(const struct history *history, uint32_t execution)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_JOB_OPEN && history->entry[i].execution == execution)
            return true;
    return false;
}

static void tell_result(struct audit_telling *telling, const struct program_node *node, uint32_t execution,
                        const struct entry *entry)
{
    bool succeeded = entry->verdict == JOB_DONE;
    str mode = config_text(node, STR("mode"));
    struct json_builder data;
    begin_data(telling, &data);
    json_add_name(&data, STR("success"));
    json_add_bool(&data, succeeded);
    json_add_text(&data, STR("mode"), mode);
    struct entity_event *event =
        add(telling, ENTITY_EVENT_RESULT,
            succeeded ? arena_printf(telling->arena, "processor \"%.*s\" is done", STR_ARG(node->title))
                      : arena_printf(telling->arena, "processor \"%.*s\" failed: %.*s", STR_ARG(node->title),
                                     STR_ARG(entry->reason)));
    event->data = end_data(&data);
    event->is_warning = !succeeded;
    if (succeeded || node->as.task.holds || is_tried_again(telling->history, execution)) return;
    /* The transition ends here; a task that holds would have undone the whole write. */
    telling->has_failed = true;
    begin_data(telling, &data);
    json_add_name(&data, STR("success"));
    json_add_bool(&data, false);
    event = add(telling, ENTITY_EVENT_RESULT,
                arena_printf(telling->arena, "the processors of transition \"%.*s\" failed",
                             STR_ARG(config_text(node, STR("transition")))));
    event->data = end_data(&data);
    event->is_warning = true;
}

static void tell_job_close(struct audit_telling *telling, const struct entry *entry)
{
    const struct entry *open = find_entry(telling, ENTRY_KIND_JOB_OPEN, entry->job);
    const struct program_node *node = open ? node_of(telling, open->execution) : NULL;
    if (!node) return;
    if (is_type(node, STR("CRITERION"))) telling->remark = entry->reason;
    else if (is_type(node, STR("PROCESSOR")) && entry->verdict != JOB_CANCELLED)
        tell_result(telling, node, open->execution, entry);
}

/* ---- scheduled transitions ---- */

/* The node at which a timer was opened, in the version that the entity had then: it may have moved on to
 * another one since, whose timers are others. NULL: unknown. */
static const struct program_node *node_of_timer(struct audit_telling *telling, const struct entry *open)
{
    size_t which;
    const struct entry *enter = find_place(telling, ENTRY_KIND_ENTER, open->execution, &which);
    if (!enter) return NULL;
    int64_t version = entity_audit_version(telling->history + which, telling->count - which);
    telling->needs_more |= !version && !telling->is_whole;
    const struct program *program = version == telling->version ? telling->program
                                    : version ? telling->programs->find(telling->programs->context, version)
                                              : NULL;
    uint32_t node = program ? program_find(program, enter->node) : NODE_NONE;
    return node == NODE_NONE ? NULL : &program->node[node];
}

/* The timer of a node that a TIMER_OPEN names; NULL: unknown. */
static const struct program_timer *timer_of(struct audit_telling *telling, const struct entry *open,
                                            const struct program_node **ret_node)
{
    const struct program_node *node = node_of_timer(telling, open);
    *ret_node = node;
    return node && open->index < node->timer_count && node->timer[open->index].does == TIMER_FIRE
               ? &node->timer[open->index]
               : NULL;
}

static void tell_schedule(struct audit_telling *telling, enum entity_event_kind kind, str transition,
                          str state, str due, const char *what)
{
    struct json_builder data;
    begin_data(telling, &data);
    json_add_text(&data, STR("transition"), transition);
    json_add_text(&data, STR("sourceState"), state);
    json_add_text(&data, STR("scheduledTime"), due);
    struct entity_event *event =
        add(telling, kind,
            arena_printf(telling->arena, "the scheduled transition \"%.*s\" %s", STR_ARG(transition), what));
    event->data = end_data(&data);
    event->is_warning = kind == ENTITY_EVENT_EXPIRE;
}

static void tell_timer(struct audit_telling *telling, enum entity_event_kind kind, const struct entry *open,
                       const char *what)
{
    const struct program_node *node;
    const struct program_timer *timer = timer_of(telling, open, &node);
    if (!timer) return;
    must(timer->edge < node->edge_count);
    char due[DATETIME_CHARS + 1];
    datetime_print(open->due_ms, due);
    tell_schedule(telling, kind, node->edge[timer->edge].name, node->title, str_of(due), what);
}

/* A function has said when a transition is due: so that its time is over before it could come. */
static void tell_missed(struct audit_telling *telling, const struct entry *entry)
{
    const struct program_node *node = node_of(telling, entry->execution);
    if (!is_type(node, STR("SCHEDULE"))) return;
    str transition = config_text(node, STR("transition"));
    const struct json *said = json_get(json_get(entry->carried, ENTITY_SCHEDULE), transition);
    str missed = json_text(said, ENTITY_MISSED);
    if (missed.n)
        tell_schedule(telling, ENTITY_EVENT_EXPIRE, transition, telling->state, missed,
                      "is over before its time comes");
}

/* Is the same transition of the same state armed again by the command? */
static bool is_armed_again(struct audit_telling *telling, const struct entry *open)
{
    const struct program_node *node, *other;
    const struct program_timer *timer = timer_of(telling, open, &node), *armed;
    for (size_t i = 0; timer && i < telling->history->entry_count; i++) {
        const struct entry *entry = &telling->history->entry[i];
        armed = entry->kind == ENTRY_KIND_TIMER_OPEN ? timer_of(telling, entry, &other) : NULL;
        if (armed && str_equal(node->title, other->title) &&
            str_equal(node->edge[timer->edge].name, other->edge[armed->edge].name))
            return true;
    }
    return false;
}

/* Timers that a part of the run has closed. */
static void tell_disarmed(struct audit_telling *telling, const struct history *part)
{
    for (size_t i = 0; i < part->entry_count; i++) {
        const struct entry *entry = &part->entry[i];
        const struct entry *open = entry->kind == ENTRY_KIND_TIMER_CLOSE && !entry->fired
                                       ? find_entry(telling, ENTRY_KIND_TIMER_OPEN, entry->timer)
                                       : NULL;
        if (open && !is_armed_again(telling, open))
            tell_timer(telling, ENTITY_EVENT_DISARM, open, "is called off");
    }
}

/* The TIMER_OPEN of the timer with which the run began; NULL: another command began it. */
static const struct entry *timer_that_fired(struct audit_telling *telling, const struct history *first)
{
    const struct entry *close = NULL;
    bool is_fired = false;
    for (size_t i = 0; i < first->entry_count; i++) {
        if (first->entry[i].kind == ENTRY_KIND_TIMER_CLOSE && first->entry[i].fired) close = &first->entry[i];
        is_fired |= first->entry[i].kind == ENTRY_KIND_FIRE;
    }
    return close && is_fired ? find_entry(telling, ENTRY_KIND_TIMER_OPEN, close->timer) : NULL;
}

static bool find_opener(const struct history *history, size_t count, size_t *at);

/* The entity rests again: only now it is known where a scheduled transition has led, and which ones were left
 * behind. A state to which the entity comes back keeps its schedules: they begin anew. */
static void tell_settled(struct audit_telling *telling)
{
    size_t first = 0;
    while (find_opener(telling->history, telling->count, &first)) continue;
    telling->needs_more |= first == telling->count && !telling->is_whole;
    if (first == telling->count) return;
    const struct entry *fired = timer_that_fired(telling, &telling->history[first]);
    if (fired && !telling->has_failed) tell_timer(telling, ENTITY_EVENT_FIRE, fired, "was made");
    for (size_t at = 0;;) {
        tell_disarmed(telling, &telling->history[at]);
        if (at == first || !find_opener(telling->history, telling->count, &at)) break;
    }
}

/* Commands that move the entity tell of timers that they close when it rests. */
static bool is_run(const struct history *history)
{
    switch (history->command) {
    case COMMAND_START:
    case COMMAND_FIRE:
    case COMMAND_FIRE_TIMER:
    case COMMAND_COMPLETE_JOB:
    case COMMAND_FAIL_JOB: return true;
    default: return false;
    }
}

static void tell_timer_close(struct audit_telling *telling, const struct entry *entry)
{
    const struct entry *open = find_entry(telling, ENTRY_KIND_TIMER_OPEN, entry->timer);
    if (!open) return;
    if (entry->fired) telling->fired_timer = open;
    else if (!is_run(telling->history)) tell_timer(telling, ENTITY_EVENT_DISARM, open, "is called off");
}

/* A scheduled transition was not made: too late, not wanted any more, or its processors failed. */
static void tell_not_fired(struct audit_telling *telling, const struct entry *entry)
{
    const struct program_node *node;
    const struct entry *open = telling->fired_timer;
    const struct program_timer *timer = open ? timer_of(telling, open, &node) : NULL;
    if (!timer) return;
    const struct program_edge *edge = &node->edge[timer->edge];
    bool is_own = str_starts(entry->warning, STR("\"")); /* The core's, not that of a processor. */
    if (is_own && str_ends(entry->warning, STR("it was too late")))
        tell_timer(telling, ENTITY_EVENT_EXPIRE, open, "came too late");
    else if (is_own) pass_transition(telling, edge->name, STR("condition"), STR_NONE);
    else
        add(telling, ENTITY_EVENT_CANCEL,
            arena_printf(telling->arena, "the scheduled transition \"%.*s\" was undone: %.*s",
                         STR_ARG(edge->name), STR_ARG(entry->warning)))
            ->is_warning = true;
}

static void tell_fire(struct audit_telling *telling, const struct entry *entry)
{
    add(telling, ENTITY_EVENT_START,
        entry->transition.n
            ? arena_printf(telling->arena, "transition \"%.*s\" is fired", STR_ARG(entry->transition))
        : telling->history->command == COMMAND_START ? STR("the entity is created")
                                                     : STR("the entity is written"));
    telling->transition = entry->transition;
}

/* ---- a command ---- */

static void tell_entry(struct audit_telling *telling, const struct entry *entry)
{
    switch (entry->kind) {
    case ENTRY_KIND_FIRE: tell_fire(telling, entry); break;
    case ENTRY_KIND_ENTER: tell_enter(telling, entry); break;
    case ENTRY_KIND_JOB_CLOSE: tell_job_close(telling, entry); break;
    case ENTRY_KIND_CARRY: tell_missed(telling, entry); break;
    case ENTRY_KIND_TIMER_OPEN: tell_timer(telling, ENTITY_EVENT_ARM, entry, "is armed"); break;
    case ENTRY_KIND_TIMER_CLOSE: tell_timer_close(telling, entry); break;
    case ENTRY_KIND_WARN: tell_not_fired(telling, entry); break;
    case ENTRY_KIND_INTERRUPT:
        if (telling->history->command != COMMAND_FIRE) break; /* An error that was handled, or the end. */
        add(telling, ENTITY_EVENT_CANCEL, arena_str(telling->arena, entry->reason))->is_warning = true;
        break;
    default: break;
    }
}

/* A command that goes on with what another one began changes the entity again only if that is committed. */
static bool is_segment(struct audit_telling *telling)
{
    for (size_t i = 0; i < telling->history->entry_count; i++) {
        const struct entry *entry = &telling->history->entry[i];
        if (entry->kind != ENTRY_KIND_JOB_CLOSE) continue;
        const struct entry *open = find_entry(telling, ENTRY_KIND_JOB_OPEN, entry->job);
        const struct program_node *node = open ? node_of(telling, open->execution) : NULL;
        return node && node->kind == NODE_TASK && !node->as.task.holds;
    }
    return false;
}

static void tell_change(struct audit_telling *telling)
{
    bool is_fired = false;
    for (size_t i = 0; i < telling->history->entry_count; i++)
        is_fired |= telling->history->entry[i].kind == ENTRY_KIND_FIRE;
    switch (telling->history->command) {
    case COMMAND_START: add(telling, ENTITY_EVENT_CREATED, STR("the entity is created")); break;
    case COMMAND_CANCEL: add(telling, ENTITY_EVENT_DELETED, STR("the entity is deleted")); break;
    case COMMAND_MODIFY: add(telling, ENTITY_EVENT_UPDATED, STR("the entity was repaired by hand")); break;
    default:
        if (is_fired || is_segment(telling)) add(telling, ENTITY_EVENT_UPDATED, STR("the entity is written"));
    }
}

int64_t entity_audit_version(const struct history *history, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = history[i].entry_count; k-- > 0;)
            if (history[i].entry[k].kind == ENTRY_KIND_FIRE) return (int64_t)history[i].entry[k].moved_to;
    return 0;
}

/* The job whose answer the command brings; 0: it brings none. */
static uint32_t answered_job(const struct history *history)
{
    bool answers = history->command == COMMAND_COMPLETE_JOB || history->command == COMMAND_FAIL_JOB;
    for (size_t i = 0; answers && i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_JOB_CLOSE) return history->entry[i].job;
    return 0;
}

static bool opens_job(const struct history *history, uint32_t number)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_JOB_OPEN && history->entry[i].number == number) return true;
    return false;
}

/* Goes back from a command that answers a job to the one that opened it; `*at` is `count` if that is older
 * than all of them. False: the command answers no job, or there is no such command. */
static bool find_opener(const struct history *history, size_t count, size_t *at)
{
    must(*at <= count);
    if (*at == count) return false;
    uint32_t job = answered_job(&history[*at]);
    size_t opened = *at;
    while (job && opened < count && !opens_job(&history[opened], job)) opened++;
    if (!job || opened == *at) return false;
    *at = opened;
    return true;
}

bool entity_audit_origin(const struct history *history, size_t count, bool is_whole, str *ret_transaction)
{
    size_t at = 0, before = 0;
    while (find_opener(history, count, &at) && at < count) before = at;
    if (at == count && !is_whole) return false;
    *ret_transaction = entity_history_transaction(&history[before]);
    return true;
}

bool entity_audit_tell(const struct entity_programs *programs, const struct history *history, size_t count,
                       bool is_whole, struct arena *arena, struct entity_event **ret_event, size_t *ret_count)
{
    must(count > 0);
    struct audit_telling telling = { .programs = programs,
                                     .version = entity_audit_version(history, count),
                                     .history = history,
                                     .count = count,
                                     .is_whole = is_whole,
                                     .arena = arena };
    if (!telling.version && !is_whole) return false;
    if (telling.version) telling.program = programs->find(programs->context, telling.version);
    look_back(&telling);
    for (size_t i = 0; i < history->entry_count && !telling.needs_more; i++)
        tell_entry(&telling, &history->entry[i]);
    if (!telling.needs_more) tell_change(&telling);
    *ret_event = telling.event;
    *ret_count = telling.event_count;
    return !telling.needs_more;
}
