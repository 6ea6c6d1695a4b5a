/* runtime/definitions/design.h — answers to calls about documents, on the query thread. */
#ifndef RUNTIME_DEFINITIONS_DESIGN_H
#define RUNTIME_DEFINITIONS_DESIGN_H

#include "runtime/memory/memory.h"

/* PICTURE. */
enum status design_picture(struct query *query, struct call *call, struct error *err);

/* LIST_SUMMARIES (a part of the answer; true while there is more), GET_SUMMARY. */
enum status summaries_list(struct query *query, struct call *call, bool *ret_more, struct error *err);
enum status summaries_get(struct query *query, struct call *call, struct error *err);

/* TICKS, TRY_TABLE, COMPARE. */
enum status tick_preview_call(struct query *query, struct call *call, struct error *err);
enum status try_table_call(struct query *query, struct call *call, struct error *err);
enum status compare_call(struct query *query, struct call *call, struct error *err);

/* GET_FORM. */
enum status forms_get(struct query *query, struct call *call, struct error *err);
/* The fields of a start as a JSON Schema. */
const struct json *summaries_schema_of_fields(const struct program_fields *fields, struct arena *arena);

/* LIST_TABLES (a part of the answer; true while there is more). */
enum status table_list_call(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* The row of a definition's version; 0: the latest. NOT_THERE says in `err` which one. */
MUST_DECIDE struct found design_row(struct query *query, const struct call *call, str id, int32_t version,
                                    struct definition_row *ret_row, struct error *err);

#endif
