/* Arrivals: every row of the table of policies, caps, the queue, pauses, and a restart in between. */
#include "arrive_driver.h"

#include "runtime/arrivals/arrivals.h"

#include "runtime/limits.h"

#include "vault/vault.h"

static void assert_outcome(const struct arrival_view *view, const char *want)
{
    assert_string_equal(arrive_outcome_word(view->outcome), want);
}

static size_t count_instances(struct driver *driver)
{
    struct call *call = driver_call(driver, CALL_LIST_INSTANCES);
    call->as.instances.filter.max = 100;
    driver_run(driver, call);
    return call->value.instances.count;
}

static void cancel(struct driver *driver, const struct arrival_view *view)
{
    struct call *call = driver_call(driver, CALL_CANCEL);
    call->as.instance.id = (struct id){ .ms = view->instance_created_ms, .instance = view->instance };
    call->as.instance.text = STR("done");
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
    for (int i = 0; i < 3; i++) driver_turn(driver);
}

/* What the records say, newest first. */
static void assert_recorded(struct driver *driver, const char *const *want, size_t count)
{
    struct call *call = driver_call(driver, CALL_LIST_ARRIVALS);
    call->as.arrivals = (struct call_arrivals){ .outcome = -1, .max = 50 };
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.arrivals.count, count);
    for (size_t i = 0; i < count; i++) assert_outcome(&call->value.arrivals.view[i], want[i]);
}

static void policies_decide(void **state)
{
    struct json_each each = json_each(document_value("runtime/arrive", "policies"));
    (void)state;
    while (json_next(&each)) {
        void *own;
        driver_setup(&own);
        struct driver *driver = own;
        const struct json *want = json_get(each.value, STR("want")),
                          *method = json_get(each.value, STR("method"));
        deploy(driver, "orders");
        for (size_t i = 0; i < json_count(want); i++) {
            struct call *call =
                driver_run(driver, request(driver, method ? document_text(method) : "POST",
                                           document_member(each.value, "path"),
                                           document_text(json_item(json_get(each.value, STR("bodies")), i))));
            assert_int_equal(call->status, ST_OK);
            assert_outcome(call->value.arrivals.view, document_text(json_item(want, i)));
        }
        int64_t instances;
        assert_true(json_int64(json_get(each.value, STR("instances")), &instances));
        assert_int_equal(count_instances(driver), instances);
        driver_teardown(&own);
    }
}

static void a_replaced_instance_names_its_successor(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "orders");
    struct arrival_view *first = post(driver, "/again", "{\"id\":\"A\"}");
    struct arrival_view *second = post(driver, "/again", "{\"id\":\"A\"}");
    assert_outcome(second, "replaced");
    struct instance_view *old = get(driver, first);
    assert_int_equal(old->status, INSTANCE_CANCELLED);
    assert_int_equal(get(driver, second)->status, INSTANCE_WAITING);
    /* The key is the new one's. */
    assert_int_equal(post(driver, "/orders", "{\"id\":\"A\"}")->instance, second->instance);
}

static void a_key_meets_over_triggers_and_versions(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "orders");
    struct arrival_view *first = post(driver, "/orders", "{\"id\":\"A\"}");
    struct call *call = driver_call(driver, CALL_ARRIVE);
    call->as.arrive.event =
        (struct arrival_event){ .type = ARRIVAL_MQTT, .topic = STR("s/A/r"), .raw = STR("{}") };
    driver_run(driver, call);
    assert_int_equal(call->value.arrivals.count, 1);
    assert_outcome(call->value.arrivals.view, "updated");
    deploy(driver, "orders, no cancel");
    struct arrival_view *late = post(driver, "/late", "{\"id\":\"A\"}");
    assert_outcome(late, "updated");
    assert_int_equal(late->instance, first->instance);
    assert_true(str_equal(late->note, STR("TRIGGER_NOT_IN_VERSION")));
    /* The triggers are those of the latest version. */
    call = driver_run(driver, request(driver, "PUT", "/cancel", "{}"));
    assert_int_equal(call->value.arrivals.count, 0);
    assert_int_equal(call->value.arrivals.allow.n, 0);
}

static enum status start_version(struct driver *driver, const char *definition_id, int32_t version)
{
    struct call *call = driver_call(driver, CALL_START);
    call->as.start = (struct call_start){ .definition_id = str_of(definition_id), .version = version };
    return driver_run(driver, call)->status;
}

static void the_cap_of_the_latest_version_counts_for_all(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "capped, before");
    assert_int_equal(start_version(driver, "capped", 1), ST_OK);
    deploy(driver, "capped");
    assert_int_equal(start_version(driver, "capped", 1), ST_OK);
    assert_int_equal(start_version(driver, "capped", 1), ST_OVERLOAD);
    assert_int_equal(start_version(driver, "capped", 0), ST_OVERLOAD);
    assert_int_equal(count_instances(driver), 2);
}

static void an_ended_instance_never_matches(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "orders");
    struct arrival_view *first = post(driver, "/orders", "{\"id\":\"A\"}");
    cancel(driver, first);
    struct arrival_view *second = post(driver, "/orders", "{\"id\":\"A\"}");
    assert_outcome(second, "created");
    assert_int_not_equal(second->instance, first->instance);
}

static void many_at_once_create_one(void **state)
{
    struct driver *driver = *state;
    struct call *call[20];
    struct call_list list = { 0 };
    size_t created = 0;
    deploy(driver, "orders");
    for (size_t i = 0; i < COUNT(call); i++)
        call_list_add(&list, call[i] = request(driver, "POST", "/orders", "{\"id\":\"A\"}"));
    engine_turn(&driver->engine, &list);
    driver_turn(driver);
    for (size_t i = 0; i < COUNT(call); i++) {
        assert_true(driver_answered(driver, call[i]));
        created += call[i]->value.arrivals.view->outcome == OUTCOME_CREATED;
        assert_outcome(call[i]->value.arrivals.view, i ? "updated" : "created");
    }
    assert_int_equal(created, 1);
    assert_int_equal(count_instances(driver), 1);
}

static void a_path_belongs_to_one_definition(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "orders");
    struct call *call = driver_call(driver, CALL_DEPLOY);
    call->as.deploy.text = str_of(document("runtime/arrive", "other"));
    driver_run(driver, call);
    assert_int_equal(call->status, ST_CONFLICT);
    assert_non_null(strstr(call->error.message, "orders"));
    assert_outcome(post(driver, "/orders", "{}"), "created");
    /* Nothing of it is stored, and what follows is not in its way. */
    assert_int_equal(driver_run(driver, driver_start(driver, "other", NULL))->status, ST_NOT_FOUND);
    deploy(driver, "capped");
    assert_outcome(post(driver, "/capped", "{}"), "created");
    /* The same path with another method is free, and says so. */
    call = driver_run(driver, request(driver, "DELETE", "/orders", ""));
    assert_int_equal(call->value.arrivals.count, 0);
    assert_true(str_equal(call->value.arrivals.allow, STR("POST")));
}

static void a_cap_is_never_overshot(void **state)
{
    struct driver *driver = *state;
    struct call *call[6];
    struct call_list list = { 0 };
    deploy(driver, "capped");
    for (size_t i = 0; i < COUNT(call); i++)
        call_list_add(&list, call[i] = request(driver, "POST", "/capped", "{}"));
    engine_turn(&driver->engine, &list);
    driver_turn(driver);
    for (size_t i = 0; i < COUNT(call); i++) {
        assert_outcome(call[i]->value.arrivals.view, i < 2 ? "created" : "rejected_limit");
        assert_int_equal(call[i]->value.arrivals.view->http_status, i < 2 ? 202 : 429);
        driver_answered(driver, call[i]);
    }
    /* Also after a restart. An instance that ends makes room. */
    driver_restart(driver);
    assert_outcome(post(driver, "/capped", "{}"), "rejected_limit");
    cancel(driver, call[0]->value.arrivals.view);
    assert_outcome(post(driver, "/capped", "{\"id\":\"A\"}"), "created");
    assert_outcome(post(driver, "/capped", "{\"id\":\"A\"}"), "updated");
    assert_outcome(post(driver, "/replace", "{\"id\":\"A\"}"), "replaced");
    assert_outcome(post(driver, "/capped", "{\"id\":\"B\"}"), "rejected_limit");
}

static void tests_do_not_count(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "capped");
    struct call *pause = driver_call(driver, CALL_PAUSE_ENGINE);
    pause->as.pause.paused = true;
    driver_run(driver, pause);
    for (int i = 0; i < 3; i++) {
        struct call *call = driver_call(driver, CALL_ARRIVE);
        call->as.arrive = (struct call_arrive){ .event = { .type = ARRIVAL_MANUAL },
                                                .definition_id = STR("capped"),
                                                .is_test = true };
        driver_run(driver, call);
        assert_int_equal(call->status, ST_OK);
        assert_outcome(call->value.arrivals.view, "created"); /* And not registered. */
    }
    assert_outcome(post(driver, "/capped", "{\"id\":\"A\"}"), "created");
    assert_outcome(post(driver, "/capped", "{}"), "created");
    assert_outcome(post(driver, "/capped", "{}"), "rejected_limit");
}

static void a_queue_admits_in_order_of_arrival(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "queue");
    struct arrival_view *first = post(driver, "/queue", "{\"id\":\"A\"}");
    assert_outcome(post(driver, "/queue", "{\"id\":\"B\"}"), "queued");
    assert_outcome(post(driver, "/queue", "{\"id\":\"C\"}"), "queued");
    assert_outcome(post(driver, "/queue", "{\"id\":\"B\"}"), "queued");
    assert_outcome(post(driver, "/queue", "{\"id\":\"A\"}"), "updated");
    /* Whoever cannot be told that it waits is told that there is no place. */
    struct call *by_hand = driver_call(driver, CALL_START);
    by_hand->as.start = (struct call_start){ .definition_id = STR("queue"), .business_key = STR("D") };
    assert_int_equal(driver_run(driver, by_hand)->status, ST_OVERLOAD);
    driver_restart(driver);
    cancel(driver, first);
    /* B is created; C has to wait, and so has the second B, which is behind it. */
    static const char *const then[] = { "created", "rejected_limit", "updated", "queued",
                                        "queued",  "queued",         "created" };
    assert_recorded(driver, then, COUNT(then));
    assert_int_equal(count_instances(driver), 2);
}

/* A place that becomes free belongs to those who wait, also before they are looked at. */
static void a_start_that_cannot_wait_passes_nobody(void **state)
{
    struct driver *driver = *state;
    struct call_list list = { 0 };
    deploy(driver, "queue");
    struct arrival_view *first = post(driver, "/queue", "{\"id\":\"A\"}");
    assert_outcome(post(driver, "/queue", "{\"id\":\"B\"}"), "queued");
    struct call *end = driver_call(driver, CALL_CANCEL), *by_hand = driver_call(driver, CALL_START);
    end->as.instance.id = (struct id){ .ms = first->instance_created_ms, .instance = first->instance };
    by_hand->as.start = (struct call_start){ .definition_id = STR("queue"), .business_key = STR("C") };
    call_list_add(&list, end);
    call_list_add(&list, by_hand);
    engine_turn(&driver->engine, &list);
    for (int i = 0; i < 3; i++) driver_turn(driver);
    assert_true(driver_answered(driver, end) && driver_answered(driver, by_hand));
    assert_int_equal(by_hand->status, ST_OVERLOAD);
    static const char *const want[] = { "created", "rejected_limit", "queued", "created" };
    assert_recorded(driver, want, COUNT(want));
}

static void a_queued_arrival_is_routed_by_the_key_it_finds(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "queue");
    struct arrival_view *first = post(driver, "/queue", "{\"id\":\"A\"}");
    post(driver, "/queue", "{\"id\":\"B\"}");
    post(driver, "/queue", "{\"id\":\"B\"}");
    cancel(driver, first);
    static const char *const want[] = { "updated", "created", "queued", "queued", "created" };
    assert_recorded(driver, want, COUNT(want));
}

static const char *nested(struct driver *driver, size_t depth)
{
    struct buf text;
    buf_init(&text, &driver->arena);
    for (size_t i = 0; i < depth; i++) buf_add_char(&text, '[');
    for (size_t i = 0; i < depth; i++) buf_add_char(&text, ']');
    buf_add_char(&text, '\0');
    return buf_str(&text).p;
}

/* A payload as deep as a document may be would be one level too deep in its record, which nobody could read:
 * the arrival would wait forever. */
static void what_is_too_deep_to_be_kept_is_not_queued(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "queue");
    struct arrival_view *first = post(driver, "/queue", "{\"id\":\"A\"}");
    assert_outcome(post(driver, "/queue", nested(driver, JSON_DEPTH_MAX)), "decode_error");
    assert_outcome(post(driver, "/queue", nested(driver, ARRIVAL_DEPTH_MAX + 1)), "decode_error");
    assert_outcome(post(driver, "/queue", nested(driver, ARRIVAL_DEPTH_MAX)), "queued");
    cancel(driver, first);
    static const char *const want[] = { "created", "queued", "decode_error", "decode_error", "created" };
    assert_recorded(driver, want, COUNT(want));
}

static void a_queued_arrival_waits_for_a_day_at_most(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "queue");
    post(driver, "/queue", "{\"id\":\"A\"}");
    post(driver, "/queue", "{\"id\":\"B\"}");
    driver_advance(driver, 24 * 3600000 - 1);
    driver_advance(driver, 0);
    static const char *const before[] = { "queued", "created" };
    assert_recorded(driver, before, COUNT(before));
    driver_advance(driver, 1 + 2000);
    driver_advance(driver, 2000);
    static const char *const after[] = { "expired", "queued", "created" };
    assert_recorded(driver, after, COUNT(after));
}

/* The queue is bounded for each definition, and what leaves it makes room. */
static void a_queue_has_an_end(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "queue");
    struct arrival_view *first = post(driver, "/queue", "{\"id\":\"A\"}");
    for (size_t i = 0; i < ARRIVALS_QUEUED_MAX; i++)
        assert_outcome(post(driver, "/queue", "{\"id\":\"B\"}"), "queued");
    struct arrival_view *over = post(driver, "/queue", "{\"id\":\"B\"}");
    assert_outcome(over, "rejected_limit");
    assert_int_equal(over->http_status, 429);
    assert_true(str_equal(over->note, STR("as many arrivals wait for a place as may")));
    driver_restart(driver);
    assert_outcome(post(driver, "/queue", "{\"id\":\"C\"}"), "rejected_limit");
    cancel(driver, first); /* All of them have one key: the first creates, the others update. */
    for (int i = 0; i < 2000 && driver->engine.transact.backlog[BACKLOG_OVERFLOW].left; i++)
        driver_turn(driver);
    assert_false(driver->engine.transact.backlog[BACKLOG_OVERFLOW].left);
    assert_outcome(post(driver, "/queue", "{\"id\":\"C\"}"), "queued");
}

static void an_invalid_payload_replaces_nothing(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "strict");
    struct arrival_view *first = post(driver, "/strict", "{\"id\":\"A\"}");
    struct arrival_view *second = post(driver, "/strict", "{}");
    assert_outcome(second, "rejected_schema");
    assert_int_equal(second->http_status, 400);
    assert_true(second->note.n > 0);
    struct arrival_view *third = post(driver, "/strict", "{\"id\":");
    assert_outcome(third, "decode_error");
    assert_int_equal(third->http_status, 400);
    assert_int_equal(get(driver, first)->status, INSTANCE_WAITING);
}

static void the_same_key_has_the_same_answer(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "orders");
    struct arrival_view *view[4];
    for (int i = 0; i < 4; i++) {
        struct call *call = request(driver, "POST", i == 3 ? "/always" : "/orders", "{}");
        call->as.arrive.idempotency_key = i == 2 ? STR("k2") : STR("k1");
        if (i == 1) driver_restart(driver);
        driver_run(driver, call);
        view[i] = call->value.arrivals.view;
    }
    assert_outcome(view[0], "created");
    assert_outcome(view[1], "duplicate");
    assert_int_equal(view[1]->instance, view[0]->instance);
    assert_int_equal(view[1]->http_status, 202);
    assert_outcome(view[2], "created");
    assert_outcome(view[3], "created"); /* Another trigger's. */
    driver_advance(driver, 24 * 3600000 + 1);
    driver_advance(driver, 2000);
    struct call *call = request(driver, "POST", "/orders", "{}");
    call->as.arrive.idempotency_key = STR("k1");
    assert_outcome(driver_run(driver, call)->value.arrivals.view, "created");
}

static void a_message_that_was_here_is_a_duplicate(void **state)
{
    struct driver *driver = *state;
    static const char *const want[] = { "created", "duplicate", "updated" };
    deploy(driver, "orders");
    for (int i = 0; i < 3; i++) {
        struct call *call = driver_call(driver, CALL_ARRIVE);
        call->as.arrive.event = (struct arrival_event){ .type = ARRIVAL_MQTT,
                                                        .topic = STR("s/A/r"),
                                                        .raw = i < 2 ? STR("{\"n\":1}") : STR("{\"n\":2}") };
        driver_run(driver, call);
        assert_outcome(call->value.arrivals.view, want[i]);
    }
    struct call *call = driver_call(driver, CALL_ARRIVE);
    call->as.arrive.event =
        (struct arrival_event){ .type = ARRIVAL_MQTT, .topic = STR("x"), .raw = STR("{}") };
    driver_run(driver, call);
    assert_int_equal(call->value.arrivals.count, 0);
}

/* The outcome of a message; the vault has the schema. */
static struct arrival_view *publish(struct driver *driver, str bytes)
{
    struct call *call = driver_call(driver, CALL_ARRIVE);
    call->as.arrive.event =
        (struct arrival_event){ .type = ARRIVAL_MQTT, .topic = STR("telemetry"), .raw = bytes };
    return driver_run(driver, call)->value.arrivals.view;
}

/* From now on the vault has this schema. */
static void use_schema(struct driver *driver, const char *text)
{
    struct error err;
    vault_free(driver->engine.secrets.vault);
    driver->engine.secrets.vault = vault_new(NULL);
    assert_int_equal(vault_give(driver->engine.secrets.vault, VAULT_FILE, STR("schema"), str_of(text), &err),
                     ST_OK);
    driver_advance(driver, 1001);
}

static const char *payload_text(struct driver *driver, struct arrival_view *view)
{
    assert_outcome(view, "created");
    return driver_text(driver, json_get(json_get(get(driver, view)->data, STR("trigger")), STR("payload")));
}

/* The schemas are of `message M { int32 n = 1; }`, and of one whose field is called k. */
static void protobuf_payloads_are_read_with_a_schema_from_the_vault(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "telemetry");
    assert_outcome(publish(driver, STR("\x08\x05")), "decode_error");
    use_schema(driver, "!");
    assert_outcome(publish(driver, STR("\x08\x05")), "decode_error");
    use_schema(driver, "CiUKCG1uLnByb3RvIhEKAU0SDAoBbhgBIAEoBVIBbmIGcHJvdG8z");
    assert_string_equal(payload_text(driver, publish(driver, STR("\x08\x05"))), "{\"n\":5}");
    assert_outcome(publish(driver, STR("\x08")), "decode_error");
    use_schema(driver, "CiUKCG1rLnByb3RvIhEKAU0SDAoBaxgBIAEoBVIBa2IGcHJvdG8z");
    assert_string_equal(payload_text(driver, publish(driver, STR("\x08\x06"))), "{\"k\":6}");
    vault_free(driver->engine.secrets.vault);
    driver->engine.secrets.vault = NULL;
}

static void set_paused(struct driver *driver, const char *trigger, bool paused)
{
    struct call *call = driver_call(driver, CALL_PAUSE_TRIGGER);
    call->as.trigger = (struct call_trigger){
        .definition_id = STR("orders"), .trigger = str_of(trigger), .paused = paused, .reason = STR("repairs")
    };
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.triggers.view->paused, paused);
}

static void a_paused_trigger_takes_nothing(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "orders");
    post(driver, "/orders", "{}");
    set_paused(driver, "t", true);
    struct arrival_view *view = post(driver, "/orders", "{}");
    assert_outcome(view, "paused");
    assert_int_equal(view->http_status, 503);
    assert_true(str_equal(view->note, STR("repairs")));
    assert_outcome(post(driver, "/always", "{}"), "created");
    driver_restart(driver);
    deploy(driver, "orders, no cancel");
    assert_outcome(post(driver, "/orders", "{}"), "paused");
    set_paused(driver, "t", false);
    assert_outcome(post(driver, "/orders", "{}"), "created");
    struct call *call = driver_call(driver, CALL_PAUSE_TRIGGER);
    call->as.trigger = (struct call_trigger){ .definition_id = STR("orders"), .trigger = STR("nobody") };
    assert_int_equal(driver_run(driver, call)->status, ST_NOT_FOUND);
}

static void triggers_are_listed_with_their_counts(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "orders");
    deploy(driver, "queue");
    post(driver, "/orders", "{\"id\":\"A\"}");
    post(driver, "/orders", "{\"id\":\"A\"}");
    struct call *call = driver_call(driver, CALL_LIST_TRIGGERS);
    call->as.triggers.max = 5;
    driver_run(driver, call);
    assert_int_equal(call->value.triggers.count, 5);
    assert_true(call->value.triggers.more);
    struct call *next = driver_call(driver, CALL_LIST_TRIGGERS);
    next->as.triggers = (struct call_triggers){ .max = 5, .after = call->as.triggers.after };
    driver_run(driver, next);
    assert_int_equal(next->value.triggers.count, 2);
    const struct trigger_view *view = &next->value.triggers.view[0];
    assert_true(str_equal(view->trigger, STR("t")) && str_equal(view->address, STR("POST /orders")));
    assert_int_equal(view->count[OUTCOME_CREATED], 1);
    assert_int_equal(view->count[OUTCOME_UPDATED], 1);
    assert_non_null(json_get(view->config, STR("http")));
}

/* Each may mean to compile a definition: a page ends when the turn has done enough. */
static void triggers_are_listed_in_as_many_turns_as_it_takes(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "orders");
    deploy(driver, "queue");
    driver->limits.turn_fuel_max = 1;
    driver_restart(driver);
    struct call *call = NULL;
    size_t count = 0, pages = 0;
    str after = STR_NONE;
    do {
        call = driver_call(driver, CALL_LIST_TRIGGERS);
        call->as.triggers = (struct call_triggers){ .max = 100, .after = after };
        driver_run(driver, call);
        count += call->value.triggers.count;
        after = call->as.triggers.after;
    } while (++pages < 20 && call->value.triggers.more);
    assert_int_equal(count, 7);
    assert_in_range(pages, 2, 8);
}

static void senders_prove_who_they_are(void **state)
{
    static const struct {
        const char *path, *name, *value, *body;
        bool want;
    } cases[] = {
        { "/key", NULL, NULL, "{}", false },
        { "/key", "x-api-key", "wrong!", "{}", false },
        { "/key", "x-api-key", "s3cret", "{}", true },
        { "/key", "authorization", "Bearer s3cret", "{}", true },
        { "/key", "authorization", "ApiKey s3cret", "{}", true },
        { "/key", "authorization", "Bearer s3cre", "{}", false },
        { "/basic", "authorization", "Basic dTpwdw==", "{}", true },
        { "/basic", "authorization", "basic dTpwdw==", "{}", true },
        { "/basic", "authorization", "Basic dTpwdX==", "{}", false },
        { "/basic", "authorization", "Basic %%%", "{}", false },
        { "/hmac", "x-signature", "sha256=5269627fe72e1ecdd99b0f3f9160c727ebe41bac53ecba4e98e0853779a54573",
          "{\"order_id\":\"A\"}", true },
        { "/hmac", "x-hub-signature-256",
          "sha256=5269627FE72E1ECDD99B0F3F9160C727EBE41BAC53ECBA4E98E0853779A54573", "{\"order_id\":\"A\"}",
          true },
        { "/hmac", "x-signature", "sha256=5269627fe72e1ecdd99b0f3f9160c727ebe41bac53ecba4e98e0853779a54573",
          "{\"order_id\":\"A\"} ", false },
        { "/hmac", "x-signature", "sha256=52", "{\"order_id\":\"A\"}", false },
        { "/unknown", "x-api-key", "", "{}", false },
    };
    struct driver *driver = *state;
    struct error err;
    struct vault *vault = vault_new(NULL);
    assert_int_equal(vault_give(vault, VAULT_FILE, STR("key"), STR("s3cret"), &err), ST_OK);
    assert_int_equal(vault_give(vault, VAULT_FILE, STR("basic"), STR("u:pw"), &err), ST_OK);
    assert_int_equal(vault_give(vault, VAULT_FILE, STR("hmac"), STR("k"), &err), ST_OK);
    driver->engine.secrets.vault = vault;
    deploy(driver, "guarded");
    size_t recorded = 0;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct call *call = request(driver, "POST", cases[i].path, cases[i].body);
        if (cases[i].name)
            call->as.arrive.event.headers =
                json_set(&driver->arena, json_empty_object(), str_of(cases[i].name),
                         json_of_string(&driver->arena, str_of(cases[i].value)));
        driver_run(driver, call);
        assert_outcome(call->value.arrivals.view, cases[i].want ? "created" : "rejected_auth");
        recorded += cases[i].want;
    }
    struct call *call = driver_call(driver, CALL_LIST_ARRIVALS);
    call->as.arrivals = (struct call_arrivals){ .outcome = -1, .max = 50 };
    assert_int_equal(driver_run(driver, call)->value.arrivals.count, recorded);
    driver->engine.secrets.vault = NULL;
    vault_free(vault);
}

static void what_is_not_recoverable_fails_at_the_start(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "fragile");
    deploy(driver, "orders");
    struct arrival_view *fragile = post(driver, "/fragile", "{}"), *other = post(driver, "/orders", "{}");
    driver_restart(driver);
    driver_turn(driver);
    assert_int_equal(get(driver, fragile)->status, INSTANCE_FAILED);
    assert_true(
        str_equal(json_string(json_get(get(driver, fragile)->error, STR("name"))), STR("ENGINE_RESTART")));
    assert_int_equal(get(driver, other)->status, INSTANCE_WAITING);
    /* Its own retention counts, and not the engine's: there is none. */
    struct arrival_view *ended = post(driver, "/fragile", "{}");
    cancel(driver, ended);
    driver_advance(driver, 3600000 - 1);
    assert_non_null(get(driver, ended));
    driver_advance(driver, 2001);
    driver_advance(driver, 2001);
    assert_null(get(driver, ended));
    assert_non_null(get(driver, other));
}

/* What a crash would leave. */
static struct store_statistics durable(struct driver *driver)
{
    struct store_reader *reader;
    struct store_statistics statistics;
    struct error err;
    assert_int_equal(store_reader_open(driver->store, &reader, &err), ST_OK);
    assert_int_equal(reader_statistics(reader, &statistics, &err), ST_OK);
    store_reader_close(reader);
    return statistics;
}

static void ephemeral_instances_are_in_memory_only(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "ephemeral");
    struct arrival_view *living = post(driver, "/ephemeral", "{}"), *ended = post(driver, "/ephemeral", "{}");
    cancel(driver, ended);
    struct call *list = driver_call(driver, CALL_LIST_INSTANCES);
    list->as.instances =
        (struct call_instances){ .filter = { .ns = NAMESPACE_DEFAULT, .status = -1, .max = 10 } };
    driver_run(driver, list);
    assert_int_equal(list->value.instances.count, 2);
    struct call *tasks = driver_call(driver, CALL_LIST_TASKS);
    tasks->as.tasks = (struct call_tasks){ .filter = { .ns = NAMESPACE_DEFAULT, .max = 10 } };
    driver_run(driver, tasks);
    assert_int_equal(tasks->value.tasks.count, 1);
    assert_int_equal(get(driver, living)->status, INSTANCE_WAITING);
    struct store_statistics left = durable(driver);
    assert_int_equal(left.tasks, 0);
    for (size_t i = 0; i < INSTANCE_STATUS_COUNT; i++) assert_int_equal(left.instances_by_status[i], 0);
    struct call *replay = driver_call(driver, CALL_REPLAY);
    replay->as.replay.id = instance_view_id(get(driver, ended));
    assert_int_equal(driver_run(driver, replay)->status, ST_CONFLICT);
}

static void ephemeral_instances_are_gone_after_a_restart(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "ephemeral");
    deploy(driver, "orders");
    struct arrival_view *ended = post(driver, "/ephemeral", "{}"), *living = post(driver, "/ephemeral", "{}"),
                        *other = post(driver, "/orders", "{}");
    cancel(driver, ended);
    assert_int_equal(get(driver, living)->status, INSTANCE_WAITING);
    assert_int_equal(get(driver, ended)->status, INSTANCE_CANCELLED);
    static const char *const before[] = { "created", "created", "created" };
    assert_recorded(driver, before, COUNT(before));
    driver_restart(driver);
    driver_turn(driver);
    driver_advance(driver, 2001);
    assert_null(get(driver, living));
    assert_null(get(driver, ended));
    assert_non_null(get(driver, other));
    assert_recorded(driver, before, 1); /* That of the other one. */
    struct arrival_view *after = post(driver, "/ephemeral", "{}");
    driver_advance(driver, 2001);
    assert_non_null(get(driver, after));
}

static void a_paused_engine_holds_instances_and_begins_by_priority(void **state)
{
    struct driver *driver = *state;
    struct call *pause = driver_call(driver, CALL_PAUSE_ENGINE);
    struct arrival_view *view[3];
    deploy(driver, "low");
    deploy(driver, "high");
    pause->as.pause.paused = true;
    driver_run(driver, pause);
    view[0] = post(driver, "/low", "{}");
    view[1] = post(driver, "/high", "{}");
    view[2] = post(driver, "/low", "{}");
    driver_advance(driver, 1000);
    for (int i = 0; i < 3; i++) assert_int_equal(get(driver, view[i])->revision, 1);
    struct call *go = driver_call(driver, CALL_PAUSE_ENGINE);
    driver_run(driver, go);
    driver_turn(driver);
    for (int i = 0; i < 3; i++) assert_int_equal(get(driver, view[i])->status, INSTANCE_WAITING);
    for (int i = 0; i < 3; i++) assert_int_equal(get(driver, view[i])->revision, 2);
    /* The first record to go was that of the higher priority: its task is the oldest. */
    struct call *held = driver_call(driver, CALL_LIST_TASKS);
    held->as.tasks.filter.max = 10;
    assert_int_equal(driver_run(driver, held)->value.tasks.count, 3);
}

static void a_pause_outlives_a_restart(void **state)
{
    struct driver *driver = *state;
    struct call *pause = driver_call(driver, CALL_PAUSE_ENGINE);
    deploy(driver, "low");
    pause->as.pause.paused = true;
    driver_run(driver, pause);
    struct arrival_view *view = post(driver, "/low", "{}");
    driver_restart(driver);
    driver_turn(driver);
    assert_int_equal(get(driver, view)->revision, 1);
    assert_int_equal(get(driver, post(driver, "/low", "{}"))->revision, 1);
    driver_run(driver, driver_call(driver, CALL_PAUSE_ENGINE));
    driver_restart(driver);
    driver_turn(driver);
    assert_int_equal(get(driver, view)->status, INSTANCE_WAITING);
}

static void only_the_newest_records_are_kept(void **state)
{
    struct driver *driver = *state;
    driver_close(driver);
    driver->limits.arrivals_kept_max = 3;
    driver_open(driver);
    deploy(driver, "orders");
    uint64_t last = 0;
    for (int i = 0; i < 7; i++) last = post(driver, "/orders", "{\"id\":\"A\"}")->number;
    driver_advance(driver, 5000);
    driver_advance(driver, 5000);
    static const char *const want[] = { "updated", "updated", "updated" };
    assert_recorded(driver, want, COUNT(want));
    driver_restart(driver);
    assert_int_equal(post(driver, "/orders", "{\"id\":\"A\"}")->number, last + 1);
}

static struct call *message(struct driver *driver, const char *trigger, const char *topic)
{
    struct call *call = driver_call(driver, CALL_ARRIVE);
    call->as.arrive = (struct call_arrive){
        .event = { .type = ARRIVAL_MQTT, .topic = str_of(topic), .raw = STR("{}") },
        .definition_id = STR("sensor"),
        .trigger = str_of(trigger),
    };
    return call;
}

/* After a start the engine does not know what commands of the definition cost, and an arrival that is
 * filtered out does not tell. So arrivals wait in the definition's share. One at a trigger that nobody has
 * used yet waits there, too: else the all-clear would come before the alarm. */
static void arrivals_of_a_definition_keep_their_order(void **state)
{
    static const char *const want[] = { "clear", "hot", "hot", "hot" };
    struct driver *driver = *state;
    struct call_list list = { 0 };
    deploy(driver, "sensor");
    driver_restart(driver);
    call_list_add(&list, message(driver, "hot", "s/A/hot"));
    call_list_add(&list, message(driver, "hot", "s/B/hot"));
    call_list_add(&list, message(driver, "hot", "s/B/hot"));
    call_list_add(&list, message(driver, "clear", "s/B/clear"));
    engine_turn(&driver->engine, &list);
    for (int i = 0; i < 5; i++) driver_turn(driver);
    struct call *call = driver_call(driver, CALL_LIST_ARRIVALS);
    call->as.arrivals = (struct call_arrivals){ .outcome = -1, .max = 50 };
    driver_run(driver, call);
    assert_int_equal(call->value.arrivals.count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++)
        assert_true(str_equal(call->value.arrivals.view[i].trigger, str_of(want[i])));
    assert_outcome(&call->value.arrivals.view[0], "updated");
    assert_int_equal(get(driver, &call->value.arrivals.view[0])->status, INSTANCE_COMPLETED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_decide),
        TEST(a_replaced_instance_names_its_successor),
        TEST(a_key_meets_over_triggers_and_versions),
        TEST(the_cap_of_the_latest_version_counts_for_all),
        TEST(an_ended_instance_never_matches),
        TEST(many_at_once_create_one),
        TEST(a_path_belongs_to_one_definition),
        TEST(a_cap_is_never_overshot),
        TEST(tests_do_not_count),
        TEST(a_queue_admits_in_order_of_arrival),
        TEST(a_start_that_cannot_wait_passes_nobody),
        TEST(a_queued_arrival_is_routed_by_the_key_it_finds),
        TEST(what_is_too_deep_to_be_kept_is_not_queued),
        TEST(a_queued_arrival_waits_for_a_day_at_most),
        TEST(a_queue_has_an_end),
        TEST(an_invalid_payload_replaces_nothing),
        TEST(the_same_key_has_the_same_answer),
        TEST(a_message_that_was_here_is_a_duplicate),
        TEST(protobuf_payloads_are_read_with_a_schema_from_the_vault),
        TEST(a_paused_trigger_takes_nothing),
        TEST(triggers_are_listed_with_their_counts),
        TEST(triggers_are_listed_in_as_many_turns_as_it_takes),
        TEST(senders_prove_who_they_are),
        TEST(what_is_not_recoverable_fails_at_the_start),
        TEST(ephemeral_instances_are_in_memory_only),
        TEST(ephemeral_instances_are_gone_after_a_restart),
        TEST(a_paused_engine_holds_instances_and_begins_by_priority),
        TEST(a_pause_outlives_a_restart),
        TEST(only_the_newest_records_are_kept),
        TEST(arrivals_of_a_definition_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
