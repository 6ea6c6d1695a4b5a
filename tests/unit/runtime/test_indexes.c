/* Indexes: rows follow their entities, also while an index is built; unique keys are taken once. */
#include "driver.h"

#include "runtime/transact/indexes.h"

/* ---- models and entities ---- */

static struct call *change_call(struct driver *d, enum model_action action, const char *value)
{
    struct call *call = driver_call(d, CALL_CHANGE_MODEL);
    call->as.model = (struct call_model){ .name = STR("m"), .version = 1, .action = action };
    if (value) call->as.model.sample = call->as.model.list = driver_json(d, value);
    return call;
}

static void change(struct driver *d, enum model_action action, const char *value)
{
    struct call *call = driver_run(d, change_call(d, action, value));
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

static void refused(struct driver *d, enum model_action action, const char *value, const char *code)
{
    struct call *call = driver_run(d, change_call(d, action, value));
    assert_int_not_equal(call->status, ST_OK);
    assert_string_equal(call->error.code, code);
}

#define SAMPLE "{\"n\":1,\"t\":\"x\",\"b\":true,\"list\":[{\"s\":\"a\"}],\"in\":{\"k\":1}}"
#define HOLDING                                                                                              \
    "[{\"name\":\"w\",\"initialState\":\"A\",\"states\":{\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":" \
    "\"B\",\"manual\":true,\"processors\":[{\"name\":\"p\",\"executionMode\":\"%s\"}]}]},\"B\":{}}}]"

static void begin(struct driver *d, const char *indexes, const char *keys, const char *mode)
{
    change(d, MODEL_IMPORT, SAMPLE);
    if (indexes) change(d, MODEL_SET_INDEXES, indexes);
    if (keys) change(d, MODEL_SET_KEYS, keys);
    if (mode) {
        struct call *call = driver_call(d, CALL_DEPLOY);
        struct call_import *import = arena_make(&d->arena, struct call_import);
        *import = (struct call_import){
            .name = STR("m"),
            .version = 1,
            .incoming = driver_json(d, arena_printf(&d->arena, HOLDING, mode).p),
        };
        call->as.deploy.import = import;
        assert_int_equal(driver_run(d, call)->status, ST_OK);
    }
    change(d, MODEL_LOCK, NULL);
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

static struct entity_item new_item(struct driver *d, const char *data)
{
    return (struct entity_item){ .model = STR("m"), .version = 1, .data = driver_json(d, data) };
}

static struct entity_item item_of(struct driver *d, struct uuid id, const char *data, const char *transition)
{
    return (struct entity_item){ .action = data ? ENTITY_UPDATE : ENTITY_DELETE,
                                 .id = id,
                                 .data = data ? driver_json(d, data) : NULL,
                                 .transition = str_of(transition) };
}

static struct call *create_call(struct driver *d, const char *data)
{
    struct call *call = write_call(d, 1);
    call->as.entities.item[0] = new_item(d, data);
    return call;
}

static struct call *update_call(struct driver *d, struct uuid id, const char *data)
{
    struct call *call = write_call(d, 1);
    call->as.entities.item[0] = item_of(d, id, data, "");
    return call;
}

static struct call *fire_call(struct driver *d, struct uuid id, const char *data)
{
    struct call *call = write_call(d, 1);
    call->as.entities.item[0] = item_of(d, id, data, "GO");
    return call;
}

static struct uuid created(struct driver *d, const char *data)
{
    struct call *call = driver_run(d, create_call(d, data));
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call->as.entities.item[0].id;
}

static void ok(struct driver *d, struct call *call)
{
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

static void clashes(struct driver *d, struct call *call, const char *code)
{
    driver_run(d, call);
    assert_int_not_equal(call->status, ST_OK);
    assert_string_equal(call->error.code, code);
}

static struct job_view polled(struct driver *d)
{
    struct call *call = driver_poll(d, "hub", "\1compute", 1);
    call->performs = true;
    driver_run(d, call);
    assert_int_equal(call->value.jobs.count, 1);
    return call->value.jobs.view[0];
}

static void compute(struct driver *d, struct job_view job, const char *result)
{
    struct call *call = driver_call(d, CALL_COMPLETE_JOB);
    call->performs = true;
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = STR("hub");
    call->as.job.data = driver_json(d, result);
    ok(d, call);
}

/* ---- rows ---- */

static struct record_row *rows(struct driver *d, enum record_kind kind, size_t *ret_count)
{
    struct record_row *row;
    struct error err;
    const struct record_filter filter = { .ns = 1, .kind = kind, .max = 100000 };
    assert_int_equal(reader_records(d->query.reader, &filter, &d->arena, &row, ret_count, &err), ST_OK);
    return row;
}

static size_t row_count(struct driver *d, enum record_kind kind)
{
    size_t count;
    rows(d, kind, &count);
    return count;
}

static struct indexes indexes(struct driver *d)
{
    struct indexes read;
    struct error err;
    assert_int_equal(indexes_read(d->query.reader, 1, STR("m.1"), &d->arena, &read, &err), ST_OK);
    return read;
}

static int compare_rows(const void *a, const void *b)
{
    return str_compare(((const struct record_row *)a)->key, ((const struct record_row *)b)->key);
}

/* The rows are those of the living entities, and no others. */
static void check(struct driver *d)
{
    size_t members, have, want = 0;
    struct record_row *member = rows(d, RECORD_MEMBER, &members), *row = rows(d, RECORD_INDEX, &have);
    struct record_row *wanted = arena_make_n(&d->arena, struct record_row, 200000);
    struct indexes of = indexes(d);
    for (size_t i = 0; i < members; i++) {
        uint64_t id = 0;
        struct instance_row stored;
        struct definition *definition;
        const struct instance *instance;
        struct record_row *own;
        struct error err;
        for (size_t k = member[i].key.n - 8; k < member[i].key.n; k++)
            id = id << 8 | (unsigned char)member[i].key.p[k];
        assert_int_equal(
            found_needed(reader_instance(d->query.reader, TENANT_ANY, id, &d->arena, &stored, &err)), ST_OK);
        assert_int_equal(
            found_needed(catalogue_get(&d->query.catalogue, stored.definition, &definition, &err)), ST_OK);
        assert_int_equal(core_decode(stored.state, definition->program, &d->arena, &instance, &err), ST_OK);
        size_t count = index_rows_of(&of, 1, id, instance->data, &d->arena, &own);
        memcpy(wanted + want, own, count * sizeof *own);
        want += count;
    }
    qsort(wanted, want, sizeof *wanted, compare_rows);
    assert_int_equal(have, want);
    for (size_t i = 0; i < have; i++) assert_true(str_equal(row[i].key, wanted[i].key));
    driver_check(d);
}

/* ---- indexes ---- */

static void rows_follow_their_entities(void **state)
{
    struct driver *d = *state;
    begin(d, "[\"$.n\",\"$.list[*].s\",\"in.k\"]", NULL, NULL);
    struct uuid a = created(d, "{\"n\":1,\"list\":[{\"s\":\"a\"},{\"s\":\"b\"},{\"s\":\"a\"}]}");
    assert_int_equal(row_count(d, RECORD_INDEX), 4); /* 1, a, b, and nothing in.k. */
    struct uuid b = created(d, "{\"n\":1.0,\"in\":{\"k\":7},\"list\":[]}");
    assert_int_equal(row_count(d, RECORD_INDEX), 6); /* [] has no value. */
    check(d);
    ok(d, update_call(d, a, "{\"n\":2,\"t\":\"y\",\"list\":[{\"s\":\"b\"}]}"));
    check(d);
    ok(d, update_call(d, b, "{\"n\":1,\"in\":{\"k\":7},\"list\":[]}"));
    check(d);
    ok(d, update_call(d, b, NULL));
    check(d);
    driver_restart(d);
    ok(d, update_call(d, a, "{\"n\":5}"));
    check(d);
    ok(d, update_call(d, a, NULL));
    assert_int_equal(row_count(d, RECORD_INDEX), 0);
}

static void several_writes_of_a_turn_leave_the_last_rows(void **state)
{
    struct driver *d = *state;
    begin(d, "[\"$.n\"]", NULL, NULL);
    struct uuid id = created(d, "{\"n\":1}");
    struct call_list list = { 0 };
    struct call *call[3] = { update_call(d, id, "{\"n\":2}"), update_call(d, id, "{\"n\":1}"),
                             update_call(d, id, "{\"n\":3}") };
    for (size_t i = 0; i < COUNT(call); i++) call_list_add(&list, call[i]);
    engine_turn(&d->engine, &list);
    driver_turn(d);
    for (size_t i = 0; i < COUNT(call); i++) assert_true(driver_answered(d, call[i]));
    check(d);
}

/* Of an entity with more values than are indexed there is one row, and it goes with them. */
static void very_many_values_are_one_row(void **state)
{
    struct driver *d = *state;
    begin(d, "[\"$.list[*].s\"]", NULL, NULL);
    for (int count = INDEX_VALUES_MAX; count <= INDEX_VALUES_MAX + 1; count++) {
        struct buf text;
        buf_init(&text, &d->arena);
        buf_printf(&text, "{\"list\":[");
        for (int i = 0; i < count; i++) buf_printf(&text, "%s{\"s\":\"%d\"}", i ? "," : "", i);
        buf_printf(&text, "]}%c", '\0');
        struct uuid id = created(d, text.p);
        assert_int_equal(row_count(d, RECORD_INDEX), count > INDEX_VALUES_MAX ? 1 : count);
        check(d);
        ok(d, update_call(d, id, NULL));
    }
    assert_int_equal(row_count(d, RECORD_INDEX), 0);
}

static void bad_declarations_are_refused(void **state)
{
    struct driver *d = *state;
    static const struct {
        enum model_action action;
        const char *value, *code;
    } cases[] = {
        { MODEL_SET_INDEXES, "[1]", "INVALID_FIELD_PATH" },
        { MODEL_SET_INDEXES, "[\"$.n[\"]", "INVALID_FIELD_PATH" },
        { MODEL_SET_INDEXES, "[\"$.unknown\"]", "INVALID_FIELD_PATH" },
        { MODEL_SET_INDEXES, "[\"$.in\"]", "INVALID_FIELD_PATH" },
        { MODEL_SET_INDEXES, "[\"$\"]", "INVALID_FIELD_PATH" },
        { MODEL_SET_INDEXES, "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]", "BAD_REQUEST" },
        { MODEL_SET_KEYS, "[1]", "INVALID_UNIQUE_KEY_DEFINITION" },
        { MODEL_SET_KEYS, "[{\"id\":\"\",\"fields\":[\"$.n\"]}]", "INVALID_UNIQUE_KEY_DEFINITION" },
        { MODEL_SET_KEYS, "[{\"id\":\"k\",\"fields\":[]}]", "INVALID_UNIQUE_KEY_DEFINITION" },
        { MODEL_SET_KEYS, "[{\"id\":\"k\",\"fields\":[\"$.list\"]}]", "INVALID_UNIQUE_KEY_DEFINITION" },
        { MODEL_SET_KEYS, "[{\"id\":\"k\",\"fields\":[\"$.list[*].s\"]}]", "INVALID_UNIQUE_KEY_DEFINITION" },
        { MODEL_SET_KEYS, "[{\"id\":\"k\",\"fields\":[\"$.n\",\"n\"]}]", "INVALID_UNIQUE_KEY_DEFINITION" },
        { MODEL_SET_KEYS, "[{\"id\":\"k\",\"fields\":[\"$.n\"]},{\"id\":\"k\",\"fields\":[\"$.t\"]}]",
          "INVALID_UNIQUE_KEY_DEFINITION" },
        { MODEL_SET_KEYS, "[1,2,3,4,5,6,7,8,9]", "INVALID_UNIQUE_KEY_DEFINITION" },
        { MODEL_SET_KEYS, "[{\"id\":\"k\",\"fields\":[1,2,3,4,5,6,7,8,9]}]",
          "INVALID_UNIQUE_KEY_DEFINITION" },
    };
    refused(d, MODEL_SET_INDEXES, "[]", "MODEL_NOT_FOUND");
    change(d, MODEL_IMPORT, SAMPLE);
    change(d, MODEL_SET_INDEXES, "[\"$.n\",\"n\"]"); /* The same twice is one. */
    for (size_t i = 0; i < COUNT(cases); i++) refused(d, cases[i].action, cases[i].value, cases[i].code);
    assert_int_equal(indexes(d).field_count, 1);
    assert_int_equal(indexes(d).key_count, 0);
    change(d, MODEL_LOCK, NULL);
    refused(d, MODEL_SET_KEYS, "[]", "MODEL_ALREADY_LOCKED");
}

/* ---- building ---- */

static void build(struct driver *d)
{
    for (int turns = 0; d->engine.transact.backlog[BACKLOG_INDEX].due; turns++) {
        assert_true(turns < 10000);
        driver_turn(d);
    }
}

static void an_index_is_built_beside_writes_and_restarts(void **state)
{
    struct driver *d = *state;
    enum { COUNT_OF = 3 * INDEX_SLICE_MAX };
    struct uuid id[COUNT_OF];
    begin(d, NULL, NULL, NULL);
    for (int i = 0; i < COUNT_OF; i++)
        id[i] = created(d, arena_printf(&d->arena, "{\"n\":%d,\"t\":\"%d\"}", i, i % 7).p);
    change(d, MODEL_SET_INDEXES, "[\"$.n\",\"$.t\"]");
    assert_int_equal(indexes(d).field[0].state, INDEX_BUILDING);
    ok(d, update_call(d, id[0], "{\"n\":-1}"));
    ok(d, update_call(d, id[COUNT_OF - 1], "{\"n\":-2}"));
    driver_restart(d);
    assert_int_equal(indexes(d).field[0].state, INDEX_BUILDING);
    ok(d, update_call(d, id[COUNT_OF - 2], NULL));
    created(d, "{\"n\":77}");
    build(d);
    assert_int_equal(indexes(d).field[0].state, INDEX_READY);
    assert_int_equal(indexes(d).field[1].state, INDEX_READY);
    check(d);
    /* One goes, and one comes. */
    change(d, MODEL_SET_INDEXES, "[\"$.b\",\"$.t\"]");
    created(d, "{\"n\":78,\"b\":true}");
    driver_restart(d);
    build(d);
    assert_int_equal(indexes(d).field_count, 2);
    check(d);
    change(d, MODEL_SET_INDEXES, "[]");
    build(d);
    assert_int_equal(row_count(d, RECORD_INDEX), 0);
}

/* Older versions kept the progress in the record of what is indexed. Such a build begins anew. */
static void a_build_that_an_older_version_has_begun_is_finished(void **state)
{
    struct driver *d = *state;
    enum { COUNT_OF = INDEX_SLICE_MAX + 10 };
    struct error err;
    begin(d, NULL, NULL, NULL);
    for (int i = 0; i < COUNT_OF; i++) created(d, arena_printf(&d->arena, "{\"n\":%d}", i).p);
    struct record_row row = { .ns = 1,
                              .kind = RECORD_INDEXED,
                              .key = STR("m.1"),
                              .value = json_encoded(driver_json(d, "{\"next\":2,\"fields\":[{\"number\":1,"
                                                                   "\"path\":\"$.n\",\"state\":1,\"done\":"
                                                                   "100}],\"keys\":[]}")) };
    assert_int_equal(store_begin(d->store, &err), ST_OK);
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    assert_int_equal(store_apply(d->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(d->store, &err), ST_OK);
    driver_restart(d);
    assert_int_equal(indexes(d).field[0].state, INDEX_BUILDING);
    build(d);
    assert_int_equal(indexes(d).field[0].state, INDEX_READY);
    check(d);
}

/* More than any version has written: rows of so many fields have no place. */
static void a_record_with_too_many_fields_is_damaged(void **state)
{
    struct driver *d = *state;
    struct error err;
    struct buf text;
    begin(d, NULL, NULL, NULL);
    buf_init(&text, &d->arena);
    for (int i = 0; i <= 2 * INDEX_FIELDS_MAX; i++)
        buf_printf(&text, "%s{\"number\":%d,\"path\":\"$.n\",\"state\":0}", i ? "," : "", i + 1);
    const char *value =
        arena_printf(&d->arena, "{\"next\":99,\"fields\":[%.*s],\"keys\":[]}", STR_ARG(buf_str(&text))).p;
    struct record_row row = { .ns = NAMESPACE_DEFAULT,
                              .kind = RECORD_INDEXED,
                              .key = STR("m.1"),
                              .value = json_encoded(driver_json(d, value)) };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    assert_int_equal(store_begin(d->store, &err), ST_OK);
    assert_int_equal(store_apply(d->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(d->store, &err), ST_OK);
    driver_restart(d);
    assert_int_equal(driver_run(d, create_call(d, "{\"n\":1}"))->status, ST_INTERNAL);
}

/* The numbers of its fields begin anew, and the progress of the old ones must not count. */
static void a_model_that_comes_back_has_no_progress_of_the_old_one(void **state)
{
    struct driver *d = *state;
    begin(d, NULL, NULL, NULL);
    struct uuid id = created(d, "{\"n\":1}");
    d->engine.transact.backlog[BACKLOG_INDEX].hold_ms = INT64_MAX;
    change(d, MODEL_SET_INDEXES, "[\"$.n\"]");
    d->engine.transact.backlog[BACKLOG_INDEX].hold_ms = 0;
    driver_turn(d);
    d->engine.transact.backlog[BACKLOG_INDEX].hold_ms =
        INT64_MAX; /* All rows are there, but its build does not come to its end. */
    assert_int_equal(row_count(d, RECORD_BUILT), 1);
    ok(d, update_call(d, id, NULL));
    change(d, MODEL_UNLOCK, NULL);
    change(d, MODEL_REMOVE, NULL);
    assert_int_equal(row_count(d, RECORD_BUILT), 0);
}

static void a_model_that_comes_back_has_no_rows_of_the_old_one(void **state)
{
    struct driver *d = *state;
    begin(d, "[\"$.n\"]", NULL, NULL);
    struct uuid id = created(d, "{\"n\":1}");
    change(d, MODEL_SET_INDEXES, "[]"); /* On its way out. */
    ok(d, update_call(d, id, NULL));
    change(d, MODEL_UNLOCK, NULL);
    change(d, MODEL_REMOVE, NULL);
    begin(d, "[\"$.t\"]", NULL, NULL);
    created(d, "{\"n\":1,\"t\":\"x\"}");
    build(d);
    check(d);
}

/* ---- unique keys ---- */

#define KEYS "[{\"id\":\"k\",\"fields\":[\"$.n\",\"$.t\"]},{\"name\":\"i\",\"fields\":[\"$.in.k\"]}]"

static void a_unique_key_is_taken_once(void **state)
{
    struct driver *d = *state;
    begin(d, NULL, KEYS, NULL);
    struct uuid a = created(d, "{\"n\":1,\"t\":\"x\"}"), b = created(d, "{\"n\":1,\"t\":\"y\"}");
    created(d, "{\"b\":true}"); /* Has no key. */
    created(d, "{\"b\":true,\"n\":null,\"t\":null}");
    clashes(d, create_call(d, "{\"n\":1.0,\"t\":\"x\"}"), "UNIQUE_VIOLATION");
    clashes(d, update_call(d, b, "{\"n\":1,\"t\":\"x\"}"), "UNIQUE_VIOLATION");
    clashes(d, create_call(d, "{\"n\":1}"), "INVALID_UNIQUE_KEY");
    clashes(d, create_call(d, "{\"n\":1,\"t\":null}"), "INVALID_UNIQUE_KEY");
    assert_int_equal(row_count(d, RECORD_MEMBER), 4);
    driver_restart(d);
    clashes(d, create_call(d, "{\"n\":1,\"t\":\"x\"}"), "UNIQUE_VIOLATION");
    ok(d, update_call(d, a, "{\"n\":1,\"t\":\"x\",\"b\":true}")); /* Its own key. */
    ok(d, update_call(d, a, "{\"n\":2,\"t\":\"x\"}"));
    ok(d, update_call(d, b, "{\"n\":1,\"t\":\"x\"}"));
    ok(d, update_call(d, b, NULL));
    created(d, "{\"n\":1,\"t\":\"x\",\"in\":{\"k\":5}}");
    clashes(d, create_call(d, "{\"in\":{\"k\":5}}"), "UNIQUE_VIOLATION");
    assert_int_equal(row_count(d, RECORD_UNIQUE), 3);
    driver_check(d);
}

static void long_values_are_no_unique_key(void **state)
{
    struct driver *d = *state;
    begin(d, NULL, "[{\"id\":\"k\",\"fields\":[\"$.t\"]}]", NULL);
    struct arena *arena = &d->arena;
    char text[UNIQUE_BYTES_MAX + 1];
    memset(text, 'x', sizeof text);
    int fits = UNIQUE_BYTES_MAX - 3; /* A tag and an end. */
    created(d, arena_printf(arena, "{\"t\":\"%.*s\"}", fits, text).p);
    clashes(d, create_call(d, arena_printf(arena, "{\"t\":\"%.*s\"}", fits, text).p), "UNIQUE_VIOLATION");
    clashes(d, create_call(d, arena_printf(arena, "{\"t\":\"%.*s\"}", fits + 1, text).p),
            "INVALID_UNIQUE_KEY");
}

/* Of one write the state after it counts. */
static void entities_of_one_write_take_keys_together(void **state)
{
    struct driver *d = *state;
    begin(d, NULL, "[{\"id\":\"k\",\"fields\":[\"$.n\"]}]", NULL);
    struct call *twice = write_call(d, 2);
    twice->as.entities.item[0] = twice->as.entities.item[1] = new_item(d, "{\"n\":1}");
    clashes(d, twice, "UNIQUE_VIOLATION");
    assert_int_equal(row_count(d, RECORD_MEMBER), 0);
    assert_int_equal(row_count(d, RECORD_UNIQUE), 0);
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}"), c = created(d, "{\"n\":3}");
    struct call *swap = write_call(d, 3);
    swap->as.entities.item[0] = item_of(d, a, "{\"n\":2}", "");
    swap->as.entities.item[1] = item_of(d, b, "{\"n\":3}", "");
    swap->as.entities.item[2] = item_of(d, c, "{\"n\":1}", "");
    ok(d, swap);
    struct call *instead = write_call(d, 2);
    instead->as.entities.item[0] = new_item(d, "{\"n\":2}");
    instead->as.entities.item[1] = item_of(d, a, NULL, "");
    ok(d, instead);
    clashes(d, update_call(d, c, "{\"n\":3}"), "UNIQUE_VIOLATION");
    clashes(d, update_call(d, c, "{\"n\":2}"), "UNIQUE_VIOLATION");
    assert_int_equal(row_count(d, RECORD_UNIQUE), 3);
    /* Twice in one write: only what it ends with counts. */
    struct call *through = write_call(d, 2);
    through->as.entities.item[0] = item_of(d, c, "{\"n\":3}", "");
    through->as.entities.item[1] = item_of(d, c, "{\"n\":4}", "");
    ok(d, through);
    clashes(d, create_call(d, "{\"n\":3}"), "UNIQUE_VIOLATION");
    created(d, "{\"n\":1}");
    driver_check(d);
}

static void units_that_wait_take_keys_when_they_are_written(void **state)
{
    struct driver *d = *state;
    begin(d, NULL, "[{\"id\":\"k\",\"fields\":[\"$.n\"]}]", "SYNC");
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    clashes(d, fire_call(d, a, "{\"n\":2}"), "UNIQUE_VIOLATION"); /* Before anybody is asked. */
    struct call *first = fire_call(d, a, "{\"n\":5}"), *second = fire_call(d, b, "{\"n\":5}");
    driver_submit(d, first);
    struct job_view job = polled(d);
    driver_submit(d, second);
    struct job_view other = polled(d);
    compute(d, other, "{}");
    assert_true(driver_answered(d, second));
    assert_int_equal(second->status, ST_OK);
    compute(d, job, "{}");
    assert_true(driver_answered(d, first));
    assert_int_equal(first->status, ST_CONFLICT);
    assert_string_equal(first->error.code, "UNIQUE_VIOLATION");
    ok(d, update_call(d, a, "{\"n\":2}")); /* b has given it up. */
    /* A processor's answer counts, too. */
    struct call *third = fire_call(d, a, "{\"n\":7}");
    driver_submit(d, third);
    compute(d, polled(d), "{\"data\":{\"n\":5}}");
    assert_true(driver_answered(d, third));
    assert_string_equal(third->error.code, "UNIQUE_VIOLATION");
    assert_int_equal(row_count(d, RECORD_UNIQUE), 2);
    driver_check(d);
}

static void an_answer_behind_a_commit_point_takes_keys(void **state)
{
    struct driver *d = *state;
    begin(d, NULL, "[{\"id\":\"k\",\"fields\":[\"$.n\"]}]", "COMMIT_BEFORE_DISPATCH");
    struct uuid a = created(d, "{\"n\":1}");
    created(d, "{\"n\":2}");
    struct call *call = fire_call(d, a, "{\"n\":3}");
    driver_submit(d, call);
    compute(d, polled(d), "{\"data\":{\"n\":2}}");
    assert_true(driver_answered(d, call));
    assert_string_equal(call->error.code, "UNIQUE_VIOLATION");
    clashes(d, create_call(d, "{\"n\":3}"), "UNIQUE_VIOLATION"); /* What was committed before stays. */
    created(d, "{\"n\":1}");
    driver_check(d);
}

#define driver_test(function) cmocka_unit_test_setup_teardown(function, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        driver_test(rows_follow_their_entities),
        driver_test(several_writes_of_a_turn_leave_the_last_rows),
        driver_test(very_many_values_are_one_row),
        driver_test(bad_declarations_are_refused),
        driver_test(an_index_is_built_beside_writes_and_restarts),
        driver_test(a_build_that_an_older_version_has_begun_is_finished),
        driver_test(a_record_with_too_many_fields_is_damaged),
        driver_test(a_model_that_comes_back_has_no_progress_of_the_old_one),
        driver_test(a_model_that_comes_back_has_no_rows_of_the_old_one),
        driver_test(a_unique_key_is_taken_once),
        driver_test(long_values_are_no_unique_key),
        driver_test(entities_of_one_write_take_keys_together),
        driver_test(units_that_wait_take_keys_when_they_are_written),
        driver_test(an_answer_behind_a_commit_point_takes_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
