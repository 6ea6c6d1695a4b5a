/* perform/sql/postgres_connect.c — a connection to the server that a URI names.
 *
 * The host is resolved here, each address is judged, and libpq is given those that may be reached (hostaddr).
 * It keeps the name as well, for TLS, but does not resolve it again.
 */
#include "perform/sql/postgres_int.h"

#include "base/must.h"
#include "perform/aside.h"
#include "perform/limits.h"
#include "perform/outcall.h"
#include "vault/vault.h"

#include <netdb.h>
#include <poll.h>

enum { OPTIONS = 64 }; /* More than libpq knows, and ours. */

/* The settings for libpq: names and values, and a NULL at the end. */
struct told {
    const char *name[OPTIONS], *value[OPTIONS];
    size_t count;
};

static void tell(struct told *told, const char *name, const char *value)
{
    must(told->count < OPTIONS - 1);
    told->name[told->count] = name;
    told->value[told->count++] = value;
}

static const char *option(const PQconninfoOption *options, const char *name)
{
    for (; options->keyword; options++)
        if (strcmp(options->keyword, name) == 0 && options->val && *options->val) return options->val;
    return NULL;
}

/* ---- addresses ---- */

static enum sql_end refuse_address(struct sql_job *job, const char *host, const char *network)
{
    return sql_fail_code(job, SQL_ERROR_ADDRESS, REASON_ADDRESS_REFUSED,
                         "%s is in a network that may not be reached (%s) without --allow-private-calls",
                         host, network);
}

static enum sql_end fail_name(struct sql_job *job, const char *host)
{
    return sql_fail_code(job, SQL_ERROR_HOST_NOT_FOUND, REASON_NAME_NOT_FOUND, "no address was found for %s",
                         host);
}

/* Tells libpq the addresses of the list that may be reached. `asked` is what they were found for: a host's
 * name does not vouch for another address that the URI gives it. */
static enum sql_end tell_addresses(struct sql_job *job, const char *host, const char *asked,
                                   const struct addrinfo *list, struct told *told)
{
    struct arena *arena = job->job->arena;
    struct buf names, addresses;
    const char *refused = NULL;
    size_t count = 0;
    buf_init(&names, arena);
    buf_init(&addresses, arena);
    for (; list && count < SQL_ADDRESSES_MAX; list = list->ai_next) {
        char text[NI_MAXHOST];
        const char *network = reach_refusal(&job->config->reach, str_of(asked), list->ai_addr);
        if (network) refused = network;
        if (network ||
            getnameinfo(list->ai_addr, list->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST))
            continue;
        buf_printf(&names, "%s%s", count ? "," : "", host);
        buf_printf(&addresses, "%s%s", count ? "," : "", text);
        count++;
    }
    if (!count && refused) return refuse_address(job, host, refused);
    if (!count) return fail_name(job, host);
    tell(told, "host", arena_str(arena, buf_str(&names)).p);
    tell(told, "hostaddr", arena_str(arena, buf_str(&addresses)).p);
    return SQL_DONE;
}

static enum sql_end tell_host(struct sql_job *job, const PQconninfoOption *options, struct told *told)
{
    struct arena *arena = job->job->arena;
    const char *host = option(options, "host"), *address = option(options, "hostaddr");
    if (!host && !address) return sql_fail(job, SQL_ERROR_CONNECTION_REF, "the database's URI names no host");
    host = arena_str(arena, str_of(host ? host : address)).p;
    address = address ? arena_str(arena, str_of(address)).p : host;
    if (strchr(host, ',') || strchr(address, ','))
        return sql_fail(job, SQL_ERROR_CONNECTION_REF, "the database's URI names more than one host");
    if (address[0] == '/' || address[0] == '@') {
        if (!job->config->reach.all) return refuse_address(job, host, "a local socket");
        tell(told, "host", host);
        return SQL_DONE;
    }
    struct addrinfo *list;
    int code = aside_resolve(address, job->leave->fd, sql_job_left_ms(job), &list);
    if (atomic_load(&job->leave->now)) {
        if (code == 0) freeaddrinfo(list);
        return SQL_LEFT;
    }
    if (code == EAI_AGAIN)
        return sql_fail_code(job, SQL_ERROR_CONNECTION, REASON_NAME_NOT_RESOLVED,
                             "%s could not be resolved now", host);
    if (code != 0) return fail_name(job, host);
    enum sql_end end = tell_addresses(job, host, address, list, told);
    freeaddrinfo(list);
    return end;
}

/* ---- options ---- */

static bool is_one_of(const char *keyword, const char *const *list)
{
    while (*list && strcmp(*list, keyword) != 0) list++;
    return *list != NULL;
}

/* libpq would open any file, wait for a pipe, and say what it has found. */
static enum sql_end check_file(struct sql_job *job, const PQconninfoOption *option, const char **ret_value)
{
    static const char *const certificates[] = { "sslrootcert", "sslcert", "sslkey", "sslcrl", NULL };
    static const char *const others[] = { "passfile", "service", "sslcrldir", NULL };
    struct error err;
    str text;
    *ret_value = option->val;
    if (is_one_of(option->keyword, others))
        return sql_fail(job, SQL_ERROR_CONNECTION_REF, "the database's URI may not name a %s",
                        option->keyword);
    if (!is_one_of(option->keyword, certificates) || strcmp(option->val, "system") == 0) return SQL_DONE;
    if (vault_named_file(job->config->files, option->val, job->job->arena, ret_value, &text, &err) == ST_OK)
        return SQL_DONE;
    return sql_fail(job, SQL_ERROR_CONNECTION_REF, "%s of the database's URI cannot be used: %s",
                    option->keyword, err.message);
}

/* Passes on what the URI says, except for what is decided here. */
static enum sql_end tell_options(struct sql_job *job, const PQconninfoOption *options, struct told *told)
{
    static const char *const ours[] = { "host", "hostaddr", "client_encoding", "connect_timeout" };
    for (; options->keyword; options++) {
        bool own = !options->val;
        for (size_t i = 0; i < COUNT(ours) && !own; i++) own = strcmp(options->keyword, ours[i]) == 0;
        const char *value = options->val;
        if (own) continue;
        enum sql_end end = *value ? check_file(job, options, &value) : SQL_DONE;
        if (end != SQL_DONE) return end;
        tell(told, arena_str(job->job->arena, str_of(options->keyword)).p,
             arena_str(job->job->arena, str_of(value)).p);
    }
    tell(told, "client_encoding", "UTF8");
    tell(told, "fallback_application_name", "pawl");
    return SQL_DONE;
}

static enum sql_end read_uri(str uri, struct sql_job *job, struct told *told)
{
    char *why = NULL;
    PQconninfoOption *options = libpq.conninfoParse(arena_str(job->job->arena, uri).p, &why);
    if (why) libpq.freemem(why); /* It may quote the password. */
    if (!options)
        return sql_fail(job, SQL_ERROR_CONNECTION_REF, "the database's text is not a URI that libpq takes");
    enum sql_end end = tell_host(job, options, told);
    if (end == SQL_DONE) end = tell_options(job, options, told);
    /* Else libpq would look for Kerberos tickets first. */
    if (end == SQL_DONE && !option(options, "gssencmode")) tell(told, "gssencmode", "disable");
    libpq.conninfoFree(options);
    return end;
}

/* ---- connecting ---- */

static void ignore_notice(void *context, const char *message)
{
    (void)context;
    (void)message;
}

static enum sql_end await_connection(PGconn *connection, struct sql_job *job)
{
    PostgresPollingStatusType wants = PGRES_POLLING_WRITING;
    while (wants != PGRES_POLLING_OK) {
        struct pollfd fds[] = {
            { .fd = libpq.socket(connection), .events = wants == PGRES_POLLING_READING ? POLLIN : POLLOUT },
            { .fd = job->leave->fd, .events = POLLIN },
        };
        int64_t left_ms = sql_job_left_ms(job);
        if (wants == PGRES_POLLING_FAILED) return postgres_fail_connect(job, connection);
        if (atomic_load(&job->leave->now)) return SQL_LEFT;
        if (!left_ms)
            return sql_fail_code(job, SQL_ERROR_TIMEOUT, REASON_CONNECTION_LATE, "no connection in time");
        poll(fds, 2, (int)left_ms);
        if (fds[0].revents) wants = libpq.connectPoll(connection);
    }
    return SQL_DONE;
}

enum sql_end postgres_connect(str uri, struct sql_job *job, PGconn **ret_connection)
{
    struct told told = { .count = 0 };
    struct error err;
    if (libpq_load(&err) != ST_OK) return sql_fail(job, SQL_ERROR_LIBRARY, "%s", err.message);
    enum sql_end end = read_uri(uri, job, &told);
    if (end != SQL_DONE) return end;
    PGconn *connection = libpq.connectStartParams(told.name, told.value, 0);
    must(connection);
    libpq.setErrorVerbosity(connection, PQERRORS_VERBOSE);
    libpq.setNoticeProcessor(connection, ignore_notice, NULL);
    end = libpq.status(connection) == CONNECTION_BAD ? postgres_fail_connect(job, connection)
                                                     : await_connection(connection, job);
    if (end == SQL_DONE && libpq.setnonblocking(connection, 1) != 0)
        end = sql_fail(job, SQL_ERROR_CONNECTION, "the connection cannot be used");
    if (end == SQL_DONE) *ret_connection = connection;
    else libpq.finish(connection);
    return end;
}
