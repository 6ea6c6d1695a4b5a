/* Which definitions are kept compiled, and for how long. */
#include "driver.h"

#include "runtime/memory/catalogue.h"

enum { VERSIONS_MAX = 8 };

/* A store of small definitions: "a" to "h", each with its versions. Counts what is asked of it. */
struct shelf {
    struct catalogue catalogue;
    int32_t versions[VERSIONS_MAX]; /* Of each id. */
    size_t read_count;
    bool broken;
};

/* The number of version v of the nth id is 100 n + v. */
static int64_t number_of(char id, int32_t version) { return (int64_t)(id - 'a') * 100 + version; }

static struct found read_shelf(void *context, int64_t number, int32_t ns, str id, int32_t version,
                               struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct shelf *shelf = context;
    shelf->read_count++;
    char name = number ? (char)('a' + number / 100) : id.p[0];
    if (number) version = (int32_t)(number % 100);
    int32_t newest = shelf->versions[name - 'a'];
    if (!version) version = newest;
    if (version < 1 || version > newest) return found_of((fail)(err, ST_NOT_FOUND, "definition", "none"));
    *ret_row = (struct definition_row){
        .number = number_of(name, version),
        .ns = ns ? ns : NAMESPACE_DEFAULT,
        .version = version,
        .id = arena_printf(arena, "%c", name),
        .source = arena_printf(
            arena,
            "{\"id\":\"%c\",\"name\":\"n\",\"steps\":[{\"id\":\"e\",\"name\":\"v%d\",\"type\":\"%s\"}]}",
            name, version, shelf->broken ? "?" : "END"),
    };
    return found_of(ST_OK);
}

static void shelf_init(struct shelf *shelf, size_t bytes_max)
{
    *shelf = (struct shelf){ 0 };
    for (size_t i = 0; i < VERSIONS_MAX; i++) shelf->versions[i] = 1;
    catalogue_init(&shelf->catalogue, bytes_max, read_shelf, shelf);
}

static struct definition *latest(struct shelf *shelf, const char *id)
{
    struct definition *definition;
    struct error err;
    assert_int_equal(
        found_needed(catalogue_find(&shelf->catalogue, NAMESPACE_DEFAULT, str_of(id), 0, &definition, &err)),
        ST_OK);
    assert_true(str_equal(definition->id, str_of(id)));
    return definition;
}

static struct definition *get(struct shelf *shelf, char id, int32_t version)
{
    struct definition *definition;
    struct error err;
    assert_int_equal(
        found_needed(catalogue_get(&shelf->catalogue, number_of(id, version), &definition, &err)), ST_OK);
    assert_int_equal(definition->version, version);
    return definition;
}

static size_t bytes_of_one(void)
{
    struct shelf shelf;
    shelf_init(&shelf, SIZE_MAX);
    latest(&shelf, "a");
    size_t bytes = shelf.catalogue.bytes;
    catalogue_done(&shelf.catalogue);
    return bytes;
}

/* Which ids are there, in alphabetical order: found without asking the store. */
static const char *kept(struct shelf *shelf)
{
    static char text[VERSIONS_MAX + 1];
    size_t count = 0;
    for (char id = 'a'; id < 'a' + VERSIONS_MAX; id++)
        if (map_get(&shelf->catalogue.by_number, (uint64_t)number_of(id, 1))) text[count++] = id;
    text[count] = '\0';
    return text;
}

static void a_definition_is_read_and_compiled_once(void **state)
{
    (void)state;
    struct shelf shelf;
    shelf_init(&shelf, SIZE_MAX);
    struct definition *definition = latest(&shelf, "a");
    assert_ptr_equal(latest(&shelf, "a"), definition);
    assert_ptr_equal(get(&shelf, 'a', 1), definition);
    assert_int_equal(shelf.read_count, 1);
    catalogue_trim(&shelf.catalogue);
    assert_ptr_equal(latest(&shelf, "a"), definition);
    assert_int_equal(shelf.read_count, 1);
    catalogue_done(&shelf.catalogue);
}

static void the_least_recently_used_goes_first_and_only_as_many_as_must(void **state)
{
    static const struct {
        const char *asked; /* In this order. */
        size_t room;       /* In definitions. */
        size_t missing;    /* Bytes that the room is smaller by. */
        const char *kept;
    } cases[] = {
        { "abc", 3, 0, "abc" },
        { "abc", 3, 1, "bc" },
        { "abc", 2, 0, "bc" },
        { "abca", 2, 0, "ac" },
        { "abcb", 1, 0, "b" },
        { "abcabc", 1, 1, "" },
        { "abcdefgh", 3, 0, "fgh" },
        { "abcdefgha", 3, 0, "agh" },
        { "aaaa", 1, 0, "a" },
        { "abab", 2, 0, "ab" },
        { "", 1, 0, "" },
    };
    (void)state;
    size_t one = bytes_of_one();
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct shelf shelf;
        shelf_init(&shelf, cases[i].room * one - cases[i].missing);
        for (const char *id = cases[i].asked; *id; id++) latest(&shelf, (char[]){ *id, '\0' });
        catalogue_trim(&shelf.catalogue);
        assert_string_equal(kept(&shelf), cases[i].kept);
        assert_int_equal(shelf.catalogue.bytes, strlen(cases[i].kept) * one);
        catalogue_done(&shelf.catalogue);
    }
}

static void nothing_goes_while_it_may_be_in_use(void **state)
{
    (void)state;
    struct shelf shelf;
    shelf_init(&shelf, 0);
    struct definition *a = latest(&shelf, "a"), *b = latest(&shelf, "b");
    assert_true(str_equal(a->program->node[0].title, STR("v1")));
    assert_ptr_equal(latest(&shelf, "a"), a);
    assert_ptr_equal(latest(&shelf, "b"), b);
    catalogue_trim(&shelf.catalogue);
    assert_string_equal(kept(&shelf), "");
    assert_int_equal(shelf.catalogue.bytes, 0);
    latest(&shelf, "a"); /* Read anew. */
    assert_int_equal(shelf.read_count, 3);
    catalogue_done(&shelf.catalogue);
}

static void a_program_that_somebody_holds_outlives_its_entry(void **state)
{
    (void)state;
    struct shelf shelf;
    shelf_init(&shelf, 0);
    struct program *program = program_ref(latest(&shelf, "a")->program);
    catalogue_trim(&shelf.catalogue);
    catalogue_done(&shelf.catalogue);
    assert_true(str_equal(program->id, STR("a")));
    program_unref(program);
}

static void the_latest_stays_right_whatever_goes(void **state)
{
    (void)state;
    size_t one = bytes_of_one();
    struct shelf shelf;
    shelf_init(&shelf, 2 * one);
    assert_int_equal(latest(&shelf, "a")->version, 1);
    shelf.versions[0] = 2;
    assert_int_equal(latest(&shelf, "a")->version, 1); /* Nobody has told. */
    catalogue_forget_latest(&shelf.catalogue, NAMESPACE_DEFAULT, STR("a"));
    assert_int_equal(latest(&shelf, "a")->version, 2);

    /* The older version goes; its id leads to the newer one all the same. */
    latest(&shelf, "b");
    catalogue_trim(&shelf.catalogue);
    assert_string_equal(kept(&shelf), "b");
    size_t read_count = shelf.read_count;
    assert_int_equal(latest(&shelf, "a")->version, 2);
    assert_int_equal(shelf.read_count, read_count);

    /* The newer one goes while the older one is kept. */
    get(&shelf, 'a', 1);
    latest(&shelf, "b");
    catalogue_trim(&shelf.catalogue);
    assert_string_equal(kept(&shelf), "ab");
    assert_int_equal(latest(&shelf, "a")->version, 2);
    catalogue_trim(&shelf.catalogue);
    assert_int_equal(latest(&shelf, "a")->version, 2);
    catalogue_done(&shelf.catalogue);
}

static void the_latest_of_each_tenant_goes_by_its_name(void **state)
{
    (void)state;
    struct shelf shelf;
    struct definition *definition;
    struct error err;
    shelf_init(&shelf, SIZE_MAX);
    shelf.versions[0] = 2;
    assert_int_equal(
        found_needed(catalogue_find(&shelf.catalogue, NAMESPACE_DEFAULT, STR("a"), 1, &definition, &err)),
        ST_OK);
    assert_int_equal(definition->version, 1);
    assert_int_equal(found_needed(catalogue_find(&shelf.catalogue, 7, STR("b"), 0, &definition, &err)),
                     ST_OK);
    assert_int_equal(definition->ns, 7);
    assert_int_equal(shelf.catalogue.latest.count, 1);
    assert_ptr_equal(catalogue_peek_latest(&shelf.catalogue, 7, STR("b"), 0), definition);
    assert_null(catalogue_peek_latest(&shelf.catalogue, NAMESPACE_DEFAULT, STR("b"), 0));
    assert_int_equal(latest(&shelf, "a")->version, 2);
    assert_int_equal(shelf.catalogue.latest.count, 2);
    catalogue_forget_latest(&shelf.catalogue, NAMESPACE_DEFAULT, STR("b"));
    assert_int_equal(shelf.catalogue.latest.count, 2);
    catalogue_forget_latest(&shelf.catalogue, 7, STR("b"));
    assert_int_equal(shelf.catalogue.latest.count, 1);
    catalogue_done(&shelf.catalogue);
}

/* Earlier engines made the id of the letters and digits of the name. */
static struct found read_former(void *context, int64_t number, int32_t ns, str id, int32_t version,
                                struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    (void)context, (void)number, (void)ns, (void)id, (void)version, (void)arena, (void)err;
    *ret_row = (struct definition_row){
        .number = 1,
        .ns = NAMESPACE_DEFAULT,
        .version = 1,
        .id = STR("Say-It"),
        .source = STR("{\"name\":\"Say It!\",\"startsAt\":\"A\",\"states\":[{\"name\":\"A\",\"type\":"
                      "\"RELAY\",\"end\":true}]}"),
    };
    return found_of(ST_OK);
}

static void a_stored_document_without_an_id_keeps_the_one_it_has(void **state)
{
    struct catalogue catalogue;
    struct definition *definition;
    struct error err;
    (void)state;
    catalogue_init(&catalogue, SIZE_MAX, read_former, NULL);
    assert_int_equal(
        found_needed(catalogue_find(&catalogue, NAMESPACE_DEFAULT, STR("Say-It"), 0, &definition, &err)),
        ST_OK);
    assert_true(str_equal(definition->id, STR("Say-It")));
    catalogue_done(&catalogue);
}

static void what_cannot_be_had_leaves_nothing_behind(void **state)
{
    (void)state;
    struct shelf shelf;
    struct definition *definition;
    struct error err;
    shelf_init(&shelf, SIZE_MAX);
    assert_int_equal(found_needed(catalogue_get(&shelf.catalogue, number_of('a', 9), &definition, &err)),
                     ST_NOT_FOUND);
    assert_int_equal(
        found_needed(catalogue_find(&shelf.catalogue, NAMESPACE_DEFAULT, STR("a"), 9, &definition, &err)),
        ST_NOT_FOUND);
    shelf.broken = true;
    assert_int_equal(
        found_needed(catalogue_find(&shelf.catalogue, NAMESPACE_DEFAULT, STR("a"), 0, &definition, &err)),
        ST_INTERNAL);
    assert_non_null(strstr(err.message, "a version 1 no longer compiles"));
    assert_int_equal(shelf.catalogue.bytes, 0);
    assert_string_equal(kept(&shelf), "");
    shelf.broken = false;
    assert_int_equal(latest(&shelf, "a")->version, 1);
    catalogue_done(&shelf.catalogue);
}

static void clearing_forgets_everything_but_the_limit(void **state)
{
    (void)state;
    struct shelf shelf;
    shelf_init(&shelf, 2 * bytes_of_one());
    latest(&shelf, "a");
    latest(&shelf, "b");
    catalogue_clear(&shelf.catalogue);
    assert_string_equal(kept(&shelf), "");
    for (const char *id = "abc"; *id; id++) latest(&shelf, (char[]){ *id, '\0' });
    catalogue_trim(&shelf.catalogue);
    assert_string_equal(kept(&shelf), "bc");
    catalogue_done(&shelf.catalogue);
}

/* ---- in the engine ---- */

static const char *worker(const char *id) { return document("runtime/catalogue", id); }

static void an_engine_without_room_for_programs_does_the_same_work(void **state)
{
    struct driver *driver = *state;
    driver->limits.programs_bytes_max = 0;
    driver_restart(driver);
    driver_deploy(driver, worker("x"));
    driver_deploy(driver, worker("y"));
    struct id x = driver_started(driver, "x", "{\"n\":1}"), y = driver_started(driver, "y", "{\"n\":2}");
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            driver_complete(driver, driver_polled(driver, "w", "t"), "w", "{\"done\":true}")->status, ST_OK);
    assert_int_equal(driver_instance(driver, x)->status, INSTANCE_COMPLETED);
    assert_int_equal(driver_instance(driver, y)->status, INSTANCE_COMPLETED);
    assert_int_equal(driver->engine.memory.catalogue.by_number.count, 0);
    assert_int_equal(driver->query.catalogue.by_number.count, 0);
}

static void the_threads_share_the_room_for_programs(void **state)
{
    struct driver *driver = *state;
    const struct catalogue *engine = &driver->engine.memory.catalogue, *query = &driver->query.catalogue;
    assert_int_equal(engine->bytes_max + query->bytes_max, driver->limits.programs_bytes_max);
    assert_true(query->bytes_max > 0 && query->bytes_max < engine->bytes_max);
}

static void put_definition(struct driver *driver, const char *id, const char *source, int32_t priority)
{
    struct error err;
    struct definition_row row = { .number = driver->engine.transact.numbers.definition,
                                  .ns = NAMESPACE_DEFAULT,
                                  .id = str_of(id),
                                  .version = 1,
                                  .priority = priority,
                                  .source = str_of(source) };
    struct changeset changeset = { .definition = &row };
    assert_int_equal(store_begin(driver->store, &err), ST_OK);
    assert_int_equal(store_apply(driver->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(driver->store, &err), ST_OK);
    driver_restart(driver);
}

static void recovered_jobs_have_the_priority_of_their_definition(void **state)
{
    struct driver *driver = *state;
    put_definition(driver, "late", worker("late"), 2);
    put_definition(driver, "usual", worker("usual"), 5);
    put_definition(driver, "urgent", worker("urgent"), 9);
    struct id id[] = { driver_started(driver, "late", NULL), driver_started(driver, "usual", NULL),
                       driver_started(driver, "urgent", NULL) };
    driver_restart(driver);
    for (size_t i = COUNT(id); i-- > 0;)
        assert_int_equal(driver_polled(driver, "w", "t").instance, id[i].instance);
}

static void recovery_compiles_nothing(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, worker("x"));
    struct id id = driver_started(driver, "x", NULL);
    driver_restart(driver);
    assert_int_equal(driver->engine.memory.catalogue.by_number.count, 0);
    assert_int_equal(driver->engine.memory.jobs.ready_count, 1);
    assert_int_equal(driver_polled(driver, "w", "t").instance, id.instance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_is_read_and_compiled_once),
        cmocka_unit_test(the_least_recently_used_goes_first_and_only_as_many_as_must),
        cmocka_unit_test(nothing_goes_while_it_may_be_in_use),
        cmocka_unit_test(a_program_that_somebody_holds_outlives_its_entry),
        cmocka_unit_test(the_latest_stays_right_whatever_goes),
        cmocka_unit_test(the_latest_of_each_tenant_goes_by_its_name),
        cmocka_unit_test(a_stored_document_without_an_id_keeps_the_one_it_has),
        cmocka_unit_test(what_cannot_be_had_leaves_nothing_behind),
        cmocka_unit_test(clearing_forgets_everything_but_the_limit),
        cmocka_unit_test_setup_teardown(an_engine_without_room_for_programs_does_the_same_work, driver_setup,
                                        driver_teardown),
        cmocka_unit_test_setup_teardown(the_threads_share_the_room_for_programs, driver_setup,
                                        driver_teardown),
        cmocka_unit_test_setup_teardown(recovered_jobs_have_the_priority_of_their_definition, driver_setup,
                                        driver_teardown),
        cmocka_unit_test_setup_teardown(recovery_compiles_nothing, driver_setup, driver_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
