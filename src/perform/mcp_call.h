/* perform/mcp_call.h — a call of a tool of an MCP server, as one to four HTTP requests.
 *
 * Pure: no thread, no clock, no socket. The input of such a job is {url, tool, arguments, headers}, and its
 * value {result, complete}. The current revision of the protocol has no handshake, so the call itself is sent
 * first. A server that only knows earlier revisions refuses it, and is asked again as those want it:
 *
 *     MCP_CALL ──► MCP_INITIALIZE ──► MCP_READY ──► MCP_SESSION_CALL
 *     tools/call   initialize         notifications/  tools/call
 *                                     initialized
 *
 * All requests of a call have the headers that its author gave. An answer is one message in JSON, or a stream
 * of events with the message in it.
 *
 * Errors have the names of http_request.c if there is no answer or its status is one. Beside these:
 *
 *     MCP_TOOL_ERROR     the tool says that it has failed (isError)
 *     MCP_ERROR          the server refuses the call with an error of the protocol
 *     MCP_BAD_ANSWER     what came is no answer to the call
 *     MCP_UNSUPPORTED    the server speaks no revision that we do, or its answer needs one who asks on
 */
#ifndef PERFORM_MCP_CALL_H
#define PERFORM_MCP_CALL_H

#include "perform/http_function.h"

/* The type of such a call, in the configuration that the dialect makes. */
#define MCP_TYPE "mcp"

enum mcp_step { MCP_CALL, MCP_INITIALIZE, MCP_READY, MCP_SESSION_CALL };

/* The state of the conversation. It begins with all zeros. */
struct mcp_talk {
    enum mcp_step step;
    str version; /* The revision that the server chose. */
    str session; /* The name that the server gave to the session; empty: none. */
    str refusal; /* Why the server refused the first request. */
};

enum mcp_outcome {
    MCP_DONE,    /* There is a value. */
    MCP_FAILED,  /* There is an error. */
    MCP_GOES_ON, /* The next request is to be rendered. */
};

/* Fills the request part of the outcall with the next request, as http_request_render() does. */
bool mcp_talk_render(const struct function_call *call, const struct mcp_talk *talk, struct arena *arena,
                     struct outcall *ret_outcall, const struct json **ret_error);

/* Reads the answer, and moves the conversation on. *ret_retryable becomes true if another attempt may have
 * more luck, and is left alone otherwise. */
enum mcp_outcome mcp_talk_read(const struct function_call *call, struct mcp_talk *talk,
                               const struct outcall *outcall, const struct json **ret_value,
                               const struct json **ret_error, bool *ret_retryable);

/* Fills the request that ends the session. Its memory is in the arena alone. False: there is no session. */
bool mcp_talk_end(const struct function_call *call, const struct mcp_talk *talk, struct arena *arena,
                  struct outcall *ret_outcall);

#endif
