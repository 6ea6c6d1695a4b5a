/* A hub whose clock is turned by hand, members that remember what they get, and requests that remember how
 * they ended. */
#ifndef TESTS_COMPUTE_RIG_H
#define TESTS_COMPUTE_RIG_H

#include "compute/compute.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

struct node {
    struct compute_member *member;
    const struct compute_request *got[16]; /* The last ones. */
    size_t got_count;
    size_t dropped_count;
    enum compute_sent says;
};

struct question {
    struct compute_request request;
    size_t done_count;
    enum compute_outcome outcome;
    char message[256];
};

static int64_t now_ms;
static struct compute *hub;

static int64_t hand_clock(void *context)
{
    (void)context;
    return now_ms;
}

static inline int begin(void **state)
{
    (void)state;
    now_ms = 1000;
    hub = compute_new((struct clock){ hand_clock, NULL });
    return 0;
}

static inline int finish(void **state)
{
    (void)state;
    compute_free(hub);
    return 0;
}

static inline enum compute_sent remember(void *context, const struct compute_request *request)
{
    struct node *node = context;
    if (node->says != COMPUTE_SENT) return node->says;
    node->got[node->got_count++ % COUNT(node->got)] = request;
    return COMPUTE_SENT;
}

static inline void note_drop(void *context, const struct compute_request *request)
{
    struct node *node = context;
    (void)request;
    node->dropped_count++;
}

/* `tags`: with one blank between them. `at`: the node that it is attached to; 0: our own. */
static inline void join_at(struct node *node, const char *tags, int64_t at)
{
    str tag[8], rest = str_of(tags);
    size_t count = 0;
    struct error err;
    while (rest.n) {
        size_t end = str_find(rest, STR(" "), 0);
        tag[count++] = str_slice(rest, 0, end);
        rest = end == SIZE_MAX ? STR_NONE : str_slice(rest, end + 1, rest.n);
    }
    const struct compute_joining joining = { .tag = tag,
                                             .tag_count = count,
                                             .node = at,
                                             .send = remember,
                                             .drop = at ? note_drop : NULL,
                                             .context = node };
    *node = (struct node){ 0 };
    assert_int_equal(compute_join(hub, &joining, &node->member, &err), ST_OK);
    compute_ready(node->member);
}

static inline void join(struct node *node, const char *tags) { join_at(node, tags, 0); }

static inline void note_end(struct compute_request *request)
{
    struct question *question = request->taker;
    question->done_count++;
    question->outcome = request->outcome;
    snprintf(question->message, sizeof question->message, "%.*s", STR_ARG(request->message));
}

static inline void ask(struct question *question, const char *id, const char *tags)
{
    *question = (struct question){ .request = { .id = uuid_of_name(str_of(id)),
                                                .kind = COMPUTE_PROCESSOR,
                                                .name = STR_INIT("p"),
                                                .entity = STR_INIT("e1"),
                                                .tags = str_of(tags),
                                                .text = STR_INIT("{}"),
                                                .timeout_ms = 5000,
                                                .done = note_end } };
    question->request.taker = question;
}

/* Asks for a processor whose intent is committed; `waits`: by an earlier run of the engine. */
static inline void ask_committed(struct question *question, const char *id, bool waits)
{
    ask(question, id, "a");
    question->request.survives = true;
    question->request.waits = waits;
    compute_ask(hub, &question->request);
}

static inline void ask_now(struct question *question, const char *id, const char *tags)
{
    ask(question, id, tags);
    compute_ask(hub, &question->request);
}

static inline enum compute_ignored reply(struct node *node, const char *id)
{
    const struct compute_answer answer = { .kind = COMPUTE_PROCESSOR,
                                           .request = uuid_of_name(str_of(id)),
                                           .entity = STR_INIT("E1"),
                                           .success = true };
    return compute_take(node->member, &answer);
}

static inline void assert_end(const struct question *question, enum compute_outcome outcome)
{
    assert_int_equal(question->done_count, 1);
    assert_int_equal(question->outcome, outcome);
}

#endif
