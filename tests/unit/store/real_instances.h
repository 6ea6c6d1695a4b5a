/* Instances for checks: made by core_step() from a program of three nodes, with the rows that belong to them.
 */
#ifndef TESTS_STORE_REAL_INSTANCES_H
#define TESTS_STORE_REAL_INSTANCES_H

#include "fixture.h"

enum { WORK, ASK, END, NODES };

#define LISTENING "{\"id\":\"listening\"}"

static const struct program_trigger triggers[2] = {
    { .name = STR_INIT("paid"), .source = STR_INIT("shop"), .type = STR_INIT("paid"), .correlated = true },
    { .name = STR_INIT("sent"), .source = STR_INIT("shop"), .type = STR_INIT("sent"), .correlated = true },
};

/* work (a job) → ask (a person, with a timer) → end; NULL for a source that says so; with triggers
 * for another. */
static inline struct program *compile(str source, struct arena *unused)
{
    (void)unused;
    if (str_equal(source, STR("broken"))) return NULL;
    struct program *program = program_new(0);
    struct arena *arena = program_arena(program);
    struct program_node *node = arena_make_n(arena, struct program_node, NODES);
    struct program_edge *edge = arena_make_n(arena, struct program_edge, 2);
    struct program_timer *timer = arena_make(arena, struct program_timer);
    edge[0].target = ASK;
    edge[1].target = END;
    *timer = (struct program_timer){ .delay_ms = 1000, .interrupting = true, .target = END };
    node[WORK] =
        (struct program_node){ .kind = NODE_TASK, .name = STR("work"), .edge = &edge[0], .edge_count = 1 };
    node[WORK].as.task.job_type = STR("worker");
    node[ASK] = (struct program_node){ .kind = NODE_WAIT,
                                       .name = STR("ask"),
                                       .edge = &edge[1],
                                       .edge_count = 1,
                                       .timer = timer,
                                       .timer_count = 1 };
    node[ASK].as.wait.what = WAIT_FOR_PERSON;
    node[END] = (struct program_node){ .kind = NODE_END, .name = STR("end") };
    program->dialect = STR("steps");
    program->id = STR("order");
    program->node_word = STR("step");
    program->node = node;
    program->node_count = NODES;
    program->start = WORK;
    if (str_equal(source, STR(LISTENING))) {
        program->trigger = triggers;
        program->trigger_count = COUNT(triggers);
    }
    program_link(program);
    return program;
}

/* Steps an instance and stores what came of it, with the rows its state asks for. */
static inline const struct instance *run(struct fixture *f, const struct instance *before,
                                         struct command command)
{
    struct program *program = compile(STR(""), NULL);
    struct limits limits = limits_default();
    struct outcome outcome;
    command.now_ms = 5000;
    assert_ok(f, core_step(program, before, &command, &limits, &f->arena, &outcome, &f->err));
    program_unref(program);

    const struct instance *after = outcome.instance;
    struct buf bytes, history;
    buf_init(&bytes, &f->arena);
    buf_init(&history, &f->arena);
    core_encode(after, &bytes);
    history_encode(&outcome.history, &history);
    struct instance_row row = {
        .id = after->id,
        .ns = 1,
        .definition = after->definition,
        .status = after->status,
        .has_jobs = after->job_count > 0,
        .created_ms = after->created_ms,
        .ended_ms = after->ended_ms,
        .business_key = after->business_key,
        .state = buf_str(&bytes),
    };
    struct changeset change = {
        .instance = &row, .insert = !before, .history = buf_str(&history), .at_ms = 5000
    };
    struct timer_row timer;
    struct task_row task;
    if (after->timer_count) {
        timer = (struct timer_row){ after->timer[0].due_ms, after->id, after->timer[0].number };
        change.timer_add = &timer;
        change.timer_add_count = 1;
        task = (struct task_row){ .instance = after->id,
                                  .execution = after->token[0].execution,
                                  .ns = 1,
                                  .definition = 1,
                                  .node = STR("ask") };
        change.task_add = &task;
        change.task_add_count = 1;
    }
    put(f, change);
    return after;
}

/* Instance 1 waits for a person, instance 2 for a worker. */
static inline void put_two(struct fixture *f)
{
    put_definition(f, 1, "order", 1);
    const struct instance *one = run(f, NULL,
                                     (struct command){ .kind = COMMAND_START,
                                                       .as.start.instance = 1,
                                                       .as.start.definition = 1,
                                                       .as.start.business_key = STR("key"),
                                                       .data = json_empty_object() });
    assert_int_equal(one->job_count, 1);
    one = run(f, one,
              (struct command){ .kind = COMMAND_COMPLETE_JOB,
                                .as.job.number = one->job[0].number,
                                .data = json_empty_object() });
    assert_int_equal(one->timer_count, 1);
    assert_int_equal(one->token[0].state, TOKEN_PERSON);
    run(f, NULL,
        (struct command){ .kind = COMMAND_START,
                          .as.start.instance = 2,
                          .as.start.definition = 1,
                          .data = json_empty_object() });
}

struct findings {
    size_t count;
    char text[8192];
};

static inline void note(void *context, const char *sentence)
{
    struct findings *findings = context;
    findings->count++;
    size_t used = strlen(findings->text);
    snprintf(findings->text + used, sizeof findings->text - used, "%s\n", sentence);
}

#endif
