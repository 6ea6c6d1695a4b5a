#include "runtime/call.h"

const char *job_state_word(enum job_state state)
{
    static const char *const words[] = { "UNLOCKED", "LOCKED", "DELAYED" };
    return words[state];
}

const char *event_outcome_word(enum event_outcome outcome)
{
    static const char *const words[] = {
#define XX(NAME, word, meaning) [EVENT_##NAME] = word,
        EVENT_OUTCOME_MAP(XX)
#undef XX
    };
    return words[outcome];
}

struct call *call_new(enum call_kind kind, struct arena *arena, call_fn *done, void *user)
{
    struct call *call = arena_make(arena, struct call);
    call->kind = kind;
    call->arena = arena;
    call->done = done;
    call->user = user;
    call->ns = NAMESPACE_DEFAULT;
    call->instances = (struct instance_filter){ .ns = NAMESPACE_DEFAULT, .status = -1, .max = 20 };
    call->tasks = (struct task_filter){ .ns = NAMESPACE_DEFAULT, .max = 20 };
    return call;
}

void call_list_add(struct call_list *list, struct call *call)
{
    call->next_ = NULL;
    if (list->last) list->last->next_ = call;
    else list->first = call;
    list->last = call;
    list->count++;
}

struct call *call_list_take(struct call_list *list)
{
    struct call *call = list->first;
    if (!call) return NULL;
    list->first = call->next_;
    if (!list->first) list->last = NULL;
    list->count--;
    call->next_ = NULL;
    return call;
}

void call_list_append(struct call_list *to, struct call_list *from)
{
    if (!from->first) return;
    if (to->last) to->last->next_ = from->first;
    else to->first = from->first;
    to->last = from->last;
    to->count += from->count;
    *from = (struct call_list){ 0 };
}
