/* Numbers of entities by state, and all entities of a model deleted: on a store that fails at any operation.
 */
#include "driver.h"

#include "runtime/entities/entities.h"
#include "store/store_int.h"

#define WORKFLOW                                                                               \
    "[{\"name\":\"w\",\"initialState\":\"A\",\"states\":{\"A\":{\"transitions\":[{\"name\":"   \
    "\"GO\",\"next\":\"B\",\"manual\":true},{\"name\":\"ASK\",\"next\":\"B\",\"manual\":true," \
    "\"processors\":[{\"name\":\"p\",\"executionMode\":\"SYNC\"}]}]},\"B\":{}}}]"

/* ---- the store ---- */

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t count, fail_at;
} faults;

static bool fails(void) { return ++faults.count == faults.fail_at; }
static enum status refuse(struct error *err) { return (fail)(err, ST_STORE, "store", "a fault"); }

static enum status faulty_apply(struct store *store, struct changeset *changeset, struct error *err)
{
    return fails() ? refuse(err) : faults.real->apply(store, changeset, err);
}

static enum status faulty_find(struct store *store, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    return fails() ? refuse(err) : faults.real->find_record(store, ns, kind, key, arena, ret_row, err);
}

static enum status faulty_list(struct store *store, const struct record_filter *filter, struct arena *arena,
                               struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    return fails() ? refuse(err) : faults.real->records(store, filter, arena, ret_row, ret_count, err);
}

static void faults_begin(struct driver *d, size_t fail_at)
{
    faults.real = d->store->ops;
    faults.ops = *faults.real;
    faults.ops.apply = faulty_apply;
    faults.ops.find_record = faulty_find;
    faults.ops.records = faulty_list;
    faults.count = 0;
    faults.fail_at = fail_at;
    d->store->ops = &faults.ops;
}

/* ---- calls ---- */

static void insist(struct driver *d, struct call *call)
{
    for (int tries = 0; tries < 5; tries++) {
        int turns = 0;
        driver_submit(d, call);
        while (!driver_answered(d, call)) {
            assert_true(++turns < 20);
            driver_turn(d);
        }
        if (!status_retry(call->status)) break;
    }
    if (call->status != ST_OK) fail_msg("at %zu: %s", faults.fail_at, call->error.message);
}

static void change(struct driver *d, enum model_action action)
{
    struct call *call = driver_call(d, CALL_CHANGE_MODEL);
    call->as.model = (struct call_model){ .name = STR("m"), .version = 1, .action = action };
    if (action == MODEL_IMPORT) call->as.model.sample = driver_json(d, "{\"n\":1}");
    insist(d, call);
}

static void begin(struct driver *d)
{
    change(d, MODEL_IMPORT);
    struct call *call = driver_call(d, CALL_DEPLOY);
    struct call_import *import = arena_make(&d->arena, struct call_import);
    *import = (struct call_import){ .name = STR("m"), .version = 1, .incoming = driver_json(d, WORKFLOW) };
    call->as.deploy.import = import;
    insist(d, call);
    change(d, MODEL_LOCK);
}

static struct call *write_call(struct driver *d, size_t count)
{
    static int number;
    struct call *call = driver_call(d, CALL_WRITE_ENTITIES);
    call->as.entities.item = arena_make_n(&d->arena, struct entity_item, count);
    memset(call->as.entities.item, 0, count * sizeof call->as.entities.item[0]);
    call->as.entities.count = count;
    call->as.entities.transaction = arena_printf(&d->arena, "tx-%d", ++number);
    return call;
}

static struct uuid create_as(struct driver *d, size_t count, const char *data)
{
    struct call *call = write_call(d, count);
    for (size_t i = 0; i < count; i++)
        call->as.entities.item[i] =
            (struct entity_item){ .model = STR("m"), .version = 1, .data = driver_json(d, data) };
    insist(d, call);
    return call->as.entities.item[0].id;
}

static struct uuid create(struct driver *d, size_t count) { return create_as(d, count, "{\"n\":1}"); }

static struct call *item_call(struct driver *d, enum entity_action action, struct uuid id,
                              const char *transition)
{
    struct call *call = write_call(d, 1);
    call->as.entities.item[0] =
        (struct entity_item){ .action = action, .id = id, .transition = str_of(transition) };
    return call;
}

static struct call *remove_if(struct driver *d, const char *condition)
{
    struct call *call = driver_call(d, CALL_REMOVE_ENTITIES);
    call->as.removal = (struct call_removal){ .model = STR("m"), .version = 1, .transaction = STR("tx-all") };
    if (condition) call->as.removal.condition = driver_json(d, condition);
    insist(d, call);
    return call;
}

static struct call *remove_all(struct driver *d) { return remove_if(d, NULL); }

/* "A 3, B 1" */
static void assert_counts(struct driver *d, const char *want)
{
    struct call *call = driver_call(d, CALL_COUNT_ENTITIES);
    struct buf text;
    call->as.counts = (struct call_counts){ .model = STR("m"), .version = 1, .by_state = true };
    insist(d, call);
    buf_init(&text, &d->arena);
    for (size_t i = 0; i < call->value.counts.count; i++) {
        const struct entity_count *count = &call->value.counts.item[i];
        assert_true(str_equal(count->model, STR("m")) && count->version == 1);
        buf_printf(&text, "%s%.*s %d", i ? ", " : "", STR_ARG(count->state), (int)count->count);
    }
    buf_add_char(&text, '\0');
    assert_string_equal(buf_str(&text).p, want);
}

/* ---- stories ---- */

static void story(struct driver *d)
{
    struct uuid first = create(d, 3), second = create(d, 2);
    assert_counts(d, "A 5");
    insist(d, item_call(d, ENTITY_UPDATE, first, "GO"));
    insist(d, item_call(d, ENTITY_UPDATE, second, "")); /* It stays where it is. */
    assert_counts(d, "A 4, B 1");
    struct call *refused = item_call(d, ENTITY_UPDATE, second, "NO");
    do driver_run(d, refused);
    while (status_retry(refused->status));
    assert_int_equal(refused->status, ST_NOT_FOUND);
    insist(d, item_call(d, ENTITY_DELETE, first, ""));
    assert_counts(d, "A 4"); /* A state without entities is not counted. */
    struct call *removal = remove_all(d);
    assert_int_equal(removal->value.removal.removed, 4);
    assert_counts(d, "");
    driver_check(d);
}

static void numbers_are_right_whatever_fails(void **state)
{
    (void)state;
    for (size_t at = 1;; at++) {
        void *own;
        driver_setup(&own);
        struct driver *d = own;
        begin(d);
        faults_begin(d, at);
        story(d);
        d->store->ops = faults.real;
        driver_teardown(&own);
        if (faults.count < at) break;
    }
    assert_true(faults.fail_at > 10);
}

static void numbers_survive_a_restart(void **state)
{
    struct driver *d = *state;
    begin(d);
    create(d, 3);
    driver_restart(d);
    assert_counts(d, "A 3");
    create(d, 1);
    assert_counts(d, "A 4");
}

/* More than one turn takes, and one of its transactions fails. */
static void many_are_deleted_in_many_turns(void **state)
{
    enum { MANY = 3 * REMOVED_PER_TURN_MAX + 7, AT_ONCE = 97 };
    (void)state;
    for (size_t at = 0; at < 6; at++) {
        void *own;
        driver_setup(&own);
        struct driver *d = own;
        begin(d);
        for (size_t made = 0; made < MANY; made += AT_ONCE)
            create(d, MANY - made < AT_ONCE ? MANY - made : AT_ONCE);
        faults_begin(d, at * REMOVED_PER_TURN_MAX);
        struct call *removal = remove_all(d);
        d->store->ops = faults.real;
        assert_int_equal(removal->value.removal.found, MANY);
        assert_int_equal(removal->value.removal.removed, MANY);
        assert_counts(d, "");
        driver_check(d);
        driver_teardown(&own);
    }
}

/* By a scan, and by the state. */
static void those_that_fit_are_deleted_in_many_turns(void **state)
{
    enum { MANY = 2 * REMOVED_PER_TURN_MAX + 7, AT_ONCE = 97, TRIES = 6 };
    static const char *const conditions[] = {
        "{\"type\":\"simple\",\"jsonPath\":\"$.n\",\"operatorType\":\"EQUALS\",\"value\":2}",
        "{\"type\":\"group\",\"operator\":\"AND\",\"conditions\":["
        "{\"type\":\"lifecycle\",\"field\":\"state\",\"operatorType\":\"EQUALS\",\"value\":\"A\"},"
        "{\"type\":\"simple\",\"jsonPath\":\"$.n\",\"operatorType\":\"GREATER_THAN\",\"value\":1}]}",
    };
    (void)state;
    for (size_t at = 0; at < TRIES * COUNT(conditions); at++) {
        void *own;
        driver_setup(&own);
        struct driver *d = own;
        begin(d);
        for (size_t made = 0; made < MANY; made += AT_ONCE) {
            create(d, 50);
            create_as(d, MANY - made < AT_ONCE ? MANY - made : AT_ONCE, "{\"n\":2}");
        }
        size_t others = (MANY + AT_ONCE - 1) / AT_ONCE * 50;
        faults_begin(d, at / COUNT(conditions) * REMOVED_PER_TURN_MAX);
        struct call *removal = remove_if(d, conditions[at % COUNT(conditions)]);
        d->store->ops = faults.real;
        assert_int_equal(removal->value.removal.found, MANY);
        assert_int_equal(removal->value.removal.removed, MANY);
        assert_counts(d, arena_printf(&d->arena, "A %zu", others).p);
        driver_check(d);
        driver_teardown(&own);
    }
}

static void who_is_being_written_stays(void **state)
{
    struct driver *d = *state;
    begin(d);
    struct uuid busy = create(d, 1);
    create(d, 2);
    driver_submit(d, item_call(d, ENTITY_UPDATE, busy, "ASK")); /* Nothing is written before p answers. */
    driver_turn(d);
    struct call *removal = remove_all(d);
    assert_int_equal(removal->value.removal.found, 3);
    assert_int_equal(removal->value.removal.removed, 2);
    assert_int_equal(removal->value.removal.error_count, 1);
    char id[UUID_CHARS + 1];
    uuid_print(busy, id);
    assert_true(str_equal(removal->value.removal.error->id, str_of(id)));
    assert_counts(d, "A 1");
}

static void a_model_that_is_not_there_has_no_entities_to_delete(void **state)
{
    struct driver *d = *state;
    struct call *call = driver_call(d, CALL_REMOVE_ENTITIES);
    call->as.removal = (struct call_removal){ .model = STR("no"), .version = 1 };
    driver_run(d, call);
    assert_int_equal(call->status, ST_NOT_FOUND);
    assert_string_equal(call->error.code, "MODEL_NOT_FOUND");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_right_whatever_fails),
        cmocka_unit_test(many_are_deleted_in_many_turns),
        cmocka_unit_test(those_that_fit_are_deleted_in_many_turns),
        cmocka_unit_test_setup_teardown(numbers_survive_a_restart, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(who_is_being_written_stays, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(a_model_that_is_not_there_has_no_entities_to_delete, driver_setup,
                                        driver_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
