/* Messages of a real broker, which the test starts, stops and kills. mosquitto_pub publishes them. */
#include "trigger/mqtt.h"

#include "base/clock.h"
#include "base/log.h"
#include "trigger/limits.h"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_S = 60 };

struct rig {
    char directory[64];
    unsigned port;
    struct mqtt *mqtt;
    struct mqtt_config config;
    char secret[8192]; /* The broker's settings. */

    pthread_mutex_t lock;
    pthread_cond_t news;
    struct arena arena;
    struct mqtt_arrival *taken; /* In order; texts in the arena. */
    size_t count, cap;
    size_t batches;
    size_t refuse;  /* So many batches are refused. */
    bool held;      /* Batches wait until this is false. */
    size_t waiting; /* Batches that do. */
};

/* ---- the broker ---- */

__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...)
{
    char command[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0) fail_msg("%s", command);
}

static void broker(struct rig *rig, const char *verb)
{
    char command[160], line[32];
    snprintf(command, sizeof command, "tests/services/mosquitto %.5s %s%s", verb, rig->directory,
             verb + strcspn(verb, " "));
    FILE *out = popen(command, "r");
    assert_non_null(out);
    if (fgets(line, sizeof line, out)) rig->port = (unsigned)strtoul(line, NULL, 10);
    assert_int_equal(pclose(out), 0);
    snprintf(rig->secret, sizeof rig->secret, "{\"host\":\"127.0.0.1\",\"port\":%u}", rig->port);
}

/* ---- the taker ---- */

static bool find_secret(void *context, int32_t tenant, str name, struct arena *arena, str *ret_value)
{
    struct rig *rig = context;
    bool is_ours = str_equal(name, STR("b1")) || str_equal(name, STR("b2"));
    if (tenant == TENANT_DEFAULT && is_ours) *ret_value = arena_str(arena, str_of(rig->secret));
    return tenant == TENANT_DEFAULT && is_ours;
}

static void *open_taker(void *context) { return context; }
static void close_taker(void *taker) { (void)taker; }

static enum mqtt_taken take(void *taker, const struct mqtt_arrival *arrival, size_t count)
{
    struct rig *rig = taker;
    pthread_mutex_lock(&rig->lock);
    rig->waiting++;
    pthread_cond_broadcast(&rig->news);
    while (rig->held) pthread_cond_wait(&rig->news, &rig->lock);
    rig->waiting--;
    enum mqtt_taken taken = rig->refuse ? MQTT_REFUSED : MQTT_TAKEN;
    if (taken == MQTT_REFUSED) rig->refuse--;
    for (size_t i = 0; i < count && taken == MQTT_TAKEN; i++) {
        if (rig->count == rig->cap) {
            rig->cap = rig->cap ? rig->cap * 2 : 64;
            rig->taken = realloc(rig->taken, rig->cap * sizeof *rig->taken);
        }
        struct mqtt_arrival *copy = &rig->taken[rig->count++];
        *copy = arrival[i];
        copy->topic = arena_str(&rig->arena, arrival[i].topic);
        copy->payload = arena_str(&rig->arena, arrival[i].payload);
        copy->route.trigger = arena_str(&rig->arena, arrival[i].route.trigger);
    }
    rig->batches++;
    pthread_cond_broadcast(&rig->news);
    pthread_mutex_unlock(&rig->lock);
    return taken;
}

/* ---- waiting ---- */

static void await(struct rig *rig, const size_t *counter, size_t want, const char *what)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&rig->lock);
    while (*counter < want)
        if (pthread_cond_timedwait(&rig->news, &rig->lock, &until) != 0) {
            size_t got = *counter;
            pthread_mutex_unlock(&rig->lock);
            fail_msg("%s: %zu of %zu", what, got, want);
        }
    pthread_mutex_unlock(&rig->lock);
}

static void await_messages(struct rig *rig, size_t want) { await(rig, &rig->count, want, "messages"); }

static struct mqtt_view view(struct rig *rig)
{
    struct mqtt_view *list, none = { .connected = false };
    return mqtt_brokers(rig->mqtt, &rig->arena, &list) ? list[0] : none;
}

/* Looks at the broker's view until it is as it should be. */
static void await_view(struct rig *rig, bool connected, const char *why)
{
    int64_t end_us = clock_monotonic_us() + PATIENCE_S * 1000000LL;
    for (;;) {
        pthread_mutex_lock(&rig->lock);
        struct mqtt_view now = view(rig);
        pthread_mutex_unlock(&rig->lock);
        if (now.connected == connected && (!why || str_find(now.why, str_of(why), 0) != SIZE_MAX)) return;
        if (clock_monotonic_us() > end_us)
            fail_msg("not %s: %.*s", connected ? "connected" : why, STR_ARG(now.why));
        sched_yield();
    }
}

/* Waits until the threads of all brokers have ended by themselves. */
static void await_no_broker(struct rig *rig)
{
    struct mqtt_view *list;
    int64_t end_us = clock_monotonic_us() + PATIENCE_S * 1000000LL;
    while (mqtt_brokers(rig->mqtt, &rig->arena, &list)) {
        if (clock_monotonic_us() > end_us) fail_msg("a broker has not ended");
        sched_yield();
    }
}

/* ---- the rig ---- */

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    log_set_level(LOG_OFF);
    strcpy(rig->directory, "/tmp/pawl-mosquitto-XXXXXX");
    assert_non_null(mkdtemp(rig->directory));
    pthread_mutex_init(&rig->lock, NULL);
    pthread_cond_init(&rig->news, NULL);
    broker(rig, "start");
    rig->config = (struct mqtt_config){
        .lookup = { find_secret, rig },
        .reach.all = true,
        .identity = STR("test"),
        .files = rig->directory,
        .open_taker = open_taker,
        .close_taker = close_taker,
        .take = take,
        .context = rig,
    };
    rig->mqtt = mqtt_new(&rig->config);
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    mqtt_free(rig->mqtt);
    shell("tests/services/mosquitto kill %s 2>/dev/null || true; rm -rf %s", rig->directory, rig->directory);
    arena_done(&rig->arena);
    free(rig->taken);
    pthread_cond_destroy(&rig->news);
    pthread_mutex_destroy(&rig->lock);
    free(rig);
    return 0;
}

static struct mqtt_route route_of(const char *trigger, const char *topic, uint8_t qos)
{
    return (struct mqtt_route){ .definition_id = STR("d"),
                                .trigger = str_of(trigger),
                                .broker = STR("vault:b1"),
                                .topic = str_of(topic),
                                .qos = qos };
}

/* Subscribes, and waits until the broker has confirmed it: the first message of all is published until it
 * arrives. */
static void set_routes(struct rig *rig, const struct mqtt_route *route, size_t count)
{
    struct mqtt_route all[16];
    memcpy(all, route, count * sizeof *route);
    static unsigned number;
    char probe[32];
    snprintf(probe, sizeof probe, "probe/%u", ++number);
    all[count] = route_of("probe", probe, 1);
    size_t before = rig->count;
    mqtt_set_routes(rig->mqtt, all, count + 1);
    /* Retained, so it does not matter which is first. */
    shell("mosquitto_pub -p %u -t %s -m x -r -q 1", rig->port, probe);
    await_messages(rig, before + 1);
    pthread_mutex_lock(&rig->lock);
    rig->count = 0;
    rig->batches = 0;
    pthread_mutex_unlock(&rig->lock);
}

static void publish(struct rig *rig, const char *topic, const char *payload, const char *options)
{
    shell("mosquitto_pub -p %u -t '%s' -m '%s' %s", rig->port, topic, payload, options);
}

/* Messages 1, 2, … up to `count`, over one connection. */
static void publish_many(struct rig *rig, const char *topic, unsigned count)
{
    shell("seq 1 %u | mosquitto_pub -p %u -t '%s' -q 1 -l", count, rig->port, topic);
}

/* Each of the messages has come at least once; returns how often all together. */
static void assert_all_came(struct rig *rig, unsigned count)
{
    bool *came = calloc(count + 1, sizeof *came);
    size_t different = 0;
    pthread_mutex_lock(&rig->lock);
    for (size_t i = 0; i < rig->count; i++) {
        unsigned long number = strtoul(rig->taken[i].payload.p, NULL, 10);
        assert_in_range(number, 1, count);
        different += !came[number];
        came[number] = true;
    }
    pthread_mutex_unlock(&rig->lock);
    free(came);
    assert_int_equal(different, count);
}

/* ---- tests ---- */

static void messages_come_with_topic_qos_and_payload(void **state)
{
    struct rig *rig = *state;
    const struct mqtt_route routes[] = { route_of("t", "sensors/+/reading", 2) };
    set_routes(rig, routes, 1);
    for (int qos = 0; qos <= 2; qos++) {
        char options[16];
        snprintf(options, sizeof options, "-q %d", qos);
        publish(rig, "sensors/s1/reading", "{\"v\":1}", options);
        publish(rig, "sensors/s1/other", "no", options);
        await_messages(rig, (size_t)qos + 1);
        const struct mqtt_arrival *last = &rig->taken[qos];
        assert_true(str_equal(last->topic, STR("sensors/s1/reading")));
        assert_true(str_equal(last->payload, STR("{\"v\":1}")));
        assert_true(str_equal(last->route.trigger, STR("t")));
        assert_int_equal(last->qos, qos ? 1 : 0); /* QoS 2 is asked for as 1. */
        assert_false(last->retained);
    }
    assert_int_equal(rig->count, 3);
}

static void a_message_for_overlapping_filters_comes_once_for_each_route(void **state)
{
    struct rig *rig = *state;
    const struct mqtt_route routes[] = { route_of("a", "x/#", 1),   route_of("b", "x/+/z", 1),
                                         route_of("c", "x/y/z", 0), route_of("d", "x/y/z", 1),
                                         route_of("e", "+/y/#", 1), route_of("f", "$share/g/x/#", 1) };
    set_routes(rig, routes, COUNT(routes)); /* None of them selects its probe. */
    publish(rig, "x/y/z", "1", "-q 1");
    await_messages(rig, COUNT(routes));
    publish(rig, "w/y/end", "2", "-q 1"); /* Only "e" wants it; whatever came twice has come before. */
    await_messages(rig, COUNT(routes) + 1);
    size_t seen[8] = { 0 };
    for (size_t i = 0; i < COUNT(routes); i++) seen[rig->taken[i].route.trigger.p[0] - 'a']++;
    for (size_t i = 0; i < COUNT(routes); i++) assert_int_equal(seen[i], 1);
    assert_true(str_equal(rig->taken[COUNT(routes)].route.trigger, STR("e")));
}

static void retained_messages_come_with_a_new_subscription_only(void **state)
{
    struct rig *rig = *state;
    publish(rig, "kept", "old", "-r -q 1");
    const struct mqtt_route routes[] = { route_of("t", "kept", 1), route_of("u", "other", 1) };
    mqtt_set_routes(rig->mqtt, routes, 1);
    await_messages(rig, 1);
    assert_true(rig->taken[0].retained);
    mqtt_set_routes(rig->mqtt, routes, 2);
    broker(rig, "stop");
    broker(rig, "start");
    await_view(rig, true, NULL);
    publish(rig, "kept", "new", "-q 1");
    await_messages(rig, 2);
    assert_false(rig->taken[1].retained);
    assert_true(str_equal(rig->taken[1].payload, STR("new")));
}

static void subscriptions_follow_the_routes(void **state)
{
    struct rig *rig = *state;
    const struct mqtt_route first[] = { route_of("a", "one", 1), route_of("b", "two", 1) };
    const struct mqtt_route second[] = { route_of("b", "two", 1), route_of("c", "three", 1) };
    set_routes(rig, first, 2);
    set_routes(rig, second, 2);
    publish(rig, "one", "1", "-q 1");
    publish(rig, "two", "2", "-q 1");
    publish(rig, "three", "3", "-q 1");
    await_messages(rig, 2);
    assert_true(str_equal(rig->taken[0].payload, STR("2")));
    assert_true(str_equal(rig->taken[1].payload, STR("3")));
    /* All routes are gone: the broker ends the session. Later a route comes back. */
    mqtt_set_routes(rig->mqtt, NULL, 0);
    await_no_broker(rig);
    publish(rig, "one", "4", "-q 1");
    set_routes(rig, first, 1);
    publish(rig, "one", "5", "-q 1");
    await_messages(rig, 1);
    assert_true(str_equal(rig->taken[0].payload, STR("5")));
}

/* Nothing is acknowledged before it is taken: a broker that is asked meanwhile still has it. */
static void a_message_is_acknowledged_when_it_was_taken(void **state)
{
    struct rig *rig = *state;
    const struct mqtt_route routes[] = { route_of("t", "x", 1) };
    set_routes(rig, routes, 1);
    pthread_mutex_lock(&rig->lock);
    rig->held = true;
    rig->waiting = 0;
    pthread_mutex_unlock(&rig->lock);
    publish_many(rig, "x", 500);
    await(rig, &rig->waiting, 1, "batches that wait");
    /* The engine is killed here: another process with the same session gets every message again. */
    struct mqtt *other = mqtt_new(&rig->config);
    pthread_mutex_lock(&rig->lock);
    rig->refuse = 1; /* The killed one commits nothing. */
    rig->held = false;
    pthread_cond_broadcast(&rig->news);
    pthread_mutex_unlock(&rig->lock);
    await(rig, &rig->batches, 1, "batches");
    mqtt_free(rig->mqtt);
    rig->mqtt = other;
    mqtt_set_routes(other, routes, 1);
    await_messages(rig, 500);
    assert_all_came(rig, 500);
}

static void a_refused_batch_comes_again(void **state)
{
    struct rig *rig = *state;
    const struct mqtt_route routes[] = { route_of("t", "x", 1) };
    set_routes(rig, routes, 1);
    pthread_mutex_lock(&rig->lock);
    rig->refuse = 2;
    pthread_mutex_unlock(&rig->lock);
    publish_many(rig, "x", 100);
    await_messages(rig, 100);
    assert_all_came(rig, 100);
    assert_int_equal(rig->count, 100);
}

static void nothing_is_lost_while_the_broker_restarts(void **state)
{
    struct rig *rig = *state;
    const struct mqtt_route routes[] = { route_of("t", "x", 1) };
    set_routes(rig, routes, 1);
    publish_many(rig, "x", 50);
    broker(rig, "stop");
    await_view(rig, false, NULL);
    broker(rig, "start");
    await_messages(rig, 50);
    await_view(rig, true, NULL);
    assert_all_came(rig, 50);
    assert_int_equal(rig->count, 50);
}

static void messages_wait_at_the_broker_while_we_are_away(void **state)
{
    struct rig *rig = *state;
    const struct mqtt_route routes[] = { route_of("t", "x/+", 1) };
    set_routes(rig, routes, 1);
    mqtt_free(rig->mqtt);
    publish_many(rig, "x/1", 3000);
    broker(rig, "stop");
    broker(rig, "start");
    rig->mqtt = mqtt_new(&rig->config);
    mqtt_set_routes(rig->mqtt, routes, 1);
    await_messages(rig, 3000);
    assert_all_came(rig, 3000);
    assert_int_equal(rig->count, 3000);
    assert_true(rig->batches < 3000 / 4); /* Several at once. */
}

/* ---- two engines with one identity ---- */

/* Another engine on the same store: the same session at the same broker. */
static struct rig *second_engine(struct rig *rig)
{
    struct rig *other = calloc(1, sizeof *other);
    *other = (struct rig){ .port = rig->port, .config = rig->config };
    pthread_mutex_init(&other->lock, NULL);
    pthread_cond_init(&other->news, NULL);
    other->config.context = other;
    other->mqtt = mqtt_new(&other->config);
    return other;
}

static void free_second(struct rig *other)
{
    mqtt_free(other->mqtt);
    arena_done(&other->arena);
    free(other->taken);
    pthread_cond_destroy(&other->news);
    pthread_mutex_destroy(&other->lock);
    free(other);
}

/* Its next batch waits, as in a process that is stopped. */
static void hold(struct rig *rig)
{
    pthread_mutex_lock(&rig->lock);
    rig->held = true;
    rig->waiting = 0;
    pthread_mutex_unlock(&rig->lock);
}

/* It wakes, and finds that it can write nothing any more. */
static void wake_refusing(struct rig *rig)
{
    pthread_mutex_lock(&rig->lock);
    rig->refuse = 1;
    rig->held = false;
    pthread_cond_broadcast(&rig->news);
    pthread_mutex_unlock(&rig->lock);
}

/* One engine is still for a while, another one takes the messages. When the first one wakes it leaves the
 * session alone. */
static void an_engine_that_hands_over_leaves_the_session_alone(void **state)
{
    struct rig *rig = *state, *other;
    const struct mqtt_route routes[] = { route_of("t", "x", 1) };
    set_routes(rig, routes, 1);
    hold(rig);
    publish(rig, "x", "1", "-q 1");
    await(rig, &rig->waiting, 1, "batches that wait");
    other = second_engine(rig);
    mqtt_set_routes(other->mqtt, routes, 1);
    await_messages(other, 1); /* It was not acknowledged. */
    mqtt_hand_over(rig->mqtt);
    wake_refusing(rig);
    await_no_broker(rig);
    publish(other, "x", "2", "-q 1");
    await_messages(other, 2);
    assert_all_came(other, 2);
    assert_int_equal(view(other).connects, 1);
    assert_int_equal(rig->count, 0);
    free_second(other);
}

/* No engine is connected for a moment: the broker keeps the messages for the one that comes. */
static void messages_wait_while_nobody_has_the_session(void **state)
{
    struct rig *rig = *state, *other = second_engine(rig);
    const struct mqtt_route routes[] = { route_of("t", "x", 1) };
    set_routes(rig, routes, 1);
    mqtt_hand_over(rig->mqtt);
    await_no_broker(rig);
    publish_many(rig, "x", 50);
    mqtt_set_routes(other->mqtt, routes, 1);
    await_messages(other, 50);
    assert_all_came(other, 50);
    mqtt_hand_over(other->mqtt);
    await_no_broker(other);
    free_second(other);
    publish_many(rig, "x", 50);
    mqtt_set_routes(rig->mqtt, routes, 1);
    await_messages(rig, 50);
    assert_all_came(rig, 50);
}

/* It leads again before its thread has noticed, or when it just has. */
static void an_engine_takes_back_what_it_has_handed_over(void **state)
{
    struct rig *rig = *state;
    const struct mqtt_route routes[] = { route_of("t", "x", 1) };
    set_routes(rig, routes, 1);
    for (int i = 1; i <= 20; i++) {
        char payload[8];
        snprintf(payload, sizeof payload, "%d", i);
        mqtt_hand_over(rig->mqtt);
        if (i % 2) sched_yield();
        mqtt_set_routes(rig->mqtt, routes, 1);
        publish(rig, "x", payload, "-q 1");
    }
    await_messages(rig, 20);
    assert_all_came(rig, 20);
}

static void logins_and_their_failures_are_shown(void **state)
{
    struct rig *rig = *state;
    broker(rig, "stop");
    shell("mosquitto_passwd -c -b %s/passwords me right && chmod 600 %s/passwords", rig->directory,
          rig->directory);
    shell("printf 'user me\\ntopic read allowed/#\\n' > %s/acl && chmod 600 %s/acl", rig->directory,
          rig->directory);
    broker(rig, "start");
    snprintf(rig->secret, sizeof rig->secret,
             "{\"host\":\"127.0.0.1\",\"port\":%u,\"username\":\"me\",\"password\":\"wrong\"}", rig->port);
    const struct mqtt_route routes[] = { route_of("t", "allowed/#", 1), route_of("u", "denied", 1) };
    mqtt_set_routes(rig->mqtt, routes, 1);
    await_view(rig, false, "Not authorized");
    pthread_mutex_lock(&rig->lock);
    assert_int_equal(str_find(view(rig).why, STR("wrong"), 0), SIZE_MAX);
    /* The settings are read for every attempt. */
    snprintf(rig->secret, sizeof rig->secret,
             "{\"host\":\"127.0.0.1\",\"port\":%u,\"username\":\"me\",\"password\":\"right\"}", rig->port);
    pthread_mutex_unlock(&rig->lock);
    mqtt_set_routes(rig->mqtt, routes, 1); /* Looks at once. */
    await_view(rig, true, NULL);
}

static void settings_that_cannot_be_used_are_shown(void **state)
{
    struct rig *rig = *state;
    static const struct {
        const char *secret, *why;
    } cases[] = {
        { "no JSON", "not a JSON object" },
        { "{}", "no host" },
        { "{\"host\":1}", "host" },
        { "{\"host\":\"h\",\"port\":70000}", "port" },
        { "{\"host\":\"h\",\"keepalive\":0}", "keepalive" },
        { "{\"host\":\"h\",\"password\":\"p\"}", "username" },
        { "{\"host\":\"h\",\"tls\":{\"cert\":\"c\"}}", "go together" },
        { "{\"host\":\"127.0.0.1\",\"port\":1}", "refused" },
        { "{\"host\":\"127.0.0.1\",\"port\":1,\"tls\":{\"ca\":\"/nowhere\"}}", "ca of" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mqtt_route routes[] = { route_of("t", "x", 1) };
        mqtt_free(rig->mqtt);
        snprintf(rig->secret, sizeof rig->secret, "%s", cases[i].secret);
        rig->mqtt = mqtt_new(&rig->config);
        mqtt_set_routes(rig->mqtt, routes, 1);
        await_view(rig, false, cases[i].why);
    }
    struct mqtt_route unknown = route_of("t", "x", 1);
    unknown.broker = STR("vault:nobody");
    mqtt_free(rig->mqtt);
    rig->mqtt = mqtt_new(&rig->config);
    mqtt_set_routes(rig->mqtt, &unknown, 1);
    await_view(rig, false, "nobody");
}

static void private_networks_are_refused_unless_allowed(void **state)
{
    struct rig *rig = *state;
    static const char *const hosts[] = { "127.0.0.1", "localhost", "10.0.0.1", "::1" };
    rig->config.reach.all = false;
    for (size_t i = 0; i < COUNT(hosts); i++) {
        const struct mqtt_route routes[] = { route_of("t", "x", 1) };
        mqtt_free(rig->mqtt);
        snprintf(rig->secret, sizeof rig->secret, "{\"host\":\"%s\",\"port\":%u}", hosts[i], rig->port);
        rig->mqtt = mqtt_new(&rig->config);
        mqtt_set_routes(rig->mqtt, routes, 1);
        await_view(rig, false, "may not be reached");
    }
}

static void a_file_as_text(struct rig *rig, const char *name, char *out, size_t room)
{
    char path[128], line[128];
    snprintf(path, sizeof path, "%s/%s", rig->directory, name);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    size_t n = 0;
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        n += (size_t)snprintf(out + n, room - n, "%s\\n", line);
    }
    fclose(in);
}

static void brokers_with_tls_are_verified(void **state)
{
    struct rig *rig = *state;
    char ca[4096];
    shell(
        "cd %s && openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=ca -days 2 "
        "2>/dev/null && "
        "openssl req -newkey rsa:2048 -nodes -keyout key.pem -out csr.pem -subj /CN=localhost 2>/dev/null && "
        "printf 'subjectAltName=DNS:localhost' > san && "
        "openssl x509 -req -in csr.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 "
        "-extfile san 2>/dev/null && "
        "chmod 644 *.pem",
        rig->directory);
    broker(rig, "stop");
    broker(rig, "start tls");
    a_file_as_text(rig, "ca.pem", ca, sizeof ca);
    const struct mqtt_route routes[] = { route_of("t", "x", 1) };
    static const char *const refused[] = { "{\"host\":\"localhost\",\"port\":%u,\"tls\":true}",
                                           "{\"host\":\"localhost\",\"port\":%u}" };
    for (size_t i = 0; i < COUNT(refused); i++) {
        mqtt_free(rig->mqtt);
        size_t mark = strcspn(refused[i], "%");
        snprintf(rig->secret, sizeof rig->secret, "%.*s%u%s", (int)mark, refused[i], rig->port,
                 refused[i] + mark + 2);
        rig->mqtt = mqtt_new(&rig->config);
        mqtt_set_routes(rig->mqtt, routes, 1);
        await_view(rig, false, "did not let us in");
    }
    /* The host's name must be in the certificate. */
    mqtt_free(rig->mqtt);
    snprintf(rig->secret, sizeof rig->secret,
             "{\"host\":\"127.0.0.1\",\"port\":%u,\"tls\":{\"ca\":\"%s/ca.pem\"}}", rig->port,
             rig->directory);
    rig->mqtt = mqtt_new(&rig->config);
    mqtt_set_routes(rig->mqtt, routes, 1);
    await_view(rig, false, "did not let us in");
    mqtt_free(rig->mqtt);
    snprintf(rig->secret, sizeof rig->secret, "{\"host\":\"localhost\",\"port\":%u,\"tls\":{\"ca\":\"%s\"}}",
             rig->port, ca);
    rig->mqtt = mqtt_new(&rig->config);
    mqtt_set_routes(rig->mqtt, routes, 1);
    await_view(rig, true, NULL);
    shell("mosquitto_pub -h localhost -p %u --cafile %s/ca.pem -t x -m hello -q 1 -r", rig->port,
          rig->directory);
    await_messages(rig, 1);
}

static int listen_anywhere(unsigned *ret_port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, n), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &n), 0);
    *ret_port = ntohs(at.sin_port);
    return listener;
}

/* The first connection only looks whether somebody listens. */
static int accept_second(int listener)
{
    close(accept(listener, NULL, NULL));
    return accept(listener, NULL, NULL);
}

static void connect_to(struct rig *rig, const char *tls, unsigned port)
{
    const struct mqtt_route routes[] = { route_of("t", "x", 1) };
    mqtt_free(rig->mqtt);
    snprintf(rig->secret, sizeof rig->secret, "{\"host\":\"127.0.0.1\",\"port\":%u,\"tls\":%s}", port, tls);
    rig->mqtt = mqtt_new(&rig->config);
    mqtt_set_routes(rig->mqtt, routes, 1);
}

/* A broker that takes the connection and says nothing does not keep us from leaving. */
static void a_silent_broker_holds_up_nobody(void **state)
{
    struct rig *rig = *state;
    unsigned port;
    int listener = listen_anywhere(&port);
    connect_to(rig, "true", port);
    int connection = accept_second(listener);
    char hello;
    assert_int_equal(recv(connection, &hello, 1, MSG_PEEK), 1);
    mqtt_free(rig->mqtt);
    rig->mqtt = mqtt_new(&rig->config);
    close(connection);
    close(listener);
}

/* Sends PINGRESP until the other side closes the connection, or this one is shut down. */
static void *flood(void *context)
{
    unsigned char packets[4096];
    for (size_t i = 0; i < sizeof packets; i++) packets[i] = i % 2 ? 0 : 0xd0;
    while (send(*(int *)context, packets, sizeof packets, MSG_NOSIGNAL) == (ssize_t)sizeof packets) continue;
    return NULL;
}

/* A broker that sends packets without pause does not keep us from leaving. */
static void a_broker_without_pause_holds_up_nobody(void **state)
{
    static const unsigned char consent[] = { 0x20, 3, 0, 0, 0 };
    struct rig *rig = *state;
    char received[256];
    unsigned port;
    pthread_t sender;
    struct mqtt_view *list;
    int listener = listen_anywhere(&port);
    connect_to(rig, "false", port);
    int connection = accept_second(listener);
    assert_true(recv(connection, received, sizeof received, 0) > 0); /* CONNECT */
    assert_int_equal(send(connection, consent, sizeof consent, 0), sizeof consent);
    assert_true(recv(connection, received, sizeof received, 0) > 0); /* SUBSCRIBE */
    assert_int_equal(pthread_create(&sender, NULL, flood, &connection), 0);
    usleep(100 * 1000); /* The thread reads now. */
    mqtt_set_routes(rig->mqtt, NULL, 0);
    int64_t end_us = clock_monotonic_us() + PATIENCE_S / 3 * 1000000LL;
    while (mqtt_brokers(rig->mqtt, &rig->arena, &list) && clock_monotonic_us() < end_us) usleep(1000);
    bool ended = clock_monotonic_us() < end_us;
    shutdown(connection, SHUT_RDWR);
    pthread_join(sender, NULL);
    close(connection);
    close(listener);
    assert_true(ended);
}

/* A broker that puts its consent and a message into one record of TLS. */
static void packets_of_one_record_are_all_read(void **state)
{
    static const unsigned char packets[] = { 0x20, 3, 0, 0, 0, /* CONNACK, then PUBLISH of "hi" to "x" */
                                             0x30, 6, 0, 1, 'x', 0, 'h', 'i' };
    struct rig *rig = *state;
    char path[128], tls[160], hello[256];
    unsigned port;
    int listener = listen_anywhere(&port);
    shell("cd %s && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=b "
          "-days 2 "
          "-addext subjectAltName=IP:127.0.0.1 2>/dev/null",
          rig->directory);
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    snprintf(path, sizeof path, "%s/cert.pem", rig->directory);
    assert_int_equal(SSL_CTX_use_certificate_file(context, path, SSL_FILETYPE_PEM), 1);
    snprintf(tls, sizeof tls, "{\"ca\":\"%s\"}", path);
    snprintf(path, sizeof path, "%s/key.pem", rig->directory);
    assert_int_equal(SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM), 1);
    connect_to(rig, tls, port);
    int connection = accept_second(listener);
    SSL *server = SSL_new(context);
    SSL_set_fd(server, connection);
    assert_int_equal(SSL_accept(server), 1);
    assert_true(SSL_read(server, hello, sizeof hello) > 0);
    assert_int_equal(SSL_write(server, packets, sizeof packets), (int)sizeof packets);
    await_messages(rig, 1);
    assert_true(str_equal(rig->taken[0].payload, STR("hi")));
    SSL_free(server);
    SSL_CTX_free(context);
    close(connection);
    close(listener);
}

static void a_payload_has_a_limit(void **state)
{
    struct rig *rig = *state;
    const struct mqtt_route routes[] = { route_of("t", "x", 1) };
    set_routes(rig, routes, 1);
    for (int more = 0; more <= 1; more++)
        shell("head -c %d /dev/zero | tr '\\0' x | mosquitto_pub -p %u -t x -q 1 -s",
              MQTT_PAYLOAD_BYTES_MAX + more, rig->port);
    publish(rig, "x", "end", "-q 1");
    await_messages(rig, 2);
    assert_int_equal(rig->taken[0].payload.n, MQTT_PAYLOAD_BYTES_MAX);
    assert_true(str_equal(rig->taken[1].payload, STR("end")));
    assert_int_equal(view(rig).too_large, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(messages_come_with_topic_qos_and_payload),
        TEST(a_message_for_overlapping_filters_comes_once_for_each_route),
        TEST(retained_messages_come_with_a_new_subscription_only),
        TEST(subscriptions_follow_the_routes),
        TEST(a_message_is_acknowledged_when_it_was_taken),
        TEST(a_refused_batch_comes_again),
        TEST(nothing_is_lost_while_the_broker_restarts),
        TEST(messages_wait_at_the_broker_while_we_are_away),
        TEST(an_engine_that_hands_over_leaves_the_session_alone),
        TEST(messages_wait_while_nobody_has_the_session),
        TEST(an_engine_takes_back_what_it_has_handed_over),
        TEST(logins_and_their_failures_are_shown),
        TEST(settings_that_cannot_be_used_are_shown),
        TEST(private_networks_are_refused_unless_allowed),
        TEST(brokers_with_tls_are_verified),
        TEST(a_silent_broker_holds_up_nobody),
        TEST(a_broker_without_pause_holds_up_nobody),
        TEST(packets_of_one_record_are_all_read),
        TEST(a_payload_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
