/* runtime/nodes/offers_dry.c — queues of which nothing is offered, as a node that is alone knows. */
#include "runtime/nodes/nodes_int.h"

#include "base/must.h"

#include <stdlib.h>

enum { DRY_BEATS = 5 }; /* So long a queue is known to be dry after its last poll that found nothing. */

void offers_forget_dry(struct offers *offers, str queue) { free(text_map_take(&offers->dry, queue)); }

/* Queues that nobody polls any more are forgotten. A poll that finds a job at once is not seen here. */
void offers_age_dry(struct offers *offers)
{
    struct dry_queue *dry, *idle[CLAIM_QUEUES_MAX];
    size_t count = 0, cursor = 0;
    while ((dry = text_map_next(&offers->dry, &cursor)) != NULL)
        if (++dry->beats > DRY_BEATS) idle[count++] = dry;
    for (size_t i = 0; i < count; i++) offers_forget_dry(offers, idle[i]->name);
}

bool offers_is_dry(const struct engine *engine, str queue)
{
    return !nodes_have_others(engine) && text_map_get(&engine->offers.dry, queue);
}

void offers_keep_dry(struct offers *offers, str queue)
{
    struct dry_queue *dry = text_map_get(&offers->dry, queue);
    if (dry) dry->beats = 0;
}

void offers_dry_done(struct offers *offers)
{
    struct dry_queue *dry;
    for (size_t cursor = 0; (dry = text_map_next(&offers->dry, &cursor)) != NULL;) free(dry);
    text_map_done(&offers->dry);
}

void offers_note_dry(struct offers *offers, str queue)
{
    if (text_map_get(&offers->dry, queue) || offers->dry.count == CLAIM_QUEUES_MAX) return;
    struct dry_queue *dry = malloc(sizeof *dry + queue.n);
    must(dry);
    *dry = (struct dry_queue){ .name = { dry->bytes, queue.n } };
    memcpy(dry->bytes, queue.p, queue.n);
    text_map_put(&offers->dry, dry->name, dry);
}
