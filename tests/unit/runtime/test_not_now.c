/* Reads that cannot be answered now, of one thing or of a page of a list. Each read of a query fails once:
 * the query then fails as well, or answers as if nothing had happened. It never says that something is not
 * there, leaves nothing out, and takes no page for the last one. Reads of the engine itself lose no job. */
#include "entity_driver.h"

#include "runtime/engine.h"
#include "runtime/memory/memory.h"
#include "store/reader_reads.h"
#include "store/store_int.h"

/* ---- a reader that fails once ---- */

static struct {
    const struct reader_ops *real;
    struct reader_ops ops;
    size_t count, fail_at; /* 0: none fails. */
    enum status status;
} reads;

static bool is_put_off(void) { return ++reads.count == reads.fail_at; }

static enum status put_off(struct error *err) { return (fail)(err, reads.status, "store", "not now"); }

#define XX(name, what, parameters, arguments)                            \
    static enum status read_##name parameters                            \
    {                                                                    \
        return is_put_off() ? put_off(err) : reads.real->name arguments; \
    }
READER_READS(XX)
#undef XX

static void begin_reads(struct driver *d, size_t fail_at, enum status status)
{
    catalogue_clear(&d->query.catalogue);
    facts_done(&d->query.facts);
    facts_init(&d->query.facts);
    reads.real = d->query.reader->ops;
    reads.ops = *reads.real;
#define XX(name, what, parameters, arguments) reads.ops.name = read_##name;
    READER_READS(XX)
#undef XX
    d->query.reader->ops = &reads.ops;
    reads.count = 0;
    reads.fail_at = fail_at;
    reads.status = status;
}

static void end_reads(struct driver *d) { d->query.reader->ops = reads.real; }

typedef struct call *make_fn(struct driver *d);
typedef const char *tell_fn(struct driver *d, const struct call *call);

/* The answer as a text, or NULL if the query failed for the time being. */
static const char *ask(struct driver *d, make_fn *make, tell_fn *tell, size_t fail_at, enum status status)
{
    struct call *call = make(d);
    begin_reads(d, fail_at, status);
    driver_run(d, call);
    end_reads(d);
    if (call->status != ST_OK && !status_retry(call->status)) fail_msg("%s", call->error.message);
    return call->status == ST_OK ? tell(d, call) : NULL;
}

static void put_off_each_read(struct driver *d, make_fn *make, tell_fn *tell)
{
    static const enum status statuses[] = { ST_STORE, ST_AGAIN };
    const char *healthy = ask(d, make, tell, 0, ST_OK);
    size_t count = reads.count;
    assert_non_null(healthy);
    assert_true(count > 0);
    for (size_t i = 0; i < 2 * count; i++) {
        const char *told = ask(d, make, tell, i / 2 + 1, statuses[i % 2]);
        if (told) assert_string_equal(told, healthy);
    }
}

/* ---- instances and runs ---- */

static const char family[] =
    "{\"id\":\"parent\",\"name\":\"P\",\"steps\":[{\"id\":\"p\",\"name\":\"Ask\",\"type\":\"USER_TASK\","
    "\"nextStep\":\"e\"},{\"id\":\"e\",\"name\":\"E\",\"type\":\"END\"}]}";

static struct id the_instance;

static void start_one(struct driver *d)
{
    driver_deploy(d, family);
    the_instance = driver_started(d, "parent", NULL);
}

static struct call *get_instance(struct driver *d)
{
    struct call *call = driver_call(d, CALL_GET_INSTANCE);
    call->as.read = (struct call_read){ .id = the_instance, .with_children = true };
    return call;
}

static const char *tell_instance(struct driver *d, const struct call *call)
{
    const struct instance_view *view = call->value.instances.view;
    struct buf out;
    if (!call->value.instances.count) return "";
    buf_init(&out, &d->arena);
    view->dialect->put_instance(&out, view, INSTANCE_WHOLE, SIZE_MAX);
    buf_add_char(&out, 0);
    return buf_str(&out).p;
}

static void one_instance_is_shown_whole(void **state)
{
    start_one(*state);
    put_off_each_read(*state, get_instance, tell_instance);
}

static struct call *list_instances(struct driver *d)
{
    struct call *call = driver_call(d, CALL_LIST_INSTANCES);
    call->as.instances.filter = (struct instance_filter){ .ns = NAMESPACE_DEFAULT, .status = -1, .max = 10 };
    return call;
}

static void a_list_shows_instances_whole(void **state)
{
    start_one(*state);
    put_off_each_read(*state, list_instances, tell_instance);
}

static struct call *list_runs(struct driver *d)
{
    struct call *call = driver_call(d, CALL_LIST_RUNS);
    call->as.runs = (struct call_runs){ .max = 10, .waiting_at = STR("p") };
    return call;
}

static const char *tell_runs(struct driver *d, const struct call *call)
{
    const struct answer_runs *answer = &call->value.runs;
    return arena_printf(&d->arena, "%zu %.*s", answer->count,
                        STR_ARG(answer->count ? answer->run->definition_name : STR_NONE))
        .p;
}

static void a_filter_leaves_no_run_out(void **state)
{
    start_one(*state);
    put_off_each_read(*state, list_runs, tell_runs);
}

static struct call *get_run(struct driver *d)
{
    struct call *call = driver_call(d, CALL_GET_RUN);
    call->as.run.id = the_instance;
    return call;
}

static const char *tell_run(struct driver *d, const struct call *call)
{
    const struct answer_run *run = call->value.instances.run;
    return arena_printf(&d->arena, "%.*s %d %d %zu", STR_ARG(run->run.definition_name), run->newest_version,
                        (int)run->run.visits, run->why_count)
        .p;
}

static void a_run_is_told_whole(void **state)
{
    struct driver *d = *state;
    start_one(d);
    driver_deploy(
        d, "{\"id\":\"parent\",\"name\":\"P2\",\"steps\":[{\"id\":\"e\",\"name\":\"E\",\"type\":\"END\"}]}");
    put_off_each_read(d, get_run, tell_run);
}

/* ---- definitions and tasks ---- */

static const char *tell_count(struct driver *d, size_t count)
{
    return arena_printf(&d->arena, "%zu", count).p;
}

static struct call *list_summaries(struct driver *d)
{
    struct call *call = driver_call(d, CALL_LIST_SUMMARIES);
    call->as.summaries = (struct call_summaries){ .max = 10 };
    return call;
}

static const char *tell_summaries(struct driver *d, const struct call *call)
{
    return tell_count(d, call->value.summaries.count);
}

static struct call *list_tables(struct driver *d)
{
    struct call *call = driver_call(d, CALL_LIST_TABLES);
    call->as.summaries = (struct call_summaries){ .max = 10 };
    return call;
}

static const char *tell_tables(struct driver *d, const struct call *call)
{
    return arena_printf(&d->arena, "%.*s", STR_ARG(call->value.design.text)).p;
}

static struct call *list_definitions(struct driver *d)
{
    struct call *call = driver_call(d, CALL_LIST_DEFINITIONS);
    call->as.definitions.max = 10;
    return call;
}

static const char *tell_definitions(struct driver *d, const struct call *call)
{
    return tell_count(d, call->value.definitions.count);
}

static struct call *list_work(struct driver *d)
{
    struct call *call = driver_call(d, CALL_WORKLIST);
    call->as.worklist.filter = (struct worklist_filter){ .ns = NAMESPACE_DEFAULT, .max = 10 };
    return call;
}

static const char *tell_work(struct driver *d, const struct call *call)
{
    return tell_count(d, call->value.tasks.count);
}

static struct call *overview(struct driver *d) { return driver_call(d, CALL_OVERVIEW); }

static const char *tell_overview(struct driver *d, const struct call *call)
{
    const struct answer_overview *told = call->value.overview;
    return arena_printf(&d->arena, "%d %d", (int)told->counts.tasks, (int)told->warned).p;
}

static void lists_leave_no_definition_and_no_task_out(void **state)
{
    struct driver *d = *state;
    start_one(d);
    put_off_each_read(d, list_summaries, tell_summaries);
    put_off_each_read(d, list_tables, tell_tables);
    put_off_each_read(d, list_definitions, tell_definitions);
    put_off_each_read(d, list_work, tell_work);
    put_off_each_read(d, overview, tell_overview);
}

/* ---- bulks ---- */

static struct call *try_bulk(struct driver *d)
{
    struct call *call = driver_call(d, CALL_BULK);
    struct bulk_request *request = arena_make(&d->arena, struct bulk_request);
    const struct json *body = driver_json(d, "{\"action\":\"cancel\",\"step\":\"p\",\"dryRun\":true}");
    *request = (struct bulk_request){ .action = BULK_CANCEL, .dry_run = true, .body = body };
    request->filter.step = STR("p");
    request->filter.statuses = UINT32_MAX;
    call->as.bulk.request = request;
    return call;
}

static const char *tell_bulk(struct driver *d, const struct call *call)
{
    return arena_printf(&d->arena, "%d", (int)call->value.bulks.total).p;
}

static void a_bulk_finds_all_that_stand_at_a_step(void **state)
{
    start_one(*state);
    put_off_each_read(*state, try_bulk, tell_bulk);
}

/* ---- entities ---- */

static void create_some(struct driver *d)
{
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("go", "B", "") "]},\"B\":{}"));
    for (int i = 0; i < 3; i++) created(d, "{\"n\":1}");
}

static struct call *list_entities(struct driver *d)
{
    struct call *call = driver_call(d, CALL_LIST_ENTITIES);
    call->as.entity_list = (struct call_entity_list){ .model = STR("m"), .version = 1, .max = 10 };
    return call;
}

static const char *tell_entities(struct driver *d, const struct call *call)
{
    return arena_printf(&d->arena, "%zu", call->value.entities.count).p;
}

static void a_list_leaves_no_entity_out(void **state)
{
    create_some(*state);
    put_off_each_read(*state, list_entities, tell_entities);
}

static struct call *search(struct driver *d)
{
    struct call *call = driver_call(d, CALL_SEARCH);
    call->as.search = (struct call_search){
        .name = STR("m"),
        .version = 1,
        .limit = 10,
        .condition = driver_json(
            d, "{\"type\":\"simple\",\"jsonPath\":\"$.n\",\"operatorType\":\"EQUALS\",\"value\":1}")
    };
    return call;
}

static void a_search_leaves_no_entity_out(void **state)
{
    create_some(*state);
    put_off_each_read(*state, search, tell_entities);
}

static struct call *list_past(struct driver *d)
{
    struct call *call = list_entities(d);
    call->as.entity_list.is_past = true;
    call->as.entity_list.at_ms = d->now_ms;
    return call;
}

static struct call *count_entities(struct driver *d)
{
    struct call *call = driver_call(d, CALL_COUNT_ENTITIES);
    call->as.counts = (struct call_counts){ .by_state = true };
    return call;
}

static struct call *count_past(struct driver *d)
{
    struct call *call = count_entities(d);
    call->as.counts.is_past = true;
    call->as.counts.at_ms = d->now_ms;
    return call;
}

static const char *tell_counts(struct driver *d, const struct call *call)
{
    const struct answer_counts *answer = &call->value.counts;
    return arena_printf(&d->arena, "%zu %d", answer->count, answer->count ? (int)answer->item->count : 0).p;
}

static struct uuid the_entity;

static struct call *list_changes(struct driver *d)
{
    struct call *call = driver_call(d, CALL_LIST_CHANGES);
    call->as.entity = (struct call_entity){ .id = the_entity, .max = 10 };
    return call;
}

static const char *tell_changes(struct driver *d, const struct call *call)
{
    return tell_count(d, call->value.changes.count);
}

static struct call *list_audit(struct driver *d)
{
    struct call *call = driver_call(d, CALL_LIST_AUDIT);
    call->as.audit = (struct call_audit){ .id = the_entity, .max = 10, .to_ms = INT64_MAX };
    return call;
}

static const char *tell_audit(struct driver *d, const struct call *call)
{
    struct buf out;
    buf_init(&out, &d->arena);
    for (size_t i = 0; i < call->value.audit.count; i++) {
        const struct audit_item *item = &call->value.audit.item[i];
        buf_printf(&out, "%d %.*s %.*s ", (int)item->event.kind, STR_ARG(item->event.details),
                   STR_ARG(item->event.state));
        if (item->changes) json_print(item->changes, &out);
    }
    buf_add_char(&out, 0);
    return buf_str(&out).p;
}

/* The entity has histories of two versions of its workflow. */
static void the_past_of_entities_is_told_whole(void **state)
{
    struct driver *d = *state;
    create_some(d);
    the_entity = created(d, "{\"n\":1}");
    import(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("go", "C", "") "]},\"C\":{}"));
    assert_int_equal(driver_run(d, update_call(d, the_entity, "go", "{\"n\":2}"))->status, ST_OK);
    put_off_each_read(d, list_past, tell_entities);
    put_off_each_read(d, count_entities, tell_counts);
    put_off_each_read(d, count_past, tell_counts);
    put_off_each_read(d, list_changes, tell_changes);
    put_off_each_read(d, list_audit, tell_audit);
}

/* ---- the engine's own reads ---- */

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t count, fail_at;
} loads;

static enum status faulty_load(struct store *store, uint64_t id, struct arena *arena,
                               struct instance_row *ret_row, struct error *err)
{
    if (++loads.count == loads.fail_at) return (fail)(err, ST_STORE, "store", "not now");
    return loads.real->load_instance(store, id, arena, ret_row, err);
}

static void begin_loads(struct driver *d, size_t fail_at)
{
    loads.real = d->store->ops;
    loads.ops = *loads.real;
    loads.ops.load_instance = faulty_load;
    loads.count = 0;
    loads.fail_at = fail_at;
    d->store->ops = &loads.ops;
}

/* The write of OTHER waits and is dropped, while a read fails. Returns how many reads there were. */
static size_t drop_a_write(struct driver *d, size_t fail_at)
{
    struct uuid id = created(d, "{\"n\":1}");
    struct call *go = update_call(d, id, "GO", NULL), *other = update_call(d, id, "OTHER", NULL);
    driver_submit(d, go);
    driver_submit(d, other);
    cache_drop(&d->engine.memory.cache, id_of(id).instance);
    begin_loads(d, fail_at);
    driver_advance(d, 36000); /* No node computes q. */
    driver_turn(d);
    d->store->ops = loads.real;
    driver_advance(d, 5000);
    assert_true(driver_answered(d, other));
    assert_int_equal(other->status, ST_INVALID);
    struct job_view p = polled(d);
    assert_true(str_equal(p.type, STR("p")));
    assert_int_equal(compute(d, p, "{\"data\":{\"n\":2}}"), ST_OK);
    assert_true(driver_answered(d, go));
    assert_string_equal(stored(d, id), "B {\"n\":2}");
    return loads.count;
}

/* The job was under way before the write, and is offered again as soon as its instance can be read. */
static void a_job_outlives_a_write_that_is_dropped(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", COMMITS("p")) "," BY_HAND(
                 "OTHER", "C", SYNC("q")) "]},\"B\":{},\"C\":{}"));
    size_t count = drop_a_write(d, 0);
    for (size_t i = 1; i <= count; i++) drop_a_write(d, i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(one_instance_is_shown_whole),
        DRIVER_TEST(a_list_shows_instances_whole),
        DRIVER_TEST(a_filter_leaves_no_run_out),
        DRIVER_TEST(a_run_is_told_whole),
        DRIVER_TEST(lists_leave_no_definition_and_no_task_out),
        DRIVER_TEST(a_bulk_finds_all_that_stand_at_a_step),
        DRIVER_TEST(a_list_leaves_no_entity_out),
        DRIVER_TEST(a_search_leaves_no_entity_out),
        DRIVER_TEST(the_past_of_entities_is_told_whole),
        DRIVER_TEST(a_job_outlives_a_write_that_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
