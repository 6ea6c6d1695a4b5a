/* Rows by which entities are found: the check names each that is missing, too much or wrong. */
#include "driver.h"

#include "runtime/entities/entities.h"
#include "runtime/entities/entity_check.h"

#define SAMPLE "{\"n\":1,\"t\":\"x\",\"list\":[{\"s\":\"a\"}]}"
#define INDEXES "[\"$.n\",\"$.list[*].s\"]"
#define KEYS "[{\"id\":\"by-t\",\"fields\":[\"$.t\"]}]"
#define WORKFLOW                                                                                             \
    "[{\"name\":\"w\",\"initialState\":\"A\",\"states\":{\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":" \
    "\"B\",\"manual\":true}]},\"B\":{}}}]"

enum { KINDS = 4, ROWS_MAX = 100 };
static const enum record_kind kinds[KINDS] = { RECORD_MEMBER, RECORD_STATE, RECORD_INDEX, RECORD_UNIQUE };

/* ---- a store with entities ---- */

static void change(struct driver *d, enum model_action action, const char *value)
{
    struct call *call = driver_call(d, CALL_CHANGE_MODEL);
    call->as.model = (struct call_model){ .name = STR("m"), .version = 1, .action = action };
    if (value) call->as.model.sample = call->as.model.list = driver_json(d, value);
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

static struct uuid written(struct driver *d, struct entity_item item)
{
    static int number;
    struct call *call = driver_call(d, CALL_WRITE_ENTITIES);
    call->as.entities.item = arena_make(&d->arena, struct entity_item);
    call->as.entities.item[0] = item;
    call->as.entities.count = 1;
    call->as.entities.transaction = arena_printf(&d->arena, "tx-%d", ++number);
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call->as.entities.item[0].id;
}

static struct uuid created(struct driver *d, const char *data)
{
    return written(d, (struct entity_item){ .model = STR("m"), .version = 1, .data = driver_json(d, data) });
}

/* One entity in A, one in B with other data than at first, one without values, one that was deleted. */
static void begin(struct driver *d)
{
    change(d, MODEL_IMPORT, SAMPLE);
    change(d, MODEL_SET_INDEXES, INDEXES);
    change(d, MODEL_SET_KEYS, KEYS);
    struct call *call = driver_call(d, CALL_DEPLOY);
    struct call_import *import = arena_make(&d->arena, struct call_import);
    *import = (struct call_import){ .name = STR("m"), .version = 1, .incoming = driver_json(d, WORKFLOW) };
    call->as.deploy.import = import;
    assert_int_equal(driver_run(d, call)->status, ST_OK);
    change(d, MODEL_LOCK, NULL);
    created(d, "{\"n\":1,\"t\":\"one\",\"list\":[{\"s\":\"a\"},{\"s\":\"b\"}]}");
    written(d, (struct entity_item){ .action = ENTITY_UPDATE,
                                     .id = created(d, "{\"n\":2,\"t\":\"two\"}"),
                                     .data = driver_json(d, "{\"n\":3,\"t\":\"three\"}"),
                                     .transition = STR("GO") });
    created(d, "{}");
    written(d, (struct entity_item){ .action = ENTITY_DELETE, .id = created(d, "{\"n\":4,\"t\":\"four\"}") });
}

/* ---- findings ---- */

struct findings {
    char text[2000];
    int count;
};

static void note(void *context, const char *sentence)
{
    struct findings *findings = context;
    size_t used = strlen(findings->text);
    findings->count++;
    snprintf(findings->text + used, sizeof findings->text - used, "%s\n", sentence);
}

static void assert_found(struct driver *d, int count, const char *part, const char *why)
{
    struct findings findings = { .count = 0 };
    struct error err;
    assert_int_equal(entity_check_rows(d->store, note, &findings, &err), ST_OK);
    if (findings.count != count || (part && !strstr(findings.text, part)))
        fail_msg("%s: %d findings and \"%s\" were wanted, not %d:\n%s", why, count, part ? part : "",
                 findings.count, findings.text);
}

/* ---- damage ---- */

static size_t all_rows(struct driver *d, struct record_row ret_row[ROWS_MAX])
{
    struct store_reader *reader;
    struct error err;
    size_t count = 0;
    assert_int_equal(store_reader_open(d->store, &reader, &err), ST_OK);
    for (size_t i = 0; i < KINDS; i++) {
        const struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = kinds[i], .max = ROWS_MAX };
        struct record_row *row;
        size_t more;
        assert_int_equal(reader_records(reader, &filter, &d->arena, &row, &more, &err), ST_OK);
        assert_true(more > 0 && count + more <= ROWS_MAX);
        memcpy(ret_row + count, row, more * sizeof *row);
        count += more;
    }
    store_reader_close(reader);
    return count;
}

static void apply(struct driver *d, const struct record_row *removed, const struct record_row *put)
{
    struct changeset changeset = { .record_remove = removed,
                                   .record_remove_count = removed != NULL,
                                   .record_put = put,
                                   .record_put_count = put != NULL };
    struct error err;
    assert_int_equal(store_begin(d->store, &err), ST_OK);
    assert_int_equal(store_apply(d->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(d->store, &err), ST_OK);
}

/* The row with another last byte of its key or its value. */
static struct record_row changed(struct driver *d, struct record_row row, bool in_value)
{
    str from = in_value ? row.value : row.key;
    char *bytes = arena_alloc(&d->arena, from.n);
    memcpy(bytes, from.p, from.n);
    bytes[from.n - 1] = (char)(bytes[from.n - 1] ^ 0x40);
    if (in_value) row.value = (str){ bytes, from.n };
    else row.key = (str){ bytes, from.n };
    return row;
}

static void each_row_that_is_missing_or_wrong_is_named(void **state)
{
    struct driver *d = *state;
    struct record_row row[ROWS_MAX];
    begin(d);
    assert_found(d, 0, NULL, "a good store");
    size_t count = all_rows(d, row);
    assert_int_equal(count, 3 + 3 + 7 + 2); /* An entity without values has a row for null in each index. */
    for (size_t i = 0; i < count; i++) {
        const char *word = store_record_word(row[i].kind);
        str kind = arena_printf(&d->arena, "of kind \"%s\"", word);
        apply(d, &row[i], NULL);
        assert_found(d, 1, kind.p, "missing");
        struct record_row other = changed(d, row[i], false);
        apply(d, &row[i], &other);
        assert_found(d, 2, kind.p, "another key");
        apply(d, &other, &row[i]);
        assert_found(d, 0, NULL, "mended");
        if (!row[i].value.n) continue;
        other = changed(d, row[i], true);
        apply(d, NULL, &other);
        assert_found(d, row[i].kind == RECORD_UNIQUE ? 2 : 1, "says something else", "another value");
        apply(d, NULL, &row[i]);
    }
}

static void a_row_belongs_to_a_living_entity(void **state)
{
    struct driver *d = *state;
    struct record_row row[ROWS_MAX], other;
    begin(d);
    size_t count = all_rows(d, row);
    other = changed(d, row[0], false);
    assert_int_equal(other.kind, RECORD_MEMBER);
    apply(d, NULL, &other);
    assert_found(d, 1, "which is not there", "an instance that never was");
    apply(d, &other, NULL);
    /* The last entity was deleted: the fourth of those that were created. */
    char *bytes = memcpy(arena_alloc(&d->arena, row[0].key.n), row[0].key.p, row[0].key.n);
    bytes[row[0].key.n - 1] = (char)(bytes[row[0].key.n - 1] + 3);
    other.key = (str){ bytes, row[0].key.n };
    apply(d, NULL, &other);
    assert_found(d, 1, "which has ended", "an entity that was deleted");
    assert_int_equal(row[count - 1].kind, RECORD_UNIQUE);
}

/* Indexes that change while there are entities: until they are READY, rows may be missing; when they are no
 * longer declared, rows may be left. */
static void an_index_on_its_way_is_no_damage(void **state)
{
    struct driver *d = *state;
    begin(d);
    for (int i = 0; i < 1000; i++) created(d, "{\"n\":7}");
    struct call *call = driver_call(d, CALL_CHANGE_MODEL);
    call->as.model = (struct call_model){
        .name = STR("m"), .version = 1, .action = MODEL_SET_INDEXES, .list = driver_json(d, "[\"$.t\"]")
    };
    driver_submit(d, call);
    for (int turns = 0; !driver_answered(d, call); turns++) {
        assert_true(turns < 20);
        assert_found(d, 0, NULL, "before");
        driver_turn(d);
    }
    assert_int_equal(call->status, ST_OK);
    for (int turns = 0; turns < 30; turns++) {
        assert_found(d, 0, NULL, "on its way");
        driver_turn(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_row_that_is_missing_or_wrong_is_named, driver_setup,
                                        driver_teardown),
        cmocka_unit_test_setup_teardown(a_row_belongs_to_a_living_entity, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(an_index_on_its_way_is_no_damage, driver_setup, driver_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
