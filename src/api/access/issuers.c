/* api/access/issuers.c — the issuers, providers and key pairs that the store has, as this process knows them.
 *
 * Their records are read when a token or a login comes, and again after each change of access. An issuer
 * whose record is as before keeps its keys: a new grant does not make everybody ask the provider again.
 */
#include "api/access/access_int.h"
#include "api/access/issuers_int.h"
#include "api/submit_int.h"

#include "base/datetime.h"
#include "base/log.h"
#include "base/must.h"

#include <stdlib.h>

struct issuers {
    struct known_issuer *first;
    struct known_issuer *first_provider; /* All tenants have theirs here; invalidated ones are left out. */
    struct arena pairs_arena;
    struct known_pair *pair;
    size_t pair_count;
    uint64_t generation; /* The directory's when the records were read. */
    bool is_read;
    struct issuers_reading *reading; /* NULL: nobody reads. */
};

/* One read of all records, and everybody who waits for it. */
struct issuers_reading {
    struct api *api;
    struct arena arena;
    uint64_t generation;
    struct issuer_wait *waiting;
};

static void submit_list(struct issuers_reading *reading, enum access_kind kind, call_fn *done);

/* ---- one issuer ---- */

static str text_of(const struct json *record, struct arena *arena)
{
    struct buf text;
    buf_init(&text, arena);
    json_print(record, &text);
    return buf_str(&text);
}

/* A record that cannot be read stops only its own tokens. */
static struct known_issuer *make_known(enum access_kind kind, str name, const struct json *record, str text)
{
    struct known_issuer *known = calloc(1, sizeof *known);
    struct error err;
    must(known);
    known->references_ = 1;
    arena_init(&known->arena_, 0);
    arena_init(&known->provider_arena_, 0);
    known->record_ = arena_str(&known->arena_, text);
    enum status status = kind == ACCESS_PROVIDER
                             ? provider_read(name, record, &known->arena_, &known->issuer, &err)
                             : issuer_read(name, record, &known->arena_, &known->issuer, &err);
    if (status == ST_OK) return known;
    log_write(LOG_WARN, "an issuer's record cannot be read", "issuer", arena_str(&known->arena_, name).p,
              "reason", err.message, NULL);
    access_issuer_unref(known);
    return NULL;
}

/* ---- all of them ---- */

static void drop_all(struct known_issuer *known)
{
    while (known) {
        struct known_issuer *next = known->next_;
        access_issuer_unref(known);
        known = next;
    }
}

/* Takes the issuer with that record out of the list. */
static struct known_issuer *take_same(struct known_issuer **list, str name, str record)
{
    for (; *list; list = &(*list)->next_) {
        struct known_issuer *known = *list;
        if (!str_equal(known->issuer.name, name) || !str_equal(known->record_, record)) continue;
        *list = known->next_;
        return known;
    }
    return NULL;
}

static void take_records(struct known_issuer **list, enum access_kind kind,
                         const struct answer_access_list *answer, struct arena *arena)
{
    struct known_issuer *old = *list, **end = list;
    *list = NULL;
    for (size_t i = 0; i < answer->count; i++) {
        if (json_get(answer->view[i], STR("invalidatedAt"))) continue;
        str text = text_of(answer->view[i], arena), name = answer->name[i];
        if (kind == ACCESS_PROVIDER) name = arena_printf(arena, PROVIDER_MARK "%.*s", STR_ARG(name));
        struct known_issuer *known = take_same(&old, name, text);
        if (!known) known = make_known(kind, answer->name[i], answer->view[i], text);
        if (!known) continue;
        known->next_ = NULL;
        *end = known;
        end = &known->next_;
    }
    drop_all(old);
}

/* Somebody who came after a change needs a read that began after it. */
static void end_wait(struct issuers_reading *reading, struct issuer_wait *wait, const struct error *err)
{
    if (err) *wait->ret_err_ = *err;
    if (err || wait->generation_ <= reading->generation) wait->done(wait->context);
    else issuers_want(reading->api, wait, wait->ret_err_);
}

static void end_reading(struct issuers_reading *reading, const struct error *err)
{
    struct issuer_wait *wait = reading->waiting;
    reading->api->issuers->reading = NULL;
    while (wait) {
        struct issuer_wait *next = wait->next_;
        end_wait(reading, wait, err);
        wait = next;
    }
    arena_done(&reading->arena);
    free(reading);
}

static int64_t time_of(const struct json *view, const char *member)
{
    int64_t ms;
    return datetime_parse(json_text(view, str_of(member)), &ms) ? ms : 0;
}

static void take_pairs(struct issuers *issuers, const struct answer_access_list *answer)
{
    arena_reset(&issuers->pairs_arena);
    issuers->pair = arena_make_n(&issuers->pairs_arena, struct known_pair, answer->count);
    issuers->pair_count = answer->count;
    for (size_t i = 0; i < answer->count; i++) {
        const struct json *view = json_copy(&issuers->pairs_arena, answer->view[i]);
        issuers->pair[i] = (struct known_pair){ .kid = json_text(view, STR("keyId")),
                                                .audience = json_text(view, STR("audience")),
                                                .is_active = json_flag(view, STR("active")),
                                                .from_ms = time_of(view, "validFrom"),
                                                .to_ms = time_of(view, "validTo"),
                                                .view = view };
    }
}

static bool has_failed(struct issuers_reading *reading, struct call *call)
{
    if (call->status == ST_OK) return false;
    call->error.status = call->status;
    end_reading(reading, &call->error);
    return true;
}

static void pairs_read(struct call *call)
{
    struct issuers_reading *reading = call->user;
    struct issuers *issuers = reading->api->issuers;
    if (has_failed(reading, call)) return;
    take_pairs(issuers, &call->value.access_list);
    issuers->generation = reading->generation;
    issuers->is_read = true;
    end_reading(reading, NULL);
}

static void providers_read(struct call *call)
{
    struct issuers_reading *reading = call->user;
    if (has_failed(reading, call)) return;
    take_records(&reading->api->issuers->first_provider, ACCESS_PROVIDER, &call->value.access_list,
                 &reading->arena);
    submit_list(reading, ACCESS_KEY_PAIR, pairs_read);
}

static void records_read(struct call *call)
{
    struct issuers_reading *reading = call->user;
    if (has_failed(reading, call)) return;
    take_records(&reading->api->issuers->first, ACCESS_ISSUER, &call->value.access_list, &reading->arena);
    submit_list(reading, ACCESS_PROVIDER, providers_read);
}

static struct issuers_reading *make_reading(struct api *api)
{
    struct issuers_reading *reading = calloc(1, sizeof *reading);
    must(reading);
    *reading = (struct issuers_reading){ .api = api, .generation = directory_generation(api->directory) };
    arena_init(&reading->arena, 0);
    return reading;
}

static void submit_list(struct issuers_reading *reading, enum access_kind kind, call_fn *done)
{
    const struct call_access_list asked = { .kind = kind, .max = ISSUERS_MAX };
    struct call *call = call_list_access((struct call_origin){ &reading->arena, done, reading }, &asked);
    struct error err;
    call_for_all_tenants(call);
    if (submit_call(reading->api, call, reading->api->config.limits.answer_bytes_max, &err) != ST_OK)
        end_reading(reading, &err);
}

static struct issuers *issuers_of(struct api *api)
{
    if (api->issuers) return api->issuers;
    api->issuers = calloc(1, sizeof *api->issuers);
    must(api->issuers);
    arena_init(&api->issuers->pairs_arena, 0);
    return api->issuers;
}

void issuers_want(struct api *api, struct issuer_wait *wait, struct error *ret_err)
{
    struct issuers *issuers = issuers_of(api);
    uint64_t generation = directory_generation(api->directory);
    *ret_err = (struct error){ 0 };
    if (issuers->is_read && issuers->generation == generation) {
        wait->done(wait->context);
        return;
    }
    bool is_first = !issuers->reading;
    if (is_first) issuers->reading = make_reading(api);
    wait->generation_ = generation;
    wait->ret_err_ = ret_err;
    wait->next_ = issuers->reading->waiting;
    issuers->reading->waiting = wait;
    if (is_first) submit_list(issuers->reading, ACCESS_ISSUER, records_read);
}

/* ---- finding ---- */

struct known_issuer *issuers_find(struct api *api, str iss)
{
    for (struct known_issuer *known = api->issuers->first; known; known = known->next_)
        if (str_equal(known->issuer.issuer, iss)) return access_issuer_ref(known);
    return NULL;
}

struct known_issuer *issuers_find_name(struct api *api, str name)
{
    for (struct known_issuer *known = api->issuers->first; known; known = known->next_)
        if (str_equal(known->issuer.name, name)) return access_issuer_ref(known);
    return NULL;
}

struct known_issuer *issuers_first(struct api *api) { return issuers_of(api)->first; }

struct known_issuer *issuers_providers(struct api *api) { return issuers_of(api)->first_provider; }

const struct known_pair *issuers_pairs(struct api *api, size_t *ret_count)
{
    *ret_count = issuers_of(api)->pair_count;
    return issuers_of(api)->pair;
}

uint64_t issuers_generation(struct api *api) { return issuers_of(api)->generation; }

/* The runtime has answered everything by now, or will not. */
void issuers_free(struct api *api)
{
    struct issuers *issuers = api->issuers;
    if (!issuers) return;
    drop_all(issuers->first);
    drop_all(issuers->first_provider);
    arena_done(&issuers->pairs_arena);
    if (issuers->reading) {
        arena_done(&issuers->reading->arena);
        free(issuers->reading);
    }
    free(issuers);
    api->issuers = NULL;
}
