/* runtime/definitions/definitions.h — the door to documents, versions, drafts and questions about them. */
#ifndef RUNTIME_DEFINITIONS_DEFINITIONS_H
#define RUNTIME_DEFINITIONS_DEFINITIONS_H

#include "runtime/call/call.h"
#include "runtime/definitions/design.h"
#include "runtime/definitions/drafts.h"

struct definition_row;
struct error;
struct json;
struct program;
struct query;
struct turn;

/* ---- secret_uses.c ---- */

/* May the caller of a DEPLOY use all secrets that its document names? ST_FORBIDDEN, with the permission, the
 * name and its place. On the query thread, when the document is compiled. */
enum status secret_uses_check(struct call *call, struct error *err);

/* ---- missing.c ---- */

/* Adds to the answer of a DEPLOY or a VALIDATE what its document needs and does not have, if the caller asks
 * for it (call_deploy.around). On the query thread, when the document is compiled. */
void missing_find(struct query *query, struct call *call, const struct program *program,
                  const struct json *document);
/* Leaves out the types of jobs that workers poll for. On the engine's thread. */
void missing_leave_out_workers(struct turn *turn, struct call *call);

/* ---- publish.c ---- */

/* A document that becomes a version. */
struct publication {
    int32_t ns;
    const struct program *program; /* Compiled … */
    str text;                      /* … from this document … */
    uint64_t content;              /* … with this hash. */
    str author;                    /* Empty: unknown. */
    str revision;                  /* Empty: unknown. */
    int32_t restores;              /* The older version with the same content; 0: none. */
};

/* Writes the next version of the definition that the program is made of, with its triggers. One that restores
 * another is the latest, whatever its document calls its version. */
enum status publish_version(struct turn *turn, const struct publication *publication,
                            struct definition_row *ret_row, struct error *err);

/* ---- retire.c ---- */

/* RETIRE: nothing of the definition starts any more, until a version is published. */
enum status retire_call(struct turn *turn, struct call *call, struct error *err);

/* Writes retired_ms and is_leaving of the latest version, and ends the schedules. */
enum status retire_latest(struct turn *turn, const struct definition_row *row, struct error *err);

/* ST_CONFLICT, DEFINITION_DELETING: the definition goes, so nothing with its id is saved. */
enum status retire_check_leaving(struct turn *turn, int32_t ns, str id, struct error *err);

/* ---- restore.c ---- */

/* RESTORE, on the query thread: it becomes a DEPLOY of the older version's text. */
enum status restore_begin(struct query *query, struct call *call, struct error *err);

/* Publishes a small document that the engine has made itself. `text` is the document. */
enum status publish_document(struct turn *turn, int32_t ns, const struct json *document, str text,
                             struct error *err);

#endif
