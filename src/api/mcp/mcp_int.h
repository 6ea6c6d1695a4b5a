/* api/mcp/mcp_int.h — agents: the Model Context Protocol at /mcp.
 *
 *     POST /mcp ──► message.c: one message of JSON-RPC, of either revision
 *                     └─► methods.c: initialize, server/discover, tools/list, …
 *                           └─► call.c: tools/call
 *                                 └─► a tool makes requests of our own API (work.c), one behind the other,
 *                                       and their answers become its result
 *
 * A tool decides nothing. Its requests go through the gate and to the handlers of their routes like those of
 * any client, for the same principal and tenant, so permissions, limits, views and the audit are those of the
 * routes. Nothing is remembered between two messages: there are no sessions.
 */
#ifndef API_MCP_MCP_INT_H
#define API_MCP_MCP_INT_H

#include "api/answer_int.h"
#include "api/aside_int.h"
#include "api/request_int.h"
#include "api/route_int.h"

#include "dialect/tool.h"
#include "json/put.h"

/* ---- messages (message.c), and their answers (reply.c) ---- */

/* Codes of JSON-RPC, and those that the protocol adds. */
enum mcp_code {
    MCP_PARSE_ERROR = -32700,
    MCP_INVALID_REQUEST = -32600,
    MCP_METHOD_NOT_FOUND = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_INTERNAL_ERROR = -32603,
    MCP_REFUSED = -32000, /* Our own: the gate or the engine refuses the request; `data` says why. */
    MCP_RESOURCE_NOT_FOUND = -32002, /* Before 2026-07-28; since then INVALID_PARAMS. */
    MCP_HEADER_MISMATCH = -32020,
    MCP_MISSING_CAPABILITY = -32021,
    MCP_UNSUPPORTED_VERSION = -32022,
};

struct mcp_message {
    struct api_request *request;
    bool is_modern;         /* Its revision is 2026-07-28, without a handshake; else an earlier one. */
    const struct json *id;  /* NULL: a notification, which gets no answer. */
    const struct json *raw; /* All of it. */
    str method;
    const struct json *params, *meta; /* Objects; empty if they are absent. */
};

extern const struct error_format mcp_errors;
/* The header of a 401 that leads to the issuers of tokens (metadata.c); empty: there are none. */
str mcp_challenge(const struct api_request *request);
route_fn mcp_take;
body_fn mcp_read;

/* Answers with an error. `data` is JSON; empty: there is none. `http_status` is that of the modern revision;
 * the earlier ones know 200 for whatever a method refuses. */
void mcp_answer_error(const struct mcp_message *message, enum mcp_code code, int http_status, str data,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Begins the answer of a method: what it writes behind that are members of the result, the first without a
 * comma; and ends it. */
void mcp_begin_result(const struct mcp_message *message, struct buf *out);
void mcp_end_result(const struct mcp_message *message, struct buf *out);

/* ---- methods (methods.c) ---- */

extern const char mcp_instructions[];

/* Runs the method of a message. ST_OK: it was answered or will be. */
enum status mcp_run(struct mcp_message *message, struct error *err);

/* ---- resources (resources.c) ---- */

enum status mcp_list_resources(struct mcp_message *message, struct error *err);
enum status mcp_list_templates(struct mcp_message *message, struct error *err);
enum status mcp_read_resource(struct mcp_message *message, struct error *err);

/* ---- tools ---- */

struct mcp_work;

/* Makes the first request of a tool (mcp_ask()), or refuses the arguments. */
typedef enum status mcp_begin_fn(struct mcp_work *work, struct error *err);
/* A request was answered with success: makes the next one, or finishes (mcp_finish()). */
typedef enum status mcp_next_fn(struct mcp_work *work, struct error *err);
/* A request was refused, or could not be made. */
typedef void mcp_refuse_fn(struct mcp_work *work, str sentence, const struct json *details);

/* A tool tells its clients what it does to the world, so that they may ask a person before. */
enum mcp_hint { MCP_READS = 1, MCP_DESTROYS = 2, MCP_REPEATS = 4, MCP_REACHES_OUT = 8 };

struct mcp_tool {
    const char *name, *title, *description;
    const char *method,
        *path; /* The route that it stands for, by an example: its permission is the tool's. */
    unsigned hints;
    const char *input, *output; /* JSON Schemas of its arguments and of its result. */
    mcp_begin_fn *begin;
    mcp_next_fn *next; /* NULL: the body of the first answer is the result. */
};

/* One row for each tool, in the order in which they are listed. Documents cannot take these names. */
#define MCP_TOOL_MAP(XX) TOOL_OWN_MAP(XX)

#define XX(name) extern const struct mcp_tool mcp_tool_##name;
MCP_TOOL_MAP(XX)
#undef XX

/* All of them; ends with NULL. */
extern const struct mcp_tool *const mcp_tools[];

/* NULL: there is none of this name. */
const struct mcp_tool *mcp_find_tool(str name);
/* The permission of the route that it stands for. */
enum permission mcp_tool_needs(const struct api *api, const struct mcp_tool *tool);

enum status mcp_list_tools(struct mcp_message *message, struct error *err);

/* ---- one call of a tool (call.c), and its work (work.c) ---- */

/* A call of a tool, in the memory of its request. */
struct mcp_work {
    struct mcp_message message;
    struct api *api;
    struct arena *arena;
    const struct mcp_tool *tool;
    const struct json *arguments; /* They fit the tool's schema. */
    str key;                   /* The idempotency key of the request that changes something; empty: none. */
    unsigned step;             /* Which request it is: 1, 2, … */
    int status;                /* Its answer, */
    str body;                  /* as it came, until the next request is made, */
    const struct json *answer; /* and as a value; NULL: it is no JSON, or several lines of it. */
    const struct json *kept;   /* A tool's own, between two requests. */
    const struct json *run;    /* A run that mcp_take_run() has read, */
    const struct json *result; /* and its result; NULL: its data is the result. */
    void *own;                 /* The same. */
    mcp_refuse_fn *refuse;     /* Answers for a request that was refused; NULL: mcp_fail_tool(). */
};

enum status mcp_call_tool(struct mcp_message *message, struct error *err);

/* Work in the memory of the message's request, without arguments. */
struct mcp_work *mcp_new_work(const struct mcp_message *message, const struct mcp_tool *tool);
/* Writes the row of the audit, and begins. */
void mcp_begin_work(struct mcp_work *work);

/* Makes a request. `changes`: it is the one that the idempotency key is for. */
enum status mcp_ask(struct mcp_work *work, const char *method, str target, const struct json *body,
                    bool changes, struct error *err);
/* The same with a text as it is. */
enum status mcp_ask_text(struct mcp_work *work, const char *method, str target, str body, bool changes,
                         struct error *err);
/* Answers with the result of the tool. */
void mcp_finish(struct mcp_work *work, const struct json *result);
/* Answers that the tool has failed: with a sentence, and what there is to know about it, or NULL. */
void mcp_fail_tool(struct mcp_work *work, str sentence, const struct json *details);
void mcp_fail_with(struct mcp_work *work, const struct error *err);
/* Goes on when the work that was done beside the network's thread is over. */
void mcp_go_on(struct mcp_work *work, enum status status, struct error *err);

/* Parts of a result: what mcp_finish() and mcp_fail_tool() write. */
void mcp_put_outcome(struct mcp_work *work, const struct json *result, struct buf *out);
void mcp_put_failure(struct mcp_work *work, str sentence, const struct json *details, struct buf *out);

/* ---- definitions as tools (published.c), and their runs as tasks (tasks.c) ---- */

/* May the caller start anything? */
bool mcp_may_start(const struct api_request *request);
/* Ends a list of tools that was begun with those of a page of definitions. `first`: it has none yet. */
enum status mcp_published_list(struct mcp_message *message, const struct buf *begun, bool first, str cursor,
                               struct error *err);
/* Starts a run of the definition that the message names as a tool. */
enum status mcp_published_call(struct mcp_message *message, const struct json *arguments, str key,
                               struct error *err);

/* Goes on when the definition `approve` is there, or cannot be (approve.c). */
typedef enum status mcp_go_fn(struct mcp_work *work, struct error *err);
enum status mcp_with_approve(struct mcp_work *work, mcp_go_fn *go, struct error *err);

/* Does the client know tasks? */
bool mcp_takes_tasks(const struct mcp_message *message);
/* The work's answer is a run, or the result of one. ret_ready is false if the result is still to be read. */
enum status mcp_take_run(struct mcp_work *work, bool *ret_ready, struct error *err);
/* Gives the result of the run or, if it goes on, says so or makes a task of it. */
void mcp_give_run(struct mcp_work *work, bool as_task);
enum status mcp_get_task(struct mcp_message *message, struct error *err);
enum status mcp_update_task(struct mcp_message *message, struct error *err);
enum status mcp_cancel_task(struct mcp_message *message, struct error *err);

/* ---- arguments (arguments.c) ---- */

/* An argument as text; empty if absent. */
str mcp_text(const struct mcp_work *work, const char *name);
/* The path with the argument in the place of {}, percent-encoded. */
str mcp_path(struct mcp_work *work, const char *pattern, str segment);
/* The path with those arguments that are there as parameters of its query: "keyword pageSize". A list becomes
 * its items with commas between them. */
str mcp_query(struct mcp_work *work, str path, const char *names);
/* An object of those arguments that are there. */
const struct json *mcp_pick(struct mcp_work *work, const char *names);
/* { name: value } added to an object, or nothing if the value is NULL. */
const struct json *mcp_with(struct mcp_work *work, const struct json *object, const char *name,
                            const struct json *value);

/* ---- calls that have to be confirmed (confirm.c) ----
 *
 * The first call is a dry run. It tells what the tool would do, with a word that stands for exactly that. A
 * call with the word looks again, and is refused if anything has changed. */

/* The dry run was answered; `summary` is what must not change. Finishes with the word if the call brings none
 * and refuses one that does not fit: then ret_go is false. */
void mcp_confirm(struct mcp_work *work, const struct json *summary, bool *ret_go);
/* { dryRun, … } */
const struct json *mcp_done(struct mcp_work *work, const struct json *answer);

#endif
