/* cli/maintain/backup_note.h — when the last backup of a store was made: the time of a file beside it. */
#ifndef CLI_MAINTAIN_BACKUP_NOTE_H
#define CLI_MAINTAIN_BACKUP_NOTE_H

#include "base/status.h"

/* A backup has just been made. It says so beside the store; the backup is good, even if this fails. */
enum status backup_note_write(const char *data, struct error *err);

/* False: none is known. */
bool backup_note_read(const char *data, int64_t *ret_at_ms);

#endif
