/* net/server.c — listening, accepting, watching the clock, and stopping.
 *
 * Deadlines are numbers in the connections; one timer sweeps over all of them a few times
 * per shortest timeout and only while there are connections. Setting a deadline is then a
 * store, and no request pays for a timer.
 */
#include "net/protocol_int.h"

#include "base/must.h"

#include <malloc.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum {
    BACKLOG = 1024,
    SWEEP_MS_MIN = 5,
    SWEEPS_PER_TIMEOUT = 8,
    BUSY_WRITE_MS = 5000,            /* While answers fill their budget, slower clients are cut off, */
    BUSY_BYTES_MIN = 64 << 10,       /* if that frees this much. */
    DESCRIPTORS_RESERVED = 256,      /* For the store, calls to functions, connections that are refused. */
    GIVEN_BACK_BYTES_MIN = 16 << 20, /* Less is not worth to be given back to the system, */
    GIVEN_BACK_MS = 5000,            /* and not more often than this. */
};

uint16_t http_server_port(const struct http_server *server) { return server->port; }

size_t http_server_connections(const struct http_server *server) { return server->account->connection_count; }

size_t http_server_connections_max(const struct http_server *server)
{
    return server->account->connections_max;
}

struct http_holdings http_server_holdings(const struct http_server *server)
{
    const struct http_account *account = server->account;
    return (struct http_holdings){ account->stranger_count, account->stranger_bytes, account->known_bytes };
}

size_t http_server_cut_off(const struct http_server *server) { return server->cut_off_count; }

/* ---- the clock ---- */

/* Whether the client does not read its answers while others cannot get theirs. */
static bool is_in_the_way(const struct connection *connection, int64_t now)
{
    struct http_server *server = connection->server;
    if (!connection->write_deadline || connection->answer_bytes < BUSY_BYTES_MIN ||
        !budget_over(server->config.answers))
        return false;
    return connection->write_deadline - server->config.limits.write_timeout_ms + BUSY_WRITE_MS <= now;
}

/* The allocator keeps what a flood has left. It takes about a millisecond for each 10 MiB that it gives back.
 * True: there is nothing more to give. */
static bool give_back(struct http_server *server, int64_t now)
{
    struct http_account *account = server->account;
    int64_t held = account->known_bytes + account->stranger_bytes;
    if (account->peak_bytes - held < GIVEN_BACK_BYTES_MIN) return true;
    if (now - server->given_back_ms < GIVEN_BACK_MS) return false;
    server->given_back_ms = now;
    account->peak_bytes = held;
    exchange_free_pool(server);
#ifdef __GLIBC__ /* musl gives memory back by itself. */
    malloc_trim(0);
#endif
    return true;
}

static void on_sweep(uv_timer_t *timer)
{
    struct http_server *server = timer->data;
    int64_t now = server_now(server);
    account_look(server->account, now);
    for (struct connection *connection = server->connections, *next; connection; connection = next) {
        next = connection->after;
        if (connection->state == CONNECTION_CLOSED) continue;
        if (connection->write_deadline && connection->write_deadline <= now) connection_close(connection);
        else if (is_in_the_way(connection, now)) connection_close(connection);
        else if (connection->read_deadline && connection->read_deadline <= now)
            connection_timed_out(connection);
        else {
            if (connection->protocol->look) connection->protocol->look(connection);
            connection_look_for_end(connection);
        }
    }
    if (give_back(server, now) && !server->connections) uv_timer_stop(timer);
}

static uint64_t sweep_ms(const struct limits *limits)
{
    const int64_t timeouts[] = { limits->header_timeout_ms, limits->body_timeout_ms, limits->idle_timeout_ms,
                                 limits->write_timeout_ms };
    int64_t ms = SWEEP_MS_MAX;
    for (size_t i = 0; i < COUNT(timeouts); i++)
        if (timeouts[i] / SWEEPS_PER_TIMEOUT < ms) ms = timeouts[i] / SWEEPS_PER_TIMEOUT;
    return (uint64_t)(ms < SWEEP_MS_MIN ? SWEEP_MS_MIN : ms);
}

/* Lets in the connections that had to wait. libuv looks for more of them then. */
static void accept_waiting(struct http_server *server)
{
    for (size_t i = 0; i < server->listener_count; i++) {
        uv_stream_t *listener = (uv_stream_t *)&server->listener[i];
        if (!server->accept_waits[i]) continue;
        server->accept_waits[i] = false;
        if (!uv_is_closing((uv_handle_t *)listener) && pace_may_accept(server))
            connection_open(server, listener, server->first_protocol);
    }
}

/* Answers given from timers leave before the loop waits, those given from sockets and
 * wakers right behind them. */
static void on_prepare(uv_prepare_t *prepare)
{
    local_hand_over(prepare->data);
    connection_give_turns(prepare->data);
    accept_waiting(prepare->data);
    connection_flush_dirty(prepare->data);
}

static void on_check(uv_check_t *check) { connection_flush_dirty(check->data); }

/* ---- stopping ---- */

static void finish_if_closed(struct http_server *server)
{
    if (!server->closing || server->closed || server->handles_open || server->connections) return;
    server->closed = true;
    net_remove_stop_hook(server->loop, &server->stop_hook);
    if (server->drained) server->drained(server->drained_context);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct http_server *server = handle->data;
    server->handles_open--;
    finish_if_closed(server);
}

static void close_handle(uv_handle_t *handle)
{
    if (!uv_is_closing(handle)) uv_close(handle, on_handle_closed);
}

static void stop_listening(struct http_server *server)
{
    for (size_t i = 0; i < server->listener_count; i++) close_handle((uv_handle_t *)&server->listener[i]);
}

static void close_all(void *context)
{
    struct http_server *server = context;
    if (server->closing) return;
    server->closing = true;
    stop_listening(server);
    close_handle((uv_handle_t *)&server->sweep);
    close_handle((uv_handle_t *)&server->grace);
    close_handle((uv_handle_t *)&server->alarm);
    close_handle((uv_handle_t *)&server->prepare);
    close_handle((uv_handle_t *)&server->check);
    close_handle((uv_handle_t *)&server->busy);
    for (struct connection *connection = server->connections; connection; connection = connection->after)
        connection_close(connection);
}

static void on_connection_closed(struct http_server *server)
{
    if (server->draining && !server->connections) close_all(server);
    finish_if_closed(server);
}

static void on_grace_over(uv_timer_t *timer)
{
    struct http_server *server = timer->data;
    server->cut_off_count = server->connection_count;
    close_all(server);
}

void http_server_drain(struct http_server *server, int64_t grace_ms, net_fn *done, void *context)
{
    must(!server->draining && !server->closed);
    server->draining = true;
    server->drained = done;
    server->drained_context = context;
    stop_listening(server);
    if (!server->closing) uv_timer_start(&server->grace, on_grace_over, (uint64_t)grace_ms, 0);
    for (struct connection *connection = server->connections; connection; connection = connection->after)
        connection_drain(connection);
    if (!server->connections) close_all(server);
}

void http_server_free(struct http_server *server)
{
    if (!server) return;
    if (!server->closed) close_all(server);
    while (!server->closed) uv_run(net_loop_uv(server->loop), UV_RUN_NOWAIT);
    exchange_free_all(server);
    if (server->account == &server->own_account) account_done(server->account);
    alarm_done(server);
    tls_context_free(server->tls);
    free(server->read_bytes);
    free(server);
}

enum status http_server_reload_tls(struct http_server *server, struct error *err)
{
    const struct http_server_config *config = &server->config;
    must(server->tls);
    const struct tls_files files = { config->tls_certificate, config->tls_key, config->tls_client_ca };
    return tls_context_reload(server->tls, &files, err);
}

/* ---- starting ---- */

static void on_connection(uv_stream_t *listener, int status)
{
    struct http_server *server = listener->data;
    if (status < 0) return;
    if (!server->connections) {
        uint64_t ms = sweep_ms(&server->config.limits);
        uv_timer_start(&server->sweep, on_sweep, ms, ms);
    }
    /* Connections that came earlier are read before too many others are let in. */
    if (pace_may_accept(server)) connection_open(server, listener, server->first_protocol);
    else server->accept_waits[(uv_tcp_t *)listener - server->listener] = true;
}

static int listen_at(struct http_server *server, const struct sockaddr *address)
{
    uv_tcp_t *listener = &server->listener[server->listener_count];
    int code = uv_tcp_init(net_loop_uv(server->loop), listener);
    if (code < 0) return code;
    listener->data = server;
    server->listener_count++;
    server->handles_open++;
    if ((code = uv_tcp_bind(listener, address, 0)) < 0) return code;
    if ((code = uv_listen((uv_stream_t *)listener, BACKLOG, on_connection)) < 0) return code;

    struct sockaddr_storage bound;
    int bytes = sizeof bound;
    if ((code = uv_tcp_getsockname(listener, (struct sockaddr *)&bound, &bytes)) < 0) return code;
    server->port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                                     : ((struct sockaddr_in *)&bound)->sin_port);
    return 0;
}

static void set_port(struct sockaddr *address, uint16_t port)
{
    if (address->sa_family == AF_INET6) ((struct sockaddr_in6 *)address)->sin6_port = htons(port);
    else ((struct sockaddr_in *)address)->sin_port = htons(port);
}

/* A name may stand for several addresses (localhost: ::1 and 127.0.0.1). All of them are
 * used, with the same port; those that this machine does not have are left out. */
static int listen_at_all(struct http_server *server, struct addrinfo *list)
{
    int code = UV_EADDRNOTAVAIL;
    size_t listening = 0;
    for (struct addrinfo *info = list; info && server->listener_count < LISTENERS_MAX; info = info->ai_next) {
        if (info->ai_family != AF_INET && info->ai_family != AF_INET6) continue;
        set_port(info->ai_addr, listening ? server->port : server->config.port);
        int one = listen_at(server, info->ai_addr);
        if (one == 0) listening++;
        else code = one;
        if (one < 0 && one != UV_EADDRNOTAVAIL && one != UV_EAFNOSUPPORT) return one;
    }
    return listening ? 0 : code;
}

static enum status start_listening(struct http_server *server, struct error *err)
{
    str host = server->config.host;
    char name[256], where[288];
    if (host.n >= 2 && host.p[0] == '[' && host.p[host.n - 1] == ']') host = str_slice(host, 1, host.n - 1);
    if (host.n >= sizeof name || memchr(host.p ? host.p : "", '\0', host.n))
        return fail(err, ST_INVALID, "host", "not a host name or an address");
    snprintf(name, sizeof name, "%.*s", STR_ARG(host));
    snprintf(where, sizeof where, strchr(name, ':') ? "[%s]:%u" : "%s:%u", name, server->config.port);

    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
    struct addrinfo *list;
    int problem = getaddrinfo(host.n ? name : NULL, "0", &hints, &list);
    if (problem) return fail(err, ST_INVALID, where, "%s", gai_strerror(problem));
    int code = listen_at_all(server, list);
    freeaddrinfo(list);
    if (code == UV_EADDRINUSE)
        return fail(err, ST_CONFLICT, where,
                    "address already in use; perhaps an engine runs there already, else choose another port");
    if (code < 0) return fail(err, ST_INVALID, where, "%s", uv_strerror(code));
    return ST_OK;
}

static void start_handles(struct http_server *server)
{
    uv_loop_t *uv = net_loop_uv(server->loop);
    must(uv_timer_init(uv, &server->sweep) == 0);
    must(uv_timer_init(uv, &server->grace) == 0);
    must(uv_timer_init(uv, &server->alarm) == 0);
    must(uv_prepare_init(uv, &server->prepare) == 0);
    must(uv_check_init(uv, &server->check) == 0);
    must(uv_idle_init(uv, &server->busy) == 0);
    server->handles_open = 6;
    server->sweep.data = server->grace.data = server->alarm.data = server;
    server->prepare.data = server->check.data = server->busy.data = server;
    uv_prepare_start(&server->prepare, on_prepare);
    uv_check_start(&server->check, on_check);
}

/* Every connection is a file. Without this, the last ones would fail in accept() instead of getting 503. */
static size_t connections_max(const struct limits *limits)
{
    struct rlimit files;
    size_t max = (size_t)limits->connections_max;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return max;
    size_t reserved =
        files.rlim_cur > 2 * DESCRIPTORS_RESERVED ? DESCRIPTORS_RESERVED : (size_t)files.rlim_cur / 2;
    size_t room = (size_t)files.rlim_cur - reserved;
    return max < room ? max : room;
}

enum status http_server_open(struct net_loop *loop, const struct http_server_config *config,
                             struct http_server **ret_server, struct error *err)
{
    struct http_server *server = calloc(1, sizeof *server);
    must(server && config->handler);
    server->loop = loop;
    server->config = *config;
    server->account = config->beside ? config->beside->account : &server->own_account;
    if (!config->beside)
        account_init(server->account, &server->config.limits, connections_max(&config->limits),
                     connection_close);
    server->on_connection_closed = on_connection_closed;
    server->protocols = config->protocols ? config->protocols : protocols_all;
    must(server->protocols[0]);
    /* A single protocol need not be chosen. */
    server->first_protocol = server->protocols[1] ? &choose_protocol : server->protocols[0];
    server->read_bytes = malloc(READ_BYTES);
    must(server->read_bytes);
    server->stop_hook = (struct net_stop_hook){ .fn = close_all, .context = server };
    net_add_stop_hook(loop, &server->stop_hook);
    start_handles(server);

    enum status status = ST_OK;
    const struct tls_files files = { config->tls_certificate, config->tls_key, config->tls_client_ca };
    if (config->tls_certificate) status = tls_context_new(&files, server->protocols, &server->tls, err);
    if (status == ST_OK) status = start_listening(server, err);
    if (status != ST_OK) {
        http_server_free(server);
        return status;
    }
    *ret_server = server;
    return ST_OK;
}
