/* scenario/script.c — a scenario file that does again what was done to a run.
 *
 *     what the outside answered    mocks by node, each with its results in order, delays included
 *     the start, events, transitions
 *     time                         `run`; as far as the clock was moved, if the run has not ended
 *     what came of it              the status and the path of each instance that nobody's sub-flow is
 */
#include "scenario/rehearse_int.h"

#include "base/duration.h"
#include "dialect/dialect.h"
#include "source/source.h"

void script_add_text(struct json_builder *out, const char *name, str text)
{
    json_add_name(out, str_of(name));
    json_add_string(out, text);
}

void script_add_op(struct json_builder *out, const char *op)
{
    json_open_object(out);
    script_add_text(out, "op", str_of(op));
}

void script_add_span(struct json_builder *out, const char *name, int64_t ms)
{
    char text[64];
    duration_print(ms, text, sizeof text);
    script_add_text(out, name, str_of(text));
}

static bool is_first_of_node(const struct rehearsing *run, const struct taken_answer *taken)
{
    for (const struct taken_answer *other = run->first_taken; other != taken; other = other->next)
        if (str_equal(other->node, taken->node)) return false;
    return true;
}

/* Does somebody still wait there, at the end? The last result of a mock repeats, so another one must follow
 * that never comes. */
static bool still_waits(const struct rehearsing *run, str node)
{
    const struct stage *stage = run->stage;
    for (size_t i = 0; i < stage->actor_count; i++) {
        const struct instance *state = stage->actor[i]->state;
        if (stage->actor[i]->gone || instance_status_ended(state->status)) continue;
        for (size_t k = 0; k < state->token_count; k++)
            if (str_equal(state->token[k].node_name, node)) return true;
    }
    return false;
}

static bool has_ended(const struct rehearsing *run)
{
    for (size_t i = 0; i < run->stage->actor_count; i++)
        if (!run->stage->actor[i]->gone && !instance_status_ended(run->stage->actor[i]->state->status) &&
            !writes_at_rest(run->stage->actor[i]))
            return false;
    return true;
}

static void add_mocks(const struct rehearsing *run, struct json_builder *out)
{
    for (const struct taken_answer *taken = run->first_taken; taken; taken = taken->next) {
        if (!is_first_of_node(run, taken)) continue;
        script_add_op(out, "mock");
        script_add_text(out, "node", taken->node);
        json_add_name(out, STR("results"));
        json_open_array(out);
        for (const struct taken_answer *other = taken; other; other = other->next)
            if (str_equal(other->node, taken->node)) json_add(out, other->result);
        if (still_waits(run, taken->node)) {
            json_open_object(out);
            json_add_name(out, STR("ok"));
            json_add(out, json_empty_object());
            script_add_text(out, "delay", STR("P36500D"));
            json_close(out);
        }
        json_close(out);
        json_close(out);
    }
}

static void add_start(const struct rehearsing *run, struct json_builder *out)
{
    script_add_op(out, "start");
    script_add_text(out, "definition", run->stage->actor[0]->definition_id);
    json_add_name(out, STR("input"));
    json_add(out, run->asked->input ? run->asked->input : json_empty_object());
    if (run->asked->trigger.n) script_add_text(out, "trigger", run->asked->trigger);
    json_close(out);
}

/* Moves the clock to the action and does it. */
static void add_actions(const struct rehearsing *run, struct json_builder *out)
{
    int64_t now_ms = run->stage->start_ms;
    for (const struct taken_action *action = run->first_action; action; action = action->next) {
        if (action->event) {
            script_add_op(out, "event");
            json_add_name(out, STR("event"));
            json_add(out, action->event);
            if (action->at_ms > run->stage->start_ms)
                script_add_span(out, "at", action->at_ms - run->stage->start_ms);
            json_close(out);
        } else {
            if (action->at_ms > now_ms) {
                script_add_op(out, "advance");
                script_add_span(out, "by", action->at_ms - now_ms);
                json_close(out);
            }
            script_add_op(out, "transition");
            script_add_text(out, "instance", run->stage->actor[0]->name);
            script_add_text(out, "name", action->transition);
            if (action->data) {
                json_add_name(out, STR("body"));
                json_add(out, action->data);
            }
            json_close(out);
        }
        now_ms = action->at_ms;
    }
}

/* Views have the data of all visits, and little of them is wanted. */
static void add_expected_of(struct stage *stage, const struct actor *actor, struct json_builder *out)
{
    static const str members[] = { STR_INIT("status"), STR_INIT("state"), STR_INIT("path"),
                                   STR_INIT("order") };
    struct arena viewed, *kept = stage->arena;
    arena_init(&viewed, 0);
    stage->arena = &viewed;
    const struct json *view = view_actor(stage, actor);
    stage->arena = kept;
    bool has_path = json_get(view, STR("path")) != NULL;
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct json *value = json_get(view, members[i]);
        if (!value || (has_path && str_equal(members[i], STR("order")))) continue;
        json_add_name(out, members[i]);
        json_add(out, json_copy(kept, value));
    }
    arena_done(&viewed);
}

static void add_expected(const struct rehearsing *run, struct json_builder *out)
{
    struct stage *stage = run->stage;
    json_add_name(out, STR("expect"));
    json_open_object(out);
    json_add_name(out, STR("instances"));
    json_open_object(out);
    for (size_t i = 0; i < stage->actor_count; i++) {
        const struct actor *actor = stage->actor[i];
        if (actor->gone || actor->child) continue;
        json_add_name(out, actor->name);
        json_open_object(out);
        add_expected_of(stage, actor, out);
        json_close(out);
    }
    json_close(out);
    json_close(out);
}

static void add_definitions(const struct rehearsing *run, struct json_builder *out)
{
    json_add_name(out, STR("definitions"));
    json_open_array(out);
    for (size_t i = 0; i < run->asked->definition_count; i++) {
        struct source source;
        if (source_parse(run->asked->definition[i], SOURCE_ANY, NULL, run->arena, &source, NULL) == ST_OK)
            json_add(out, source.document);
    }
    json_close(out);
}

static bool is_written(const struct program_rehearsal *rehearsal)
{
    return rehearsal && (rehearsal->given || rehearsal->told);
}

/* Calls bring it as mocks. */
static bool has_no_mock(const struct program_node *node)
{
    return node->kind == NODE_WAIT || (node->kind == NODE_TASK && performer_starts(node->as.task.performer));
}

/* Has a wait or another flow brought what its author has written for tests? A replay must do the same. */
static bool has_test_outputs(const struct rehearsing *run)
{
    for (size_t i = 0; i < run->stage->actor_count; i++) {
        const struct program *program = run->stage->actor[i]->program;
        for (size_t k = 0; k < program->node_count; k++)
            if (has_no_mock(&program->node[k]) && is_written(program->node[k].rehearsal)) return true;
    }
    return false;
}

const struct json *script_of(struct rehearsing *run)
{
    struct json_builder out;
    const struct stage *stage = run->stage;
    if (!stage->actor_count) return NULL;
    json_builder_init(&out, run->arena);
    json_open_object(&out);
    add_definitions(run, &out);
    json_add_name(&out, STR("cases"));
    json_open_array(&out);
    json_open_object(&out);
    script_add_text(&out, "name",
                    arena_printf(run->arena, "a test run of %.*s", STR_ARG(stage->actor[0]->definition_id)));
    if (has_test_outputs(run)) {
        json_add_name(&out, STR("testOutputs"));
        json_add_bool(&out, true);
    }
    json_add_name(&out, STR("steps"));
    json_open_array(&out);
    add_mocks(run, &out);
    add_start(run, &out);
    add_actions(run, &out);
    int64_t since_ms = run->last_action ? run->last_action->at_ms : stage->start_ms;
    if (has_ended(run)) {
        script_add_op(&out, "run");
        json_close(&out);
    } else if (stage->now_ms > since_ms) {
        script_add_op(&out, "advance");
        script_add_span(&out, "by", stage->now_ms - since_ms);
        json_close(&out);
    }
    json_close(&out);
    add_expected(run, &out);
    json_close(&out);
    json_close(&out);
    json_close(&out);
    return json_built(&out);
}
