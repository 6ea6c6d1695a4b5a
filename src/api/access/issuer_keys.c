/* api/access/issuer_keys.c — the keys of an issuer: from its record, from a file, or from the provider.
 *
 *     static     read ──────────────────────────────┐
 *     file       read, again when it has changed ───┼──► jwk_set_read(), aside ──► the keys
 *     provider   discovery ──► JWKS ────────────────┘
 *
 * One load is under way for an issuer at a time, and everybody who needs it waits for it. A load that fails
 * changes nothing: the keys that are known stay, and the next try has to wait for a while.
 */
#include "api/access/issuers_int.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "vault/vault.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum key_source { SOURCE_RECORD, SOURCE_FILE, SOURCE_PROVIDER };

/* One load, with memory of its own. */
struct key_load {
    struct api *api;
    struct known_issuer *known;
    struct arena arena;
    enum key_source source;
    struct api_fetch fetch;
    struct aside_work aside;
    str text;                  /* The keys. */
    int64_t changed_ns, bytes; /* The age of the file, before it was read. */
    /* Aside. */
    struct jwk_set *set;
    enum status status;
    struct error err;
};

static int64_t now_ms(void) { return clock_monotonic_us() / 1000; }

static enum key_source source_of(const struct issuer *issuer)
{
    if (issuer->jwks.n) return SOURCE_RECORD;
    return issuer->jwks_file.n ? SOURCE_FILE : SOURCE_PROVIDER;
}

static struct oidc_rules rules_for(const struct key_load *load)
{
    return (struct oidc_rules){ .plain_loopback = load->api->config.plain_providers,
                                .for_people = load->known->issuer.client_id.n > 0 };
}

/* ---- the end ---- */

void issuer_keys_unref(struct issuer_keys *keys)
{
    if (!keys || atomic_fetch_sub(&keys->references_, 1) > 1) return;
    jwk_set_free(keys->set);
    free(keys);
}

struct known_issuer *access_issuer_ref(struct known_issuer *known)
{
    known->references_++;
    return known;
}

void access_issuer_unref(struct known_issuer *known)
{
    if (!known || --known->references_) return;
    issuer_keys_unref(known->keys);
    arena_done(&known->provider_arena_);
    arena_done(&known->arena_);
    free(known);
}

static void take_keys(struct key_load *load)
{
    struct known_issuer *known = load->known;
    struct issuer_keys *keys = calloc(1, sizeof *keys);
    must(keys);
    keys->references_ = 1;
    keys->set = load->set;
    load->set = NULL;
    issuer_keys_unref(known->keys);
    known->keys = keys;
    known->fetched_ms_ = now_ms();
    known->retry_after_ms_ = 0;
    known->why[0] = '\0';
    known->file_changed_ns_ = load->changed_ns;
    known->file_bytes_ = load->bytes;
}

static void note_failure(struct key_load *load)
{
    struct known_issuer *known = load->known;
    int64_t after_ms = known->retry_after_ms_ ? 2 * known->retry_after_ms_ : ISSUER_RETRY_FIRST_MS;
    known->retry_after_ms_ = after_ms < ISSUER_RETRY_LAST_MS ? after_ms : ISSUER_RETRY_LAST_MS;
    known->retry_ms_ = now_ms() + known->retry_after_ms_;
    known->has_provider = false; /* It may have moved. */
    snprintf(known->why, sizeof known->why, "%.*s", (int)sizeof known->why - 1, load->err.message);
    log_write(LOG_WARN, "the keys of an issuer cannot be had", "issuer",
              arena_str(&load->arena, known->issuer.name).p, "reason", known->why, NULL);
}

static void free_load(struct key_load *load)
{
    jwk_set_free(load->set);
    access_issuer_unref(load->known);
    arena_done(&load->arena);
    free(load);
}

static void finish(struct key_load *load)
{
    struct known_issuer *known = load->known;
    struct issuer_wait *wait = known->waiting_;
    if (load->status == ST_OK) take_keys(load);
    else note_failure(load);
    known->is_fetching_ = false;
    known->waiting_ = NULL;
    while (wait) {
        struct issuer_wait *next = wait->next_;
        wait->done(wait->context);
        wait = next;
    }
    free_load(load);
}

static void fail_load(struct key_load *load, const char *what, str why)
{
    load->status = fail(&load->err, ST_UNAUTHORIZED, "", "%s: %.*s", what, STR_ARG(why));
    finish(load);
}

/* ---- reading, aside ---- */

static void drop(void *context) { free_load(context); }

static void read_keys(void *context)
{
    struct key_load *load = context;
    const char *path;
    str text = load->text;
    load->status = ST_OK;
    if (load->source == SOURCE_FILE)
        load->status = vault_named_text(load->api->config.files,
                                        arena_str(&load->arena, load->known->issuer.jwks_file).p,
                                        &load->arena, &path, &text, &load->err);
    if (load->status == ST_OK) load->status = jwk_set_read(text, &load->set, &load->err);
}

static void keys_read(void *context) { finish(context); }

static void begin_reading(struct key_load *load)
{
    load->aside = (struct aside_work){ .run = read_keys, .done = keys_read, .drop = drop, .context = load };
    aside_begin(load->api, &load->aside);
}

/* ---- the provider ---- */

static bool has_answer(struct key_load *load, const char *what)
{
    struct api_fetch *fetch = &load->fetch;
    if (fetch->failure.n) fail_load(load, what, fetch->failure);
    else if (fetch->status != 200)
        fail_load(load, what, arena_printf(&load->arena, "the provider answered %d", fetch->status));
    else return true;
    return false;
}

static void get(struct key_load *load, str url, net_fn *done)
{
    load->fetch = (struct api_fetch){ .method = STR("GET"),
                                      .url = url,
                                      .timeout_ms = ISSUER_FETCH_MS,
                                      .arena = &load->arena,
                                      .done = done,
                                      .context = load };
    fetch_begin(load->api, &load->fetch);
}

static void set_came(void *context)
{
    struct key_load *load = context;
    if (!has_answer(load, "JWKS")) return;
    load->text = load->fetch.answer;
    begin_reading(load);
}

/* The description is at most OIDC_DOCUMENT_BYTES_MAX long, and few members of it are looked at. */
static void description_came(void *context)
{
    struct key_load *load = context;
    struct known_issuer *known = load->known;
    struct error err;
    if (!has_answer(load, "discovery")) return;
    known->provider = (struct oidc_provider){ 0 };
    known->has_provider = false;
    arena_reset(&known->provider_arena_);
    struct oidc_rules rules = rules_for(load);
    if (oidc_provider_read(load->fetch.answer, known->issuer.issuer, rules, &known->provider_arena_,
                           &known->provider, &err) != ST_OK) {
        fail_load(load, "discovery", str_of(err.message));
        return;
    }
    if (known->issuer.pinned_count && !provider_has_pinned(&known->issuer, known->provider.issuer)) {
        fail_load(load, "discovery", STR("the provider's issuer is none of those that were pinned"));
        return;
    }
    known->has_provider = true;
    get(load, known->provider.jwks_uri, set_came);
}

static void ask_provider(struct key_load *load, bool all)
{
    struct known_issuer *known = load->known;
    struct error err;
    str url;
    str well_known = known->issuer.well_known;
    if (known->has_provider && !all) get(load, known->provider.jwks_uri, set_came);
    else if (well_known.n && oidc_is_address(well_known, rules_for(load).plain_loopback))
        get(load, well_known, description_came);
    else if (oidc_provider_url(known->issuer.issuer, rules_for(load), &load->arena, &url, &err) != ST_OK)
        fail_load(load, "discovery", str_of(err.message));
    else get(load, url, description_came);
}

/* ---- what is due ---- */

struct file_age {
    int64_t changed_ns, bytes; /* 0: there is no such file. */
};

static struct file_age look_at_file(const struct api *api, str name)
{
    char path[4096];
    struct stat about;
    const char *directory = api->config.files;
    if (!directory) return (struct file_age){ 0 };
    if (name.n && name.p[0] == '/') snprintf(path, sizeof path, "%.*s", STR_ARG(name));
    else snprintf(path, sizeof path, "%s/%.*s", directory, STR_ARG(name));
    if (stat(path, &about) != 0) return (struct file_age){ 0 };
    return (struct file_age){ (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec,
                              (int64_t)about.st_size };
}

static bool has_file_changed(const struct api *api, struct known_issuer *known)
{
    if (now_ms() - known->looked_ms_ < ISSUER_FILE_LOOK_MS) return false;
    struct file_age age = look_at_file(api, known->issuer.jwks_file);
    known->looked_ms_ = now_ms();
    return age.changed_ns != known->file_changed_ns_ || age.bytes != known->file_bytes_;
}

static bool is_due(const struct api *api, struct known_issuer *known, enum issuer_want want)
{
    bool may_retry = !known->retry_after_ms_ || now_ms() >= known->retry_ms_;
    if (want == ISSUER_ALL_ANEW) return true;
    switch (source_of(&known->issuer)) {
    case SOURCE_RECORD: return !known->keys && may_retry;
    case SOURCE_FILE: return (!known->keys && may_retry) || has_file_changed(api, known);
    case SOURCE_PROVIDER: break;
    }
    if (!may_retry) return false;
    if (!known->keys || (want == ISSUER_PROVIDER && !known->has_provider)) return true;
    if (want == ISSUER_NEW_KEYS) return !known->anew_ms_ || now_ms() - known->anew_ms_ > ISSUER_KEYS_ANEW_MS;
    return now_ms() - known->fetched_ms_ > ISSUER_KEYS_OLD_MS;
}

static void begin(struct api *api, struct known_issuer *known, bool all)
{
    struct key_load *load = calloc(1, sizeof *load);
    must(load);
    *load = (struct key_load){ .api = api,
                               .known = access_issuer_ref(known),
                               .source = source_of(&known->issuer) };
    arena_init(&load->arena, 0);
    known->is_fetching_ = true;
    load->text = known->issuer.jwks;
    if (load->source == SOURCE_FILE) {
        struct file_age age = look_at_file(api, known->issuer.jwks_file);
        load->changed_ns = age.changed_ns;
        load->bytes = age.bytes;
    }
    if (load->source == SOURCE_PROVIDER) ask_provider(load, all);
    else begin_reading(load);
}

/* Keys that are old but good serve while new ones are on their way. */
void issuer_want(struct api *api, struct known_issuer *known, enum issuer_want want, struct issuer_wait *wait)
{
    bool is_enough = want == ISSUER_KEYS && known->keys && source_of(&known->issuer) != SOURCE_FILE;
    bool begins = !known->is_fetching_ && is_due(api, known, want);
    bool waits = (begins || known->is_fetching_) && !is_enough;
    if (waits) {
        wait->next_ = known->waiting_;
        known->waiting_ = wait;
    }
    if (begins && want == ISSUER_NEW_KEYS) known->anew_ms_ = now_ms();
    if (begins) begin(api, known, want == ISSUER_ALL_ANEW || want == ISSUER_PROVIDER);
    if (!waits) wait->done(wait->context);
}
