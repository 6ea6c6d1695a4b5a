/* runtime/bulk/bulk_find.c — finds the instances of a bulk on the query thread.
 *
 *     ids, or numbers of unmatched events    each of them is read
 *     failed instances                       pages of the table of failures; no state is read
 *     instances with a business key          pages of its index
 *     other live instances                   pages of those with the status; states only if the request
 *                                            names a step
 *     unmatched events                       pages
 *     instances of a migration to undo       parts of its results
 *
 * A part of the search reads one page, so that other queries run in between. All pages together are no view
 * of one moment: each instance is judged when its page is read. The selection is encoded at once and takes a
 * few bytes for each instance.
 *
 * Reasons are asked for whenever somebody opens a page, so they are told of the newest failures only: a
 * million of them would keep the query thread busy for seconds. A bulk, and the preview of one, looks at all.
 */
#include "runtime/bulk/bulk_int.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/must.h"
#include "base/read.h"
#include "json/json.h"
#include "runtime/call/sight.h"
#include "runtime/entities/entities.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

#include <stdlib.h>

enum {
    FAILURES_PAGE = 2000,
    INSTANCES_PAGE = 500,
    UNMATCHED_PAGE = 200,
    JUDGED_PAGE = 50,   /* Instances whose migration is tried. */
    GROUP_SLOTS = 2048, /* At least twice the number of groups. */
};

/* The instances found so far, in the call's arena. */
struct bulk_search {
    int64_t after_definition; /* Where the next page begins. */
    uint64_t after;
    uint64_t upto;      /* The search leaves out instances that are newer than itself. */
    uint64_t before;    /* Pages that come newest first; 0: the first. */
    struct buf targets; /* The part of the selection that is being filled. */
    size_t in_part;
    struct bulk_target last;    /* Numbers and times are stored as differences. */
    struct bulk_part_row *part; /* Part 0 is the request. */
    size_t part_count, part_cap;
    struct bulk_group *group[GROUP_SLOTS];
    size_t group_count;
    int64_t others;                      /* Reasons beyond those that are kept. */
    size_t looked, looked_of_definition; /* REASONS: failures. */
    int64_t undone;                      /* UNDO: the number of the migration. */
};

/* ---- what is found ---- */

static uint64_t zigzag(int64_t value) { return (uint64_t)value << 1 ^ (uint64_t)(value >> 63); }

static int64_t unzigzag(uint64_t value) { return (int64_t)(value >> 1) ^ -(int64_t)(value & 1); }

static struct bulk_part_row *add_part(struct call *call, enum bulk_part kind, int64_t number, str blob)
{
    struct bulk_search *search = call->search_;
    array_reserve_in(call->arena, search->part, search->part_count, search->part_cap);
    search->part[search->part_count] = (struct bulk_part_row){ .kind = kind, .number = number, .blob = blob };
    return &search->part[search->part_count++];
}

static void end_part(struct call *call)
{
    struct bulk_search *search = call->search_;
    if (!search->in_part) return;
    add_part(call, BULK_PART_SELECTION, (int64_t)search->part_count - 1, buf_str(&search->targets));
    buf_init(&search->targets, call->arena);
    search->in_part = 0;
    search->last = (struct bulk_target){ 0 };
}

static void select_target(struct call *call, struct bulk_target target)
{
    must(call->search_->in_part < BULK_PART_SUBJECTS);
    struct bulk_search *search = call->search_;
    buf_add_varint(&search->targets, zigzag((int64_t)target.number - (int64_t)search->last.number));
    buf_add_varint(&search->targets, zigzag(target.created_ms - search->last.created_ms));
    if (call->as.bulk.request->action == BULK_UNDO) {
        buf_add_varint(&search->targets, target.revision);
        buf_add_text(&search->targets, target.way_back);
    }
    search->last = target;
    if (++search->in_part == BULK_PART_SUBJECTS) end_part(call);
}

bool bulk_targets_read(enum bulk_action action, str part, struct bulk_target ret_target[BULK_PART_SUBJECTS],
                       size_t *ret_count)
{
    struct reader reader = { .p = part.p, .end = part.p + part.n };
    struct bulk_target last = { 0 };
    size_t count = 0;
    while (reader.p < reader.end && count < BULK_PART_SUBJECTS) {
        last.number = (uint64_t)((int64_t)last.number + unzigzag(read_varint(&reader)));
        last.created_ms += unzigzag(read_varint(&reader));
        if (action == BULK_UNDO) {
            last.revision = read_varint32(&reader);
            last.way_back = read_text(&reader);
        }
        if (reader.bad) return false;
        ret_target[count++] = last;
    }
    *ret_count = count;
    return reader.p == reader.end;
}

/* The group of a status, a verdict and a folded reason; NULL: there are too many already. */
static struct bulk_group *find_group(struct call *call, enum instance_status status,
                                     enum bulk_verdict verdict, str folded)
{
    must(call->search_->group_count < GROUP_SLOTS);
    struct bulk_search *search = call->search_;
    size_t at = (hash_bytes(folded) + (size_t)status) % GROUP_SLOTS;
    for (; search->group[at]; at = (at + 1) % GROUP_SLOTS)
        if (search->group[at]->status == status && search->group[at]->verdict == verdict &&
            str_equal(search->group[at]->reason, folded))
            return search->group[at];
    if (search->group_count == BULK_GROUPS_KEPT_MAX) return NULL;
    search->group_count++;
    struct bulk_group *group = search->group[at] = arena_make(call->arena, struct bulk_group);
    *group =
        (struct bulk_group){ .status = status, .verdict = verdict, .reason = arena_str(call->arena, folded) };
    return group;
}

/* When they failed, in five minutes each. */
static void add_to_bars(struct bulk_group *group, int64_t now_ms, int64_t at_ms)
{
    enum { BAR_MS = 5 * 60 * 1000 };
    int64_t bars_ago = now_ms / BAR_MS - at_ms / BAR_MS;
    if (bars_ago >= 0 && bars_ago < ACTIVITY_BARS) group->bar[ACTIVITY_BARS - 1 - bars_ago]++;
}

/* Keeps what all of the group have in common. */
static void note_common(struct bulk_group *group, const struct bulk_subject *subject, struct arena *arena)
{
    str node = subject->step_count == 1 ? subject->step[0] : STR_NONE;
    if (group->count == 1) {
        group->definition_id = arena_str(arena, subject->definition_id);
        group->version = (int32_t)subject->version;
        group->node = arena_str(arena, node);
        return;
    }
    bool same = str_equal(group->definition_id, subject->definition_id);
    if (!same) group->definition_id = STR_NONE;
    if (!same || !str_equal(group->node, node)) group->node = STR_NONE;
    if (!same || group->version != subject->version) group->version = 0;
}

/* One more of the group. Its first one shows the reason as it is. */
static void count_one(struct call *call, struct bulk_group *group, str reason, struct bulk_target target,
                      int64_t at_ms)
{
    if (!group->count++) {
        group->example = arena_str(call->arena, reason);
        group->first_ms = group->last_ms = at_ms;
    }
    if (at_ms < group->first_ms) group->first_ms = at_ms;
    if (at_ms > group->last_ms) group->last_ms = at_ms;
    target.way_back = STR_NONE; /* The page has it. */
    if (group->target_count < COUNT(group->target)) group->target[group->target_count++] = target;
}

static void count_in_group(struct query *query, struct call *call, const struct bulk_subject *subject,
                           struct bulk_target target, int64_t at_ms, struct arena *page)
{
    struct bulk_group *group =
        find_group(call, subject->status, BULK_MOVES, bulk_fold_reason(subject->reason, page));
    if (!group) {
        call->search_->others++;
        return;
    }
    count_one(call, group, subject->reason, target, at_ms);
    if (subject->status != INSTANCE_FAILED) return;
    if (query->clock.now_ms) add_to_bars(group, clock_now_ms(&query->clock), at_ms);
    note_common(group, subject, call->arena);
}

static bool only_looks(const struct call *call)
{
    return call->kind == CALL_REASONS || call->as.bulk.request->dry_run;
}

/* A preview tries the migration of each instance. */
static bool judges(const struct call *call)
{
    return only_looks(call) && bulk_changes_version(call->as.bulk.request->action);
}

/* The reasons of a migration name nodes, so they are not folded. */
static enum status judge(struct query *query, struct call *call, const struct instance_row *row,
                         struct bulk_target target, int64_t at_ms, struct error *err)
{
    struct arena arena;
    struct error why;
    enum bulk_verdict verdict;
    arena_init(&arena, 0);
    enum status status = bulk_judge(query, call, row, &target, &arena, &verdict, &why, err);
    if (status == ST_OK) {
        str reason = verdict == BULK_CANNOT_MOVE ? str_of(why.message) : STR_NONE;
        struct bulk_group *group = find_group(call, row->status, verdict, reason);
        call->value.bulks.total++;
        call->value.bulks.verdict[verdict]++;
        call->search_->others += !group;
        if (group && reason.n && why.code) group->code = str_of(why.code);
        if (group) count_one(call, group, reason, target, at_ms);
    }
    arena_done(&arena);
    return status;
}

/* Notes an instance that fits. `at_ms` is its time in a group. */
static enum status found(struct query *query, struct call *call, const struct bulk_subject *subject,
                         struct bulk_target target, int64_t at_ms, struct arena *page, struct error *err)
{
    int64_t max = query->limits.bulk_instances_max;
    call->value.bulks.total++;
    if (only_looks(call)) {
        count_in_group(query, call, subject, target, at_ms, page);
        return ST_OK;
    }
    if (call->value.bulks.total > max)
        return fail(err, ST_LIMIT, "filter",
                    "the bulk would be for more than %lld (bulk_instances_max): narrow its filter",
                    (long long)max);
    select_target(call, target);
    return ST_OK;
}

/* ---- where it is looked for ---- */

/* Is the failure one of those that reasons are told of? If not, the next page begins with the next version.
 */
static bool is_told(struct call *call, const struct failure_row *row)
{
    struct bulk_search *search = call->search_;
    if (call->kind != CALL_REASONS) return true;
    if (row->definition != search->after_definition) search->looked_of_definition = 0;
    if (search->looked < REASONS_LOOKED_MAX && search->looked_of_definition < REASONS_OF_DEFINITION_MAX) {
        search->looked++;
        search->looked_of_definition++;
        return true;
    }
    call->value.bulks.cut = true;
    search->after_definition = row->definition + 1;
    search->after = search->looked_of_definition = 0;
    return false;
}

static enum status look_at_failures(struct query *query, struct call *call, struct arena *page,
                                    bool *ret_more, struct error *err)
{
    const struct bulk_filter *filter = &call->as.bulk.request->filter;
    struct bulk_search *search = call->search_;
    struct selection_filter selection = { .ns = call->ns,
                                          .definition_id = filter->definition_id,
                                          .version = (int32_t)filter->version,
                                          .upto = search->upto,
                                          .newest = call->kind == CALL_REASONS,
                                          .after_definition = search->after_definition,
                                          .after = search->after,
                                          .max = FAILURES_PAGE };
    struct failure_row *row;
    size_t count;
    TRY(reader_failures(query->reader, &selection, page, &row, &count, err));
    *ret_more = count == FAILURES_PAGE && search->looked < REASONS_LOOKED_MAX;
    for (size_t i = 0; i < count; i++) {
        if (!is_told(call, &row[i])) {
            *ret_more = search->looked < REASONS_LOOKED_MAX;
            break;
        }
        struct definition *definition;
        bool has_names = false;
        if (filter->step.n)
            TRY(found_intact(catalogue_get(&query->catalogue, row[i].definition, &definition, err),
                             &has_names));
        struct bulk_subject subject = { .status = INSTANCE_FAILED,
                                        .created_ms = row[i].created_ms,
                                        .definition_id = row[i].definition_id,
                                        .version = row[i].definition_version,
                                        .business_key = row[i].business_key,
                                        .reason = row[i].reason,
                                        .step = &row[i].step,
                                        .step_count = 1,
                                        .program = has_names ? definition->program : NULL };
        if (!bulk_mismatch(filter, &subject))
            TRY(found(query, call, &subject,
                      (struct bulk_target){ .number = row[i].instance, .created_ms = row[i].created_ms },
                      row[i].failed_ms, page, err));
        search->after_definition = row[i].definition;
        search->after = row[i].instance;
    }
    return ST_OK;
}

/* The authors' names of the nodes where an instance stands, or of the one where it failed. A state that
 * cannot be read stands nowhere. */
static enum status find_steps(struct query *query, const struct instance_row *row, struct arena *page,
                              struct bulk_subject *subject, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    str *step = arena_make(page, str);
    bool is_intact;
    TRY(found_intact(catalogue_get(&query->catalogue, row->definition, &definition, err), &is_intact));
    if (!is_intact || core_decode(row->state, definition->program, page, &instance, NULL) != ST_OK)
        return ST_OK;
    subject->step_count = 1;
    if (instance->status == INSTANCE_FAILED) *step = view_failed_step(definition->program, instance);
    else subject->step_count = core_current_nodes(definition->program, instance, page, &step);
    subject->step = step;
    subject->program = definition->program;
    subject->reason = instance->failure;
    return ST_OK;
}

/* The target is the row's instance. */
static enum status look_at_target(struct query *query, struct call *call, const struct instance_row *row,
                                  struct bulk_target target, struct arena *page, struct error *err)
{
    const struct bulk_filter *filter = &call->as.bulk.request->filter;
    struct bulk_subject subject = { .status = row->status,
                                    .created_ms = row->created_ms,
                                    .definition_id = row->definition_id,
                                    .version = row->definition_version,
                                    .business_key = row->business_key };
    bool failed = row->status == INSTANCE_FAILED;
    if (row->id > call->search_->upto) return ST_OK;
    if (row->state.n && (failed || filter->step.n)) TRY(find_steps(query, row, page, &subject, err));
    if (bulk_mismatch(filter, &subject)) return ST_OK;
    int64_t at_ms = failed && row->ended_ms ? row->ended_ms : row->created_ms;
    if (judges(call)) return judge(query, call, row, target, at_ms, err);
    return found(query, call, &subject, target, at_ms, page, err);
}

static enum status look_at_row(struct query *query, struct call *call, const struct instance_row *row,
                               struct arena *page, struct error *err)
{
    return look_at_target(query, call, row,
                          (struct bulk_target){ .number = row->id, .created_ms = row->created_ms }, page,
                          err);
}

static enum status look_at_candidates(struct query *query, struct call *call, struct arena *page,
                                      bool *ret_more, struct error *err)
{
    const struct bulk_filter *filter = &call->as.bulk.request->filter;
    struct bulk_search *search = call->search_;
    /* A preview tells why instances failed, and only their states know that. */
    bool tells = only_looks(call) && filter->statuses >> INSTANCE_FAILED & 1;
    struct selection_filter selection = { .ns = call->ns,
                                          .definition_id = filter->definition_id,
                                          .version = (int32_t)filter->version,
                                          .statuses = filter->statuses,
                                          .with_state = filter->step.n > 0 || judges(call) || tells,
                                          .after = search->after,
                                          .upto = search->upto,
                                          .max = judges(call) ? JUDGED_PAGE : INSTANCES_PAGE };
    struct instance_row *row;
    size_t count;
    TRY(reader_candidates(query->reader, &selection, page, &row, &count, err));
    for (size_t i = 0; i < count; i++) {
        TRY(look_at_row(query, call, &row[i], page, err));
        search->after = row[i].id;
    }
    *ret_more = count == selection.max;
    return ST_OK;
}

static enum status look_at_key(struct query *query, struct call *call, struct arena *page, bool *ret_more,
                               struct error *err)
{
    const struct bulk_filter *filter = &call->as.bulk.request->filter;
    struct bulk_search *search = call->search_;
    struct instance_filter instances = { .ns = call->ns,
                                         .definition_id = filter->definition_id,
                                         .status = -1,
                                         .business_key = filter->business_key,
                                         .before = search->before,
                                         .max = judges(call) ? JUDGED_PAGE : INSTANCES_PAGE };
    struct instance_row *row;
    size_t count;
    TRY(reader_instances(query->reader, &instances, page, &row, &count, NULL, err));
    for (size_t i = 0; i < count; i++) {
        TRY(look_at_row(query, call, &row[i], page, err));
        search->before = row[i].id;
    }
    *ret_more = count == instances.max;
    return ST_OK;
}

static int compare_ids(const void *a, const void *b)
{
    const struct id *x = a, *y = b;
    return (x->instance > y->instance) - (x->instance < y->instance);
}

/* Looks at each id once, however often it is named, and passes over ids that do not exist. */
static enum status look_at_ids(struct query *query, struct call *call, struct arena *page, struct error *err)
{
    const struct json *ids = call->as.bulk.request->filter.ids;
    struct id *id = arena_make_n(page, struct id, json_count(ids));
    struct json_each each = json_each(ids);
    size_t count = 0;
    while (json_next(&each)) must(id_parse(json_string(each.value), &id[count++]));
    qsort(id, count, sizeof *id, compare_ids);
    for (size_t i = 0; i < count; i++) {
        struct instance_row row;
        if (i && id[i].instance == id[i - 1].instance) continue;
        bool is_there;
        TRY(found_asked(reader_instance(query->reader, call->ns, id[i].instance, page, &row, err),
                        &is_there));
        if (!is_there || row.created_ms != id[i].ms) continue;
        TRY(look_at_row(query, call, &row, page, err));
    }
    return ST_OK;
}

static bool is_named(const struct json *numbers, int64_t number)
{
    struct json_each each = json_each(numbers);
    for (int64_t one; json_next(&each);)
        if (json_int64(each.value, &one) && one == number) return true;
    return !numbers;
}

static enum status look_at_unmatched(struct query *query, struct call *call, struct arena *page,
                                     bool *ret_more, struct error *err)
{
    const struct bulk_filter *filter = &call->as.bulk.request->filter;
    struct bulk_search *search = call->search_;
    struct unmatched_row *row;
    size_t count;
    TRY(reader_unmatched(query->reader, call->ns, (int64_t)search->before, UNMATCHED_PAGE, page, &row, &count,
                         NULL, err));
    for (size_t i = 0; i < count; i++) {
        search->before = (uint64_t)row[i].number;
        struct bulk_subject subject = bulk_subject_of_unmatched(&row[i], json_decode(row[i].event, page));
        if (!is_named(filter->numbers, row[i].number) || bulk_mismatch(filter, &subject)) continue;
        TRY(found(query, call, &subject,
                  (struct bulk_target){ .number = (uint64_t)row[i].number, .created_ms = row[i].received_ms },
                  row[i].received_ms, page, err));
    }
    *ret_more = count == UNMATCHED_PAGE;
    return ST_OK;
}

/* The instances that a migration has moved, one part of its results at a time. */
static enum status look_at_moved(struct query *query, struct call *call, struct arena *page, bool *ret_more,
                                 struct error *err)
{
    struct bulk_search *search = call->search_;
    struct bulk_part_row *part;
    size_t count;
    TRY(reader_bulk_parts(query->reader, search->undone, BULK_PART_RESULTS, (int64_t)search->after, 1, page,
                          &part, &count, err));
    *ret_more = count > 0;
    if (!count) return ST_OK;
    struct json_each each = json_each(json_decode(part->blob, page));
    while (json_next(&each)) {
        struct bulk_result result = bulk_result_read(each.value);
        struct instance_row row;
        bool is_there;
        if (result.outcome != BULK_SUCCEEDED) continue;
        TRY(found_asked(reader_instance(query->reader, call->ns, result.target.number, page, &row, err),
                        &is_there));
        if (is_there && row.created_ms == result.target.created_ms)
            TRY(look_at_target(query, call, &row, result.target, page, err));
    }
    search->after = (uint64_t)part->number + 1;
    return ST_OK;
}

static enum status look(struct query *query, struct call *call, struct arena *page, bool *ret_more,
                        struct error *err)
{
    const struct bulk_filter *filter = &call->as.bulk.request->filter;
    if (call->as.bulk.request->action == BULK_RESEND)
        return look_at_unmatched(query, call, page, ret_more, err);
    if (call->as.bulk.request->action == BULK_UNDO) return look_at_moved(query, call, page, ret_more, err);
    if (filter->ids) return look_at_ids(query, call, page, err);
    if (filter->statuses == 1u << INSTANCE_FAILED && !judges(call))
        return look_at_failures(query, call, page, ret_more, err);
    if (filter->business_key.n) return look_at_key(query, call, page, ret_more, err);
    return look_at_candidates(query, call, page, ret_more, err);
}

/* ---- the search ---- */

/* The stored request names who began the bulk: its slices run when the call is long over. */
static enum status keep_request(struct call *call, struct error *err)
{
    const struct json *body = call->as.bulk.request->body;
    str actor = call->as.bulk.actor;
    if (actor.n) body = json_set(call->arena, body, STR("by"), json_of_string(call->arena, actor));
    if (json_bytes(body) > BULK_REQUEST_BYTES_MAX)
        return fail(
            err, ST_LIMIT, "",
            "the request and its actor have %zu bytes as stored; the most is %d (BULK_REQUEST_BYTES_MAX)",
            json_bytes(body), BULK_REQUEST_BYTES_MAX);
    add_part(call, BULK_PART_REQUEST, 0, json_encoded(body));
    return ST_OK;
}

static enum status begin(struct query *query, struct call *call, struct arena *page, struct error *err)
{
    struct instance_filter newest = { .ns = call->ns, .status = -1, .max = 1 };
    struct instance_row *row;
    size_t count;
    int64_t undone = 0;
    TRY(bulk_judge_request(query, call, &undone, err));
    TRY(reader_instances(query->reader, &newest, page, &row, &count, NULL, err));
    call->search_ = arena_make(call->arena, struct bulk_search);
    *call->search_ = (struct bulk_search){ .upto = count ? row->id : 0, .undone = undone };
    buf_init(&call->search_->targets, call->arena);
    call->value.bulks.total = 0;
    memset(call->value.bulks.verdict, 0, sizeof call->value.bulks.verdict);
    return only_looks(call) ? ST_OK : keep_request(call, err);
}

static int compare_groups(const void *a, const void *b)
{
    const struct bulk_group *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    int order = str_compare(x->reason, y->reason);
    return order ? order : (int)x->status - (int)y->status;
}

/* Titles for people. A definition whose versions differ among the group is told by its latest. */
static void name_group(struct query *query, struct call *call, struct bulk_group *group)
{
    struct definition *definition;
    if (!group->definition_id.n ||
        !found_hint(catalogue_find(&query->catalogue, call->ns, group->definition_id, group->version,
                                   &definition, NULL)))
        return;
    const struct program *program = definition->program;
    uint32_t node = group->node.n ? program_find(program, group->node) : NODE_NONE;
    group->definition_name = arena_str(call->arena, program->title);
    if (node != NODE_NONE) group->node_title = arena_str(call->arena, show_title(&program->node[node]));
}

/* The table of failures has no codes: the state of the group's example has. */
static void code_group(struct query *query, struct call *call, struct bulk_group *group)
{
    bool failed = group->status == INSTANCE_FAILED && call->as.bulk.request->action != BULK_RESEND;
    if (judges(call)) return;
    if (failed && group->target_count)
        group->code = view_failure_code(query->reader, group->target[0].number, group->example, call->arena);
}

static void show_groups(struct query *query, struct call *call)
{
    struct answer_bulks *answer = &call->value.bulks;
    struct bulk_search *search = call->search_;
    struct bulk_group *group = arena_make_n(call->arena, struct bulk_group, search->group_count);
    size_t count = 0;
    for (size_t i = 0; i < GROUP_SLOTS; i++)
        if (search->group[i]) group[count++] = *search->group[i];
    if (count) qsort(group, count, sizeof *group, compare_groups);
    answer->group = group;
    answer->group_total = (int64_t)count;
    answer->group_count = count < BULK_GROUPS_MAX ? count : BULK_GROUPS_MAX;
    for (size_t i = 0; i < answer->group_count; i++) {
        name_group(query, call, &group[i]);
        code_group(query, call, &group[i]);
    }
}

/* The counts that the store keeps do not know at which step an instance failed. */
static enum status count_all(struct query *query, struct call *call, struct error *err)
{
    const struct bulk_filter *asked = &call->as.bulk.request->filter;
    struct find_filter filter = { .ns = call->ns, .definition_id = asked->definition_id };
    struct store_counts counts = { 0 };
    if (!call->value.bulks.cut || asked->step.n) return ST_OK;
    TRY(reader_counts(query->reader, &filter, &counts, err));
    call->value.bulks.total =
        counts.phase[store_phase(INSTANCE_FAILED, false)] + counts.phase[store_phase(INSTANCE_FAILED, true)];
    return ST_OK;
}

enum status bulk_find(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct arena page;
    arena_init(&page, 0);
    bool more = false;
    enum status status = call->search_ ? ST_OK : begin(query, call, &page, err);
    if (status == ST_OK) status = look(query, call, &page, &more, err);
    arena_done(&page);
    if (status == ST_OK && !more) status = count_all(query, call, err);
    if (status == ST_OK && !more && only_looks(call)) show_groups(query, call);
    if (status == ST_OK && !more && !only_looks(call)) end_part(call);
    *ret_more = more;
    return status;
}

void bulk_found(const struct call *call, const struct bulk_part_row **ret_part, size_t *ret_count)
{
    *ret_part = call->search_->part;
    *ret_count = call->search_->part_count;
}
