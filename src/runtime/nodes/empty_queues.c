/* runtime/nodes/empty_queues.c — queues of which nothing is offered, as a node that is alone knows. */
#include "runtime/nodes/nodes_int.h"

#include "base/must.h"

#include <stdlib.h>

enum {
    EMPTY_HEARTBEATS = 5
}; /* So many heartbeats a queue is known to be empty after its last poll that found nothing. */

void empty_queues_remove(struct offers *offers, str queue) { free(text_map_take(&offers->empty, queue)); }

/* Queues that nobody polls any more are forgotten. A poll that finds a job at once is not seen here. */
void empty_queues_age(struct offers *offers)
{
    struct empty_queue *empty, *idle[CLAIM_QUEUES_MAX];
    size_t count = 0, cursor = 0;
    while ((empty = text_map_next(&offers->empty, &cursor)) != NULL)
        if (++empty->heartbeats > EMPTY_HEARTBEATS) idle[count++] = empty;
    for (size_t i = 0; i < count; i++) empty_queues_remove(offers, idle[i]->name);
}

bool empty_queues_has(const struct engine *engine, str queue)
{
    return !nodes_have_others(engine) && text_map_get(&engine->nodes.offers.empty, queue);
}

void empty_queues_keep(struct offers *offers, str queue)
{
    struct empty_queue *empty = text_map_get(&offers->empty, queue);
    if (empty) empty->heartbeats = 0;
}

void empty_queues_done(struct offers *offers)
{
    struct empty_queue *empty;
    for (size_t cursor = 0; (empty = text_map_next(&offers->empty, &cursor)) != NULL;) free(empty);
    text_map_done(&offers->empty);
}

void empty_queues_add(struct offers *offers, str queue)
{
    if (text_map_get(&offers->empty, queue) || offers->empty.count == CLAIM_QUEUES_MAX) return;
    struct empty_queue *empty = malloc(sizeof *empty + queue.n);
    must(empty);
    *empty = (struct empty_queue){ .name = { empty->bytes, queue.n } };
    memcpy(empty->bytes, queue.p, queue.n);
    text_map_put(&offers->empty, empty->name, empty);
}
