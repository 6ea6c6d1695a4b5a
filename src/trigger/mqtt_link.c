/* trigger/mqtt_link.c — one connection to a broker, as libmosquitto sees it.
 *
 * libmosquitto is told that other threads drive it (threaded_set()), although none does. Then everything it
 * has to send, acknowledgements too, waits in its queue until loop_write(). That is all the control over
 * acknowledgements that its version 2.0 gives, and it is enough: we read a batch, commit it, and write.
 */
#include "trigger/mqtt_int.h"

#include "base/array.h"
#include "base/must.h"
#include "perform/aside.h"
#include "perform/outcall.h"
#include "trigger/libmosquitto.h"
#include "trigger/limits.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECT_MS = 10 * 1000, WRITE_MS = 5 * 1000, GOODBYE_MS = 500 };

/* ---- callbacks of libmosquitto ---- */

static void on_connect(struct mosquitto *handle, void *context, int code, int flags,
                       const mosquitto_property *properties)
{
    struct mqtt_link *link = context;
    (void)handle;
    (void)properties;
    link->accepted = code == 0;
    link->refused_code = code;
    link->session_present = flags & 1;
}

static void on_disconnect(struct mosquitto *handle, void *context, int code,
                          const mosquitto_property *properties)
{
    struct mqtt_link *link = context;
    (void)handle;
    (void)properties;
    link->lost_code = code;
}

static void on_subscribe(struct mosquitto *handle, void *context, int request, int count, const int *granted,
                         const mosquitto_property *properties)
{
    struct mqtt_link *link = context;
    (void)handle;
    (void)properties;
    if (count && granted[0] >= 128) link->denied_request = request;
}

static const uint32_t *read_numbers(const mosquitto_property *properties, struct arena *arena,
                                    size_t *ret_count)
{
    uint32_t value, *number = NULL;
    size_t count = 0, cap = 0;
    bool more = false;
    while ((properties = libmosquitto.property_read_varint(properties, MQTT_PROP_SUBSCRIPTION_IDENTIFIER,
                                                           &value, more)) != NULL) {
        array_reserve_in(arena, number, count, cap);
        number[count++] = value;
        more = true;
    }
    *ret_count = count;
    return number;
}

static void on_message(struct mosquitto *handle, void *context, const struct mosquitto_message *message,
                       const mosquitto_property *properties)
{
    struct mqtt_batch *batch = &((struct mqtt_link *)context)->batch;
    struct arena *arena = &batch->arena;
    str payload = { message->payload, message->payloadlen > 0 ? (size_t)message->payloadlen : 0 };
    (void)handle;
    array_reserve_in(arena, batch->message, batch->count, batch->cap);
    struct mqtt_message *added = &batch->message[batch->count++];
    *added = (struct mqtt_message){
        .topic = arena_str(arena, str_of(message->topic)),
        .payload = payload.n > MQTT_PAYLOAD_BYTES_MAX ? (str){ NULL, payload.n } : arena_str(arena, payload),
        .qos = (uint8_t)message->qos,
        .retained = message->retain,
        .packet = (uint16_t)message->mid,
    };
    added->number = read_numbers(properties, arena, &added->number_count);
    batch->bytes += payload.n;
}

/* ---- where the broker is ---- */

static enum status refuse_address(const char *host, const char *network, struct error *err)
{
    return fail(err, ST_FORBIDDEN, "host",
                "%s is in a network that may not be reached (%s) without --allow-private-calls", host,
                network);
}

/* Connects to an address for a moment. libmosquitto connects without an end to its patience, and nobody can
 * break it off, so it is asked only when somebody listens. */
static bool is_open(const struct addrinfo *address, int port, int leave_fd, int *ret_errno)
{
    struct sockaddr_storage to = { 0 };
    memcpy(&to, address->ai_addr, address->ai_addrlen);
    if (to.ss_family == AF_INET) ((struct sockaddr_in *)&to)->sin_port = htons((uint16_t)port);
    else ((struct sockaddr_in6 *)&to)->sin6_port = htons((uint16_t)port);
    int fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        *ret_errno = errno;
        return false;
    }
    *ret_errno = connect(fd, (struct sockaddr *)&to, address->ai_addrlen) == 0 ? 0 : errno;
    if (*ret_errno == EINPROGRESS) {
        struct pollfd fds[] = { { .fd = fd, .events = POLLOUT }, { .fd = leave_fd, .events = POLLIN } };
        socklen_t n = sizeof *ret_errno;
        *ret_errno = ETIMEDOUT;
        if (poll(fds, 2, CONNECT_MS) > 0 && fds[0].revents)
            getsockopt(fd, SOL_SOCKET, SO_ERROR, ret_errno, &n);
    }
    close(fd);
    return *ret_errno == 0;
}

static enum status check_host(const struct mqtt_settings *settings, const struct call_reach *reach,
                              int leave_fd, struct error *err)
{
    struct addrinfo *list;
    int code = aside_resolve(settings->host, leave_fd, CONNECT_MS, &list), reason = ECONNREFUSED;
    if (code != 0)
        return fail(err, ST_STORE, "host", "no address was found for %s%s", settings->host,
                    code == EAI_AGAIN ? " for now" : "");
    const char *network = NULL;
    bool open = false;
    for (const struct addrinfo *at = list; at && !network; at = at->ai_next)
        network = reach_refusal(reach, str_of(settings->host), at->ai_addr);
    for (const struct addrinfo *at = list; at && !network && !open; at = at->ai_next)
        open = is_open(at, settings->port, leave_fd, &reason);
    freeaddrinfo(list);
    if (network) return refuse_address(settings->host, network, err);
    if (open) return ST_OK;
    return fail(err, ST_STORE, "host", "no connection to %s:%d: %s", settings->host, settings->port,
                strerror(reason));
}

/* A name may resolve to another address the second time. Nothing was sent yet. */
static enum status check_peer(const struct mqtt_link *link, const struct mqtt_settings *settings,
                              const struct call_reach *reach, struct error *err)
{
    struct sockaddr_storage peer;
    socklen_t n = sizeof peer;
    if (reach->all) return ST_OK;
    if (getpeername(libmosquitto.socket(link->handle), (struct sockaddr *)&peer, &n) != 0)
        return fail(err, ST_STORE, "host", "the connection to %s was lost at once", settings->host);
    const char *network = reach_refusal(reach, str_of(settings->host), (struct sockaddr *)&peer);
    return network ? refuse_address(settings->host, network, err) : ST_OK;
}

/* ---- opening and closing ---- */

static enum status fail_with(const char *what, int code, struct error *err)
{
    return fail(err, ST_STORE, "broker", "%s: %s", what,
                code == MOSQ_ERR_ERRNO ? strerror(errno) : libmosquitto.strerror(code));
}

static enum status set_tls(struct mqtt_link *link, const struct mqtt_settings *settings, struct error *err)
{
    int code = 0;
    if (!settings->tls) return ST_OK;
    /* Without a CA of its own, the broker must be known to those of the system. */
    if (settings->ca || settings->certificate)
        code = libmosquitto.tls_set(link->handle, settings->ca, settings->ca ? NULL : "/etc/ssl/certs",
                                    settings->certificate, settings->key, NULL);
    else code = libmosquitto.int_option(link->handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
    if (!code && settings->insecure) code = libmosquitto.tls_insecure_set(link->handle, true);
    return code ? fail_with("the files of TLS cannot be used", code, err) : ST_OK;
}

static enum status set_options(struct mqtt_link *link, const struct mqtt_settings *settings,
                               struct error *err)
{
    struct mosquitto *handle = link->handle;
    libmosquitto.threaded_set(handle, true);
    libmosquitto.int_option(handle, MOSQ_OPT_PROTOCOL_VERSION,
                            link->is_v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311);
    libmosquitto.int_option(handle, MOSQ_OPT_RECEIVE_MAXIMUM, MQTT_RECEIVE_MAX);
    libmosquitto.int_option(handle, MOSQ_OPT_TCP_NODELAY, 1);
    libmosquitto.connect_v5_callback_set(handle, on_connect);
    libmosquitto.disconnect_v5_callback_set(handle, on_disconnect);
    libmosquitto.message_v5_callback_set(handle, on_message);
    libmosquitto.subscribe_v5_callback_set(handle, on_subscribe);
    int code = settings->username
                   ? libmosquitto.username_pw_set(handle, settings->username, settings->password)
                   : MOSQ_ERR_SUCCESS;
    if (code) return fail_with("the broker's login cannot be used", code, err);
    return set_tls(link, settings, err);
}

/* A connection that libmosquitto opens on a thread of its own. Another one may own it when it is done. */
struct connecting {
    struct mosquitto *handle;
    char *host;
    int port, keepalive_s;
    mosquitto_property *properties;
    struct mqtt_settings files; /* Only its files in memory, which libmosquitto opens by their names. */
    int code, error;            /* The codes of libmosquitto, and errno. */
};

static void connect_now(void *data)
{
    struct connecting *connecting = data;
    connecting->code = libmosquitto.connect_bind_v5(connecting->handle, connecting->host, connecting->port,
                                                    connecting->keepalive_s, NULL, connecting->properties);
    connecting->error = errno;
}

static void connecting_free(void *data)
{
    struct connecting *connecting = data;
    if (connecting->handle) libmosquitto.destroy(connecting->handle);
    libmosquitto.property_free_all(&connecting->properties);
    mqtt_settings_done(&connecting->files);
    free(connecting->host);
    free(connecting);
}

/* Takes the link's handle while it connects, and the settings' files. */
static struct connecting *connecting_new(struct mqtt_link *link, struct mqtt_settings *settings)
{
    struct connecting *connecting = calloc(1, sizeof *connecting);
    must(connecting);
    *connecting = (struct connecting){ .handle = link->handle,
                                       .host = strdup(settings->host),
                                       .port = settings->port,
                                       .keepalive_s = settings->keepalive_s,
                                       .files = *settings };
    must(connecting->host);
    link->handle = NULL;
    settings->fd_count = 0;
    if (!link->is_v5) return connecting;
    libmosquitto.property_add_int32(&connecting->properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL,
                                    MQTT_SESSION_SECONDS_MAX);
    libmosquitto.property_add_int32(&connecting->properties, MQTT_PROP_MAXIMUM_PACKET_SIZE,
                                    MQTT_PACKET_BYTES_MAX);
    return connecting;
}

/* libmosquitto resolves the name and connects in calls that nobody can break off. */
static enum status connect_aside(struct mqtt_link *link, struct mqtt_settings *settings, int leave_fd,
                                 struct error *err)
{
    struct connecting *connecting = connecting_new(link, settings);
    if (aside_run(connect_now, connecting_free, connecting, leave_fd, CONNECT_MS) == ASIDE_ABANDONED)
        return fail(err, ST_STORE, "host", "no connection to %s:%d in time", settings->host, settings->port);
    int code = connecting->code;
    errno = connecting->error;
    enum status status = code ? fail_with("the broker did not let us in", code, err) : ST_OK;
    link->handle = connecting->handle;
    connecting->handle = NULL;
    connecting_free(connecting);
    return status;
}

enum status mqtt_link_open(struct mqtt_link *link, struct mqtt_settings *settings, const char *client_id,
                           bool v5, const struct call_reach *reach, int leave_fd, struct error *err)
{
    *link = (struct mqtt_link){ .is_v5 = v5 };
    arena_init(&link->batch.arena, 0);
    TRY(libmosquitto_load(err));
    TRY(check_host(settings, reach, leave_fd, err));
    link->handle = libmosquitto.new(client_id, false, link);
    if (!link->handle) return fail(err, ST_INVALID, "clientId", "the client id cannot be used");
    TRY(set_options(link, settings, err));
    TRY(connect_aside(link, settings, leave_fd, err));
    return check_peer(link, settings, reach, err);
}

/* Why the connection is over, in the broker's words if it said some. */
static enum status fail_lost(const struct mqtt_link *link, int code, struct error *err)
{
    if (link->refused_code)
        return fail(err, ST_FORBIDDEN, "broker", "the broker refuses the connection: %s",
                    link->is_v5 ? libmosquitto.reason_string(link->refused_code)
                                : libmosquitto.connack_string(link->refused_code));
    if (link->lost_code >= 128)
        return fail(err, ST_STORE, "broker", "the broker ended the connection: %s",
                    libmosquitto.reason_string(link->lost_code));
    if (!link->accepted) return fail_with("the broker did not let us in", code, err);
    return fail_with("the connection was lost", code, err);
}

/* Bytes that the connection does not take now wait; but not for ever, and not if the caller is wanted
 * elsewhere.
 */
static enum status write_waiting(struct mqtt_link *link, int leave_fd, int patience_ms, struct error *err)
{
    int code = libmosquitto.loop_misc(link->handle);
    while (!code && libmosquitto.want_write(link->handle)) {
        struct pollfd fds[] = { { .fd = libmosquitto.socket(link->handle), .events = POLLOUT },
                                { .fd = leave_fd, .events = POLLIN } };
        if (fds[0].fd < 0) break;
        code = libmosquitto.loop_write(link->handle, 1);
        if (code || !libmosquitto.want_write(link->handle)) continue;
        if (poll(fds, 2, patience_ms) == 0) code = MOSQ_ERR_CONN_LOST;
        else if (fds[1].revents) break;
    }
    return code ? fail_lost(link, code, err) : ST_OK;
}

void mqtt_link_close(struct mqtt_link *link, bool orderly, bool ends_session)
{
    if (link->handle && orderly) {
        mosquitto_property *properties = NULL;
        if (link->is_v5 && ends_session)
            libmosquitto.property_add_int32(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL, 0);
        libmosquitto.disconnect_v5(link->handle, 0, properties);
        libmosquitto.property_free_all(&properties);
        struct error ignored;
        write_waiting(link, -1, GOODBYE_MS, &ignored);
    }
    if (link->handle) libmosquitto.destroy(link->handle);
    link->handle = NULL;
    arena_done(&link->batch.arena);
}

/* ---- reading and writing ---- */

static bool is_readable(int fd)
{
    struct pollfd one = { .fd = fd, .events = POLLIN };
    return fd >= 0 && poll(&one, 1, 0) > 0;
}

static bool is_full(const struct mqtt_batch *batch)
{
    return batch->count >= MQTT_RECEIVE_MAX || batch->bytes >= MQTT_BATCH_BYTES_MAX;
}

enum status mqtt_link_read(struct mqtt_link *link, int leave_fd, int timeout_ms, struct error *err)
{
    int fd = libmosquitto.socket(link->handle), code = MOSQ_ERR_SUCCESS, rounds = 0;
    struct pollfd fds[] = {
        { .fd = fd, .events = (short)(POLLIN | (libmosquitto.want_write(link->handle) ? POLLOUT : 0)) },
        { .fd = leave_fd, .events = POLLIN },
    };
    arena_reset(&link->batch.arena);
    link->batch = (struct mqtt_batch){ .arena = link->batch.arena };
    if (fd < 0) return fail_lost(link, MOSQ_ERR_CONN_LOST, err);
    poll(fds, 2, timeout_ms);
    if (!(fds[0].revents & ~POLLOUT)) return ST_OK;
    /* Packets that are no messages do not fill the batch, so the rounds have an end of their own. */
    do code = libmosquitto.loop_read(link->handle, 1);
    while (!code && !link->refused_code && !is_full(&link->batch) && ++rounds < MQTT_READ_ROUNDS_MAX &&
           is_readable(libmosquitto.socket(link->handle)));
    if (code || link->refused_code || libmosquitto.socket(link->handle) < 0)
        return fail_lost(link, code, err);
    return ST_OK;
}

enum status mqtt_link_write(struct mqtt_link *link, int leave_fd, struct error *err)
{
    return write_waiting(link, leave_fd, WRITE_MS, err);
}

void mqtt_link_subscribe(struct mqtt_link *link, struct mqtt_filter *filter)
{
    mosquitto_property *properties = NULL;
    /* QoS 2 as QoS 1: the head of mqtt.h says why. */
    int qos = filter->qos > 1 ? 1 : filter->qos;
    if (link->is_v5)
        libmosquitto.property_add_varint(&properties, MQTT_PROP_SUBSCRIPTION_IDENTIFIER, filter->number);
    /* Retained messages come with a new subscription only, not with every connection. */
    int options = link->is_v5 ? MQTT_SUB_OPT_SEND_RETAIN_NEW : 0;
    libmosquitto.subscribe_v5(link->handle, &filter->request, filter->topic.p, qos, options, properties);
    libmosquitto.property_free_all(&properties);
    filter->subscribed = true;
}

void mqtt_link_unsubscribe(struct mqtt_link *link, str topic)
{
    libmosquitto.unsubscribe(link->handle, NULL, topic.p);
}
