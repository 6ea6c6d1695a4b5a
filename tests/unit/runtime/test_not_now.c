/* Reads of one thing that cannot be answered now. Each read of a query fails once: the query then fails as
 * well, or answers as if nothing had happened. It never says that something is not there, and leaves nothing
 * out. Reads of the engine itself lose no job. */
#include "entity_driver.h"

#include "runtime/engine.h"
#include "runtime/memory/memory.h"
#include "store/store_int.h"

/* ---- a reader that fails once ---- */

static struct {
    const struct reader_ops *real;
    struct reader_ops ops;
    size_t count, fail_at; /* Reads of one row; 0: none fails. */
    enum status status;
} reads;

static bool is_put_off(void) { return ++reads.count == reads.fail_at; }

static enum status put_off(struct error *err) { return (fail)(err, reads.status, "store", "not now"); }

static enum status read_instance(struct store_reader *reader, uint64_t id, struct arena *arena,
                                 struct instance_row *ret_row, struct error *err)
{
    return is_put_off() ? put_off(err) : reads.real->instance(reader, id, arena, ret_row, err);
}

static enum status read_definition(struct store_reader *reader, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    return is_put_off() ? put_off(err) : reads.real->definition(reader, ns, id, version, arena, ret_row, err);
}

static enum status read_by_number(struct store_reader *reader, int64_t number, struct arena *arena,
                                  struct definition_row *ret_row, struct error *err)
{
    return is_put_off() ? put_off(err)
                        : reads.real->definition_by_number(reader, number, arena, ret_row, err);
}

static enum status read_record(struct store_reader *reader, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    return is_put_off() ? put_off(err) : reads.real->find_record(reader, ns, kind, key, arena, ret_row, err);
}

static void begin_reads(struct driver *d, size_t fail_at, enum status status)
{
    catalogue_clear(&d->query.catalogue);
    reads.real = d->query.reader->ops;
    reads.ops = *reads.real;
    reads.ops.instance = read_instance;
    reads.ops.definition = read_definition;
    reads.ops.definition_by_number = read_by_number;
    reads.ops.find_record = read_record;
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
        DRIVER_TEST(a_bulk_finds_all_that_stand_at_a_step),
        DRIVER_TEST(a_list_leaves_no_entity_out),
        DRIVER_TEST(a_search_leaves_no_entity_out),
        DRIVER_TEST(a_job_outlives_a_write_that_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
