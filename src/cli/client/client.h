/* cli/client/client.h — requests of the verbs that talk to a running engine.
 *
 * A client makes requests one after the other. It prints every failure itself; verbs only pass the exit code
 * on.
 */
#ifndef CLI_CLIENT_CLIENT_H
#define CLI_CLIENT_CLIENT_H

#include "cli/options.h"
#include "json/json.h"
#include "net/net.h"

struct client {
    const struct options *options;
    struct arena *arena;
    struct http_client *http;
    str person;                /* Header lines of requests that change something: who acts, */
    str groups;                /* and in which groups the person is. */
    str server;                /* The URL of the engine: of --server, or of the last login. */
    str identity;              /* Header lines of every request: the tenant, and the session of a login. */
    str lines;                 /* Further header lines, of every request. */
    str text;                  /* The body of the last answer, as it came. */
    str cookie;                /* NAME=VALUE that it set; empty: none. */
    const struct json *answer; /* The same, parsed; NULL if there was no body. */
};

/* 0, or the exit code after the reason was printed. Server, tenant and credential are those of the options,
 * else those of the login that is kept (access/credentials.h). */
int client_open(struct client *client, const struct options *options);
/* The same with this login instead of the one that is kept; empty: nobody's. */
struct credentials;
int client_open_as(struct client *client, const struct options *options, const struct credentials *login);
void client_close(struct client *client);

/* Headers of the requests that follow, besides those that say who acts. */
void client_set_headers(struct client *client, str lines);

/* "/v1/instances/{}/signals/{}" with the arguments, percent-encoded, in place of {}. */
str client_path(struct client *client, const char *pattern, const str *arguments);

/* Appends name=value to a path, after ? or &; nothing if the value is empty. */
str client_with(struct client *client, str path, const char *name, str value);

/* Return 0 for an answer with 2xx, else the exit code after the reason was printed. For a request that may
 * wait on the server, `wait_seconds` is the longest wait. */
int client_get(struct client *client, str path);
int client_post(struct client *client, str path, str body, int64_t wait_seconds);
int client_put(struct client *client, str path, str body);
int client_patch(struct client *client, str path, str body);
int client_delete(struct client *client, str path);

/* GETs something that an answer may lack: NULL if it cannot be had, and nothing is printed. `text` and
 * `answer` stay. */
const struct json *client_look(struct client *client, str path);

/* GETs a stream of Server-Sent Events behind the event `last` and gives its bytes to `take` as they arrive
 * (net/net.h). Returns 0 if the stream ended or `take` wanted no more. If the engine went away or is busy,
 * sets `*ret_lost` and prints nothing: the caller may try again, and `lost` holds the reason. */
int client_stream(struct client *client, str path, str last, http_piece_fn *take, void *context,
                  bool *ret_lost, struct error *lost);

/* For --json: prints the last answer as it came. */
int client_print_json(struct client *client);

/* A member as text for people: a string's text, another value's JSON, "" if absent. */
str client_text(struct client *client, const struct json *object, const char *name);
/* A member with an RFC 3339 time, to the second and without the T. */
str client_time(struct client *client, const struct json *object, const char *name);
/* A member with a list of texts, joined by commas. */
str client_list(struct client *client, const struct json *object, const char *name);

#endif
