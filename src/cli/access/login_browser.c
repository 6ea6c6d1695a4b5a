/* cli/access/login_browser.c — `pawl login` by a provider, in the person's browser.
 *
 *     a port of this machine ◄───────────── code and state ──────────────┐
 *     the address, printed ──► browser ──► engine ──► provider ──► engine ─┘
 *     code and verifier ──► POST /api/oidc/NAME/session ──► the session
 *
 * Another program of this machine that sees the code lacks the verifier, and one that sends us its own code
 * lacks the state (RFC 8252, RFC 7636).
 */
#define _GNU_SOURCE

#include "cli/access/login_browser.h"

#include "access/token/form.h"
#include "access/secret/key.h"
#include "base/base64.h"
#include "base/clock.h"
#include "cli/access/prompt.h"
#include "cli/client/client.h"
#include "cli/limits.h"
#include "cli/output.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_MS = 5000, WAITING = 8 };

struct browser_login {
    const struct options *options;
    str issuer;
    int listener;
    unsigned port;
    str verifier, state;
    str code;
    int64_t until_ms; /* By the monotonic clock. */
};

static int64_t now_ms(void) { return clock_monotonic_us() / 1000; }

static enum status fail_port(const char *what, struct error *err)
{
    return fail(err, ST_INTERNAL, "", "%s: %s", what, strerror(errno));
}

/* ---- the port ---- */

/* Only programs of this machine reach it. */
static enum status open_port(struct browser_login *login, struct error *err)
{
    struct sockaddr_in place = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t bytes = sizeof place;
    login->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (login->listener < 0) return fail_port("there is no socket for the browser", err);
    if (bind(login->listener, (struct sockaddr *)&place, sizeof place) || listen(login->listener, WAITING) ||
        getsockname(login->listener, (struct sockaddr *)&place, &bytes))
        return fail_port("no port of this machine can be opened for the browser", err);
    login->port = ntohs(place.sin_port);
    return ST_OK;
}

static bool wait_for(int fd, int64_t until_ms)
{
    struct pollfd wanted = { .fd = fd, .events = POLLIN };
    int ready;
    do {
        int64_t left_ms = until_ms - now_ms();
        if (left_ms <= 0) return false;
        ready = poll(&wanted, 1, (int)left_ms);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/* ---- one request of the browser ---- */

static void answer(int fd, const char *status, const char *sentence)
{
    char text[512];
    int n = snprintf(text, sizeof text,
                     "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n"
                     "Cache-Control: no-store\r\nConnection: close\r\n\r\n%s",
                     status, strlen(sentence), sentence);
    (void)!send(fd, text, (size_t)n, MSG_NOSIGNAL);
}

/* The head of the request; empty: there is none in time. */
static str read_head(int fd, char bytes[BROWSER_REQUEST_BYTES_MAX])
{
    size_t n = 0;
    int64_t until_ms = now_ms() + REQUEST_MS;
    while (n < BROWSER_REQUEST_BYTES_MAX && wait_for(fd, until_ms)) {
        ssize_t more = recv(fd, bytes + n, BROWSER_REQUEST_BYTES_MAX - n, 0);
        if (more <= 0) break;
        n += (size_t)more;
        str head = { bytes, n };
        if (str_find(head, STR("\r\n\r\n"), 0) != SIZE_MAX) return head;
    }
    return STR_NONE;
}

static bool is_same(str a, str b) { return a.n == b.n && CRYPTO_memcmp(a.p, b.p, a.n) == 0; }

/* Takes the code if the request is the one that we wait for. */
static void serve_one(struct browser_login *login, int fd)
{
    static const str names[] = { STR_INIT("code"), STR_INIT("state") };
    char bytes[BROWSER_REQUEST_BYTES_MAX];
    str head = read_head(fd, bytes), prefix = STR("GET /done?"), value[COUNT(names)];
    size_t end = head.n ? str_find(head, STR(" "), prefix.n) : SIZE_MAX;
    if (!str_starts(head, prefix) || end == SIZE_MAX) {
        answer(fd, "404 Not Found", "There is nothing here.\n");
        return;
    }
    str query = str_slice(head, prefix.n, end);
    if (!form_read(query, names, COUNT(names), login->options->arena, value) || !value[0].n ||
        !is_same(value[1], login->state)) {
        answer(fd, "400 Bad Request", "This is not the login that the command waits for.\n");
        return;
    }
    login->code = value[0];
    answer(fd, "200 OK", "You are signed in. You can close this window and go back to the terminal.\n");
}

static enum status wait_for_code(struct browser_login *login, struct error *err)
{
    while (!login->code.n) {
        if (!wait_for(login->listener, login->until_ms))
            return fail(err, ST_UNAUTHORIZED, "", "nobody has signed in in time");
        int fd = accept4(login->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) continue;
        serve_one(login, fd);
        close(fd);
    }
    return ST_OK;
}

/* ---- the browser ---- */

static str challenge_of(str verifier, struct arena *arena)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    EVP_Digest(verifier.p, verifier.n, digest, &n, EVP_sha256(), NULL);
    return base64_encode_url((str){ (const char *)digest, n }, arena);
}

static str start_url(const struct browser_login *login, str server)
{
    struct arena *arena = login->options->arena;
    struct buf query;
    buf_init(&query, arena);
    form_add(&query, STR("to"), arena_printf(arena, "http://127.0.0.1:%u/done", login->port));
    form_add(&query, STR("challenge"), challenge_of(login->verifier, arena));
    form_add(&query, STR("state"), login->state);
    return arena_printf(arena, "%.*s/api/oidc/%.*s/start?%.*s", STR_ARG(server), STR_ARG(login->issuer),
                        STR_ARG(buf_str(&query)));
}

/* A machine without a display has no browser; the person opens the address elsewhere. */
static void open_browser(str url, struct arena *arena)
{
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    const char *address = arena_str(arena, url).p;
    if (!(display && *display) && !(wayland && *wayland)) return;
    if (fork() != 0) return;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3 && nothing >= 0; fd++) dup2(nothing, fd);
    if (fork() == 0) execlp("xdg-open", "xdg-open", address, (char *)NULL);
    _exit(0);
}

/* ---- the session ---- */

static str session_body(const struct browser_login *login)
{
    struct json_builder body;
    struct buf text;
    json_builder_init(&body, login->options->arena);
    json_open_object(&body);
    json_add_text(&body, STR("code"), login->code);
    json_add_text(&body, STR("verifier"), login->verifier);
    json_close(&body);
    buf_init(&text, login->options->arena);
    json_print(json_built(&body), &text);
    return buf_str(&text);
}

static int take_session(const struct browser_login *login, struct client *client,
                        struct credentials *ret_login)
{
    str path = client_path(client, "/api/oidc/{}/session", &login->issuer), body = session_body(login);
    int code = client_post(client, path, body, 0);
    prompt_wipe(body);
    ret_login->cookie = client->cookie;
    if (code || ret_login->cookie.n) return code;
    output_complain("the server gave no session; is it a pawl engine?");
    return status_exit(ST_INTERNAL);
}

/* ---- the issuer ---- */

/* The one that was named, or the only one that the engine offers. */
static int choose_issuer(struct browser_login *login, struct client *client)
{
    int code = client_get(client, STR("/api/login"));
    const struct json *issuers = code ? NULL : json_get(client->answer, STR("issuers"));
    if (code) return code;
    if (login->issuer.n) return 0;
    if (json_count(issuers) == 1) {
        login->issuer = json_text(json_item(issuers, 0), STR("name"));
        return 0;
    }
    output_complain(json_count(issuers) ? "the engine has several providers: name one with --issuer NAME"
                                        : "login needs the name of a USER, who has a password, or --key: the "
                                          "engine has no provider");
    return status_exit(ST_INVALID);
}

static int go_through(struct browser_login *login, struct client *client, struct credentials *ret_login)
{
    struct error err;
    int code = choose_issuer(login, client);
    if (code) return code;
    if (open_port(login, &err) != ST_OK) return output_fail(&err);
    str url = start_url(login, client->server);
    code = output_write(arena_printf(client->arena, "sign in with your browser:\n%.*s\n", STR_ARG(url)));
    if (code) return code;
    fflush(stdout);
    open_browser(url, client->arena);
    if (wait_for_code(login, &err) != ST_OK) return output_fail(&err);
    return take_session(login, client, ret_login);
}

int login_browser(const struct options *options, int64_t patience_ms, struct credentials *ret_login)
{
    struct browser_login login = { .options = options,
                                   .issuer = option_text(options, OPTION_LOGIN_ISSUER),
                                   .listener = -1,
                                   .verifier = key_random(options->arena),
                                   .state = key_random(options->arena),
                                   .until_ms = now_ms() + patience_ms };
    struct client client;
    int code = client_open_as(&client, options, &(struct credentials){ 0 });
    if (!code) code = go_through(&login, &client, ret_login);
    ret_login->user = login.issuer;
    client_close(&client);
    if (login.listener >= 0) close(login.listener);
    prompt_wipe(login.verifier);
    return code;
}
