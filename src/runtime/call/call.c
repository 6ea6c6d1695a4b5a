/* runtime/call/call.c — constructors of calls, lists of calls, and the words for their states. */
#include "runtime/call/call.h"

#include "base/budget.h"
#include "base/list.h"
#include "base/must.h"

enum {
    HELD_BYTES_MIN = 64 << 10, /* Smaller answers are counted when they are handed to the network. */
    HELD_COPIES = 2,           /* The values, and soon their text. */
};

const char *call_job_state_word(enum job_state state)
{
    static const char *const words[] = { "UNLOCKED", "LOCKED", "DELAYED" };
    must((size_t)state < COUNT(words));
    return words[state];
}

const char *call_apply_word(enum apply_verdict verdict)
{
    static const char *const words[] = {
#define XX(NAME, word) [APPLY_##NAME] = word,
        APPLY_VERDICT_MAP(XX)
#undef XX
    };
    must((size_t)verdict < COUNT(words));
    return words[verdict];
}

const char *call_event_outcome_word(enum event_outcome outcome)
{
    static const char *const words[] = {
#define XX(NAME, word, meaning) [EVENT_##NAME] = word,
        EVENT_OUTCOME_MAP(XX)
#undef XX
    };
    return words[outcome];
}

const struct call_description *call_description(enum call_kind kind)
{
    enum { QUERY, ENGINE };
    enum { PARSED, TEXT };
    static const struct call_description descriptions[CALL_KIND_COUNT] = {
#define XX(NAME, lower, request, where, writes, space, brief, waits, large, body) \
    [CALL_##                                                                      \
        NAME] = { #NAME, where == ENGINE, writes, brief, waits, large, body == TEXT, STORE_SPACE_##space },
        CALL_MAP(XX)
#undef XX
    };
    return &descriptions[kind];
}

/* Zeroes all but the texts of the error, which are most of a call. Another thread reads the call soon, and
 * each line of memory that is written here has to be brought there. */
static void init(struct call *call, enum call_kind kind, struct call_origin origin)
{
    memset(call, 0, offsetof(struct call, error));
    error_init(&call->error);
    call->kind = kind;
    call->arena = origin.arena;
    call->done = origin.done;
    call->user = origin.user;
    call->caller = origin.caller;
    call->ns = origin.caller ? origin.caller->tenant : NAMESPACE_DEFAULT;
    must(call->ns > 0);
}

static struct call *make(enum call_kind kind, struct call_origin origin)
{
    struct call *call = arena_alloc(origin.arena, sizeof *call);
    init(call, kind, origin);
    return call;
}

#define XX(NAME, name, request, ...)                                                        \
    struct call *call_##name(struct call_origin origin, const struct call_##request *asked) \
    {                                                                                       \
        struct call *call = make(CALL_##NAME, origin);                                      \
        call->as.request = *asked;                                                          \
        return call;                                                                        \
    }
CALL_MAP(XX)
#undef XX

struct call *call_new(enum call_kind kind, struct arena *arena, call_fn *done, void *user)
{
    struct call *call = make(kind, (struct call_origin){ arena, done, user });
    if (kind == CALL_LIST_INSTANCES)
        call->as.instances.filter =
            (struct instance_filter){ .ns = NAMESPACE_DEFAULT, .status = -1, .max = 20 };
    if (kind == CALL_LIST_TASKS)
        call->as.tasks.filter = (struct task_filter){ .ns = NAMESPACE_DEFAULT, .max = 20 };
    return call;
}

void call_init_item(struct call *item, enum call_kind kind, struct call_origin origin,
                    const struct call_job *asked)
{
    must(kind == CALL_COMPLETE_JOB || kind == CALL_FAIL_JOB);
    init(item, kind, origin);
    item->as.job = *asked;
}

const struct call_poll *call_poll_of(const struct call *call)
{
    must(call->kind == CALL_BATCH || call->kind == CALL_POLL_JOBS);
    return call->kind == CALL_BATCH ? &call->as.batch.poll : &call->as.poll;
}

/* Triggers that the engine serves; access that it looks up; secrets of its own. */
static bool may_be_for_all(const struct call *call)
{
    return !call->caller && (call->kind == CALL_LIST_TRIGGERS || call->kind == CALL_LIST_ACCESS ||
                             call->kind == CALL_SET_SECRET || call->kind == CALL_REMOVE_SECRET);
}

void call_for_all_tenants(struct call *call)
{
    must(may_be_for_all(call));
    call->ns = TENANT_ANY;
}

void call_for_tenant(struct call *call, int32_t ns)
{
    must(!call->caller && ns > TENANT_ANY);
    call->ns = ns;
}

bool call_has_tenant(const struct call *call)
{
    return call->ns > TENANT_ANY || (call->ns == TENANT_ANY && may_be_for_all(call));
}

bool call_may_stop(const struct call *call)
{
    switch (call->kind) {
    case CALL_SEARCH:
    case CALL_GROUP_ENTITIES:
    case CALL_LIST_ENTITIES:
    case CALL_COUNT_ENTITIES:
    case CALL_LIST_CHANGES:
    case CALL_LIST_AUDIT:
    case CALL_LIST_INSTANCES:
    case CALL_LIST_TASKS:
    case CALL_WORKLIST:
    case CALL_REASONS: return true;
    default: return false;
    }
}

int64_t call_wait_ms(const struct call *call)
{
    switch (call->kind) {
    case CALL_START: return call->as.start.wait_ms;
    case CALL_EVENTS: return call->as.events.wait_ms;
    case CALL_ARRIVE: return call->as.arrive.wait_ms;
    case CALL_POLL_JOBS: return call->as.poll.wait_ms;
    case CALL_BATCH: return call->as.batch.poll.wait_ms;
    case CALL_WATCH: return call->as.watch.wait_ms;
    case CALL_WATCH_TASKS: return call->as.watch_tasks.wait_ms;
    case CALL_WATCH_LIVE: return call->as.watch_live.wait_ms;
    default: return 0;
    }
}

void call_hold(struct call *call, struct budget *answers)
{
    if (!answers || call->arena->used < HELD_BYTES_MIN) return;
    int64_t before = call->held_bytes_; /* Bytes of its earlier parts. */
    call->held_bytes_ = (int64_t)call->arena->used * HELD_COPIES;
    must(call->held_bytes_ >= before);
    budget_add(answers, call->held_bytes_ - before);
}

enum status call_fail_unread(struct error *err)
{
    return fail(err, ST_BUSY, "",
                "answers that clients have not read yet have reached the limit answers_bytes_max");
}

enum status call_not_found(struct id id, const char *what, struct error *err)
{
    char text[ID_CHARS + 1];
    id_print(id, text);
    return fail(err, ST_NOT_FOUND, what, "%s %s not found", what, text);
}

void call_list_add(struct call_list *list, struct call *call)
{
    must(!call->next_ && call != list->last);
    list_append(list, call, next_);
    list->count++;
}

struct call *call_list_take(struct call_list *list)
{
    struct call *call = list->first;
    if (!call) return NULL;
    list_drop_first(list, next_);
    list->count--;
    must(!list->first == !list->count);
    call->next_ = NULL;
    return call;
}

void call_list_append(struct call_list *to, struct call_list *from)
{
    must(to != from);
    if (!from->first) return;
    if (to->last) to->last->next_ = from->first;
    else to->first = from->first;
    to->last = from->last;
    to->count += from->count;
    *from = (struct call_list){ 0 };
}

const char *call_task_state_word(enum task_state state)
{
    static const char *const word[] = {
#define XX(NAME, text) [TASK_##NAME] = text,
        TASK_STATE_MAP(XX)
#undef XX
    };
    must(state < TASK_STATE_COUNT);
    return word[state];
}
