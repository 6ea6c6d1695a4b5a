/* api/api.h — turns HTTP requests into calls to the engine, and its answers into HTTP. */
#ifndef API_API_H
#define API_API_H

#include "net/net.h"
#include "program/performer.h"
#include "runtime/runtime.h"
#include "telemetry/counters.h"
#include "telemetry/otlp.h"

struct api;
struct compute;
struct node_messages;

/* A connection to a broker whose messages are arrivals, as operators see it. */
struct api_broker {
    str reference; /* The secret that has its settings, as triggers name it. */
    bool connected;
    str why;          /* Not connected: why; connected: what is wrong nevertheless; or empty. */
    int64_t since_ms; /* Connected, or not, since then. */
    uint64_t messages, duplicates, too_large;
    uint64_t connects; /* How often it was connected. */
};

struct api;

/* A call of a provider of tokens, which leaves the process through the guarded caller. */
struct api_fetch {
    str method, url;
    str body, content_type; /* An empty type: there is no body. */
    str authorization;      /* The header's value; empty: none. Wipe it afterwards. */
    int64_t timeout_ms;
    struct arena *arena; /* The caller's until `ended`. */
    void (*done)(void *context);
    void *context;
    /* The maker of the call sets these, and calls `ended` once, on any thread. */
    int status; /* 200 … */
    str answer;
    str failure; /* A sentence: there is no answer; empty: there is one. */
    void (*ended)(struct api_fetch *fetch);
    /* The API's own. */
    struct api *api_;
    struct api_fetch *next_;
};

/* A connection that is tried: one job of a performer, of which no instance knows. */
struct api_test {
    struct api_fetch fetch; /* How it ends: `failure` is empty if the connection works. */
    enum performer performer;
    const struct json *input;
    int32_t tenant; /* It finds the secrets of this one. */
    str key;        /* Another one for each test. */
    str error;      /* Its name: "SMTP_535"; empty: it has none. */
};

struct api_config {
    /* Runs the handlers, and has threads for work that would hold it up. NULL: nothing is done aside. */
    struct net_loop *loop;
    struct runtime *runtime;
    struct runtime_client *client; /* The client of the network's thread, which runs the handlers. */
    struct limits limits;
    struct budget *answers; /* The server's: while it is used up, answers are kept short. NULL: none. */
    str secret; /* The bearer secret of the key "root"; empty: there is none. Without a directory only. */
    struct directory *directory; /* Principals and tenants, borrowed; NULL: only the secret counts. */
    bool
        behind_tls; /* A proxy speaks TLS for us (--public-url https://…): cookies are for secure pages only. */
    const str *proxy; /* Networks whose proxies say in X-Forwarded-For who asks. */
    size_t proxy_count;
    str listen_host; /* The address that is served, and */
    const str *host; /* other names for it. Without a secret, requests for another host are refused. */
    size_t host_count;
    const str *origin; /* Origins whose pages may use the engine ("https://a.example"); "*": all. */
    size_t origin_count;
    const char *version;
    bool log_requests;
    str context_path;   /* Clients of entities find /api here, too; empty: only at /api. */
    bool mcp;           /* Agents are served at /mcp; else there is no such path. */
    bool hooks_at_root; /* Webhooks are also at the paths of their triggers, where no other route is. */
    /* Gives a view of each broker; NULL: there are none. Called on the network's thread. */
    size_t (*brokers)(void *context, struct arena *arena, struct api_broker **ret_broker);
    void *brokers_context;
    /* Makes the network's thread call api_deliver() soon. From any thread. NULL: api_look() will do. */
    void (*wake)(void *context);
    void *wake_context;
    /* Makes a call of a provider; `ended` is not called if it fails. NULL: providers cannot be called. From the
     * network's thread. */
    enum status (*fetch)(void *context, struct api_fetch *fetch, struct error *err);
    void *fetch_context;
    /* Tries a connection, in the same way. NULL: none can be tried. */
    enum status (*test)(void *context, struct api_test *test, struct error *err);
    void *test_context;
    bool plain_providers; /* Providers on this machine may be called without TLS (--allow-private-calls). */
    str public_url;       /* Where browsers find us: "https://pawl.example"; empty: as their requests say. */
    bool has_mail;        /* There is a mail server for messages that name none (--smtp). */
    struct vault *vault;  /* Secrets of clients, and our own keys; NULL: there are none. */
    const char *files;    /* The directory of files that issuers may name; NULL: they may name none. */
    struct compute *compute;             /* The calculation nodes; NULL: none can connect. */
    struct node_messages *node_messages; /* To and from other nodes of the store; NULL: there are none. */
    struct telemetry_resource telemetry; /* Names the engine in traces. */
    str trace_url; /* Where people see a trace: a URL with {trace} in it; empty: nowhere. */
    const struct telemetry_counters *telemetry_counters; /* NULL: no spans are exported. */
    const struct push_counters *push_counters;           /* NULL: no metrics are pushed. */
};

/* Refuses a context path that is none, or where other routes are. */
enum status api_check_context_path(str path, struct error *err);

struct api *api_new(const struct api_config *config);

/* Another bearer secret from now on. There must be one already. On the thread of the network. */
void api_set_secret(struct api *api, str secret);
/* Opens the way for the first admin: a code that counts once and for an hour, as part of a link to the page
 * of logins. Wipe it when it was told. */
str api_open_setup(struct api *api, struct arena *arena);
/* At the start: the log names issuers whose client secret is not there. On the thread of the network. */
void api_look_at_issuers(struct api *api);
void api_free(struct api *api);
/* Is the web application a part of this program? */
bool api_has_ui(void);

/* The server that runs the requests of other nodes. */
void api_set_server(struct api *api, struct http_server *server);
/* Does nothing more for other nodes, nor they for us, and nothing beside the network's thread. Before the
 * server and the node messages are closed. */
void api_part(struct api *api);

/* The http_gate, http_handler, http_observer and refusal_headers to give to the server, with the api as
 * context. */
enum http_verdict api_gate(struct http_request *request, void *context);
str api_refusal_headers(struct http_request *request, void *context);
bool api_large_body(struct http_request *request, struct arena *arena, void *context, str *ret_type,
                    str *ret_body);
void api_handle(struct http_request *request, void *context);
void api_observe(const struct http_request *request, int64_t took_us, void *context);

/* Tells those who watch the engine's health what has changed. To be called a few times per second. */
void api_look(struct api *api);

/* Hands out what other threads than the engine's have for requests. */
void api_deliver(struct api *api);

/* Gives the text of /metrics to `take`, on the thread of the network: numbers of all tenants. False: the last
 * one is still under way. */
typedef void api_page_fn(void *context, str page);
bool api_gather_metrics(struct api *api, api_page_fn *take, void *context);

/* From now on /readyz says 503: a balancer should look elsewhere. (It also does while the disk is full.) */
void api_set_draining(struct api *api);

#endif
