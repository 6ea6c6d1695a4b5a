/* runtime/transact/kept.h — events and arrivals whose key no instance has yet.
 *
 * The engine keeps such a thing until its time is over, for each definition that takes it. When an instance
 * of the definition gets the key, the thing is delivered to it, in the order of arrival and once. It is a
 * record, so a crash forgets nothing:
 *
 *     m  definition, NUL, kept_kind, length of the key, key, number  → what is kept
 *     x  time at which it expires, number                            → the key of the m record
 *     c  definition                                                  → how many it has, and their bytes
 *     d  instance                                                    → an instance that has got such a key
 *
 * An m record and its x record come and go together. A d record is written in the transaction in which the
 * instance gets the key. The backlog (arrivals/kept.c) delivers and lets things expire, some in each turn.
 */
#ifndef RUNTIME_TRANSACT_KEPT_H
#define RUNTIME_TRANSACT_KEPT_H

#include "store/store.h"

struct definition;
struct instance;
struct turn;
struct waiting_view;

enum kept_kind { KEPT_ARRIVAL = 'a', KEPT_EVENT = 'e' };

/* The memory of this file. */
struct kept_memory {
    bool any;        /* There may be something kept. Nodes of a shared store always ask. */
    int64_t next_ms; /* Nothing that this node knows of expires before. */
    uint64_t number; /* The last one that was given. */
};

struct kept {
    int32_t ns;
    str definition_id;
    enum kept_kind kind;
    str key;                  /* The instance that it is for has this key. */
    int64_t until_ms;         /* Then it expires. */
    const struct json *value; /* The CloudEvent, or the arrival as a queue has it. */
    const struct json *seen;  /* Keys of SEEN records, which go when it expires; NULL: none. */
    uint64_t number;
    str record; /* The key of its m record. */
    size_t bytes;
};

/* Keeps it. `*ret_refusal`: why that cannot be, a sentence that names the limit; empty: it is kept. */
enum status kept_add(struct turn *turn, struct kept *kept, str *ret_refusal, struct error *err);

/* An instance has changed: notes it if something is kept for a key that it has got. */
enum status kept_note(struct turn *turn, const struct definition *definition, const struct instance *before,
                      const struct instance *after, struct error *err);

/* The first one for the key behind a record. */
MUST_DECIDE struct found kept_first(struct turn *turn, int32_t ns, str definition_id, enum kept_kind kind,
                                    str key, str after, struct kept *ret_kept, struct error *err);
/* The one whose x record this is. */
MUST_DECIDE struct found kept_find(struct turn *turn, const struct record_row *expiry, struct kept *ret_kept,
                                   struct error *err);
/* The definition's first one, or, if that is damaged, its row alone. */
enum status kept_of_definition(struct turn *turn, int32_t ns, str definition_id, struct record_row *ret_row,
                               struct kept *ret_kept, bool *ret_there, bool *ret_intact, struct error *err);
/* It was taken, or has expired. */
enum status kept_remove(struct turn *turn, const struct kept *kept, struct error *err);
enum status kept_remove_row(struct turn *turn, const struct record_row *row, struct error *err);

/* The first events of a tenant that wait, by their definitions and keys, for people: KEPT_LISTED_MAX of them,
 * and no more than `bytes_max` are read. `*ret_more`: there are others. */
enum status kept_list(struct store_reader *reader, int32_t ns, size_t bytes_max, struct arena *arena,
                      struct waiting_view **ret_view, size_t *ret_count, bool *ret_more, struct error *err);

/* Removes some of what is kept for a tenant that goes. `*ret_count` 0: nothing is left. */
enum status kept_forget(struct turn *turn, int32_t ns, size_t max, size_t *ret_count, struct error *err);

/* The next d records and those x records whose time has come, in the order of their keys. */
enum status kept_rows(struct turn *turn, str after, size_t max, struct record_row **ret_row,
                      size_t *ret_count, struct error *err);
/* The filters of both. */
size_t kept_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter);
bool kept_row_expires(const struct record_row *row); /* An x record, else a d record. */
/* All rows that were due have been looked at: finds out when the next one is. */
enum status kept_look_ahead(struct turn *turn, struct error *err);

#endif
