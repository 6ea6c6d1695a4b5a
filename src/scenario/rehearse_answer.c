/* scenario/rehearse_answer.c — what the outside answers in a rehearsal.
 *
 *     a pin              the caller's output for a node, every time (a mock)
 *     an answer          the caller's next answer for a person, a signal or an event; its last one again, if
 *                        it repeats
 *     a test output      what the author has written for tests (program_rehearsal.given)
 *     made up            values that the next conditions ask for; the first decision after an hour
 */
#include "scenario/rehearse_int.h"

#include "base/duration.h"

/* ---- what the caller gives ---- */

/* Is the node, or the part of it that does work outside, one that somebody can answer for? */
static bool can_answer(const struct program *program, str name)
{
    for (size_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        bool works = node->kind == NODE_TASK && performer_place(node->as.task.performer) != PERFORMED_INSIDE;
        bool waits = node->kind == NODE_WAIT &&
                     (node->as.wait.what == WAIT_FOR_PERSON || node->as.wait.what == WAIT_FOR_SIGNAL ||
                      node->as.wait.what == WAIT_FOR_ARRIVAL);
        bool inside = node->name.n > name.n && node->name.p[name.n] == '/' && str_starts(node->name, name);
        if ((works || waits) && (inside || str_equal(node->name, name) || str_equal(node->title, name)))
            return true;
    }
    return false;
}

static const struct json *with_text(struct rehearsing *run, const struct json *object, const char *name,
                                    str text)
{
    return json_set(run->arena, object, str_of(name), json_of_string(run->arena, text));
}

/* When an answer is given: for which item of a loop, and whether more than once. */
static enum status read_turn(const struct json *answer, size_t number, int64_t *ret_item, bool *ret_repeats,
                             struct error *err)
{
    const struct json *item = json_get(answer, STR("item")), *repeat = json_get(answer, STR("repeat"));
    int64_t index = -1;
    if (item && (!json_int64(item, &index) || index < 0))
        return fail(err, ST_INVALID, "answers", "answer %zu: item must be a number from 0 on", number);
    if (repeat && !json_is(repeat, JSON_BOOL))
        return fail(err, ST_INVALID, "answers", "answer %zu: repeat must be true or false", number);
    *ret_item = index;
    *ret_repeats = repeat && json_bool(repeat);
    return ST_OK;
}

static enum status read_answer(struct rehearsing *run, const struct program *program,
                               const struct json *answer, size_t number, struct error *err)
{
    const struct json *node = json_get(answer, STR("node")), *after = json_get(answer, STR("after"));
    const struct json *decision = json_get(answer, STR("decision")),
                      *variables = json_get(answer, STR("variables"));
    int64_t ms;
    if (json_is(json_get(answer, STR("transition")), JSON_STRING)) return ST_OK; /* For an entity. */
    if (!json_is(node, JSON_STRING))
        return fail(err, ST_INVALID, "answers", "answer %zu needs the \"node\" that it is for", number);
    if (!can_answer(program, json_string(node)))
        return fail(err, ST_INVALID, "answers", "answer %zu: \"%.*s\" waits for nobody", number,
                    STR_ARG(json_string(node)));
    if (variables && !json_is(variables, JSON_OBJECT))
        return fail(err, ST_INVALID, "answers", "answer %zu: variables must be an object", number);
    if (decision && !json_is(decision, JSON_STRING))
        return fail(err, ST_INVALID, "answers", "answer %zu: decision must be a text", number);
    if (after && read_span(after, &ms, err) != ST_OK)
        return fail(err, ST_INVALID, "answers", "answer %zu: after must be a duration: PT2H, 1d", number);
    int64_t item = -1;
    bool repeats = false;
    TRY(read_turn(answer, number, &item, &repeats, err));
    const struct json *data = variables ? variables : json_empty_object();
    if (decision) data = json_set(run->arena, data, STR("decision"), decision);
    struct given_answer *given = arena_make(run->arena, struct given_answer), **link = &run->given;
    given->node = json_string(node);
    given->item = item;
    given->repeats = repeats;
    given->result = json_set(run->arena, json_empty_object(), STR("ok"), data);
    if (after) given->result = json_set(run->arena, given->result, STR("delay"), after);
    while (*link) link = &(*link)->next;
    *link = given;
    return ST_OK;
}

static const struct json *pinned_result(struct rehearsing *run, const struct json *pin)
{
    static const str taken[] = { STR_INIT("code"), STR_INIT("message"), STR_INIT("data") };
    const struct json *error = json_get(pin, STR("error"));
    if (!json_is(error, JSON_OBJECT)) return json_set(run->arena, json_empty_object(), STR("ok"), pin);
    const struct json *result = with_text(run, json_empty_object(), "fail", STR("error"));
    for (size_t i = 0; i < COUNT(taken); i++) {
        const struct json *value = json_get(error, taken[i]);
        if (value) result = json_set(run->arena, result, taken[i], value);
    }
    return result;
}

enum status rehearse_read(struct rehearsing *run, const struct program *program,
                          const struct json **ret_mocks, struct error *err)
{
    const struct json *answers = run->asked->answers;
    for (size_t i = 0; answers && i < json_count(answers); i++)
        TRY(read_answer(run, program, json_item(answers, i), i + 1, err));
    struct json_builder mocks;
    json_builder_init(&mocks, run->arena);
    json_open_array(&mocks);
    struct json_each each = json_each(run->asked->pins ? run->asked->pins : json_empty_object());
    while (json_next(&each)) {
        if (!can_answer(program, each.name))
            return fail(err, ST_INVALID, "pins",
                        "\"%.*s\" does no work outside and waits for nobody, so it cannot be pinned",
                        STR_ARG(each.name));
        json_open_object(&mocks);
        json_add_name(&mocks, STR("node"));
        json_add_string(&mocks, each.name);
        json_add_name(&mocks, STR("results"));
        json_open_array(&mocks);
        json_add(&mocks, pinned_result(run, each.value));
        json_close(&mocks);
        json_close(&mocks);
    }
    json_close(&mocks);
    *ret_mocks = json_built(&mocks);
    return ST_OK;
}

/* ---- what is made up ---- */

/* A plain value that fits a schema, as far as a person would see at a glance; NULL: nothing comes to mind. */
static const struct json *sample_of(const struct json *schema, struct arena *arena, size_t depth)
{
    const struct json *type = json_get(schema, STR("type")), *list = json_get(schema, STR("enum"));
    const struct json *fixed = json_get(schema, STR("default"));
    if (!fixed) fixed = json_get(schema, STR("const"));
    if (fixed) return fixed;
    if (json_is(list, JSON_ARRAY) && json_count(list)) return json_item(list, 0);
    str word = json_is(type, JSON_STRING) ? json_string(type) : STR_NONE;
    const struct json *least = json_get(schema, STR("minimum"));
    if (str_equal(word, STR("integer")) || str_equal(word, STR("number")))
        return json_is(least, JSON_NUMBER) ? least : json_of_int(arena, 1);
    if (str_equal(word, STR("boolean"))) return json_of_bool(true);
    if (str_equal(word, STR("array"))) return json_empty_array();
    if (str_equal(word, STR("string"))) {
        const struct json *format = json_get(schema, STR("format"));
        str form = json_is(format, JSON_STRING) ? json_string(format) : STR_NONE;
        return json_of_string(arena, str_equal(form, STR("date"))        ? STR("2026-01-01")
                                     : str_equal(form, STR("date-time")) ? STR("2026-01-01T00:00:00Z")
                                     : str_equal(form, STR("email"))     ? STR("someone@example.com")
                                                                         : STR("text"));
    }
    if (!depth || !(str_equal(word, STR("object")) || json_get(schema, STR("properties")))) return NULL;
    const struct json *object = json_empty_object(), *required = json_get(schema, STR("required"));
    for (size_t i = 0; json_is(required, JSON_ARRAY) && i < json_count(required); i++) {
        const struct json *name = json_item(required, i);
        if (!json_is(name, JSON_STRING)) continue;
        const struct json *value =
            sample_of(json_get(json_get(schema, STR("properties")), json_string(name)), arena, depth - 1);
        if (value) object = json_set(arena, object, json_string(name), value);
    }
    return object;
}

/* Values that the conditions behind a node ask for; `anew`: also for what the instance has already. */
static const struct json *guessed(struct rehearsing *run, const struct work *work, uint32_t at, bool anew)
{
    const struct hint *hints = hints_after(work->actor->program, at, run->arena);
    return hints_guess(hints, work->actor->state->data, anew, run->asked->by_chance ? &run->choices : NULL,
                       run->arena);
}

/* A person takes the first decision and fills in what the form asks for, or does what the author has written.
 */
static const struct json *decided(struct rehearsing *run, const struct work *work, uint32_t at)
{
    struct arena *arena = run->arena;
    const struct program_node *node = &work->actor->program->node[at];
    const struct token *token = instance_find_token(work->actor->state, work->execution);
    const struct json *form = token ? json_get(token->task, STR("formSchema")) : NULL;
    const struct json *data = form ? sample_of(form, arena, SAMPLE_DEPTH_MAX) : guessed(run, work, at, true);
    if (!json_is(data, JSON_OBJECT)) data = json_empty_object();
    if (node->as.wait.decision_count)
        data = json_set(arena, data, STR("decision"), json_of_string(arena, node->as.wait.decision[0]));
    if (node->rehearsal && node->rehearsal->given) data = json_merge(data, node->rehearsal->given, arena);
    return with_text(run, json_set(arena, json_empty_object(), STR("ok"), data), "delay", STR("PT1H"));
}

static const struct json *done_work(struct rehearsing *run, struct stage *stage, const struct work *work,
                                    uint32_t at)
{
    const struct program *program = work->actor->program;
    const struct program_node *node = &program->node[at];
    if (work->computes) return compute_guess(stage, work);
    if (node->kind == NODE_TASK && node->as.task.result_member_count) return NULL; /* The usual result. */
    return json_set(run->arena, json_empty_object(), STR("ok"), guessed(run, work, at, false));
}

/* ---- answering ---- */

/* The item of the innermost loop around the work; -1: it is in none. */
static int64_t item_of(const struct work *work)
{
    const struct instance *state = work->actor->state; /* NULL: an entity that is not there yet. */
    const struct token *token = state ? instance_find_token(state, work->execution) : NULL;
    uint32_t number = token ? token->scope : 0;
    for (size_t depth = 0; number && depth <= state->scope_count; depth++)
        for (size_t i = 0; i < state->scope_count; i++) {
            const struct scope *scope = &state->scope[i];
            if (scope->number != number) continue;
            if (scope->state != REGION_NONE) return scope->index;
            number = scope->parent;
            break;
        }
    return -1;
}

/* The first one that is not used; else the last one that repeats. */
static struct given_answer *find_given(const struct rehearsing *run, const struct work *work)
{
    struct given_answer *again = NULL;
    int64_t item = item_of(work);
    for (struct given_answer *given = run->given; given; given = given->next) {
        bool fits = str_equal(given->node, work->names.node) || str_equal(given->node, work->names.title);
        if (!fits || (given->item >= 0 && given->item != item)) continue;
        if (!given->used) return given;
        if (given->repeats) again = given;
    }
    return again;
}

const struct json *rehearse_answer(void *context, struct stage *stage, const struct work *work)
{
    struct rehearsing *run = context;
    struct given_answer *given = find_given(run, work);
    if (given) {
        given->used = true;
        return given->result;
    }
    uint32_t at = program_find(work->actor->program, work->names.node);
    if (at == NODE_NONE) return NULL;
    if (work->kind == WORK_JOB) return done_work(run, stage, work, at);
    if (work->kind != WORK_TASK || run->asked->people_wait) return NULL;
    return decided(run, work, at);
}

static bool is_pinned(const struct rehearsing *run, const struct work *work)
{
    const struct json *pins = run->asked->pins;
    return pins && (json_get(pins, work->names.node) || json_get(pins, work->names.title));
}

const char *rehearse_manner(const struct rehearsing *run, const struct work *work)
{
    if (is_pinned(run, work)) return "pinned";
    if (work->kind == WORK_ARRIVAL) return "pretended";
    if (work->kind != WORK_JOB) return "done";
    uint32_t at = program_find(work->actor->program, work->names.node);
    const struct program_node *node = at == NODE_NONE ? NULL : &work->actor->program->node[at];
    bool sends =
        node && (node->kind != NODE_TASK || /* An e-mail about a person's task. */
                 node->as.task.performer == PERFORM_EMAIL || node->as.task.performer == PERFORM_EMIT);
    return sends ? "not sent" : "pretended";
}
