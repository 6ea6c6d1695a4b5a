/* runtime/transact/starts.c — new instances, and those that an instance chains to at its end.
 *
 * A start that cannot happen now (its definition is not there yet, its key is taken, the disk is full, the
 * chain is long) is left as a row of the store, and tried again.
 *
 * Instances that others start, as children or by chaining, are one family, and a family may start only so
 * many of them in a day: a definition that starts itself for ever is stopped there. A child that is one too
 * many is an error of its parent's. A chained instance that is one too many fails at its first node, where
 * somebody can see it and retry it. A test may start far fewer, because nothing slows it down: a definition
 * that starts itself once a day does so at once, again and again.
 */
#include "runtime/transact/transact_int.h"

#include "base/duration.h"
#include "base/must.h"
#include "json/json.h"
#include "runtime/memory/memory.h"

enum status start_fail_key_taken(struct error *err)
{
    return fail(err, ST_CONFLICT, "businessKey",
                "business key already in use by an in-flight instance of this definition");
}

/* ---- families ---- */

static str family_key(struct turn *turn, uint64_t root)
{
    static const str prefix = { "\0family\0", 8 };
    struct buf key;
    buf_init(&key, &turn->arena);
    buf_add_str(&key, prefix);
    buf_printf(&key, "%llu:%lld", (unsigned long long)root, (long long)(turn->now_ms / DAY_MS));
    return buf_str(&key);
}

/* How many the family has started today is remembered as answers to requests are, and forgotten with them.
 * ST_LIMIT: so many that it may start no more. */
static enum status find_family(struct turn *turn, int32_t ns, uint64_t root, bool is_test,
                               struct idempotency_row *ret_family, struct error *err)
{
    uint64_t max = (uint64_t)turn->engine->limits.family_starts_max;
    struct idempotency_row row;
    str key = family_key(turn, root);
    bool is_there;
    TRY(found_asked(store_find_idempotency(turn->engine->store, ns, key, &turn->arena, &row, err),
                    &is_there));
    uint64_t started = is_there ? row.request : 0;
    if (is_test && started >= TEST_STARTS_MAX)
        return fail(err, ST_LIMIT, "family",
                    "a test has started %d instances, the most allowed (TEST_STARTS_MAX)", TEST_STARTS_MAX);
    if (started >= max) {
        return fail(err, ST_LIMIT, "family",
                    "instances have started each other %llu times today, the most allowed in one family "
                    "(family_starts_max)",
                    (unsigned long long)started);
    }
    *ret_family =
        (struct idempotency_row){ .ns = ns, .key = key, .request = started, .created_ms = turn->now_ms };
    return ST_OK;
}

static enum status count_start(struct turn *turn, struct idempotency_row *family, struct error *err)
{
    must(family->request < (uint64_t)turn->engine->limits.family_starts_max);
    struct changeset changeset = { .idempotency = family };
    family->request++;
    return transact_rows(turn, &changeset, err);
}

enum status start_count_family(struct turn *turn, int32_t ns, uint64_t root, bool is_test, struct error *err)
{
    struct idempotency_row family;
    TRY(find_family(turn, ns, root, is_test, &family, err));
    return count_start(turn, &family, err);
}

enum status start_check_retired(struct turn *turn, const struct definition *definition, struct error *err)
{
    struct definition *latest;
    TRY(found_needed(catalogue_find(&turn->engine->memory.catalogue, definition->ns, definition->id,
                                    VERSION_LATEST, &latest, err)));
    if (!latest->retired_ms) return ST_OK;
    return fail_code(err, ST_CONFLICT, "DEFINITION_RETIRED",
                     "definition \"%.*s\" is retired: nothing of it starts", STR_ARG(definition->id));
}

/* A flow that arrivals begin takes the data that another instance gives it as a person would bring it: by the
 * trigger at which the program starts. Returns the name of that trigger, and its value instead of the data;
 * empty: the data is taken as it is. */
static str trigger_of(struct turn *turn, const struct start *start, const struct program *program,
                      const struct json **data)
{
    const struct program_rules *rules = program->rules;
    if (start->arrival.n || !rules->start_data) return start->arrival;
    for (size_t i = 0; i < rules->arrival_count; i++) {
        const struct program_arrival *arrival = &rules->arrival[i];
        if (arrival->start != program->start) continue;
        const struct arrival_event event = arrival_made(&arrival->terms, *data, turn->now_ms, start->actor);
        *data = arrival_value(&event, &turn->arena);
        return arrival->name;
    }
    return STR_NONE;
}

static enum status start_one(struct turn *turn, const struct start *start, struct transition **ret_transition,
                             struct definition **ret_definition, struct error *err)
{
    struct definition *definition = start->known;
    bool is_there = true;
    if (!definition)
        TRY(found_asked(catalogue_find(&turn->engine->memory.catalogue, start->ns, start->definition_id,
                                       start->version, &definition, err),
                        &is_there));
    if (!is_there && start->version > 0)
        return fail(err, ST_NOT_FOUND, "definitionVersion", "definition \"%.*s\" version %d not found",
                    STR_ARG(start->definition_id), start->version);
    if (!is_there)
        return fail(err, ST_NOT_FOUND, "definitionId", "definition \"%.*s\" not found",
                    STR_ARG(start->definition_id));
    TRY(start_check_retired(turn, definition, err));
    if (definition->program->rules->is_atomic)
        return fail(err, ST_INVALID, "definitionId",
                    "entities are created as such, not as instances of \"%.*s\"",
                    STR_ARG(start->definition_id));
    if (start->business_key.n && !start->replaces) {
        uint64_t holder;
        bool is_taken;
        TRY(found_asked(store_find_business_key(turn->engine->store, start->ns, start->definition_id,
                                                start->business_key, &holder, err),
                        &is_taken));
        if (is_taken) return start_fail_key_taken(err);
    }
    if (!start->arrival.n && !start->refusal.n) TRY(terms_check_start(turn, definition, start, err));
    /* An arrival was checked before it came here. */
    if (!start->arrival.n && !start->parent && !start->chained_from)
        TRY(quota_check_start(turn, start->ns, err));
    TRY(usage_check_there(&turn->engine->memory.usage, start->ns, err));
    uint64_t instance;
    TRY(transact_next_instance(turn, &instance, err));
    const struct json *data = start->data;
    str arrival = trigger_of(turn, start, definition->program, &data);
    struct command command = command_start(
        turn->now_ms, start->actor, data,
        (struct command_start){ .instance = instance,
                                .definition = definition->number,
                                .business_key = start->business_key,
                                .correlation = start->correlation,
                                .refusal = start->refusal,
                                .parent = start->parent,
                                .parent_job = start->parent_job,
                                .parent_waits = start->parent_waits,
                                .root = start->root,
                                .depth = start->depth,
                                .chained_from = start->chained_from,
                                .arrival = arrival,
                                .is_test = start->is_test,
                                .is_held = turn->engine->transact.starts_paused && !start->refusal.n });
    TRY(transact_step(turn, definition, NULL, &command, ret_transition, err));
    turn->engine->transact.numbers.instance++;
    must(*ret_transition == NULL || (*ret_transition)->instance == instance);
    *ret_definition = definition;
    return ST_OK;
}

/* An input that violates the schema stays so. Then the instance begins all the same and fails at its first
 * node, where somebody can see why. */
static enum status start_or_fail(struct turn *turn, struct start *start, struct transition **ret_transition,
                                 struct error *err)
{
    struct definition *definition;
    enum status status = start_one(turn, start, ret_transition, &definition, err);
    if (status != ST_INVALID) return status;
    start->refusal = arena_printf(&turn->arena, "the input does not fit: %s", err->message);
    return start_one(turn, start, ret_transition, &definition, err);
}

/* A start that has to wait is tried again and again, and counts when it happens. */
enum status start_next(struct turn *turn, struct start *start, struct transition **ret_transition,
                       struct error *err)
{
    struct idempotency_row family;
    enum status status = find_family(turn, start->ns, start->root, start->is_test, &family, err);
    if (status == ST_LIMIT) start->refusal = arena_str(&turn->arena, str_of(err->message));
    else TRY(status);
    TRY(start_or_fail(turn, start, ret_transition, err));
    return status == ST_OK ? count_start(turn, &family, err) : ST_OK;
}

/* ---- chains ---- */

static const struct entry *find_chain(const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_CHAIN || history->entry[i].kind == ENTRY_KIND_CONTINUE)
            return &history->entry[i];
    return NULL;
}

/* The next instance begins with the data that the last one says, or with all that it had. */
static const struct json *chain_data(const struct transition *last, const struct entry *chain)
{
    return chain->kind == ENTRY_KIND_CONTINUE ? chain->data : last->after->data;
}

static int32_t chain_version(const struct entry *chain)
{
    return chain->kind == ENTRY_KIND_CONTINUE ? (int32_t)chain->version : VERSION_LATEST;
}

/* The row outlives its parent, so it tells itself that the start is one of a test, or of a certain version:
 * the variables are in an array then, which no input is. */
static const struct json *pending_data(const struct transition *last, const struct entry *chain,
                                       struct arena *arena)
{
    const struct json *data = chain_data(last, chain);
    int32_t version = chain_version(chain);
    if (!last->after->is_test && version == VERSION_LATEST) return data;
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    json_add(&builder, data);
    if (version != VERSION_LATEST) json_add_bool(&builder, last->after->is_test);
    if (version != VERSION_LATEST) json_add_int(&builder, version);
    json_close(&builder);
    return json_built(&builder);
}

/* Starts of a definition that nobody has published wait for that, and for nothing else. */
static void note_pending(struct turn *turn, int32_t ns, str definition_id, bool soon)
{
    struct definition *definition;
    struct error err;
    enum found_answer found = found_is(catalogue_find(&turn->engine->memory.catalogue, ns, definition_id,
                                                      VERSION_LATEST, &definition, &err));
    if (found == NOT_THERE) return;
    for (int32_t priority = 0; priority < PRIORITY_COUNT; priority++) {
        if (found == FOUND && priority != definition->program->priority) continue;
        turn->engine->transact.backlog[BACKLOG_PENDING + priority].left = true;
        turn->engine->transact.backlog[BACKLOG_PENDING + priority].due |= soon;
    }
}

/* `soon`: it may be possible in the next turn. */
static enum status put_pending(struct turn *turn, const struct transition *parent, const struct entry *chain,
                               int32_t ns, bool soon, struct error *err)
{
    struct pending_row row = { .parent = parent->instance,
                               .number = chain->number,
                               .ns = ns,
                               .target = chain->text,
                               .business_key = parent->after->business_key,
                               .created_ms = turn->now_ms,
                               .data = json_encoded(pending_data(parent, chain, &turn->arena)) };
    struct changeset changeset = { .pending_add = &row };
    note_pending(turn, ns, chain->text, soon);
    return transact_rows(turn, &changeset, err);
}

enum status start_link(struct turn *turn, uint64_t from, uint32_t number, const struct transition *started,
                       struct error *err)
{
    const struct child_row row = {
        .parent = from, .number = number, .instance = started->instance, .chained = true
    };
    struct changeset changeset = { .child_add = &row };
    return transact_rows(turn, &changeset, err);
}

enum status start_chained(struct turn *turn, struct transition *transition, int32_t ns, struct error *err)
{
    for (int depth = 0; transition; depth++) {
        const struct entry *chain = find_chain(transition->history);
        if (!chain) return ST_OK;
        struct start start = { .ns = ns,
                               .definition_id = chain->text,
                               .version = chain_version(chain),
                               .business_key = transition->after->business_key,
                               .data = chain_data(transition, chain),
                               .actor = STR("chain"),
                               .chained_from = transition->instance,
                               .is_test = transition->after->is_test,
                               .root = family_root(transition->after) };
        struct transition *child = NULL;
        enum status status = room_check(turn->engine, CALL_START, err);
        if (status == ST_OK && (depth == CHAIN_IN_TURN_MAX || slice_is_over(turn))) status = ST_OVERLOAD;
        if (status == ST_OK) status = start_next(turn, &start, &child, err);
        if (turn->failed != ST_OK) return turn->failed;
        if (status != ST_OK) return put_pending(turn, transition, chain, ns, status == ST_OVERLOAD, err);
        must(child && !child->before);
        TRY(start_link(turn, transition->instance, chain->number, child, err));
        transition = child;
    }
    return ST_OK;
}

enum status start_step(struct turn *turn, const struct start *start, struct transition **ret_transition,
                       struct definition **ret_definition, struct error *err)
{
    TRY(start_one(turn, start, ret_transition, ret_definition, err));
    return start_chained(turn, *ret_transition, start->ns, err);
}
