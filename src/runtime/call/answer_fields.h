/* runtime/call/answer_fields.h — the form in which an answer is stored.
 *
 *     u32 format, then values: u32 bytes, the cells of a JSON value
 *
 * The first value is the head: an object with the kind of the call and its answer. A member that can itself
 * be any JSON value (an instance's data) is the number of a later value: inside the head it could be deeper
 * than JSON values may be. Members that are 0, false or empty are left out.
 *
 * A table of fields describes each struct, and both directions follow it (answer_encode.c, answer_decode.c).
 * The names in the tables are the format: rows are kept for a day, and the engine that reads them may be
 * newer than the one that wrote them.
 */
#ifndef RUNTIME_CALL_ANSWER_FIELDS_H
#define RUNTIME_CALL_ANSWER_FIELDS_H

#include "runtime/call/call.h"

#include <stddef.h>

enum { ANSWER_FORMAT = 1 };

enum answer_field_kind {
    FIELD_U64,
    FIELD_I64,
    FIELD_I32,
    FIELD_U32,
    FIELD_U8,
    FIELD_FLAG,
    FIELD_TEXT,
    FIELD_VALUE
};

struct answer_field {
    str name;
    size_t at;
    enum answer_field_kind kind;
    int64_t count; /* The number of an enum's values; 0: any number. */
};

/* clang-format off */
#define FIELD(type, member, kind, name)       { STR_INIT(name), offsetof(struct type, member), FIELD_##kind, 0 }
#define ENUM_FIELD(type, member, count, name) { STR_INIT(name), offsetof(struct type, member), FIELD_U32, count }

static const struct answer_field instance_fields[] = {
    FIELD(instance_view, id,                 U64,   "id"),
    FIELD(instance_view, created_ms,         I64,   "created"),
    FIELD(instance_view, ended_ms,           I64,   "ended"),
    ENUM_FIELD(instance_view, status, INSTANCE_STATUS_COUNT, "status"),
    FIELD(instance_view, lingers,            FLAG,  "lingers"),
    FIELD(instance_view, definition_id,      TEXT,  "definition"),
    FIELD(instance_view, definition_version, I32,   "version"),
    FIELD(instance_view, business_key,       TEXT,  "businessKey"),
    FIELD(instance_view, failure,            TEXT,  "failure"),
    FIELD(instance_view, error,              VALUE, "error"),
    FIELD(instance_view, data,               VALUE, "data"),
    FIELD(instance_view, data_omitted,       FLAG,  "dataOmitted"),
    FIELD(instance_view, revision,           U32,   "revision"),
    FIELD(instance_view, correlation,        TEXT,  "correlation"),
    FIELD(instance_view, parent,             U64,   "parent"),
    FIELD(instance_view, chained_from,       U64,   "chainedFrom"),
    FIELD(instance_view, is_test,            FLAG,  "isTest"),
    FIELD(instance_view, has_handled_error,  FLAG,  "handledError"),
    FIELD(instance_view, replaced_by,        U64,   "replacedBy"),
    FIELD(instance_view, replaced_by_created_ms, I64, "replacedByCreated"),
    FIELD(instance_view, purge_ms,           I64,   "purge"),
};

/* How the instance stands. The status and the error are the view's. */
static const struct answer_field standing_fields[] = {
    FIELD(standing, is_held,          FLAG, "isHeld"),
    FIELD(standing, undoes,           FLAG, "undoes"),
    FIELD(standing, runs,             FLAG, "runs"),
    FIELD(standing, waits_for_person, FLAG, "waitsForPerson"),
    FIELD(standing, waits_for_time,   FLAG, "waitsForTime"),
    FIELD(standing, waits_for_retry,  FLAG, "waitsForRetry"),
    FIELD(standing, resume_ms,        I64,  "resume"),
};

static const struct answer_field standing_task_fields[] = {
    FIELD(standing_task, execution, U32,  "execution"),
    FIELD(standing_task, since_ms,  I64,  "since"),
    FIELD(standing_task, node,      TEXT, "node"),
};

static const struct answer_field standing_undo_fields[] = {
    FIELD(standing_undo, node, TEXT, "node"),
    ENUM_FIELD(standing_undo, state, UNDO_FAILED + 1, "state"),
};

static const struct answer_field mail_fields[] = {
    FIELD(mail_view, id,          TEXT,  "id"),
    FIELD(mail_view, source,      TEXT,  "source"),
    FIELD(mail_view, type,        TEXT,  "type"),
    FIELD(mail_view, node,        TEXT,  "node"),
    FIELD(mail_view, arrival,     TEXT,  "arrival"),
    FIELD(mail_view, data,        VALUE, "data"),
    FIELD(mail_view, received_ms, I64,   "received"),
};

static const struct answer_field token_fields[] = {
    FIELD(token_view, execution, U32,  "execution"),
    FIELD(token_view, node,      TEXT, "node"),
    FIELD(token_view, title,     TEXT, "title"),
    FIELD(token_view, type,      TEXT, "type"),
    ENUM_FIELD(token_view, state, TOKEN_STATE_COUNT, "state"),
    FIELD(token_view, since_ms,  I64,  "since"),
    FIELD(token_view, why,       TEXT, "why"),
};

static const struct answer_field task_fields[] = {
    FIELD(task_view, row.instance,            U64,   "instance"),
    FIELD(task_view, row.execution,           U32,   "execution"),
    FIELD(task_view, row.created_ms,          I64,   "created"),
    FIELD(task_view, row.node,                TEXT,  "node"),
    FIELD(task_view, row.title,               TEXT,  "title"),
    FIELD(task_view, row.label,               TEXT,  "label"),
    FIELD(task_view, row.definition_id,       TEXT,  "definition"),
    FIELD(task_view, row.definition_version,  I32,   "version"),
    FIELD(task_view, row.instance_created_ms, I64,   "instanceCreated"),
    FIELD(task_view, row.business_key,        TEXT,  "businessKey"),
    FIELD(task_view, details,                 VALUE, "details"),
};

static const struct answer_field job_fields[] = {
    FIELD(job_view, instance,            U64,   "instance"),
    FIELD(job_view, instance_created_ms, I64,   "instanceCreated"),
    FIELD(job_view, number,              U32,   "number"),
    FIELD(job_view, delivery,            U8,    "delivery"),
    FIELD(job_view, execution,           U32,   "execution"),
    FIELD(job_view, execution_ms,        I64,   "executionBegan"),
    FIELD(job_view, type,                TEXT,  "type"),
    FIELD(job_view, node,                TEXT,  "node"),
    FIELD(job_view, title,               TEXT,  "title"),
    ENUM_FIELD(job_view, performer, PERFORMER_COUNT, "performer"),
    FIELD(job_view, config,              VALUE, "config"),
    FIELD(job_view, timeout_ms,          I64,   "timeout"),
    ENUM_FIELD(job_view, state, JOB_DELAYED + 1, "state"),
    FIELD(job_view, worker,              TEXT,  "worker"),
    FIELD(job_view, locked_ms,           I64,   "locked"),
    FIELD(job_view, lock_expires_ms,     I64,   "lockExpires"),
    FIELD(job_view, available_ms,        I64,   "available"),
    FIELD(job_view, retries_left,        U32,   "retriesLeft"),
    FIELD(job_view, attempt,             U32,   "attempt"),
    FIELD(job_view, created_ms,          I64,   "created"),
};

/* A definition as it is listed: its source is not a part of the answer. */
static const struct answer_field definition_fields[] = {
    FIELD(definition_row, id,         TEXT, "id"),
    FIELD(definition_row, version,    I32,  "version"),
    FIELD(definition_row, title,      TEXT, "title"),
    FIELD(definition_row, dialect,    TEXT, "dialect"),
    FIELD(definition_row, created_ms, I64,  "created"),
    FIELD(definition_row, author,     TEXT, "author"),
    FIELD(definition_row, revision,   TEXT, "revision"),
    FIELD(definition_row, restores,   I32,  "restores"),
    FIELD(definition_row, retired_ms, I64,  "retired"),
    FIELD(definition_row, is_leaving, FLAG, "leaving"),
};

static const struct answer_field entity_fields[] = {
    FIELD(entity_item, model,   TEXT, "model"),
    FIELD(entity_item, version, I32,  "version"),
};

static const struct answer_field search_fields[] = {
    FIELD(answer_search_job, id,         TEXT, "id"),
    ENUM_FIELD(answer_search_job, state, SEARCH_STATE_COUNT, "state"),
    FIELD(answer_search_job, created_ms, I64,  "created"),
    FIELD(answer_search_job, ended_ms,   I64,  "ended"),
};

static const struct answer_field draft_fields[] = {
    FIELD(draft_view, id,         TEXT, "id"),
    FIELD(draft_view, revision,   U32,  "revision"),
    FIELD(draft_view, updated_ms, I64,  "updated"),
    FIELD(draft_view, author,     TEXT, "author"),
};

static const struct answer_field problem_fields[] = {
    FIELD(problem, warning, FLAG, "warning"),
    FIELD(problem, line,    U32,  "line"),
    FIELD(problem, column,  U32,  "column"),
    FIELD(problem, pointer, TEXT, "pointer"),
    FIELD(problem, message, TEXT, "message"),
    FIELD(problem, hint,    TEXT, "hint"),
};

static const struct answer_field removal_fields[] = {
    FIELD(answer_removal, found,   I64, "found"),
    FIELD(answer_removal, removed, I64, "removed"),
    FIELD(answer_removal, ids,     TEXT, "ids"),
};

static const struct answer_field removal_error_fields[] = {
    FIELD(removal_error, id,      TEXT, "id"),
    FIELD(removal_error, message, TEXT, "message"),
};

static const struct answer_field event_fields[] = {
    ENUM_FIELD(call_event, outcome, EVENT_OUTCOME_COUNT, "outcome"),
    ENUM_FIELD(call_event, first,   EVENT_OUTCOME_COUNT, "first"),
    FIELD(call_event, instance_total, U64,  "total"),
    FIELD(call_event, reason,         TEXT, "reason"),
};

static const struct answer_field event_instance_fields[] = {
    FIELD(event_instance, id,         U64,  "id"),
    FIELD(event_instance, created_ms, I64,  "created"),
    FIELD(event_instance, started,    FLAG, "started"),
};

static const struct answer_field bulk_fields[] = {
    FIELD(bulk_view, row.number,     I64,   "number"),
    FIELD(bulk_view, row.ns,         I32,   "namespace"),
    ENUM_FIELD(bulk_view, row.action, BULK_ACTION_COUNT, "action"),
    ENUM_FIELD(bulk_view, row.state,  BULK_STATE_COUNT,  "state"),
    FIELD(bulk_view, row.created_ms, I64,   "created"),
    FIELD(bulk_view, row.ended_ms,   I64,   "ended"),
    FIELD(bulk_view, row.found,      I64,   "found"),
    FIELD(bulk_view, row.done,       I64,   "done"),
    FIELD(bulk_view, row.succeeded,  I64,   "succeeded"),
    FIELD(bulk_view, row.skipped,    I64,   "skipped"),
    FIELD(bulk_view, row.refused,    I64,   "refused"),
    FIELD(bulk_view, request,        VALUE, "request"),
};
/* clang-format on */

_Static_assert(sizeof(enum instance_status) == sizeof(uint32_t), "an enum is read and written as a u32");
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "a count is read and written as a u64");

static const char *const answer_status_names[] = {
#define XX(NAME, http, grpc, exit, retry, word, meaning) [ST_##NAME] = #NAME,
    STATUS_MAP(XX)
#undef XX
};

#endif
