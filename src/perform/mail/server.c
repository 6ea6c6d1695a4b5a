/* perform/mail/server.c — reads where a mail server is: a URI, or an object with one. */
#include "perform/mail/mail_int.h"

#include "base/ascii.h"
#include "perform/limits.h"

static str percent_decoded(str text, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < text.n; i++) {
        bool coded = text.p[i] == '%' && i + 2 < text.n && ascii_hex(text.p[i + 1]) >= 0 &&
                     ascii_hex(text.p[i + 2]) >= 0;
        char c = coded ? (char)(ascii_hex(text.p[i + 1]) * 16 + ascii_hex(text.p[i + 2])) : text.p[i];
        buf_add_char(&out, c);
        if (coded) i += 2;
    }
    return buf_str(&out);
}

/* The word, or an empty one that takes the default. */
static const char *read_tls(str word, struct mail_server *server)
{
    static const struct {
        const char *word;
        enum mail_tls tls;
    } words[] = { { "none", MAIL_TLS_NONE }, { "try", MAIL_TLS_TRY }, { "starttls", MAIL_TLS_STARTTLS } };
    if (server->tls == MAIL_TLS_IMPLICIT)
        return word.n && !str_equal(word, STR("implicit")) ? "smtps:// speaks TLS from the beginning" : NULL;
    for (size_t i = 0; i < COUNT(words); i++) {
        if (!str_equal(word, str_of(words[i].word))) continue;
        server->tls = words[i].tls;
        return NULL;
    }
    /* A password is never sent where others can read it, unless somebody says so. */
    server->tls = server->password.n ? MAIL_TLS_STARTTLS : MAIL_TLS_TRY;
    return word.n ? "tls is not starttls, try or none" : NULL;
}

static str query_part(str query, const char *name, struct arena *arena)
{
    for (size_t at = 0, end; at < query.n; at = end + 1) {
        end = str_find(query, STR("&"), at);
        if (end == SIZE_MAX) end = query.n;
        str pair = str_slice(query, at, end);
        size_t equals = str_find(pair, STR("="), 0);
        if (equals != SIZE_MAX && str_equal(str_slice(pair, 0, equals), str_of(name)))
            return percent_decoded(str_slice(pair, equals + 1, pair.n), arena);
    }
    return STR_NONE;
}

static bool is_host_character(char c)
{
    return ascii_is_alphanumeric(c) || (c && strchr(".-_:[]%", c)) || (unsigned char)c >= 0x80;
}

/* HOST, HOST:PORT, [IPv6]:PORT */
static const char *read_place(str place, struct mail_server *server, struct arena *arena)
{
    if (!place.n) return "there is no host in it";
    for (size_t i = 0; i < place.n; i++)
        if (!is_host_character(place.p[i])) return "the host is malformed";
    size_t bracket = str_find(place, STR("]"), 0);
    size_t colon = str_find(place, STR(":"), bracket == SIZE_MAX ? 0 : bracket);
    int64_t port = server->tls == MAIL_TLS_IMPLICIT ? 465 : server->user.n ? 587 : 25;
    if (colon != SIZE_MAX &&
        (!str_to_int64(str_slice(place, colon + 1, place.n), &port) || port < 1 || port > 65535))
        return "the port is not a number from 1 to 65535";
    str host = str_slice(place, 0, colon == SIZE_MAX ? place.n : colon);
    if (!host.n) return "there is no host in it";
    server->place = arena_printf(arena, "%.*s:%lld", STR_ARG(host), (long long)port);
    server->url = arena_printf(arena, "%s://%.*s", server->tls == MAIL_TLS_IMPLICIT ? "smtps" : "smtp",
                               STR_ARG(server->place));
    return NULL;
}

/* USER:PASSWORD@ of a URI. */
static void read_login(str login, struct mail_server *server, struct arena *arena)
{
    size_t colon = str_find(login, STR(":"), 0);
    if (colon == SIZE_MAX) colon = login.n;
    server->user = percent_decoded(str_slice(login, 0, colon), arena);
    if (colon < login.n) server->password = percent_decoded(str_slice(login, colon + 1, login.n), arena);
}

static const char *read_uri(str text, struct mail_server *server, struct arena *arena, str *ret_tls)
{
    bool implicit = str_starts(text, STR("smtps://"));
    if (!implicit && !str_starts(text, STR("smtp://"))) return "it begins with neither smtp:// nor smtps://";
    if (implicit) server->tls = MAIL_TLS_IMPLICIT;
    str rest = str_slice(text, implicit ? 8 : 7, text.n);
    size_t mark = str_find(rest, STR("?"), 0);
    if (mark != SIZE_MAX) {
        str query = str_slice(rest, mark + 1, rest.n);
        *ret_tls = query_part(query, "tls", arena);
        server->from = query_part(query, "from", arena);
        rest = str_slice(rest, 0, mark);
    }
    size_t slash = str_find(rest, STR("/"), 0);
    if (slash != SIZE_MAX && slash + 1 < rest.n) return "there is a path in it";
    if (slash != SIZE_MAX) rest = str_slice(rest, 0, slash);
    size_t at = rest.n;
    while (at && rest.p[at - 1] != '@') at--;
    if (at) read_login(str_slice(rest, 0, at - 1), server, arena);
    return read_place(str_slice(rest, at, rest.n), server, arena);
}

/* A text member of the object; false if it is something else. */
static bool take_member(const struct json *object, const char *name, str *text)
{
    const struct json *value = json_get(object, str_of(name));
    if (!value || json_is(value, JSON_NULL)) return true;
    if (!json_is(value, JSON_STRING)) return false;
    *text = json_string(value);
    return true;
}

static const char *read_object(str text, struct mail_server *server, struct arena *arena, str *ret_tls)
{
    const struct json *object;
    str url = STR_NONE;
    if (json_parse(text, NULL, arena, &object, NULL) != ST_OK || !json_is(object, JSON_OBJECT))
        return "it is not a JSON object";
    if (!take_member(object, "url", &url)) return "url is not a text";
    /* The port may depend on whether there is a login. */
    if (!take_member(object, "user", &server->user)) return "user is not a text";
    const char *wrong = read_uri(url, server, arena, ret_tls);
    if (wrong) return wrong;
    if (!take_member(object, "user", &server->user) || !take_member(object, "password", &server->password) ||
        !take_member(object, "from", &server->from) || !take_member(object, "ca", &server->ca) ||
        !take_member(object, "tls", ret_tls))
        return "user, password, from, ca or tls is not a text";
    return NULL;
}

const char *mail_server_read(str text, struct arena *arena, struct mail_server *ret_server)
{
    struct mail_server server = { .tls = MAIL_TLS_TRY };
    str tls = STR_NONE;
    text = str_trim(text);
    if (text.n > MAIL_SERVER_BYTES_MAX) return "it is too long";
    const char *wrong = text.n && text.p[0] == '{' ? read_object(text, &server, arena, &tls)
                                                   : read_uri(text, &server, arena, &tls);
    if (!wrong) wrong = read_tls(tls, &server);
    if (!wrong && (!mail_is_header_text(server.user) || !mail_is_header_text(server.password)))
        wrong = "the user or the password holds a control character";
    if (!wrong) *ret_server = server;
    return wrong;
}

enum status mail_check_server(str text, struct arena *arena, struct error *err)
{
    struct mail_server server;
    const char *wrong = str_starts(text, STR("vault:")) ? NULL : mail_server_read(text, arena, &server);
    return wrong ? fail(err, ST_INVALID, "--smtp", "--smtp is not a mail server: %s", wrong) : ST_OK;
}
