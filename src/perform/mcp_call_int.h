/* perform/mcp_call_int.h — shared by mcp_call.c and mcp_answer.c. */
#ifndef PERFORM_MCP_CALL_INT_H
#define PERFORM_MCP_CALL_INT_H

#include "perform/http_function_int.h"
#include "perform/mcp_call.h"

/* The revision without a handshake, and the newest one that has one. */
#define MCP_MODERN "2026-07-28"
#define MCP_LEGACY "2025-11-25"

/* The id of the message that the conversation sends now. It is the same in all attempts. */
str mcp_talk_id(const struct function_call *call, const struct mcp_talk *talk, struct arena *arena);

#endif
