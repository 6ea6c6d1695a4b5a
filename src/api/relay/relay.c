/* api/relay/relay.c — takes the errands of other nodes, and what follows from them. */
#include "api/relay/relay_int.h"

#include "base/must.h"

#include <stdlib.h>

struct relay *relay_new(struct api *api)
{
    if (!api->config.errands) return NULL;
    struct relay *relay = calloc(1, sizeof *relay);
    must(relay);
    relay->api = api;
    relay->errands = api->config.errands;
    relay->compute = api->config.compute;
    relay->node = errands_node(relay->errands);
    map_init(&relay->asked);
    map_init(&relay->calls);
    if (relay->compute) compute_set_seeker(relay->compute, relay_seek, relay);
    relay_tell_members(relay, NULL); /* A node that has a roster lives. */
    return relay;
}

void relay_free(struct relay *relay)
{
    if (!relay) return;
    if (relay->compute) compute_set_seeker(relay->compute, NULL, NULL);
    relay_end_waits(relay);
    relay_end_calls(relay); /* They cannot be run here: the runtime is gone already. */
    relay_drop_nodes(relay);
    relay_drop_asked(relay, 0);
    relay_drop_served(relay);
    relay_drop_posts(relay);
    buf_done(&relay->roster);
    map_done(&relay->asked);
    map_done(&relay->calls);
    free(relay);
}

int64_t relay_own_number(const struct relay *relay) { return relay ? relay->node : 0; }

struct relay_stats relay_stats(struct relay *relay)
{
    return (struct relay_stats){ .errands = errands_stats(relay->errands),
                                 .answered = relay->answered,
                                 .calls = relay->calls.count };
}

/* A node of another version may send what we do not understand: nobody answers, and its time passes. */
static void take_errand(struct relay *relay, const struct errand *errand)
{
    struct reader text = { errand->text.p, errand->text.p + errand->text.n, false };
    str letter = read_bytes(&text, 1);
    switch (text.bad ? 0 : letter.p[0]) {
    case 'q': relay_ask_here(relay, errand->from, &text); break;
    case 'a': relay_settle(relay, errand->from, &text); break;
    case 'd': relay_forget_asked(relay, errand->from, &text); break;
    case 'c': relay_run_call(relay, errand->from, &text); break;
    case 'r': relay_take_answer(relay, &text); break;
    default: break;
    }
}

/* The others have taken us for dead. All work that they do for us, and we for them, ends with our old number.
 * The nodes are dropped as if they were dead, and they are not: so the calls that they run end before. */
static void change_number(struct relay *relay)
{
    relay->node = errands_node(relay->errands);
    relay_end_calls(relay);
    relay_drop_nodes(relay);
    relay_drop_asked(relay, 0);
}

/* The rest waits for the next round of the loop, so that other work comes in between. */
static void take_errands(struct relay *relay)
{
    struct arena arena;
    struct errand errand;
    size_t count = 0, bytes = 0;
    arena_init(&arena, 0);
    while (count < RELAY_ROUND_MAX && bytes < RELAY_ROUND_BYTES &&
           errands_take(relay->errands, &arena, &errand)) {
        take_errand(relay, &errand);
        count++;
        bytes += errand.text.n;
        arena_reset(&arena);
    }
    arena_done(&arena);
    const struct api_config *config = &relay->api->config;
    if ((count == RELAY_ROUND_MAX || bytes >= RELAY_ROUND_BYTES) && config->wake)
        config->wake(config->wake_context);
}

void relay_deliver(struct relay *relay)
{
    if (!relay) return;
    if (errands_node(relay->errands) != relay->node) change_number(relay);
    relay_hear_rosters(relay);
    take_errands(relay);
    relay_wait_on(relay);
    relay_post_on(relay);
    relay_send_on(relay);
}
