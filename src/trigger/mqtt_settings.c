/* trigger/mqtt_settings.c — a broker's settings, as its secret has them:
 *
 *     {"host", "port"?, "username"?, "password"?, "clientId"?, "keepalive"?,
 *      "tls"?: true | {"ca"?, "cert"?, "key"?, "insecure"?}}
 *
 * Files of TLS are PEM texts, or files of one directory. libmosquitto takes only paths and would wait for any
 * file, so each text becomes a file in memory. No message shows a value.
 */
#define _GNU_SOURCE /* memfd_create */
#include "trigger/mqtt_int.h"

#include "json/json.h"
#include "trigger/limits.h"
#include "vault/vault.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PORT = 1883, PORT_TLS = 8883, KEEPALIVE_S = 60 };

static enum status read_text(const struct json *object, const char *name, struct arena *arena,
                             const char **ret_text, struct error *err)
{
    const struct json *value = json_get(object, str_of(name));
    if (!value || json_is(value, JSON_NULL)) return ST_OK;
    if (!json_is(value, JSON_STRING) || memchr(json_string(value).p, 0, json_string(value).n))
        return fail(err, ST_INVALID, name, "%s of the broker's settings is not a text", name);
    *ret_text = arena_str(arena, json_string(value)).p;
    return ST_OK;
}

static enum status read_number(const struct json *object, const char *name, int64_t min, int64_t max,
                               int *ret_number, struct error *err)
{
    const struct json *value = json_get(object, str_of(name));
    int64_t number;
    if (!value || json_is(value, JSON_NULL)) return ST_OK;
    if (!json_is(value, JSON_NUMBER) || !json_int64(value, &number) || number < min || number > max)
        return fail(err, ST_INVALID, name, "%s of the broker's settings is not a number from %lld to %lld",
                    name, (long long)min, (long long)max);
    *ret_number = (int)number;
    return ST_OK;
}

/* The file in memory lives as long as the settings. */
static enum status read_file(const struct json *object, const char *name, struct mqtt_settings *settings,
                             const char **ret_path, struct error *err)
{
    const char *text = NULL, *path;
    struct error why;
    TRY(read_text(object, name, settings->arena, &text, err));
    if (!text) return ST_OK;
    str pem = str_of(text);
    if (!str_starts(pem, STR("-----BEGIN")) &&
        vault_named_file(settings->files, text, settings->arena, &path, &pem, &why) != ST_OK)
        return fail(err, ST_INVALID, name, "%s of the broker's settings cannot be used: %s", name,
                    why.message);
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || write(fd, pem.p, pem.n) != (ssize_t)pem.n) {
        if (fd >= 0) close(fd);
        return fail(err, ST_INTERNAL, name, "there is no room for a file of TLS");
    }
    settings->fd[settings->fd_count++] = fd;
    *ret_path = arena_printf(settings->arena, "/proc/self/fd/%d", fd).p;
    return ST_OK;
}

static bool is_given(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    return value && !json_is(value, JSON_NULL);
}

static enum status read_tls(const struct json *tls, struct mqtt_settings *settings, struct error *err)
{
    if (!tls || json_is(tls, JSON_NULL)) return ST_OK;
    if (json_is(tls, JSON_BOOL)) {
        settings->tls = json_bool(tls);
        return ST_OK;
    }
    if (!json_is(tls, JSON_OBJECT))
        return fail(err, ST_INVALID, "tls", "tls of the broker's settings is neither true nor an object");
    const struct json *insecure = json_get(tls, STR("insecure"));
    settings->tls = true;
    settings->insecure = json_is(insecure, JSON_BOOL) && json_bool(insecure);
    if (is_given(tls, "cert") != is_given(tls, "key"))
        return fail(err, ST_INVALID, "tls", "cert and key of the broker's settings go together");
    TRY(read_file(tls, "ca", settings, &settings->ca, err));
    TRY(read_file(tls, "cert", settings, &settings->certificate, err));
    return read_file(tls, "key", settings, &settings->key, err);
}

enum status mqtt_settings_read(str text, const char *files, struct arena *arena,
                               struct mqtt_settings *settings, struct error *err)
{
    const struct json *object;
    *settings = (struct mqtt_settings){ .arena = arena, .files = files, .keepalive_s = KEEPALIVE_S };
    /* The parser's own message could quote the text. */
    if (json_parse(text, NULL, arena, &object, NULL) != ST_OK || !json_is(object, JSON_OBJECT))
        return fail(err, ST_INVALID, "broker", "the broker's secret is not a JSON object with host, port, …");
    TRY(read_text(object, "host", arena, &settings->host, err));
    if (!settings->host || !*settings->host)
        return fail(err, ST_INVALID, "host", "the broker's settings have no host");
    TRY(read_tls(json_get(object, STR("tls")), settings, err));
    settings->port = settings->tls ? PORT_TLS : PORT;
    TRY(read_number(object, "port", 1, 65535, &settings->port, err));
    TRY(read_number(object, "keepalive", 5, MQTT_KEEPALIVE_SECONDS_MAX, &settings->keepalive_s, err));
    TRY(read_text(object, "username", arena, &settings->username, err));
    TRY(read_text(object, "password", arena, &settings->password, err));
    TRY(read_text(object, "clientId", arena, &settings->client_id, err));
    if (settings->password && !settings->username)
        return fail(err, ST_INVALID, "password", "the broker's settings have a password and no username");
    return ST_OK;
}

void mqtt_settings_done(struct mqtt_settings *settings)
{
    for (size_t i = 0; i < settings->fd_count; i++) close(settings->fd[i]);
    settings->fd_count = 0;
}
