/* torture/load.c — the load: clients, workers and people at the same time, in threads.
 *
 * They run seven definitions that consist of the same few steps, named by letters:
 *
 *     l  line    a ─ b          jobs
 *     q  ask     p ─ c          a person's task, then a job; some are cancelled
 *     h  hear    w ─ d          a signal, then a job
 *     o  late    (timer) ─ t    a timer that must fire, then a job
 *     e  event   (event) ─ e    begun by an event, then a job
 *     s  family  (k)            a sub-flow k with one job of that name, awaited
 *
 * One more thread writes entities (entities.c).
 *
 * A request that was cut off ends its thread's part in the cycle. If it carried an idempotency key, a thread
 * of a later cycle sends it again.
 */
#include "torture/torture_int.h"

#include "base/clock.h"
#include "base/must.h"
#include "base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    STARTERS = 3,
    WORKERS = 4,
    PEOPLE = 1,
    CLERKS = 1, /* Threads that write entities. */
    THREADS = STARTERS + WORKERS + PEOPLE + CLERKS,
    JOBS_PER_POLL = 6,
    LEASE_SECONDS = 300,
    IDLE_MS = 2,
    PATH_BYTES = 200
};
_Static_assert((int)THREADS <= (int)TORTURE_MEMBERS_MAX, "threads");

#define EVENTS_PATH "/v1/events"

#define STEP(id, rest) "{\"id\":\"" id "\",\"name\":\"" id "\"," rest "}"
#define JOB(id, next) \
    STEP(id, "\"type\":\"SERVICE_TASK\",\"jobType\":\"" id "\",\"retryCount\":1000,\"nextStep\":\"" next "\"")
#define DEFINITION(id, steps) \
    "{\"id\":\"" id "\",\"name\":\"" id "\",\"steps\":[" steps "," STEP("end", "\"type\":\"END\"") "]}"

#define FLOW(id, start, more, states) \
    "{\"id\":\"" id "\",\"name\":\"" id "\",\"startsAt\":\"" start "\"," more "\"states\":[" states "]}"
#define CALLED(id) "\"functions\":[{\"name\":\"f\",\"resource\":\"local:" id "\"}],"
#define CALL(id)      \
    "{\"name\":\"" id \
    "\",\"type\":\"OPERATION\",\"actions\":[{\"functionref\":{\"refname\":\"f\"}}],\"end\":true}"

static const char *const documents[] = {
    DEFINITION("l", JOB("a", "b") "," JOB("b", "end")),
    DEFINITION("q", STEP("p", "\"type\":\"USER_TASK\",\"nextStep\":\"c\"") "," JOB("c", "end")),
    DEFINITION("h", STEP("w", "\"type\":\"WAIT\",\"nextStep\":\"d\"") "," JOB("d", "end")),
    DEFINITION(
        "o",
        STEP("x",
             "\"type\":\"WAIT\",\"nextStep\":\"end\",\"boundaryEvents\":[{\"type\":\"TIMER\","
             "\"duration\":\"PT0.2S\",\"interrupting\":true,\"targetStepId\":\"t\"}]") "," JOB("t", "end")),
    FLOW("e", "v",
         CALLED("e") "\"triggers\":[{\"name\":\"v\",\"source\":\"/torture\",\"type\":\"v\","
                     "\"correlationToken\":\"subject\"}],",
         "{\"name\":\"v\",\"type\":\"EVENT\",\"eventActions\":[{\"condition\":\"v\",\"actions\":[],"
         "\"transition\":\"e\"}]}," CALL("e")),
    FLOW("k", "k", CALLED("k"), CALL("k")),
    FLOW(
        "s", "s", "",
        "{\"name\":\"s\",\"type\":\"SUBFLOW\",\"workflowId\":\"k\",\"waitForCompletion\":true,\"end\":true}"),
};

static const char last_steps[] = "bcdtek";
static const char flow_steps[] = "ek"; /* They fail for good, or not at all. */

static void sleep_ms(long ms) { nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL); }

enum status load_deploy(uint16_t port, struct error *err)
{
    struct http_client *client;
    struct http_answer answer;
    struct arena arena;
    arena_init(&arena, 0);
    TRY(http_client_new(arena_printf(&arena, "http://127.0.0.1:%u", port), &client, err));
    enum status status = ST_OK;
    for (size_t i = 0; i < COUNT(documents) && status == ST_OK; i++) {
        status = http_client_call(client, "POST", STR("/v1/definitions"), str_of(documents[i]), PATIENCE_MS,
                                  &arena, &answer, err);
        if (status == ST_OK && answer.status / 100 != 2)
            status =
                fail(err, ST_INTERNAL, "/v1/definitions", "%d %.*s", answer.status, STR_ARG(answer.body));
    }
    if (status == ST_OK) status = entities_deploy(client, &arena, err);
    http_client_free(client);
    arena_done(&arena);
    return status;
}

/* ---- one request ---- */

static bool is_expected(const struct load *load, enum effect_kind kind, int status)
{
    if (status == 507) return load->may_be_full;
    if (status / 100 == 2 || status == 503) return true;
    /* Another worker was first. */
    return (status == 404 || status == 409) && kind != EFFECT_START && kind != EFFECT_COMPLETE &&
           kind != EFFECT_FAIL;
}

/* Sends a request that changes something. Returns the status of the answer, or 0 if there is none: then the
 * thread ends. */
static int send(struct load_member *member, uint32_t effect, const char *path, str body, bool keyed,
                struct http_answer *ret_answer)
{
    struct load *load = member->load;
    enum effect_kind kind = ledger_kind(load->ledger, effect);
    char header[100] = "";
    bool event = strcmp(path, EVENTS_PATH) == 0;
    if (event) snprintf(header, sizeof header, "Content-Type: application/cloudevents+json\r\n");
    else if (keyed) snprintf(header, sizeof header, "Idempotency-Key: torture-%u\r\n", effect);
    http_client_set_headers(member->client, str_of(header));
    enum status status = http_client_call(member->client, "POST", str_of(path), body, PATIENCE_MS,
                                          &member->arena, ret_answer, NULL);
    http_client_set_headers(member->client, STR_NONE);
    if (status != ST_OK) {
        atomic_fetch_add(&load->cut_off, 1);
        ledger_cut(load->ledger, effect, path, body, keyed || event);
        return 0;
    }
    if (ret_answer->status == 507) atomic_fetch_add(&load->refused_full, 1);
    if (!is_expected(load, kind, ret_answer->status))
        torture_find(load->torture, "POST %s: %d %.*s", path, ret_answer->status, STR_ARG(ret_answer->body));
    return ret_answer->status;
}

static int send_and_note(struct load_member *member, uint32_t effect, const char *path, str body, bool keyed)
{
    struct http_answer answer;
    int status = send(member, effect, path, body, keyed, &answer);
    if (status / 100 != 2) return status;
    ledger_acknowledge(member->load->ledger, effect, true, STR_NONE);
    load_acknowledged(member->load);
    return status;
}

/* ---- starters ---- */

/* The id of an instance, or of the instance that an event has started. */
static str id_in(const struct http_answer *answer, struct arena *arena)
{
    const struct json *value;
    if (json_parse(answer->body, NULL, arena, &value, NULL) != ST_OK) return STR_NONE;
    const struct json *event = json_item(json_get(value, STR("events")), 0);
    if (event) value = json_item(json_get(event, STR("instances")), 0);
    return json_text(value, STR("id"));
}

static int note_start(struct load_member *member, uint32_t effect, char definition,
                      const struct http_answer *answer, char *ret_instance)
{
    str id = id_in(answer, &member->arena);
    if (!id.n || id.n >= ID_BYTES) {
        torture_find(member->load->torture, "a start was answered without an id");
        return answer->status;
    }
    ledger_acknowledge(member->load->ledger, effect, true, id);
    load_acknowledged(member->load);
    if (ret_instance) snprintf(ret_instance, ID_BYTES, "%.*s", STR_ARG(id));
    else if (definition == 'q') ledger_add_manual(member->load->ledger, id, 'p');
    else if (definition == 'h') ledger_add_manual(member->load->ledger, id, 'w');
    return answer->status;
}

/* Sends the same request again: the answer must be the same, and nothing may happen. */
static bool start_again(struct load_member *member, uint32_t effect, str body,
                        const struct http_answer *first)
{
    struct http_answer answer;
    int status = send(member, effect, "/v1/instances", body, true, &answer);
    if (status / 100 == 2 && !str_equal(answer.body, first->body))
        torture_find(member->load->torture, "a start that was repeated with its key got another answer: %.*s",
                     STR_ARG(str_slice(answer.body, 0, 100)));
    return status != 0;
}

int load_start(struct load_member *member, char definition, char *ret_instance)
{
    static const str pad = STR_INIT("----------------------------------------------------------------");
    struct http_answer answer;
    struct buf body;
    bool keyed = lot_hits(&member->lot, 50);
    uint32_t effect = ledger_begin(member->load->ledger, EFFECT_START, definition, STR_NONE);
    buf_init(&body, &member->arena);
    buf_printf(&body, "{\"definitionId\":\"%c\",\"variables\":{\"m%u\":\"start\",\"pad\":\"", definition,
               effect);
    for (size_t n = 0; n < member->load->pad_bytes; n += pad.n) buf_add_str(&body, pad);
    buf_add_str(&body, STR("\"}}"));
    int status = send(member, effect, "/v1/instances", buf_str(&body), keyed, &answer);
    if (status / 100 != 2) return status;
    note_start(member, effect, definition, &answer, ret_instance);
    if (keyed && lot_hits(&member->lot, 10) && !start_again(member, effect, buf_str(&body), &answer))
        return 0;
    return status;
}

/* An event needs no key, because its source and id identify it. */
static int start_by_event(struct load_member *member)
{
    struct http_answer answer;
    uint32_t effect = ledger_begin(member->load->ledger, EFFECT_START, 'e', STR_NONE);
    str body = arena_printf(&member->arena,
                            "{\"specversion\":\"1.0\",\"id\":\"%u\",\"source\":\"/torture\",\"type\":\"v\","
                            "\"subject\":\"m%u\",\"data\":{\"m%u\":\"start\"}}",
                            effect, effect, effect);
    int status = send(member, effect, EVENTS_PATH, body, false, &answer);
    if (status / 100 == 2) note_start(member, effect, 'e', &answer, NULL);
    if (status / 100 != 2 || !lot_hits(&member->lot, 10)) return status;
    struct http_answer again;
    int second = send(member, effect, EVENTS_PATH, body, false, &again);
    bool known = second / 100 == 2 && str_find(again.body, STR("\"outcome\":\"duplicate\""), 0) != SIZE_MAX;
    if (second / 100 == 2 &&
        (!known || !str_equal(id_in(&again, &member->arena), id_in(&answer, &member->arena))))
        torture_find(member->load->torture, "an event that was sent again got another answer: %.*s",
                     STR_ARG(str_slice(again.body, 0, 200)));
    return second;
}

static bool repeat_one(struct load_member *member)
{
    struct http_answer answer;
    struct repeat repeat;
    struct ledger *ledger = member->load->ledger;
    if (!ledger_take_repeat(ledger, &member->lot, &repeat)) return true;
    pthread_mutex_lock(&ledger->lock);
    struct effect effect = ledger->effect[repeat.effect];
    pthread_mutex_unlock(&ledger->lock);
    atomic_fetch_add(&member->load->repeated, 1);
    int status = send(member, repeat.effect, repeat.path, str_of(repeat.body), true, &answer);
    if (status / 100 == 2 && effect.kind == EFFECT_START) {
        note_start(member, repeat.effect, effect.step, &answer, NULL);
    } else if (status / 100 == 2) {
        ledger_acknowledge(ledger, repeat.effect, false, STR_NONE);
        load_acknowledged(member->load);
    }
    free(repeat.path);
    free(repeat.body);
    return status != 0;
}

static bool starter_turn(struct load_member *member)
{
    static const char definitions[] = "llllqqhhoees";
    if (!repeat_one(member)) return false;
    if (ledger_live(member->load->ledger) >= member->load->live_max) {
        sleep_ms(IDLE_MS);
        return true;
    }
    char definition = definitions[lot_draw(&member->lot, sizeof definitions - 1)];
    return (definition == 'e' ? start_by_event(member) : load_start(member, definition, NULL)) != 0;
}

/* ---- workers ---- */

static bool retry(struct load_member *member, str instance, char step)
{
    char path[PATH_BYTES];
    uint32_t effect = ledger_begin(member->load->ledger, EFFECT_RETRY, step, instance);
    snprintf(path, sizeof path, "/v1/instances/%.*s/steps/%c/retry", STR_ARG(instance), step);
    str body = arena_printf(&member->arena, "{\"variables\":{\"m%u\":\"retry\"}}", effect);
    return send_and_note(member, effect, path, body, lot_hits(&member->lot, 30)) != 0;
}

static bool fail_job(struct load_member *member, str id, str instance, char step)
{
    char path[PATH_BYTES];
    bool for_good = lot_hits(&member->lot, 30);
    /* 'F': the failure is final, and the instance fails. */
    uint32_t effect = ledger_begin(member->load->ledger, EFFECT_FAIL, for_good ? 'F' : 'f', instance);
    snprintf(path, sizeof path, "/v1/jobs/%.*s/fail", STR_ARG(id));
    str body = arena_printf(&member->arena, "{\"workerId\":\"%s\",\"errorMessage\":\"m%u\",\"retryable\":%s}",
                            member->worker, effect, for_good ? "false" : "true");
    int status = send_and_note(member, effect, path, body, lot_hits(&member->lot, 30));
    if (!status) return false;
    if (status / 100 != 2 || !for_good) return true;
    if (lot_hits(&member->lot, 60)) return retry(member, instance, step);
    ledger_note_end(member->load->ledger);
    return true;
}

static bool work_on(struct load_member *member, const struct json *job)
{
    const struct json *id = json_get(job, STR("id")), *instance = json_get(job, STR("instanceId"));
    const struct json *step = json_get(job, STR("stepId"));
    char path[PATH_BYTES];
    if (!json_is(id, JSON_STRING) || !json_is(instance, JSON_STRING) || !json_is(step, JSON_STRING)) {
        torture_find(member->load->torture, "a job without id, instance or step");
        return true;
    }
    char letter = json_string(step).p[0];
    if (member->load->faults && !strchr(flow_steps, letter) && lot_hits(&member->lot, 8))
        return fail_job(member, json_string(id), json_string(instance), letter);
    uint32_t effect = ledger_begin(member->load->ledger, EFFECT_COMPLETE, letter, json_string(instance));
    snprintf(path, sizeof path, "/v1/jobs/%.*s/complete", STR_ARG(json_string(id)));
    str body = arena_printf(&member->arena, "{\"workerId\":\"%s\",\"variables\":{\"m%u\":\"%c\"}}",
                            member->worker, effect, letter);
    int status = send_and_note(member, effect, path, body, lot_hits(&member->lot, 30));
    if (status / 100 == 2 && strchr(last_steps, letter)) ledger_note_end(member->load->ledger);
    return status != 0;
}

static bool worker_turn(struct load_member *member)
{
    struct http_answer answer;
    const struct json *value;
    str body = arena_printf(
        &member->arena,
        "{\"workerId\":\"%s\",\"jobTypes\":[\"a\",\"b\",\"c\",\"d\",\"t\",\"e\",\"k\"],\"maxJobs\":%u,"
        "\"leaseSeconds\":%d,\"waitSeconds\":0.1}",
        member->worker, 1 + (unsigned)lot_draw(&member->lot, JOBS_PER_POLL), LEASE_SECONDS);
    enum status status = http_client_call(member->client, "POST", STR("/v1/jobs/poll"), body, PATIENCE_MS,
                                          &member->arena, &answer, NULL);
    if (status != ST_OK) return false;
    if (answer.status == 503) return true;
    if (answer.status != 200 || json_parse(answer.body, NULL, &member->arena, &value, NULL) != ST_OK) {
        torture_find(member->load->torture, "a poll was answered with %d", answer.status);
        return true;
    }
    struct json_each each = json_each(json_get(value, STR("jobs")));
    while (json_next(&each))
        if (!work_on(member, each.value)) return false;
    return true;
}

/* ---- people ---- */

int load_cancel(struct load_member *member, const char *instance)
{
    char path[PATH_BYTES];
    uint32_t effect = ledger_begin(member->load->ledger, EFFECT_CANCEL, 0, str_of(instance));
    snprintf(path, sizeof path, "/v1/instances/%s/cancel", instance);
    str body = arena_printf(&member->arena, "{\"reason\":\"m%u\"}", effect);
    int status = send_and_note(member, effect, path, body, lot_hits(&member->lot, 30));
    if (status / 100 == 2) ledger_note_end(member->load->ledger);
    return status;
}

static bool person_turn(struct load_member *member)
{
    struct manual_step manual;
    char path[PATH_BYTES];
    if (!ledger_take_manual(member->load->ledger, &member->lot, &manual)) {
        sleep_ms(IDLE_MS);
        return true;
    }
    bool task = manual.step == 'p';
    if (task && member->load->faults && lot_hits(&member->lot, 30))
        return load_cancel(member, manual.instance) != 0;
    uint32_t effect = ledger_begin(member->load->ledger, task ? EFFECT_TASK : EFFECT_SIGNAL, manual.step,
                                   str_of(manual.instance));
    snprintf(path, sizeof path,
             task ? "/v1/instances/%s/user-tasks/p/complete" : "/v1/instances/%s/signals/w", manual.instance);
    str body =
        arena_printf(&member->arena, task ? "{\"variables\":{\"m%u\":\"p\"}}" : "{\"m%u\":\"w\"}", effect);
    int status = send_and_note(member, effect, path, body, lot_hits(&member->lot, 50));
    /* The disk is full: a person tries again later. */
    if (status == 507) ledger_add_manual(member->load->ledger, str_of(manual.instance), manual.step);
    return status != 0;
}

/* ---- everybody ---- */

static void *live(void *context)
{
    struct load_member *member = context;
    bool starter = member->number < STARTERS, worker = !starter && member->number < STARTERS + WORKERS;
    bool clerk = member->number >= STARTERS + WORKERS + PEOPLE;
    bool there = (!starter && !clerk) || member->load->starts;
    thread_name("load");
    while (there && !atomic_load(&member->load->over)) {
        there = starter  ? starter_turn(member)
                : worker ? worker_turn(member)
                : clerk  ? entities_turn(member)
                         : person_turn(member);
        arena_reset(&member->arena);
    }
    return NULL;
}

void load_member_init(struct load_member *member, struct load *load, struct lot lot)
{
    char url[64];
    *member = (struct load_member){ .load = load, .lot = lot };
    arena_init(&member->arena, 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", load->port);
    must(http_client_new(str_of(url), &member->client, NULL) == ST_OK);
}

void load_member_done(struct load_member *member)
{
    http_client_free(member->client);
    arena_done(&member->arena);
}

void load_begin(struct load *load, struct lot *lot, struct load_member *members)
{
    for (unsigned i = 0; i < THREADS; i++) {
        load_member_init(&members[i], load, lot_split(lot));
        members[i].number = i;
        /* Workers have other names in each run, so that a repeated failure of an earlier run's job does not
         * count for this run's. */
        snprintf(members[i].worker, sizeof members[i].worker, "w%u of %zu", i, load->run);
    }
    for (unsigned i = 0; i < THREADS; i++)
        must(pthread_create(&members[i].thread, NULL, live, &members[i]) == 0);
}

void load_join(struct load *load, struct load_member *members)
{
    atomic_store(&load->over, true);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(members[i].thread, NULL);
        load_member_done(&members[i]);
    }
}
