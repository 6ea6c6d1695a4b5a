/* runtime/operate/operate_list.c — lists of runs, on the query thread.
 *
 *     an id                        it is read
 *     the beginning of a key       pages of the index of keys, in the order of keys
 *     a key                        pages of its index, newest first
 *     only those with a person     pages of the table of tasks, newest first
 *     all others                   pages of the index of places, newest first
 *
 * Conditions without an index (reasons, nodes, waits) are judged by the state of each instance. One request
 * looks at RUNS_LOOKED_MAX instances at most, so its page may be short and have a next one all the same. A
 * part of the search looks at RUNS_PART_MAX, so that other queries run in between.
 */
#include "runtime/operate/operate_int.h"

#include "base/must.h"
#include "base/utf8.h"
#include "dialect/dialect.h"
#include "json/json.h"
#include "runtime/bulk/bulk.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"

/* ---- a row as a run ---- */

static int64_t now_of(const struct query *query)
{
    return query->clock.now_ms ? clock_now_ms(&query->clock) : 0;
}

static void add_nodes(const struct program *program, const struct instance *instance, struct arena *arena,
                      struct operate_run *run)
{
    must(run->node_count == 0);
    for (size_t i = 0; i < instance->token_count && run->node_count < RUN_NODES_MAX; i++) {
        const struct token *token = &instance->token[i];
        bool known = program && token->node < program->node_count;
        if (known && core_is_told_inside(program, instance, token)) continue;
        const struct program_node *node = known ? core_authored_node(program, instance, token) : NULL;
        str id = node ? node->name : token->node_name;
        enum show_status state = show_token_status(instance, token);
        bool listed = false;
        for (size_t k = 0; k < run->node_count && !listed; k++)
            listed = str_equal(run->node[k].id, id) && run->node[k].state == state;
        if (!listed)
            run->node[run->node_count++] =
                (struct operate_node){ arena_str(arena, id), arena_str(arena, node ? show_title(node) : id),
                                       state };
    }
}

/* Counts the visits to nodes that an author knows. */
static int64_t count_visits(struct query *query, const struct program *program,
                            const struct instance *instance, struct arena *scratch)
{
    str *blob;
    size_t count, visits = 0;
    struct execution *visit;
    struct arena told;
    struct error err;
    if (!program || instance->revision > RUN_VISITS_COUNTED_MAX) return -1;
    reader_bound(query->reader, RUN_VISITS_BYTES_MAX);
    if (reader_history(query->reader, instance->id, 0, 0, scratch, &blob, &count, &err) != ST_OK ||
        count < instance->revision)
        return -1;
    arena_init(&told, 1); /* Visits without data. */
    struct trail *trail = core_trail_new(program, &told);
    bool whole = true;
    for (size_t i = 0; i < count && whole; i++) {
        struct history history;
        whole = history_decode(blob[i], &told, &history, &err) == ST_OK &&
                core_tell(trail, &history, &err) == ST_OK;
    }
    if (whole) core_trail_end(trail, &visit, &count);
    for (size_t i = 0; whole && i < count; i++) visits += !visit[i].inner;
    arena_done(&told);
    return whole ? (int64_t)visits : -1;
}

static enum show_status status_of_row(const struct instance_row *row)
{
    if (instance_status_ended(row->status)) return show_status_of_engine(row->status);
    return row->has_jobs ? SHOW_RUNNING : SHOW_WAITING;
}

/* Says why it does not go on, and how that is said if a worker has its job. */
static void add_summary(const struct query *query, const struct program *program,
                        const struct instance *instance, struct arena *arena, struct operate_run *run)
{
    struct saying saying;
    if (show_summary(program, instance, STR_NONE, now_of(query), arena, &saying)) {
        run->why = saying_text(&saying, arena);
        run->says = saying_json(&saying, arena);
    }
    const struct job *job = show_summary_job(program, instance);
    if (!job || !show_summary(program, instance, STR(WORKER_HERE), now_of(query), arena, &saying)) return;
    run->job = job->number;
    run->why_held = saying_text(&saying, arena);
    run->says_held = saying_json(&saying, arena);
}

enum status operate_list_run(struct query *query, const struct instance_row *row, struct arena *scratch,
                             struct arena *arena, const struct instance **ret_instance,
                             struct operate_run *ret_run, struct error *err)
{
    const struct instance *instance = NULL;
    struct definition *definition;
    bool known;
    TRY(found_intact(catalogue_get(&query->catalogue, row->definition, &definition, err), &known));
    const struct program *program = known ? definition->program : NULL;
    if ((!program || core_decode(row->state, program, scratch, &instance, NULL) != ST_OK) &&
        core_decode(row->state, NULL, scratch, &instance, NULL) != ST_OK)
        instance = NULL;
    const struct dialect *dialect = dialect_named(program ? program->dialect : STR_NONE);
    *ret_run = (struct operate_run){
        .id = { .ms = row->created_ms, .instance = row->id },
        .definition_id = arena_str(arena, row->definition_id),
        .definition_name =
            arena_str(arena, program && program->title.n ? program->title : row->definition_id),
        .definition_version = row->definition_version,
        .dialect = dialect->name,
        .status = instance ? show_status_of(instance) : status_of_row(row),
        .status_word = str_of(instance_status_word(row->status)),
        .business_key = arena_str(arena, row->business_key),
        .ended_ms = row->ended_ms,
        .visits = -1,
    };
    if (ret_instance) *ret_instance = instance;
    if (!instance) {
        const struct saying unreadable = { .code = SAYING_UNREADABLE };
        ret_run->why = saying_text(&unreadable, arena);
        ret_run->says = saying_json(&unreadable, arena);
        return ST_OK;
    }
    struct standing standing = standing_of(program, instance, now_of(query), scratch);
    ret_run->status_word = arena_str(arena, dialect_status_word(dialect, &standing));
    ret_run->ended_ms = instance->ended_ms;
    ret_run->reason = arena_str(arena, utf8_cut(instance->failure, RUN_REASON_BYTES_MAX));
    ret_run->code = arena_str(arena, instance->failure_code);
    ret_run->is_test = instance->is_test;
    add_summary(query, program, instance, arena, ret_run);
    if (instance->status == INSTANCE_FAILED || !instance_status_ended(instance->status))
        add_nodes(program, instance, arena, ret_run);
    return ST_OK;
}

/* ---- does it fit? ---- */

/* The nodes of a list are the first few: a filter must see all of them. */
static bool stands_at(const struct program *program, const struct instance *instance, str node, bool failed)
{
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if ((token->state == TOKEN_FAILED) != failed) continue;
        bool known = program && token->node < program->node_count;
        str name = known ? core_authored_node(program, instance, token)->name : token->node_name;
        if (show_is_called(program, name, node)) return true;
    }
    return false;
}

static bool waits_for(const struct instance *instance, uint32_t waits)
{
    for (size_t i = 0; i < instance->token_count; i++) {
        enum show_wait wait = show_token_wait(instance, &instance->token[i]);
        if (wait < SHOW_WAIT_COUNT && waits >> wait & 1) return true;
    }
    return false;
}

static bool failed_for(const struct instance *instance, str reason, struct arena *scratch)
{
    return str_equal(instance->failure, reason) ||
           str_equal(bulk_fold_reason(instance->failure, scratch), reason);
}

static bool is_live(const struct operate_run *run)
{
    return run->status == SHOW_RUNNING || run->status == SHOW_PERSON || run->status == SHOW_WAITING;
}

/* Judges by the row alone. */
static bool row_fits(const struct call_runs *asked, const struct instance_row *row)
{
    return (!asked->definition_id.n || str_equal(row->definition_id, asked->definition_id)) &&
           (!asked->version || row->definition_version == asked->version) &&
           (!asked->business_key.n || str_equal(row->business_key, asked->business_key)) &&
           (!asked->after_ms || row->created_ms >= asked->after_ms) &&
           (!asked->before_ms || row->created_ms < asked->before_ms);
}

/* The row of the word that the run's family shows. */
static enum show_status shown_status(const struct operate_run *run)
{
    enum show_status shown;
    return show_flow_parse(run->status_word, &shown) ? shown : run->status;
}

/* Does only the state of a run tell whether it fits? */
static bool by_state(const struct call_runs *asked)
{
    return asked->reason.n || asked->reason_contains.n || asked->failed_at.n || asked->waiting_at.n ||
           asked->step.n || asked->waiting_for;
}

static bool fits(const struct program *program, const struct call_runs *asked, const struct operate_run *run,
                 const struct instance *instance, struct arena *scratch)
{
    if (asked->statuses && !(asked->statuses >> run->status & 1)) return false;
    if (asked->shown && !(asked->shown >> shown_status(run) & 1)) return false;
    if (asked->dialect.n && !str_equal(run->dialect, asked->dialect)) return false;
    if (!by_state(asked)) return true;
    if (!instance) return false;
    if (asked->reason_contains.n &&
        (run->status != SHOW_FAILED || !str_has_part(instance->failure, asked->reason_contains)))
        return false;
    if (asked->step.n && !(run->status == SHOW_FAILED && stands_at(program, instance, asked->step, true)) &&
        !(is_live(run) && stands_at(program, instance, asked->step, false)))
        return false;
    if (asked->reason.n && (run->status != SHOW_FAILED || !failed_for(instance, asked->reason, scratch)))
        return false;
    if (asked->failed_at.n &&
        (run->status != SHOW_FAILED || !stands_at(program, instance, asked->failed_at, true)))
        return false;
    if (asked->waiting_at.n && (!is_live(run) || !stands_at(program, instance, asked->waiting_at, false)))
        return false;
    return !asked->waiting_for || (is_live(run) && waits_for(instance, asked->waiting_for));
}

/* ---- where it is looked for ---- */

static const uint32_t live_statuses = 1u << SHOW_RUNNING | 1u << SHOW_PERSON | 1u << SHOW_WAITING;

/* Statuses that the filter leaves possible. */
static uint32_t possible(const struct call_runs *asked)
{
    uint32_t all = (1u << SHOW_STATUS_COUNT) - 1;
    uint32_t statuses = asked->statuses ? asked->statuses : all;
    /* A flow whose call is made again later shows itself suspended, and has open work. */
    if (asked->shown) statuses &= asked->shown & live_statuses ? asked->shown | live_statuses : asked->shown;
    if (asked->reason.n || asked->reason_contains.n || asked->failed_at.n) statuses &= 1u << SHOW_FAILED;
    if (asked->step.n) statuses &= live_statuses | 1u << SHOW_FAILED;
    if (asked->waiting_at.n || asked->waiting_for) statuses &= live_statuses;
    if (asked->is_grouped) statuses &= live_statuses | 1u << SHOW_FAILED;
    return statuses;
}

static uint32_t phases_of(uint32_t statuses)
{
    static const struct {
        enum show_status status;
        uint32_t phases;
    } words[] = {
        { SHOW_FAILED, 3u << (2 * INSTANCE_FAILED) },
        { SHOW_COMPLETED, 3u << (2 * INSTANCE_COMPLETED) },
        { SHOW_CANCELLED, 3u << (2 * INSTANCE_CANCELLED) },
        { SHOW_RUNNING, 2u << (2 * INSTANCE_ACTIVE) | 2u << (2 * INSTANCE_WAITING) },
        { SHOW_PERSON, 1u << (2 * INSTANCE_WAITING) },
        { SHOW_WAITING, 1u << (2 * INSTANCE_ACTIVE) | 1u << (2 * INSTANCE_WAITING) },
    };
    uint32_t phases = 0;
    for (size_t i = 0; i < COUNT(words); i++)
        if (statuses >> words[i].status & 1) phases |= words[i].phases;
    return phases;
}

static struct find_filter find_filter_of(const struct call *call)
{
    const struct call_runs *asked = &call->as.runs;
    uint32_t statuses = possible(asked);
    bool all = asked->definition_id.n || asked->dialect.n;
    return (struct find_filter){
        .ns = call->ns,
        .definition_id = asked->definition_id,
        .version = asked->version,
        .dialect = asked->dialect,
        .other_dialect = all ? STR_NONE : dialect_of_entities(),
        .phases = phases_of(statuses),
        .with_tasks = statuses == 1u << SHOW_PERSON || asked->waiting_for == 1u << SHOW_WAIT_PERSON,
    };
}

/* The next ids to look at, at most `max`. Ids by key come in the order of keys. */
static enum status next_ids(struct query *query, struct call *call, size_t max, struct arena *arena,
                            struct found_key **ret_found, size_t *ret_count, struct error *err)
{
    const struct call_runs *asked = &call->as.runs;
    const struct operate_place *after = &asked->after;
    if (asked->key_prefix.n)
        return reader_find_keys(query->reader, call->ns, asked->key_prefix,
                                &(struct found_key){ after->key, after->phase, after->id }, max, arena,
                                ret_found, ret_count, err);
    struct find_filter filter = find_filter_of(call);
    struct instance_row *row;
    uint64_t *id = NULL;
    size_t count;
    if (asked->business_key.n) {
        struct instance_filter by_key = { .ns = call->ns,
                                          .definition_id = asked->definition_id,
                                          .status = -1,
                                          .business_key = asked->business_key,
                                          .before = after->id,
                                          .max = max };
        reader_bound(query->reader, 1); /* Their states are read one by one. */
        TRY(reader_instances(query->reader, &by_key, arena, &row, &count, NULL, err));
    } else {
        filter.before = after->id;
        filter.max = max;
        TRY(reader_find(query->reader, &filter, arena, &id, &count, err));
    }
    struct found_key *found = arena_make_n(arena, struct found_key, count);
    for (size_t i = 0; i < count; i++) found[i].id = id ? id[i] : row[i].id;
    *ret_found = found;
    *ret_count = count;
    return ST_OK;
}

/* ---- times ---- */

/* The first id whose instance was created at that time or later. Instances have ascending ids, and their
 * times ascend as long as nobody sets the clock back. */
static enum status id_at(struct query *query, const struct call *call, int64_t at_ms, struct arena *arena,
                         uint64_t *ret_id, struct error *err)
{
    uint64_t low = 0, high = 0; /* `low` and all below began before; `high` did not, or is above all. */
    struct instance_filter newest = { .ns = call->ns, .status = -1, .max = 1 };
    struct instance_row *row;
    size_t count;
    reader_bound(query->reader, 1);
    TRY(reader_instances(query->reader, &newest, arena, &row, &count, NULL, err));
    if (count) high = row->id + 1;
    while (high - low > 1) {
        struct instance_filter below = newest;
        uint64_t middle = low + (high - low) / 2;
        below.before = middle + 1;
        TRY(reader_instances(query->reader, &below, arena, &row, &count, NULL, err));
        if (!count || row->id <= low) low = middle; /* There is none between. */
        else if (row->created_ms < at_ms) low = middle;
        else high = row->id;
    }
    *ret_id = high;
    return ST_OK;
}

/* ---- the search ---- */

/* How many there are, if the store's counts tell. */
static enum status count_all(struct query *query, struct call *call, struct error *err)
{
    const struct call_runs *asked = &call->as.runs;
    uint32_t uncounted = 1u << SHOW_PERSON | 1u << SHOW_WAITING, statuses = possible(asked);
    bool split = (statuses & uncounted) && (statuses & uncounted) != uncounted;
    const struct sight sight = sight_of(call);
    call->value.runs.total = -1;
    if (!sight_has_filter(&sight, asked->definition_id) || split || asked->business_key.n ||
        asked->key_prefix.n || asked->id || by_state(asked) || asked->after_ms || asked->before_ms)
        return ST_OK;
    struct store_counts counts;
    struct find_filter filter = find_filter_of(call);
    TRY(reader_counts(query->reader, &filter, &counts, err));
    call->value.runs.total = 0;
    for (uint32_t i = 0; i < STORE_PHASES; i++)
        if (filter.phases >> i & 1) call->value.runs.total += counts.phase[i];
    return ST_OK;
}

static enum status begin(struct query *query, struct call *call, struct arena *scratch, struct error *err)
{
    must(!call->value.runs.begun && !call->value.runs.count);
    struct call_runs *asked = &call->as.runs;
    struct answer_runs *answer = &call->value.runs;
    answer->begun = true;
    answer->run = arena_make_n(call->arena, struct operate_run, asked->is_grouped ? 1 : asked->max);
    if (asked->with_views) answer->view = arena_make_n(call->arena, struct instance_view, asked->max);
    TRY(count_all(query, call, err));
    if (asked->after.id) answer->total = -1;
    if (asked->after_ms) TRY(id_at(query, call, asked->after_ms, scratch, &answer->lowest, err));
    if (!asked->before_ms || asked->key_prefix.n) return ST_OK;
    uint64_t highest;
    TRY(id_at(query, call, asked->before_ms, scratch, &highest, err));
    if (!highest) highest = 1;
    if (!asked->after.id || highest < asked->after.id) asked->after.id = highest;
    return ST_OK;
}

static enum status look_at(struct query *query, struct call *call, uint64_t id, struct arena *scratch,
                           struct error *err)
{
    const struct call_runs *asked = &call->as.runs;
    struct answer_runs *answer = &call->value.runs;
    struct operate_run *run = &answer->run[answer->count];
    const struct instance *instance;
    struct instance_row row;
    must(asked->is_grouped ? !answer->count : answer->count < asked->max);
    reader_bound(query->reader, 0);
    bool is_there;
    TRY(found_asked(reader_instance(query->reader, call->ns, id, scratch, &row, err), &is_there));
    if (!is_there) return ST_OK; /* Retention has removed it meanwhile. */
    answer->looked++;
    answer->bytes += row.state.n;
    const struct sight sight = sight_of(call);
    if (!sight_has(&sight, row.definition_id) || !row_fits(asked, &row)) return ST_OK;
    struct definition *definition;
    TRY(operate_list_run(query, &row, scratch, asked->is_grouped ? scratch : call->arena, &instance, run,
                         err));
    TRY(found_intact(catalogue_get(&query->catalogue, row.definition, &definition, err), &is_there));
    if (!fits(is_there ? definition->program : NULL, asked, run, instance, scratch)) return ST_OK;
    if (asked->is_grouped) {
        if (possible(asked) >> run->status & 1)
            operate_groups_add(answer, run, instance, scratch, call->arena);
        return ST_OK;
    }
    if (asked->with_views) {
        TRY(instance_reads_row(query, &row, true, scratch, call->arena, &answer->view[answer->count], err));
        answer->count++;
        return ST_OK;
    }
    answer->has_workers |= run->why_held.n > 0;
    if (instance && is_there) run->visits = count_visits(query, definition->program, instance, scratch);
    answer->count++;
    return ST_OK;
}

static enum status look(struct query *query, struct call *call, struct arena *ids, struct arena *scratch,
                        bool *ret_more, struct error *err)
{
    struct call_runs *asked = &call->as.runs;
    struct answer_runs *answer = &call->value.runs;
    struct found_key *found;
    size_t count, looked_max = asked->is_grouped ? RUNS_GROUPED_MAX : RUNS_LOOKED_MAX,
                  bytes_max = asked->is_grouped ? RUNS_GROUPED_BYTES : RUNS_LOOKED_BYTES;
    TRY(next_ids(query, call, RUNS_PART_MAX, ids, &found, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (!asked->key_prefix.n && found[i].id < answer->lowest) return ST_OK;
        if (answer->count == asked->max || answer->looked >= looked_max || answer->bytes >= bytes_max) {
            answer->next = asked->after;
            return ST_OK;
        }
        TRY(look_at(query, call, found[i].id, scratch, err));
        arena_reset(scratch);
        asked->after.id = found[i].id;
        if (!asked->key_prefix.n) continue;
        asked->after.key = arena_str(call->arena, found[i].key);
        asked->after.phase = found[i].phase;
    }
    *ret_more = count == RUNS_PART_MAX;
    return ST_OK;
}

enum status operate_list_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct arena ids, scratch;
    enum status status = ST_OK;
    arena_init(&ids, 0);
    arena_init(&scratch, 0);
    if (!call->value.runs.begun) status = begin(query, call, &scratch, err);
    arena_reset(&scratch);
    if (status == ST_OK && call->as.runs.id) status = look_at(query, call, call->as.runs.id, &scratch, err);
    else if (status == ST_OK) status = look(query, call, &ids, &scratch, ret_more, err);
    if (!*ret_more) operate_groups_sort(&call->value.runs);
    arena_done(&scratch);
    arena_done(&ids);
    return status;
}

/* ---- the overview ---- */

int64_t operate_count(const struct store_counts *counts, enum show_status status)
{
    must(status < SHOW_STATUS_COUNT);
    struct operate_living living = operate_living(counts);
    enum instance_status ended = INSTANCE_FAILED;
    switch (status) {
    case SHOW_RUNNING: return living.running;
    case SHOW_PERSON: return living.person;
    case SHOW_WAITING: return living.waiting;
    case SHOW_COMPLETED: ended = INSTANCE_COMPLETED; break;
    case SHOW_CANCELLED: ended = INSTANCE_CANCELLED; break;
    case SHOW_FAILED:
    case SHOW_STATUS_COUNT: break;
    }
    return counts->phase[store_phase(ended, false)] + counts->phase[store_phase(ended, true)];
}

/* Tasks that are late, of those that have a time. */
static enum status count_late(struct query *query, const struct call *call, struct answer_overview *overview,
                              struct error *err)
{
    struct worklist_filter filter = { .ns = call->ns, .due_before_ms = now_of(query), .max = RUNS_PART_MAX };
    struct worklist_place next = { .instance = 1 };
    struct arena scratch;
    enum status status = ST_OK;
    if (!filter.due_before_ms) return ST_OK;
    arena_init(&scratch, 0);
    while (next.instance && overview->late_tasks < LATE_TASKS_COUNTED_MAX && status == ST_OK) {
        struct task_row *row;
        size_t count;
        arena_reset(&scratch);
        status = reader_worklist(query->reader, &filter, &scratch, &row, &count, &next, err);
        if (status == ST_OK) overview->late_tasks += (int64_t)count;
        filter.after = next;
    }
    arena_done(&scratch);
    return status;
}

/* Counts definitions with warnings. Few are compiled for one answer, so that it does not take long: the count
 * is known when all have been. */
static enum status count_warned(struct query *query, const struct call *call, struct arena *arena,
                                struct answer_overview *overview, struct error *err)
{
    size_t looked = 0, compiled = 0, count = RUNS_PART_MAX;
    str after = STR_NONE;
    overview->warned = 0;
    while (looked < WARNED_LOOKED_MAX && count == RUNS_PART_MAX) {
        struct definition_row *row;
        TRY(reader_definitions_after(query->reader, call->ns, after, RUNS_PART_MAX, arena, &row, &count,
                                     err));
        for (size_t i = 0; i < count; i++) {
            const struct facts *facts;
            if (!facts_peek(&query->facts, row[i].number) && compiled++ == WARNED_COMPILED_MAX) {
                overview->warned = -1;
                return ST_OK;
            }
            TRY(found_needed(facts_get(&query->facts, query->reader, row[i].number, &facts, err)));
            overview->warned += facts->warnings > 0;
            after = row[i].id;
        }
        looked += count;
    }
    return ST_OK;
}

enum status operate_list_overview(struct query *query, struct call *call, struct error *err)
{
    const struct find_filter runs = { .ns = call->ns, .other_dialect = dialect_of_entities() };
    struct answer_overview *overview = call->value.overview = arena_make(call->arena, struct answer_overview);
    TRY(reader_counts(query->reader, &runs, &overview->counts, err));
    struct arena scratch;
    arena_init(&scratch, 0);
    enum status status = count_warned(query, call, &scratch, overview, err);
    arena_done(&scratch);
    TRY(status);
    return count_late(query, call, overview, err);
}
