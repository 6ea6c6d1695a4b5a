/* runtime/arrivals/queue.c — routes arrivals that wait for a place below their definition's cap.
 *
 * The queue is in the store (runtime/transact/overflow.h). Each turn routes some arrivals in its transaction.
 */
#include "runtime/arrivals/arrivals_int.h"

#include "base/must.h"
#include "runtime/transact/transact.h"

/* Queues of a higher priority come first. */
static enum status read_queues(struct backlog_run *run, str after, size_t max, struct backlog_row **ret_row,
                               size_t *ret_count, struct error *err)
{
    struct overflow_queue *queue;
    size_t count, behind = 0;
    (void)max; /* Each of them may have many arrivals, or none. */
    TRY(overflow_queues(run->turn, &queue, &count, err));
    struct backlog_row *row = arena_make_n(&run->turn->arena, struct backlog_row, count);
    for (size_t i = 0; i < count; i++)
        if (str_compare(queue[i].place, after) > 0)
            row[behind++] = (struct backlog_row){ .place = queue[i].place, .name = queue[i].definition };
    run->has_all = true;
    *ret_row = row;
    *ret_count = behind;
    return ST_OK;
}

/* Routes the arrivals of one queue, until one has to wait. If one cannot be read, those behind it keep their
 * order, so the round passes the whole queue. */
static enum status admit_queue(struct backlog_run *run, const struct backlog_row *row,
                               enum backlog_outcome *ret_outcome, struct error *err)
{
    struct turn *turn = run->turn;
    struct queued_arrival queued = { .key = STR_NONE };
    enum status status;
    bool waits = false;
    int32_t ns;
    str definition_id = tenant_name(row->name, &ns);
    while ((status = found_needed(overflow_first(turn, ns, definition_id, queued.key, &queued, err))) ==
           ST_OK) {
        must(queued.key.n); /* The next one is looked for behind it. */
        if (!backlog_take(run, queued.key)) return ST_OK;
        status = arrive_again(turn, ns, &queued, &waits, err);
        if (status != ST_OK || waits) break;
        TRY(overflow_remove(turn, ns, &queued, err));
    }
    if (status != ST_OK && transact_is_lost(turn, status)) return status;
    /* If the definition cannot be had, its arrivals wait, too. */
    if (status != ST_NOT_FOUND) *ret_outcome = BACKLOG_LEFT;
    return ST_OK;
}

void queue_admit(struct turn *turn)
{
    static const struct backlog_user user = {
        .max = ADMITTED_PER_TURN_MAX,
        .unread = "an arrival cannot leave the queue, and those of its definition wait",
        .read = read_queues,
        .row = admit_queue,
    };
    backlog_run(turn, &turn->engine->transact.backlog[BACKLOG_OVERFLOW], &user, NULL);
}
