/* runtime/memory/polls.c — long polls: calls that wait at the queues of the types they asked for. */
#include "runtime/memory/memory_int.h"

#include "base/must.h"

#include <stdlib.h>

/* A queue in its map, which is at least three eighths full, and what the allocator adds. */
static size_t queue_bytes(str type) { return sizeof(struct job_queue) + type.n + 128; }

/* Counts everything but the queues, which polls share. */
static size_t own_bytes(const struct call *call)
{
    const struct call_poll *poll = call_poll_of(call);
    return sizeof(struct waiting_poll) + poll->type_count * sizeof(struct poll_link) +
           arena_bytes(call->arena) + call->kept_bytes;
}

size_t polls_wait_bytes(const struct call *call)
{
    const struct call_poll *poll = call_poll_of(call);
    size_t bytes = own_bytes(call);
    for (size_t i = 0; i < poll->type_count; i++) bytes += queue_bytes(poll->type[i]);
    return bytes;
}

static size_t wanted_by(const struct call_poll *poll) { return poll->priority_min ? 0 : poll->max; }

void polls_wait(struct jobs *jobs, struct call *call, int64_t until_ms)
{
    must(!call->next_);
    const struct call_poll *request = call_poll_of(call);
    struct waiting_poll *poll = calloc(1, sizeof *poll + request->type_count * sizeof poll->link[0]);
    must(poll);
    poll->call = call;
    poll->bytes = own_bytes(call);
    jobs->waiting_bytes += poll->bytes;
    poll->link_count = request->type_count;
    for (size_t i = 0; i < poll->link_count; i++) {
        struct poll_link *link = &poll->link[i];
        struct job_queue *queue = jobs_queue(jobs, request->type[i]);
        *link = (struct poll_link){ .poll = poll, .queue = queue, .before = queue->last_poll };
        if (queue->last_poll) queue->last_poll->after = link;
        else queue->first_poll = link, jobs->waiting_bytes += queue_bytes(queue->type);
        queue->last_poll = link;
        queue->wanted += wanted_by(request);
    }
    poll->after = jobs->polls;
    if (jobs->polls) jobs->polls->before = poll;
    jobs->polls = poll;
    /* The engine's own worker polls all the time and does not count. */
    jobs->waiting_count += !call->performs;
    jobs->waiting_wanted += call->performs ? 0 : request->max;
    deadline_set_of_call(jobs->deadlines, &poll->deadline, DEADLINE_POLL, until_ms, call->serial_);
}

/* Ends the waiting and returns the call. */
static struct call *take(struct jobs *jobs, struct waiting_poll *poll)
{
    must(jobs->waiting_bytes >= poll->bytes);
    for (size_t i = 0; i < poll->link_count; i++) {
        struct poll_link *link = &poll->link[i];
        if (link->before) link->before->after = link->after;
        else link->queue->first_poll = link->after;
        if (link->after) link->after->before = link->before;
        else link->queue->last_poll = link->before;
        must(link->queue->wanted >= wanted_by(call_poll_of(poll->call)));
        link->queue->wanted -= wanted_by(call_poll_of(poll->call));
        if (!link->queue->first_poll) jobs->waiting_bytes -= queue_bytes(link->queue->type);
        jobs_release(jobs, link->queue);
    }
    if (poll->before) poll->before->after = poll->after;
    else jobs->polls = poll->after;
    if (poll->after) poll->after->before = poll->before;
    jobs->waiting_count -= !poll->call->performs;
    jobs->waiting_wanted -= poll->call->performs ? 0 : call_poll_of(poll->call)->max;
    jobs->waiting_bytes -= poll->bytes;
    struct call *call = poll->call;
    deadline_clear_of_call(jobs->deadlines, &poll->deadline, call->serial_);
    free(poll);
    return call;
}

size_t polls_wanted(const struct jobs *jobs, str type)
{
    const struct job_queue *queue = text_map_get(&jobs->queues, type);
    return queue && queue->wanted > queue->ready_count ? queue->wanted - queue->ready_count : 0;
}

bool polls_wait_for(const struct jobs *jobs, str type)
{
    const struct job_queue *queue = text_map_get(&jobs->queues, type);
    return queue && queue->wanted;
}

bool polls_next_type(const struct jobs *jobs, size_t *cursor, str *ret_type)
{
    const struct job_queue *queue;
    while ((queue = text_map_next(&jobs->queues, cursor)) != NULL && !queue->wanted) {
    }
    if (queue) *ret_type = queue->type;
    return queue != NULL;
}

/* The one that has waited longest of those that want the queue's best job, or NULL. */
static struct waiting_poll *find_served(const struct job_queue *queue)
{
    if (!lanes_head(queue, 0)) return NULL;
    for (struct poll_link *link = queue->first_poll; link; link = link->after)
        if (lanes_head(queue, call_poll_of(link->poll->call)->priority_min)) return link->poll;
    return NULL;
}

struct call *polls_take_served(struct jobs *jobs, int64_t *ret_until_ms)
{
    for (struct job_queue *queue; (queue = jobs->hot) != NULL;) {
        struct waiting_poll *poll = find_served(queue);
        if (poll) {
            *ret_until_ms = poll->deadline.at_ms;
            return take(jobs, poll);
        }
        jobs->hot = queue->next_hot;
        queue->hot = false;
        jobs_release(jobs, queue);
    }
    return NULL;
}

struct call *polls_take_late(struct jobs *jobs, struct deadline *deadline)
{
    must(deadline->kind == DEADLINE_POLL);
    return take(jobs,
                (struct waiting_poll *)(void *)((char *)deadline - offsetof(struct waiting_poll, deadline)));
}

struct call *polls_take_any(struct jobs *jobs) { return jobs->polls ? take(jobs, jobs->polls) : NULL; }
