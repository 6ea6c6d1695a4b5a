/* runtime/definitions/drafts.h — documents that are not published. */
#ifndef RUNTIME_DEFINITIONS_DRAFTS_H
#define RUNTIME_DEFINITIONS_DRAFTS_H

#include "runtime/call/call.h"

struct turn;

/* On the engine's thread. ST_STALE: the draft is not the one that its author has seen. */
enum status draft_save_call(struct turn *turn, struct call *call, struct error *err);
enum status draft_remove_call(struct turn *turn, struct call *call, struct error *err);

/* On the query thread. */
enum status draft_get(struct store_reader *reader, struct call *call, struct error *err);
enum status draft_list(struct store_reader *reader, struct call *call, struct error *err);

/* A draft from its record. False if the bytes are none. */
bool draft_decode(const struct record_row *row, struct arena *arena, struct draft_view *ret_view);

#endif
