/* cli/serve/serve.c — the engine, wired together.
 *
 *     net loop ──► http server ──► api ──submit──► runtime ──► store
 *        ▲                          ▲                 │
 *        └──────── waker ◄──────────┼──────wake───────┤
 *                    └── deliver ───┴── worker ◄──────┘  (calls the engine makes itself)
 *
 * A first signal drains: the engine takes no new work, answers the requests in flight, and ends with 0. A
 * second signal ends the process at once, which is safe because everything acknowledged is in the store.
 * Eight seconds after the first signal the process ends in any case. When the store has failed for good the
 * process ends with 1: only a restart, which recovers, may go on. SIGHUP reads some files again (reload.h).
 */
#define _GNU_SOURCE /* environ */

#include "access/directory/directory.h"
#include "api/api.h"

#include "base/log.h"
#include "base/must.h"
#include "base/text_map.h"
#include "cli/serve/address.h"
#include "cli/serve/directory.h"
#include "cli/serve/disk.h"
#include "cli/serve/demo.h"
#include "cli/serve/connection_test.h"
#include "cli/serve/fetch.h"
#include "cli/input.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/serve/reload.h"
#include "cli/serve/serve_access.h"
#include "cli/serve/serve_audit.h"
#include "cli/serve/serve_nodes.h"
#include "cli/serve/serve_trace.h"
#include "cli/serve/stopping.h"
#include "cli/serve/systemd.h"
#include "perform/compute_performer.h"
#include "perform/http_performer.h"
#include "perform/mail/mail.h"
#include "perform/sql/sql.h"
#include "store/nodes.h"
#include "trigger/mqtt_engine.h"
#include "trigger/poll.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DRAIN_GRACE_MS = 5000, HEALTH_CHECK_MS = 200 };

/* The checked settings. */
struct settings {
    struct address address;
    struct address grpc; /* Without a host: none. */
    struct limits limits;
    struct retention retention;
    int64_t lease_ms, compute_wait_ms;
    str secret; /* Clients must send it as a bearer token; empty: none. */
    struct serve_access access;
    struct serve_trace trace;
    const struct option_value *hosts, *origins;
    const char *token_file;
    const char *tls_certificate, *tls_key, *tls_client_ca;
    const char *log_file;     /* NULL: standard error. */
    const char *data;         /* The directory of the store, or of its key; NULL: in memory. */
    const char *database;     /* Where the store is, if it is in PostgreSQL; NULL: it is not. */
    const char *own_files[5]; /* Its token and its keys; ends with NULL. */
    const char *secrets_key;  /* NULL: beside the store. */
    const char *files;        /* The directory of files that secrets may name; NULL: they may name none. */
    bool hooks_at_root, mcp;
    str context_path;
    const struct option_value *secrets;
    str smtp;                /* The mail server of jobs that name none; empty: there is none. */
    struct call_reach reach; /* Addresses that are not public and may be called all the same. */
    bool demo;
    enum log_level log_level;
    bool log_all_json; /* The first line, too. */
};

struct serve {
    struct steady engine_time,
        worker_time; /* Clocks for the engine and for the worker; each is used by one thread. */
    struct budget answers;
    struct net_loop *loop;
    struct net_waker *waker;
    struct store *store;
    struct vault *vault;
    struct directory *directory;
    struct exporter *exporter; /* NULL: spans are not exported. */
    struct pusher *pusher;     /* NULL: metrics are not pushed. */
    struct serve_audit *audit; /* NULL: no file follows the audit. */
    struct runtime *runtime;
    struct runtime_client *client; /* The client of the loop's thread. */
    struct api *api;
    struct http_server *server;
    struct http_server *grpc_server; /* For gRPC; NULL: there is none. */
    size_t servers_open;
    struct compute *compute;      /* The calculation nodes. */
    struct serve_nodes nodes;     /* Messages to and from other nodes. */
    struct engine_worker *worker; /* Does the engine's own jobs. */
    struct mqtt_engine *mqtt;     /* Messages of brokers. */
    struct polling *polling;      /* Asks the sources of triggers. */
    struct fetcher *fetcher;      /* Calls providers of tokens. */
    struct demo *demo;
    struct reload reload;
    int64_t watchdog_us, alive_us; /* How often systemd wants a sign of life, and when it had the last one. */
    struct disk_watch disk;
    bool has_terminal; /* Standard error is one. */
    unsigned signals;
    int code;
};

/* ---- settings ---- */

/* Checks that an origin is as a browser sends it: with a scheme, without a path. A mistake would otherwise
 * show only as a refusal. */
static enum status check_origins(const struct option_value *origins, struct error *err)
{
    for (size_t i = 0; i < origins->list_count; i++) {
        str origin = origins->list[i];
        size_t mark = str_find(origin, STR("://"), 0);
        bool right = mark != SIZE_MAX && mark > 0 && mark + 3 < origin.n &&
                     str_find(origin, STR("/"), mark + 3) == SIZE_MAX;
        if (!right && !str_equal(origin, STR("*")))
            return fail(err, ST_INVALID, "--cors-origin",
                        "--cors-origin: \"%.*s\" is not an origin such as https://a.example or "
                        "http://localhost:3000, nor *",
                        STR_ARG(origin));
    }
    return ST_OK;
}

static enum status check_reach(const struct address *address, const char *option, struct error *err)
{
    if (!address->host.p || address_is_loopback(address->host)) return ST_OK;
    return fail(err, ST_INVALID, option,
                "refusing to serve %.*s without authentication: other machines can reach it. Give "
                "--auth-token-file FILE or --users, make a user or an issuer, or listen on 127.0.0.1",
                STR_ARG(address->host));
}

/* These may be systemd credentials, too, and are no secrets for calls. */
static void note_own_files(const struct options *options, struct settings *settings)
{
    static const enum option own[] = { OPTION_AUTH_TOKEN_FILE, OPTION_TLS_CERT, OPTION_TLS_KEY,
                                       OPTION_SECRETS_KEY };
    _Static_assert(COUNT(own) < COUNT(settings->own_files), "the list ends with NULL");
    size_t count = 0;
    for (size_t i = 0; i < COUNT(own); i++) {
        const char *path = option_path(options, own[i]);
        if (path) settings->own_files[count++] = path;
    }
}

static enum status read_settings(const struct options *options, struct settings *settings, struct error *err)
{
    *settings = (struct settings){
        .token_file = option_path(options, OPTION_AUTH_TOKEN_FILE),
        .log_file = option_path(options, OPTION_LOG_FILE),
        .tls_certificate = option_path(options, OPTION_TLS_CERT),
        .tls_key = option_path(options, OPTION_TLS_KEY),
        .tls_client_ca = option_path(options, OPTION_TLS_CLIENT_CA),
        .retention = { option_number(options, OPTION_RETENTION),
                       option_number(options, OPTION_RETENTION_FAILED),
                       option_number(options, OPTION_RETENTION_AUDIT) },
        .lease_ms = option_number(options, OPTION_LEASE),
        .compute_wait_ms = option_number(options, OPTION_COMPUTE_WAIT),
        .secrets_key = option_path(options, OPTION_SECRETS_KEY),
        .files = option_path(options, OPTION_FILES),
        .hooks_at_root = option_on(options, OPTION_HOOKS_AT_ROOT),
        .mcp = option_on(options, OPTION_MCP),
        .context_path = option_text(options, OPTION_CONTEXT_PATH),
        .secrets = &options->value[OPTION_SECRETS],
        .smtp = option_text(options, OPTION_SMTP),
        .demo = option_on(options, OPTION_DEMO),
    };
    options_store(options, &settings->database, &settings->data);
    log_level_parse(option_text(options, OPTION_LOG_LEVEL), &settings->log_level);
    log_set_level(settings->log_level);
    str format = option_text(options, OPTION_LOG_FORMAT);
    bool on_terminal = !settings->log_file && isatty(STDERR_FILENO);
    settings->log_all_json = str_equal(format, STR("json"));
    if (str_equal(format, STR("text")) || (!settings->log_all_json && on_terminal)) log_set_format(LOG_TEXT);
    if (settings->log_file) TRY(log_open(settings->log_file, err));
    environment_warn(environ, options->arena);
    TRY(address_parse(option_text(options, OPTION_LISTEN), &settings->address, err));
    if (option_text(options, OPTION_GRPC).n)
        TRY(address_parse(option_text(options, OPTION_GRPC), &settings->grpc, err));
    TRY(api_check_context_path(settings->context_path, err));
    TRY(options_limits(options, &settings->limits, err));
    if (settings->compute_wait_ms > COMPUTE_WAIT_MS_MAX)
        return fail(err, ST_INVALID, "--compute-wait", "--compute-wait is at most %d s",
                    COMPUTE_WAIT_MS_MAX / 1000);
    bool lease_given = options->value[OPTION_LEASE].given;
    if (lease_given &&
        (!settings->lease_ms || settings->lease_ms / 1000 > settings->limits.lease_seconds_max))
        return fail(err, ST_INVALID, "--lease",
                    "--lease must be more than 0 and at most %lld s (lease_seconds_max)",
                    (long long)settings->limits.lease_seconds_max);
    settings->hosts = &options->value[OPTION_HOSTS];
    settings->origins = &options->value[OPTION_CORS_ORIGINS];
    TRY(check_origins(settings->origins, err));
    const struct option_value *allowed = &options->value[OPTION_ALLOW_PRIVATE_CALLS];
    TRY(reach_read(allowed->list, allowed->list_count, options->arena, &settings->reach, err));
    TRY(serve_trace_read(options, &settings->trace, err));
    if (settings->smtp.n) TRY(mail_check_server(settings->smtp, options->arena, err));

    const char *secret_file = settings->token_file;
    note_own_files(options, settings);
    if (secret_file) TRY(reload_read_token(secret_file, options->arena, &settings->secret, err));
    TRY(serve_access_read(options, &settings->access, err));
    if (!settings->tls_certificate != !settings->tls_key)
        return fail(err, ST_INVALID, "--tls-cert", "--tls-cert and --tls-key go together");
    TRY(serve_access_check_tls(&settings->access, settings->tls_certificate, settings->tls_client_ca, err));
    if (settings->tls_key) TRY(reload_check_key(settings->tls_key, err));
    if (settings->demo && settings->tls_certificate)
        return fail(err, ST_INVALID, "--demo", "--demo does not work with --tls-cert");
    return ST_OK;
}

/* ---- the store ---- */

/* A file of an older version, or one that somebody has opened on purpose, stays as it is. */
static void warn_of_readers(const char *path, const char *directory)
{
    struct stat file, around;
    if (stat(path, &file) == 0 && stat(directory, &around) == 0 && (file.st_mode & S_IROTH) &&
        (around.st_mode & S_IXOTH))
        log_write(LOG_WARN, "every user of this machine can read the store; chmod 600 or 640 changes that",
                  "file", path, NULL);
}

static enum status open_store(const struct settings *settings, struct arena *arena, struct store **ret_store,
                              struct error *err)
{
    if (!settings->data) return store_open_memory(ret_store, err);
    TRY(directory_make(settings->data, arena, err));
    const struct store_config config = {
        .path = settings->database ? settings->database : arena_printf(arena, "%s/pawl.db", settings->data).p,
        .create = true,
    };
    if (!settings->database) warn_of_readers(config.path, settings->data);
    TRY(store_open(&config, ret_store, err));
    if (store_left_open(*ret_store))
        log_write(LOG_WARN, "the engine was killed; it goes on from its last commit", NULL);
    return ST_OK;
}

/* ---- secrets ---- */

/* --secret NAME=FILE, once for each. */
static enum status give_files(struct vault *vault, const struct option_value *secrets, struct arena *arena,
                              struct error *err)
{
    for (size_t i = 0; i < secrets->list_count; i++) {
        str given = secrets->list[i];
        size_t equals = str_find(given, STR("="), 0);
        if (equals == SIZE_MAX || equals + 1 == given.n)
            return fail(err, ST_INVALID, "--secret", "--secret: \"%.*s\" is not NAME=FILE", STR_ARG(given));
        const char *file = arena_str(arena, str_slice(given, equals + 1, given.n)).p;
        TRY(vault_give_file(vault, VAULT_FILE, str_slice(given, 0, equals), file, err));
    }
    return ST_OK;
}

/* Without a directory of data the key lives in memory, as the store does. */
static enum status open_vault(const struct settings *settings, struct arena *arena, struct vault **ret_vault,
                              struct error *err)
{
    const char *key = settings->secrets_key, *credentials = getenv("CREDENTIALS_DIRECTORY");
    if (!key && settings->data) key = arena_printf(arena, "%s/pawl.db.key", settings->data).p;
    *ret_vault = vault_new(key);
    TRY(vault_read_key(*ret_vault, err));
    TRY(give_files(*ret_vault, settings->secrets, arena, err));
    if (credentials && *credentials)
        TRY(vault_give_directory(*ret_vault, credentials, settings->own_files, err));
    return vault_give_environment(*ret_vault, environ, err);
}

/* ---- on the loop ---- */

static void wake(void *context)
{
    struct serve *serve = context;
    net_wake(serve->waker);
}

static void deliver(void *context)
{
    struct serve *serve = context;
    runtime_deliver(serve->client);
    if (serve->worker) worker_deliver(serve->worker);
    if (serve->api) api_deliver(serve->api);
}

static void flush(void *context)
{
    struct serve *serve = context;
    runtime_flush(serve->client);
}

/* One of the servers has ended. */
static void stop(void *context)
{
    struct serve *serve = context;
    if (--serve->servers_open == 0) net_loop_stop(serve->loop);
}

static size_t count_connections(const void *context)
{
    const struct serve *serve = context;
    return http_server_connections(serve->server); /* Both servers count as one. */
}

static size_t count_turn_ms(const void *context)
{
    const struct serve *serve = context;
    return (size_t)runtime_ms_of_turn(serve->runtime);
}

static void on_signal(void *context)
{
    struct serve *serve = context;
    if (serve->signals++) {
        log_write(LOG_WARN, "stopped at once by a second signal", NULL);
        _exit(1);
    }
    log_write(LOG_INFO, "stopping", NULL);
    systemd_stopping();
    stopping_begin(STOP_SECONDS_MAX);
    stopping_suspect("a turn of the engine, for so many milliseconds", count_turn_ms, serve);
    stopping_wait_for("connections of clients", count_connections, serve);
    api_set_draining(serve->api);
    demo_stop(serve->demo);
    worker_drain(serve->worker);
    mqtt_engine_leave(serve->mqtt);
    poll_leave(serve->polling);
    runtime_flush(serve->client);
    runtime_drain(serve->runtime);
    http_server_drain(serve->server, DRAIN_GRACE_MS, stop, serve);
    if (serve->grpc_server) http_server_drain(serve->grpc_server, DRAIN_GRACE_MS, stop, serve);
}

/* A terminal that is closed hangs up, too, and whoever closed it wants an end. */
static void on_hangup(void *context)
{
    struct serve *serve = context;
    if (serve->has_terminal && !isatty(STDERR_FILENO)) on_signal(serve);
    else {
        systemd_reloading();
        reload_all(&serve->reload);
        systemd_ready("reloaded");
    }
}

/* A sign of life, twice as often as systemd wants one. An engine whose turn does not end gives none, and
 * is restarted. */
static void pet_watchdog(struct serve *serve)
{
    int64_t now_us = clock_monotonic_us(), every_us = serve->watchdog_us / 2;
    if (!serve->watchdog_us || now_us - serve->alive_us < every_us) return;
    if (runtime_ms_of_turn(serve->runtime) * 1000 > serve->watchdog_us) return;
    serve->alive_us = now_us;
    systemd_alive();
}

static void offer_page(void *context, str page)
{
    const struct serve *serve = context;
    pusher_offer(serve->pusher, page);
}

static void push_metrics(void *context)
{
    struct serve *serve = context;
    (void)api_gather_metrics(serve->api, offer_page, serve); /* Else the last page is still under way. */
}

static void check_health(void *context)
{
    struct serve *serve = context;
    log_flush(false);
    pet_watchdog(serve);
    disk_look(&serve->disk, clock_monotonic_us());
    compute_look(serve->compute);
    worker_deliver(serve->worker); /* Asks a runtime again that was busy. */
    if (!serve->signals) mqtt_engine_look(serve->mqtt);
    api_look(serve->api);
    if (runtime_healthy(serve->runtime) || serve->code) return;
    log_write(LOG_ERROR, "the store has failed; stopping, as only a restart can recover", NULL);
    serve->code = status_exit(ST_INTERNAL);
    demo_stop(serve->demo);
    net_loop_stop(serve->loop);
}

/* ---- beginning and end ---- */

/* Every connection is a file, and the usual limit of 1024 is for programs that use select(), which this one
 * does not. */
static void raise_file_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0)
        log_write(LOG_WARN, "the limit of open files cannot be raised", "reason", strerror(errno), NULL);
}

static void log_connections(const struct serve *serve, const struct settings *settings)
{
    char max[24], wanted[24];
    size_t connections = http_server_connections_max(serve->server);
    if (connections >= (size_t)settings->limits.connections_max) return;
    snprintf(max, sizeof max, "%zu", connections);
    snprintf(wanted, sizeof wanted, "%lld", (long long)settings->limits.connections_max);
    log_write(LOG_WARN, "the limit of open files allows fewer connections than connections_max",
              "#connections", max, "#connections_max", wanted, NULL);
}

/* The cause may be the address or a TLS file; the message says which. */
static enum status open_server(struct serve *serve, const struct http_server_config *config,
                               struct http_server **ret_server, struct error *err)
{
    struct error why;
    enum status status = http_server_open(serve->loop, config, ret_server, &why);
    if (status != ST_OK) return fail(err, status, why.where, "%s: %s", why.where, why.message);
    serve->servers_open++;
    return ST_OK;
}

/* Two servers share the API, the certificate and the memory of requests: one speaks all protocols, one only
 * that of gRPC. */
static enum status open_servers(struct serve *serve, const struct settings *settings, struct error *err)
{
    struct http_server_config config = {
        .host = settings->address.host,
        .port = settings->address.port,
        .tls_certificate = settings->tls_certificate,
        .tls_key = settings->tls_key,
        .tls_client_ca = settings->tls_client_ca,
        .limits = settings->limits,
        .answers = &serve->answers,
        .gate = api_gate,
        .handler = api_handle,
        .observer = api_observe,
        .refusal_headers = api_refusal_headers,
        .large_body = api_large_body,
        .context = serve->api,
    };
    TRY(open_server(serve, &config, &serve->server, err));
    if (!settings->grpc.host.p) return ST_OK;
    config.host = settings->grpc.host;
    config.port = settings->grpc.port;
    config.protocols = protocols_http2;
    config.beside = serve->server;
    return open_server(serve, &config, &serve->grpc_server, err);
}

/* The worker stops its performers one after the other. */
static void tell_performer(const char *performer)
{
    char what[64];
    snprintf(what, sizeof what, "jobs of the performer \"%s\"", performer);
    stopping_wait_for(what, NULL, NULL);
}

/* The engine's own worker, and a line for each performer that runs beside the engine. */
static void open_worker(struct serve *serve, const struct settings *settings)
{
    const struct worker_config worker = {
        .client = serve->client,
        .clock = clock_steady(&serve->worker_time),
        .wake = wake,
        .wake_context = serve,
        .vault = serve->vault,
        .stopping = tell_performer,
    };
    struct outcalls_config calls = outcalls_config_default();
    calls.reach = settings->reach;
    serve->worker = worker_new(&worker);
    http_performer_add(serve->worker, &calls);
    struct sql_config databases = sql_config_default();
    databases.reach = settings->reach;
    databases.own_directory = settings->data;
    databases.files = settings->files;
    sql_performer_add(serve->worker, &databases);
    struct mail_config mail = mail_config_default();
    mail.reach = settings->reach;
    mail.server = settings->smtp;
    mail.public_url = settings->access.public_url;
    mail_performer_add(serve->worker, &mail);
    serve->compute = compute_new(worker.clock);
    compute_set_wait(serve->compute, settings->compute_wait_ms);
    compute_performer_add(serve->worker, serve->compute, clock_now_ms(&worker.clock));
    serve->fetcher = fetch_new(&calls);
    serve->polling = poll_new(&(struct poll_config){
        .runtime = serve->runtime, .vault = serve->vault, .calls = calls, .databases = databases });
}

/* Brokers know the engine by its machine and its data, or by its database: another start of it, or another
 * node, gets what waits there. */
static void open_mqtt(struct serve *serve, const struct settings *settings, struct arena *arena)
{
    char host[256] = "", data[PATH_MAX];
    gethostname(host, sizeof host - 1);
    if (!settings->data || !realpath(settings->data, data)) snprintf(data, sizeof data, "%d", (int)getpid());
    const struct mqtt_engine_config mqtt = {
        .runtime = serve->runtime,
        .client = serve->client,
        .vault = serve->vault,
        .reach = settings->reach,
        .files = settings->files,
        .identity =
            settings->database ? str_of(settings->database) : arena_printf(arena, "%s:%s", host, data),
    };
    serve->mqtt = mqtt_engine_new(&mqtt);
}

static size_t view_brokers(void *context, struct arena *arena, struct api_broker **ret_broker)
{
    const struct serve *serve = context;
    struct mqtt *mqtt = mqtt_engine_mqtt(serve->mqtt);
    struct mqtt_view *view;
    size_t count = mqtt ? mqtt_brokers(mqtt, arena, &view) : 0;
    *ret_broker = arena_make_n(arena, struct api_broker, count);
    for (size_t i = 0; i < count; i++)
        (*ret_broker)[i] = (struct api_broker){ .reference = view[i].broker,
                                                .connected = view[i].connected,
                                                .why = view[i].why,
                                                .since_ms = view[i].since_ms,
                                                .messages = view[i].messages,
                                                .duplicates = view[i].duplicates,
                                                .too_large = view[i].too_large,
                                                .connects = view[i].connects };
    return count;
}

/* The store, the engine on it, and the access that counts from its first request on. */
static enum status open_engine(struct serve *serve, const struct settings *settings, struct arena *arena,
                               struct error *err)
{
    TRY(open_store(settings, arena, &serve->store, err));
    TRY(open_vault(settings, arena, &serve->vault, err));
    struct directory_config directory = settings->access.directory;
    directory.root_secret = settings->secret;
    directory.is_followed = settings->access.audit_file != NULL;
    serve->directory = directory_new(&directory);
    TRY(serve_nodes_open(serve->store, serve->vault, wake, serve, &serve->nodes, err));
    if (settings->trace.exports) serve->exporter = exporter_new(&settings->trace.exporter);
    const struct runtime_config runtime = {
        .store = serve->store,
        .clock = clock_steady(&serve->engine_time),
        .limits = settings->limits,
        .answers = &serve->answers,
        .retention = settings->retention,
        .vault = serve->vault,
        .directory = serve->directory,
        .lease_ms = settings->lease_ms,
        .compute_wait_ms = settings->compute_wait_ms,
        .advance_watcher = exporter_watcher(serve->exporter),
    };
    TRY(runtime_new(&runtime, &serve->runtime, err));
    if (serve->exporter) TRY(exporter_start(serve->exporter, serve->runtime, err));
    if (settings->trace.pushes) TRY(pusher_new(&settings->trace.pushing, &serve->pusher, err));
    serve->client = runtime_client_new(
        serve->runtime,
        &(struct runtime_client_config){ .gathers = true, .wake = wake, .wake_context = serve });
    if (settings->access.audit_file)
        TRY(serve_audit_start(settings->access.audit_file, store_is_shared(serve->store), serve->runtime,
                              serve->directory, &serve->audit, err));
    TRY(serve_access_apply(&settings->access, serve->client, arena, err));
    if (!directory_is_closed(serve->directory)) {
        TRY(check_reach(&settings->address, "--listen", err));
        TRY(check_reach(&settings->grpc, "--grpc", err));
    }
    return ST_OK;
}

static struct api_config api_config_of(struct serve *serve, const struct settings *settings)
{
    return (struct api_config){
        .loop = serve->loop,
        .runtime = serve->runtime,
        .client = serve->client,
        .limits = settings->limits,
        .answers = &serve->answers,
        .directory = serve->directory,
        .behind_tls = settings->access.behind_tls,
        .public_url = settings->access.public_url,
        .has_mail = settings->smtp.n > 0,
        .proxy = settings->access.proxies->list,
        .proxy_count = settings->access.proxies->list_count,
        .listen_host = settings->address.host,
        .host = settings->hosts->list,
        .host_count = settings->hosts->list_count,
        .origin = settings->origins->list,
        .origin_count = settings->origins->list_count,
        .version = PAWL_VERSION,
        .log_requests = settings->log_level == LOG_DEBUG,
        .hooks_at_root = settings->hooks_at_root,
        .mcp = settings->mcp,
        .context_path = str_equal(settings->context_path, STR("/api")) ? STR_NONE : settings->context_path,
        .brokers = view_brokers,
        .brokers_context = serve,
        .fetch = fetch_call,
        .fetch_context = serve->fetcher,
        .test = connection_test_start,
        .test_context = serve->worker,
        .plain_providers = settings->reach.all || settings->reach.network_count || settings->reach.host_count,
        .vault = serve->vault,
        .files = settings->files,
        .compute = serve->compute,
        .node_messages = serve->nodes.messages,
        .telemetry = settings->trace.resource,
        .trace_url = settings->trace.url,
        .telemetry_counters = serve->exporter ? exporter_counters(serve->exporter) : NULL,
        .push_counters = serve->pusher ? pusher_counters(serve->pusher) : NULL,
        .wake = wake,
        .wake_context = serve,
    };
}

static enum status open_all(struct serve *serve, const struct settings *settings, struct arena *arena,
                            struct error *err)
{
    raise_file_limit();
    serve->answers.max = settings->limits.answers_bytes_max;
    serve->loop = net_loop_new();
    serve->waker = net_waker_new(serve->loop, deliver, serve);
    if (!clock_is_sane())
        return fail(err, ST_INVALID, "clock",
                    "this machine's clock is not between 1970 and 9999; set it first");
    TRY(open_engine(serve, settings, arena, err));
    open_worker(serve, settings);
    open_mqtt(serve, settings, arena);
    const struct api_config api = api_config_of(serve, settings);
    serve->api = api_new(&api);
    TRY(open_servers(serve, settings, err));
    api_set_server(serve->api, serve->server);
    log_connections(serve, settings);
    serve->reload = (struct reload){ .token_file = settings->token_file,
                                     .keeps_token = settings->demo,
                                     .tls_certificate = settings->tls_certificate,
                                     .tls_key = settings->tls_key,
                                     .log_file = settings->log_file,
                                     .api = serve->api,
                                     .server = serve->server,
                                     .grpc_server = serve->grpc_server };
    net_on_signal(serve->loop, on_signal, serve);
    net_on_hangup(serve->loop, on_hangup, serve);
    net_every(serve->loop, HEALTH_CHECK_MS, check_health, serve);
    if (serve->pusher) net_every(serve->loop, settings->trace.push_every_ms, push_metrics, serve);
    net_each_round(serve->loop, flush, serve);
    return ST_OK;
}

/* Connections whose clients had not read or sent everything when the time for it was over. */
static void log_cut_off(const struct serve *serve)
{
    char count[24];
    size_t cut_off = serve->server ? http_server_cut_off(serve->server) : 0;
    if (serve->grpc_server) cut_off += http_server_cut_off(serve->grpc_server);
    if (!cut_off) return;
    snprintf(count, sizeof count, "%zu", cut_off);
    log_write(LOG_WARN, "connections were cut off whose requests had not come to an end", "#connections",
              count, NULL);
}

static size_t count_calls(const void *context)
{
    const struct serve *serve = context;
    return runtime_client_unfinished(serve->client);
}

/* Parts that ask others, and answer none of our clients. */
static void stop_outgoing(struct serve *serve)
{
    stopping_wait_for("the jobs of the demonstration", NULL, NULL);
    demo_free(serve->demo);
    if (serve->worker) worker_stop(serve->worker);
    stopping_wait_for("links to MQTT brokers", NULL, NULL);
    mqtt_engine_stop(serve->mqtt);
    stopping_wait_for("sources that triggers poll", NULL, NULL);
    poll_free(serve->polling);
    stopping_wait_for("providers of tokens", NULL, NULL);
    fetch_stop(serve->fetcher);
}

/* The runtime's client is freed before the parts whose requests the runtime answers, because it delivers the
 * last answers. */
static void stop_runtime(struct serve *serve)
{
    stopping_wait_for("calls at the runtime", count_calls, serve);
    runtime_client_free(serve->client);
    stopping_wait_for("the file of the audit, and spans on their way to a collector", NULL, NULL);
    serve_audit_stop(serve->audit);
    exporter_stop(serve->exporter);
    pusher_stop(serve->pusher);
    stopping_wait_for("threads of the runtime", NULL, NULL);
    stopping_suspect(NULL, NULL, NULL);
    runtime_free(serve->runtime);
    exporter_free(serve->exporter);
    worker_free(serve->worker);
    mqtt_engine_free(serve->mqtt);
}

static void stop_api(struct serve *serve)
{
    stopping_wait_for("requests and test runs of the API", NULL, NULL);
    api_part(serve->api);
    http_server_free(serve->grpc_server);
    http_server_free(serve->server);
    api_free(serve->api);
    pusher_free(serve->pusher);
    fetch_free(serve->fetcher);
    compute_free(serve->compute);
    stopping_wait_for("messages between nodes", NULL, NULL);
    node_messages_close(serve->nodes.messages);
    net_loop_free(serve->loop);
}

/* All connections are closed by now. */
static void close_all(struct serve *serve)
{
    log_cut_off(serve);
    if (serve->runtime) runtime_leave(serve->runtime);
    stop_outgoing(serve);
    stop_runtime(serve);
    stop_api(serve);
    stopping_wait_for("the store", NULL, NULL);
    if (serve->store) store_close(serve->store);
    proof_keys_free(serve->nodes.proofs);
    vault_free(serve->vault);
    directory_free(serve->directory);
    stopping_done();
}

static enum status announce(struct serve *serve, const struct settings *settings, struct arena *arena,
                            struct error *err)
{
    unsigned port = http_server_port(serve->server);
    str host = address_url_host(settings->address.host, false, arena);
    str grpc = STR_NONE, reachable = address_url_host(settings->address.host, true, arena);
    str url = arena_printf(arena, "http%s://%.*s:%u", settings->tls_certificate ? "s" : "",
                           STR_ARG(reachable), port);
    TRY(serve_access_tell(&settings->access, serve->api, serve->directory, url, settings->data, arena, err));
    if (serve->grpc_server)
        grpc = arena_printf(arena, "%.*s:%u", STR_ARG(address_url_host(settings->grpc.host, false, arena)),
                            (unsigned)http_server_port(serve->grpc_server));
    const char *data = settings->database ? "PostgreSQL" : settings->data ? settings->data : "memory";
    str bound =
        arena_printf(arena, "http%s://%.*s:%u", settings->tls_certificate ? "s" : "", STR_ARG(host), port);
    if (settings->log_all_json)
        log_write(LOG_INFO, "listening", "version", PAWL_VERSION, "url", bound.p, "data", data,
                  grpc.n ? "grpc" : NULL, grpc.p, NULL);
    else
        printf("pawl %s listening on %.*s (%s%.*s%sdata in %s)\n", PAWL_VERSION, STR_ARG(bound),
               grpc.n ? "gRPC on " : "", STR_ARG(grpc), grpc.n ? ", " : "", data);
    fflush(stdout);
    systemd_ready(arena_printf(arena, "listening on %.*s", STR_ARG(bound)).p);
    serve->watchdog_us = systemd_watchdog_us();
    serve->disk.path = settings->database ? NULL : settings->data;
    if (!settings->demo) return ST_OK;
    return demo_start(url, settings->secret, &serve->demo, err);
}

static void seed_maps(void)
{
    uint64_t seed;
    must(getrandom(&seed, sizeof seed, 0) == sizeof seed);
    text_map_seed(seed);
}

int verb_serve(const struct options *options)
{
    struct serve serve = { .has_terminal = isatty(STDERR_FILENO) };
    struct settings settings;
    struct error err;

    seed_maps();
    /* A SIGHUP during the start does not end the engine. The start reads the files anyway. */
    if (!serve.has_terminal) signal(SIGHUP, SIG_IGN);
    if (read_settings(options, &settings, &err) != ST_OK) return output_fail(&err);
    enum status status = open_all(&serve, &settings, options->arena, &err);
    if (status == ST_OK) status = announce(&serve, &settings, options->arena, &err);
    if (status == ST_OK) net_loop_run(serve.loop);
    else serve.code = output_fail(&err);
    close_all(&serve);
    if (serve.signals) log_write(LOG_INFO, "stopped", NULL);
    log_flush(true);
    return serve.code;
}
