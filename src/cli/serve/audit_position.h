/* cli/serve/audit_position.h — how far the file of --audit-file has come: the number of the last row of each
 * chain, and the size of the file. */
#ifndef CLI_SERVE_AUDIT_POSITION_H
#define CLI_SERVE_AUDIT_POSITION_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text_map.h"

struct audit_position {
    struct arena arena;
    struct text_map numbers; /* struct audit_number by "tenant/node". */
    int64_t bytes;           /* The size of the file when the numbers were right. */
};

void audit_position_init(struct audit_position *position);
void audit_position_done(struct audit_position *position);

/* 0: nothing of that chain was written. */
uint64_t audit_position_of(const struct audit_position *position, int32_t tenant, int64_t node);
/* Is the chain one of this file's? */
bool audit_position_has(const struct audit_position *position, int32_t tenant, int64_t node);
void audit_position_note(struct audit_position *position, int32_t tenant, int64_t node, uint64_t number);

/* Reads and replaces the file of the position. A file that is not there is a position at the beginning. */
enum status audit_position_load(struct audit_position *position, const char *path, struct error *err);
enum status audit_position_save(const struct audit_position *position, const char *path, struct error *err);

#endif
