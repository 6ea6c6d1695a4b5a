/* perform/limits.h — limits of the performers. */
#ifndef PERFORM_LIMITS_H
#define PERFORM_LIMITS_H

#include "base/limits.h"

enum {
    /* A performer that is full takes so many more jobs that are more urgent than those which fill it, and
     * again as many that are more urgent than these. */
    OVERTAKING_JOBS_MAX = 64,
    /* One poll must not keep the worker's thread busy for long; the next poll follows at once. */
    POLL_JOBS_MAX = 64,
    /* Servers accept 8 KiB and more; a URL beyond this is a mistake. */
    OUTCALL_URL_BYTES_MAX = 16 << 10,
    /* Names of hosts and their parts: RFC 1035. */
    HOST_BYTES_MAX = 253,
    HOST_LABEL_BYTES_MAX = 63,
    /* Further headers are left out of an answer. */
    OUTCALL_HEADERS_KEPT_MAX = 64,
    /* A server that asks for a longer pause is asked again after this one: a day. */
    RETRY_AFTER_SECONDS_MAX = 24 * 3600,
    /* A body that is kept in an error as text is cut here: errors become part of an instance's data. */
    FUNCTION_ERROR_TEXT_BYTES_MAX = 16 << 10,
    /* A longer name in an answer is not taken for the name of an error. */
    FUNCTION_ERROR_NAME_BYTES_MAX = 256,
    /* An error becomes part of an instance's data, so its body must leave room for the levels around it. */
    FUNCTION_ERROR_DEPTH_MAX = JSON_DEPTH_MAX / 2,

    /* Tools of MCP servers. The texts of a result become part of an instance's data, those of an error part of
     * its reason. */
    MCP_TOOL_NAME_BYTES_MAX = 256,
    MCP_TEXT_BYTES_MAX = 256 << 10,
    MCP_ERROR_TEXT_BYTES_MAX = 2048,
    MCP_GOODBYE_MS = 2000, /* So long the end of a session may take, for which no run waits. */

    /* Statements. A result becomes part of an instance's data, which has a limit of a MiB. */
    SQL_ROWS_MAX = 10000,
    SQL_ANSWER_BYTES_MAX = 1 << 20,
    SQL_COLUMNS_MAX = 1000,
    SQL_PARAMETERS_MAX = 1000,
    SQL_TEXT_BYTES_MAX = 256 << 10,
    SQL_MESSAGE_BYTES_MAX = 2048,             /* Longer messages of a database are cut. */
    SQL_VALUE_DEPTH_MAX = JSON_DEPTH_MAX / 2, /* Deeper JSON of a column is shown as text. */
    SQL_ADDRESSES_MAX = 8,                    /* Addresses of one server, tried one after the other. */
    SQL_TIMEOUT_MS_MAX = 24 * 3600 * 1000,

    /* Messages. */
    MAIL_BYTES_MAX = 8 << 20,
    MAIL_RECIPIENTS_MAX = 100, /* Servers must take 100 of one message, and need not take more. */
    MAIL_LOCAL_BYTES_MAX = 64, /* The two parts of an address: RFC 5321. */
    MAIL_DOMAIN_BYTES_MAX = 255,
    MAIL_NAME_BYTES_MAX = 256,
    MAIL_HEADERS_MAX = 50,
    MAIL_HEADER_NAME_BYTES_MAX = 76,
    MAIL_HEADER_BYTES_MAX = 8 << 10,
    MAIL_SERVER_BYTES_MAX = 64 << 10,
    MAIL_TIMEOUT_MS_MAX = 24 * 3600 * 1000,
    NOTICE_TITLE_BYTES_MAX = 200, /* An e-mail about a task cuts the title of the task here … */
    NOTICE_TEXT_BYTES_MAX = 4096, /* … and its description here. */
};

#endif
