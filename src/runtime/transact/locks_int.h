/* runtime/transact/locks_int.h — the rows of named locks, for the files that use them. */
#ifndef RUNTIME_TRANSACT_LOCKS_INT_H
#define RUNTIME_TRANSACT_LOCKS_INT_H

#include "runtime/transact/locks.h"
#include "runtime/transact/transact_int.h"

/* The first byte of a key (locks.h). */
enum { LOCK_DUE = 'd', LOCK_HOLDER = 'h', LOCK_WAITER = 'w' };

/* A part of a key that sorts by the number. */
void locks_add_number(struct buf *key, uint64_t number);
/* The beginning of the keys of all rows of a lock with that tag. */
str locks_prefix(char tag, str qualified, struct arena *arena);
/* The row that makes the backlog look at the name. */
struct record_row locks_due(str qualified, struct arena *arena);
/* The parts of a key; the qualified name is borrowed. A d row has no instance. False: it is none. */
bool locks_read_key(str key, str *ret_qualified, uint64_t *ret_instance, uint32_t *ret_number);
/* The row of a holder or a waiter. False: it is none. */
bool locks_read_seat(const struct record_row *row, struct arena *arena, struct lock_seat *ret_seat);

#endif
