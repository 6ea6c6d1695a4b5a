/* api/forwarding/forwarding.c — takes the node messages of other nodes, and what follows from them. */
#include "api/forwarding/forwarding_int.h"

#include "api/limits.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

struct forwarding *forwarding_new(struct api *api)
{
    if (!api->config.node_messages) return NULL;
    struct forwarding *forwarding = calloc(1, sizeof *forwarding);
    must(forwarding);
    forwarding->api = api;
    forwarding->node_messages = api->config.node_messages;
    forwarding->compute = api->config.compute;
    forwarding->node = node_messages_node(forwarding->node_messages);
    map_init(&forwarding->asked);
    map_init(&forwarding->calls);
    if (forwarding->compute) compute_set_seeker(forwarding->compute, forwarding_seek, forwarding);
    forwarding_tell_members(forwarding, NULL); /* A node that has a list of members lives. */
    return forwarding;
}

void forwarding_free(struct forwarding *forwarding)
{
    if (!forwarding) return;
    if (forwarding->compute) compute_set_seeker(forwarding->compute, NULL, NULL);
    forwarding_end_waits(forwarding);
    forwarding_end_calls(forwarding); /* They cannot be run here: the runtime is gone already. */
    forwarding_drop_nodes(forwarding);
    forwarding_drop_asked(forwarding, 0);
    forwarding_drop_served(forwarding);
    forwarding_drop_posts(forwarding);
    buf_done(&forwarding->member_list);
    map_done(&forwarding->asked);
    map_done(&forwarding->calls);
    free(forwarding);
}

int64_t forwarding_own_number(const struct forwarding *forwarding)
{
    return forwarding ? forwarding->node : 0;
}

struct forwarding_stats forwarding_stats(struct forwarding *forwarding)
{
    return (struct forwarding_stats){ .node_messages = node_messages_stats(forwarding->node_messages),
                                      .answered = forwarding->answered,
                                      .calls = forwarding->calls.count };
}

/* A node of another version may send what we do not understand: nobody answers, and its time passes. */
static void take_node_message(struct forwarding *forwarding, const struct node_message *node_message)
{
    struct reader text = { node_message->text.p, node_message->text.p + node_message->text.n, false };
    str letter = read_bytes(&text, 1);
    switch (text.bad ? 0 : letter.p[0]) {
    case 'q': forwarding_ask_here(forwarding, node_message->from, &text); break;
    case 'a': forwarding_settle(forwarding, node_message->from, &text); break;
    case 'd': forwarding_forget_asked(forwarding, node_message->from, &text); break;
    case 'c': forwarding_run_call(forwarding, node_message->from, &text); break;
    case 'r': forwarding_take_answer(forwarding, node_message->from, &text); break;
    default: break;
    }
}

/* The others have taken us for dead. All work that they do for us, and we for them, ends with our old number.
 * The nodes are dropped as if they were dead, and they are not: so the calls that they run end before. */
static void change_number(struct forwarding *forwarding)
{
    forwarding->node = node_messages_node(forwarding->node_messages);
    forwarding_end_calls(forwarding);
    forwarding_drop_nodes(forwarding);
    forwarding_drop_asked(forwarding, 0);
}

/* The rest waits for the next round of the loop, so that other work comes in between. */
static void take_node_messages(struct forwarding *forwarding)
{
    struct arena arena;
    struct node_message node_message;
    size_t count = 0, bytes = 0;
    arena_init(&arena, 0);
    while (count < FORWARDING_ROUND_MAX && bytes < FORWARDING_ROUND_BYTES &&
           node_messages_take(forwarding->node_messages, &arena, &node_message)) {
        take_node_message(forwarding, &node_message);
        count++;
        bytes += node_message.text.n;
        arena_reset(&arena);
    }
    arena_done(&arena);
    const struct api_config *config = &forwarding->api->config;
    if ((count == FORWARDING_ROUND_MAX || bytes >= FORWARDING_ROUND_BYTES) && config->wake)
        config->wake(config->wake_context);
}

/* A flood of them does not fill the log. */
static void log_doubted(struct forwarding *forwarding)
{
    int64_t now_us = clock_monotonic_us();
    if (forwarding->doubted_us && now_us - forwarding->doubted_us < FORWARDING_DOUBTED_TOLD_US) return;
    const struct node_messages_stats stats = node_messages_stats(forwarding->node_messages);
    if (stats.doubted == forwarding->doubted) return;
    char node[24], count[24];
    snprintf(node, sizeof node, "%lld", (long long)stats.doubted_node);
    snprintf(count, sizeof count, "%llu", (unsigned long long)(stats.doubted - forwarding->doubted));
    forwarding->doubted = stats.doubted;
    forwarding->doubted_us = now_us;
    log_write(LOG_WARN, "a message of another node was refused", "node", node, "reason",
              node_message_doubt_reason(stats.doubt), "refused_since", count, NULL);
}

void forwarding_deliver(struct forwarding *forwarding)
{
    if (!forwarding) return;
    log_doubted(forwarding);
    if (node_messages_node(forwarding->node_messages) != forwarding->node) change_number(forwarding);
    forwarding_hear_member_lists(forwarding);
    take_node_messages(forwarding);
    forwarding_wait_on(forwarding);
    forwarding_post_on(forwarding);
    forwarding_send_on(forwarding);
}
