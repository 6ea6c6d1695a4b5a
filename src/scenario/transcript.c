/* scenario/transcript.c — a scenario file that does again what was done to an instance of an engine.
 *
 * A history has what an answer changed, not the answer. So answers are looked for: each value that the
 * history shows is tried as the answer on the state before it, and the one whose step writes the very same
 * history is the answer, or as good as it. The core is pure, so trying costs nothing but time.
 */
#include "scenario/scenario_int.h"

#include "base/datetime.h"
#include "base/duration.h"
#include "base/heap.h"
#include "dialect/show/run_view.h"
#include "runtime/operate/operate.h"
#include "source/source.h"

/* Something that somebody outside did, or has not done. In the order in which it was asked for. */
struct asked_work {
    str node;
    uint32_t job;       /* 0: it is no job. */
    uint32_t execution; /* The visit that waits for it. */
    int64_t since_ms;
    const struct json *result; /* NULL: nobody answered. */
    bool closed;
    struct asked_work *next;
};

/* An event or a transition. */
struct deed {
    int64_t at_ms;
    const struct json *event; /* NULL: a transition. */
    str transition;
    const struct json *data;
    struct deed *next;
};

struct told_part {
    const struct transcript_part *part;
    struct program *program;
    struct arena *arena;
    const struct instance *before; /* The state that the command at hand found. */
    const struct history *history; /* The history of the command. */
    struct limits limits;
    const struct scenario_bound *bound;
};

struct transcribing {
    struct arena *arena;
    struct asked_work *first, *last;
    struct deed *first_deed, *last_deed;
};

/* ---- looking for the answer ---- */

struct candidates {
    const struct json *value[CANDIDATES_MAX];
    size_t count;
};

static void add_candidate(struct candidates *list, const struct json *value)
{
    if (value && list->count < CANDIDATES_MAX) list->value[list->count++] = value;
}

/* The members of an object that another one has not. */
static const struct json *difference(const struct json *value, const struct json *other, struct arena *arena)
{
    struct json_builder out;
    if (!json_is(value, JSON_OBJECT) || !json_is(other, JSON_OBJECT)) return NULL;
    json_builder_init(&out, arena);
    json_open_object(&out);
    struct json_each each = json_each(value);
    while (json_next(&each)) {
        const struct json *had = json_get(other, each.name);
        if (had && json_equal(had, each.value)) continue;
        json_add_name(&out, each.name);
        json_add(&out, each.value);
    }
    json_close(&out);
    return json_built(&out);
}

static void add_members(struct candidates *list, const struct json *value)
{
    if (!json_is(value, JSON_OBJECT)) return;
    struct json_each each = json_each(value);
    while (json_next(&each)) add_candidate(list, each.value);
}

/* Adds the values that are new against the data that the instance had, there and in its regions, and their
 * parts. */
static void add_news(const struct told_part *reading, struct candidates *list, const struct json *value)
{
    const struct instance *before = reading->before;
    for (size_t i = 0; i <= before->scope_count; i++) {
        const struct json *had = i ? before->scope[i - 1].data : before->data;
        const struct json *news = difference(value, had, reading->arena);
        add_candidate(list, news);
        add_members(list, news);
        if (!json_is(had, JSON_OBJECT) || !i) continue;
        struct json_each each = json_each(had); /* The registers of a frame. */
        while (json_next(&each)) {
            news = difference(value, each.value, reading->arena);
            add_candidate(list, news);
            add_members(list, news);
        }
    }
}

static void find_candidates(const struct told_part *reading, struct candidates *list)
{
    const struct history *history = reading->history;
    *list = (struct candidates){ .count = 0 };
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind == ENTRY_KIND_ENTER) break;
        if (entry->kind != ENTRY_KIND_DATA && entry->kind != ENTRY_KIND_SCOPE_DATA) continue;
        add_candidate(list, entry->data);
        add_news(reading, list, entry->data);
        if (!json_is(entry->data, JSON_OBJECT)) continue;
        struct json_each each = json_each(entry->data);
        while (json_next(&each)) {
            add_candidate(list, each.value);
            add_candidate(list, json_get(each.value, STR("payload")));
            add_news(reading, list, each.value);
        }
    }
    add_candidate(list, json_empty_object());
    add_candidate(list, json_null());
    /* The plainest comes first. */
    for (size_t i = 1; i < list->count; i++)
        for (size_t k = i; k && json_bytes(list->value[k]) < json_bytes(list->value[k - 1]); k--) {
            const struct json *moved = list->value[k];
            list->value[k] = list->value[k - 1];
            list->value[k - 1] = moved;
        }
}

static const char *enough(const struct told_part *reading)
{
    return reading->bound->enough(reading->bound->context);
}

/* Would the command have written this very history? */
static bool writes_it(const struct told_part *reading, const struct command *command)
{
    struct outcome outcome;
    struct error rejection;
    struct buf made, stored;
    if (core_step(reading->program, reading->before, command, &reading->limits, reading->arena, &outcome,
                  &rejection) != ST_OK)
        return false;
    buf_init(&made, reading->arena);
    buf_init(&stored, reading->arena);
    outcome.history.revision = reading->history->revision;
    history_encode(&outcome.history, &made);
    history_encode(reading->history, &stored);
    return str_equal(buf_str(&made), buf_str(&stored));
}

static const struct json *ok(const struct json *value, struct arena *arena)
{
    return json_set(arena, json_empty_object(), STR("ok"), value);
}

static const struct json *find_answer(const struct told_part *reading, const struct asked_work *piece)
{
    const struct history *history = reading->history;
    struct candidates list;
    find_candidates(reading, &list);
    for (size_t i = 0; i < list.count && !heap_exceeds(CANDIDATES_BYTES_MAX) && !enough(reading); i++) {
        const struct json *data = json_is(list.value[i], JSON_NULL) ? NULL : list.value[i];
        struct command command =
            piece->job ? command_complete_job(history->at_ms, history->actor, data,
                                              (struct command_job){ .number = piece->job })
            : history->command == COMMAND_SIGNAL
                ? command_signal(history->at_ms, history->actor, data,
                                 (struct command_node){ .node = piece->node })
                : command_complete_task(history->at_ms, history->actor, data,
                                        (struct command_node){ .node = piece->node,
                                                               .number = piece->execution,
                                                               .in_any_group = true });
        if (writes_it(reading, &command)) return ok(list.value[i], reading->arena);
    }
    return ok(json_empty_object(), reading->arena); /* It may do: the scenario is tried. */
}

static const struct json *with_text(const struct json *object, const char *name, str text,
                                    struct arena *arena)
{
    return json_set(arena, object, str_of(name), json_of_string(arena, text));
}

static const struct json *failure_of(const struct told_part *reading, str reason, bool retryable,
                                     const struct json *error)
{
    static const str taken[] = { STR_INIT("name"), STR_INIT("data") };
    const struct json *result = with_text(json_empty_object(), "fail",
                                          retryable ? STR("transient") : STR("permanent"), reading->arena);
    result = with_text(result, "message", reason, reading->arena);
    for (size_t i = 0; i < COUNT(taken); i++) {
        const struct json *value = json_get(error, taken[i]);
        if (value) result = json_set(reading->arena, result, taken[i], value);
    }
    return result;
}

static const struct json *find_failure(const struct told_part *reading, const struct asked_work *piece,
                                       str reason)
{
    const struct history *history = reading->history;
    const struct json *error = NULL;
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_RAISE || history->entry[i].kind == ENTRY_KIND_ERROR)
            error = history->entry[i].error;
    for (int tried = 0; tried < 4; tried++) {
        const struct json *told = tried < 2 ? error : NULL;
        struct command command = command_fail_job(
            history->at_ms, history->actor, NULL,
            (struct command_job){
                .number = piece->job, .text = reason, .error = told, .retryable = tried % 2 == 0 });
        if (writes_it(reading, &command)) return failure_of(reading, reason, tried % 2 == 0, told);
    }
    return failure_of(reading, reason, false, error);
}

/* ---- reading the histories ---- */

static str node_of(const struct told_part *reading, uint32_t execution)
{
    for (size_t i = 0; i < reading->history->entry_count; i++) {
        const struct entry *entry = &reading->history->entry[i];
        if (entry->kind == ENTRY_KIND_ENTER && entry->execution == execution) return entry->node;
    }
    const struct token *token = reading->before ? instance_find_token(reading->before, execution) : NULL;
    return token ? token->node_name : STR_NONE;
}

static void add_piece(struct transcribing *out, struct asked_work given)
{
    struct asked_work *piece = arena_make(out->arena, struct asked_work);
    *piece = given;
    if (out->last) out->last->next = piece;
    else out->first = piece;
    out->last = piece;
}

/* The latest piece of this part's that is still open. */
static struct asked_work *find_piece(struct asked_work *from, uint32_t job, uint32_t execution)
{
    for (struct asked_work *piece = from; piece; piece = piece->next)
        if (!piece->closed && (job ? piece->job == job : !piece->job && piece->execution == execution))
            return piece;
    return NULL;
}

static void add_delay(const struct told_part *reading, struct asked_work *piece)
{
    char text[64];
    int64_t ms = reading->history->at_ms - piece->since_ms;
    if (ms <= 0) return;
    duration_print(ms, text, sizeof text);
    piece->result = with_text(piece->result, "delay", str_of(text), reading->arena);
}

static void open_job(struct transcribing *out, const struct told_part *reading, const struct entry *entry)
{
    str name = node_of(reading, entry->execution);
    uint32_t at = program_find(reading->program, name);
    const struct program_node *node = at == NODE_NONE ? NULL : &reading->program->node[at];
    if (!node || node->kind != NODE_TASK || performer_place(node->as.task.performer) == PERFORMED_INSIDE)
        return;
    int64_t since_ms =
        entry->available_ms > reading->history->at_ms ? entry->available_ms : reading->history->at_ms;
    add_piece(out,
              (struct asked_work){
                  .node = name, .job = entry->job, .execution = entry->execution, .since_ms = since_ms });
}

static void close_job(const struct told_part *reading, struct asked_work *mine, const struct entry *entry)
{
    struct asked_work *piece = find_piece(mine, entry->job, 0);
    enum command_kind command = reading->history->command;
    if (!piece) return;
    piece->closed = true;
    if (entry->verdict == JOB_DONE && command == COMMAND_COMPLETE_JOB)
        piece->result = find_answer(reading, piece);
    else if (entry->verdict == JOB_FAILED && command == COMMAND_FAIL_JOB)
        piece->result = find_failure(reading, piece, entry->reason);
    if (piece->result) add_delay(reading, piece);
}

/* The visit that a person or a signal ended is the first that the command left. */
static void close_wait(const struct told_part *reading, struct asked_work *mine, uint32_t execution)
{
    struct asked_work *piece = find_piece(mine, 0, execution);
    if (!piece) return;
    piece->closed = true;
    enum command_kind command = reading->history->command;
    if (command != COMMAND_COMPLETE_TASK && command != COMMAND_SIGNAL) return;
    piece->result = find_answer(reading, piece);
    add_delay(reading, piece);
}

static void add_deed(struct transcribing *out, const struct told_part *reading, struct deed given)
{
    struct deed *deed = arena_make(out->arena, struct deed);
    *deed = given;
    deed->at_ms = reading->history->at_ms;
    if (out->last_deed) out->last_deed->next = deed;
    else out->first_deed = deed;
    out->last_deed = deed;
}

static const struct json *document_of(const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_DATA) return history->entry[i].data;
    return NULL;
}

static void read_entry(struct transcribing *out, const struct told_part *reading, struct asked_work *mine,
                       const struct entry *entry)
{
    switch (entry->kind) {
    case ENTRY_KIND_JOB_OPEN: open_job(out, reading, entry); break;
    case ENTRY_KIND_JOB_CLOSE: close_job(reading, mine, entry); break;
    case ENTRY_KIND_PARK:
        if (entry->state == TOKEN_PERSON || entry->state == TOKEN_SIGNAL)
            add_piece(out, (struct asked_work){ .node = node_of(reading, entry->execution),
                                                .execution = entry->execution,
                                                .since_ms = reading->history->at_ms });
        break;
    case ENTRY_KIND_LEAVE:
    case ENTRY_KIND_INTERRUPT: close_wait(reading, mine, entry->execution); break;
    case ENTRY_KIND_MAIL_IN:
        if (reading->history->command == COMMAND_EVENT)
            add_deed(out, reading, (struct deed){ .event = entry->event });
        break;
    case ENTRY_KIND_FIRE:
        if (reading->history->command != COMMAND_START && entry->transition.n)
            add_deed(out, reading,
                     (struct deed){ .transition = entry->transition, .data = document_of(reading->history) });
        break;
    default: break;
    }
}

static enum status read_part(struct transcribing *out, struct told_part *reading, struct error *err)
{
    const struct transcript_part *part = reading->part;
    const struct created created = { part->id.instance, part->definition_number, part->business_key };
    struct asked_work *last = out->last, *mine;
    for (size_t i = 0; i < part->history_count; i++)
        if (part->history[i].command == COMMAND_MIGRATE)
            return fail(
                err, ST_CONFLICT, "",
                "the instance has gone on with another version of its definition: a scenario is about one");
    for (size_t i = 0; i < part->history_count; i++) {
        const struct instance *after;
        reading->history = &part->history[i];
        for (size_t k = 0; k < reading->history->entry_count; k++) {
            mine = last ? last->next : out->first;
            read_entry(out, reading, mine, &reading->history->entry[k]);
        }
        TRY(core_replay(reading->program, reading->before, &created, reading->history, reading->arena, &after,
                        err));
        reading->before = after;
        const char *why = enough(reading);
        if (why) return fail(err, ST_LIMIT, "", "%s", why);
    }
    return ST_OK;
}

/* ---- writing the scenario ---- */

static void put_mocks(const struct transcribing *all, struct json_builder *out)
{
    for (const struct asked_work *piece = all->first; piece; piece = piece->next) {
        const struct asked_work *other = all->first;
        while (other != piece && !str_equal(other->node, piece->node)) other = other->next;
        if (other != piece) continue;
        script_add_op(out, "mock");
        script_add_text(out, "node", piece->node);
        json_add_name(out, STR("results"));
        json_open_array(out);
        for (; other; other = other->next) {
            if (!str_equal(other->node, piece->node)) continue;
            if (other->result) {
                json_add(out, other->result);
                continue;
            }
            json_open_object(out); /* An answer that never comes. */
            json_add_name(out, STR("ok"));
            json_add(out, json_empty_object());
            script_add_text(out, "delay", STR("P36500D"));
            json_close(out);
        }
        json_close(out);
        json_close(out);
    }
}

static enum status put_start(const struct told_part *first, struct json_builder *out, struct error *err)
{
    struct call_start start = { 0 };
    struct buf bytes;
    buf_init(&bytes, first->arena);
    history_encode(&first->part->history[0], &bytes);
    TRY(replay_beginning(first->program, buf_str(&bytes), first->arena, &start, err));
    script_add_op(out, "start");
    script_add_text(out, "definition", first->program->id);
    json_add_name(out, STR("input"));
    json_add(out, start.data ? start.data : json_empty_object());
    if (start.trigger.n) script_add_text(out, "trigger", start.trigger);
    if (start.is_test) {
        json_add_name(out, STR("isTest"));
        json_add_bool(out, true);
    }
    if (first->part->business_key.n) script_add_text(out, "businessKey", first->part->business_key);
    json_close(out);
    return ST_OK;
}

static void put_deeds(const struct transcribing *all, int64_t start_ms, struct json_builder *out)
{
    int64_t now_ms = start_ms;
    for (const struct deed *deed = all->first_deed; deed; deed = deed->next) {
        if (deed->at_ms > now_ms) {
            script_add_op(out, "advance");
            script_add_span(out, "by", deed->at_ms - now_ms);
            json_close(out);
            now_ms = deed->at_ms;
        }
        script_add_op(out, deed->event ? "event" : "transition");
        if (!deed->event) script_add_text(out, "name", deed->transition);
        if (deed->event || deed->data) {
            json_add_name(out, deed->event ? STR("event") : STR("body"));
            json_add(out, deed->event ? deed->event : deed->data);
        }
        json_close(out);
    }
}

/* An instance that has ended is run to its end, any other as far as it has come. */
static void put_clock(const struct transcribing *all, const struct told_part *first, struct json_builder *out)
{
    const struct transcript_part *part = first->part;
    int64_t from_ms = all->last_deed ? all->last_deed->at_ms : part->id.ms;
    int64_t last_ms = part->history[part->history_count - 1].at_ms;
    if (instance_status_ended(first->before->status)) {
        script_add_op(out, "run");
        json_close(out);
    } else if (last_ms > from_ms) {
        script_add_op(out, "advance");
        script_add_span(out, "by", last_ms - from_ms);
        json_close(out);
    }
}

static enum status put_expected(const struct told_part *first, struct json_builder *out, struct error *err)
{
    static const str members[] = { STR_INIT("status"), STR_INIT("state"), STR_INIT("path"),
                                   STR_INIT("order") };
    const struct transcript_part *part = first->part;
    struct execution *visit;
    size_t told, count = 0;
    TRY(core_executions(first->program, part->history, part->history_count, first->arena, &visit, &told,
                        err));
    for (size_t i = 0; i < told; i++)
        if (!visit[i].inner) visit[count++] = visit[i];
    struct run_view view = { .dialect = dialect_named(first->program->dialect),
                             .program = first->program,
                             .instance = first->before,
                             .visit = visit,
                             .visit_count = count,
                             .name = STR("i1"),
                             .plain_name = STR("i1"),
                             .definition_id = first->program->id,
                             .inputs = json_empty_object(),
                             .children = json_empty_array(),
                             .arena = first->arena };
    json_builder_init(&view.out, first->arena);
    json_open_object(&view.out);
    view.dialect->add_run(&view);
    json_close(&view.out);
    const struct json *seen = json_built(&view.out);
    bool is_entity = entities_has(first->program); /* Its path is told by states that it passed. */
    bool has_path = json_get(seen, STR("path")) != NULL;
    json_add_name(out, STR("expect"));
    json_open_object(out);
    json_add_name(out, STR("instances"));
    json_open_object(out);
    json_add_name(out, STR("i1"));
    json_open_object(out);
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct json *value = json_get(seen, members[i]);
        if (!value || (i >= 2 && is_entity) || (i == 3 && has_path)) continue;
        json_add_name(out, members[i]);
        json_add(out, value);
    }
    json_close(out);
    json_close(out);
    json_close(out);
    return ST_OK;
}

static void put_definitions(const struct told_part *reading, size_t count, struct json_builder *out)
{
    json_add_name(out, STR("definitions"));
    json_open_array(out);
    for (size_t i = 0; i < count; i++) {
        struct source source;
        size_t known = 0;
        while (known < i && !str_equal(reading[known].part->definition, reading[i].part->definition)) known++;
        if (known < i) continue;
        if (source_parse(reading[i].part->definition, SOURCE_ANY, NULL, reading->arena, &source, NULL) ==
            ST_OK)
            json_add(out, source.document);
    }
    json_close(out);
}

static enum status write_all(const struct transcribing *all, const struct told_part *reading, size_t count,
                             str note, const struct json **ret_scenario, struct error *err)
{
    struct json_builder out;
    char id[ID_CHARS + 1], at[DATETIME_CHARS + 1];
    id_print(reading->part->id, id);
    datetime_print(reading->part->id.ms, at);
    json_builder_init(&out, reading->arena);
    json_open_object(&out);
    script_add_text(&out, "clockStart", str_of(at));
    put_definitions(reading, count, &out);
    json_add_name(&out, STR("cases"));
    json_open_array(&out);
    json_open_object(&out);
    script_add_text(&out, "name", arena_printf(reading->arena, "instance %s", id));
    if (note.n) script_add_text(&out, "note", note);
    json_add_name(&out, STR("steps"));
    json_open_array(&out);
    put_mocks(all, &out);
    TRY(put_start(reading, &out, err));
    put_deeds(all, reading->part->id.ms, &out);
    put_clock(all, reading, &out);
    json_close(&out);
    TRY(put_expected(reading, &out, err));
    json_close(&out);
    json_close(&out);
    json_close(&out);
    *ret_scenario = json_built(&out);
    return ST_OK;
}

/* ---- trying it ---- */

static str why_not(const struct json *scenario, const struct scenario_bound *bound, struct arena *arena)
{
    struct buf text;
    struct suite suite;
    struct scenario_result result;
    struct error err;
    buf_init(&text, arena);
    json_print(scenario, &text);
    if (scenario_parse(buf_str(&text), STR("transcript"), NULL, NULL, arena, &suite, &err) != ST_OK ||
        !suite.count)
        return arena_str(arena, str_of(err.message));
    scenario_run_bounded(&suite, 0, bound, arena, &result);
    if (result.passed) return STR_NONE;
    return result.problem.n    ? result.problem
           : result.difference ? arena_printf(arena, "%.*s differs", STR_ARG(result.difference->where))
                               : STR("it ends otherwise");
}

enum status transcript_write(const struct transcript_part *part, size_t count,
                             const struct scenario_bound *bound, struct arena *arena,
                             const struct json **ret_scenario, str *ret_why_not, struct error *err)
{
    struct told_part *reading = arena_make_n(arena, struct told_part, count);
    struct transcribing all = { .arena = arena };
    enum status status = ST_OK;
    for (size_t i = 0; i < count && status == ST_OK; i++) {
        struct problems problems;
        problems_init(&problems, arena);
        problems.errors_only = true;
        reading[i] = (struct told_part){
            .part = &part[i], .arena = arena, .limits = limits_default(), .bound = bound
        };
        reading[i].program = source_compile(part[i].definition, SOURCE_ANY, 0, &problems, NULL);
        status = !reading[i].program ? fail(err, ST_CONFLICT, "", "the definition does not compile any more")
                 : !part[i].history_count
                     ? fail(err, ST_CONFLICT, "", "the instance has no history to tell of")
                     : read_part(&all, &reading[i], err);
    }
    if (status == ST_OK) status = write_all(&all, reading, count, STR_NONE, ret_scenario, err);
    if (status == ST_OK) *ret_why_not = why_not(*ret_scenario, bound, arena);
    if (status == ST_OK && ret_why_not->n)
        status =
            write_all(&all, reading, count,
                      arena_printf(arena, "This case does not do it all again: %.*s", STR_ARG(*ret_why_not)),
                      ret_scenario, err);
    for (size_t i = 0; i < count; i++) program_unref(reading[i].program);
    return status;
}
