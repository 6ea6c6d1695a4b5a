/* cli/maintain/doctor_int.h — the checks of `pawl doctor`. Each looks at one thing and tells what it saw. */
#ifndef CLI_MAINTAIN_DOCTOR_INT_H
#define CLI_MAINTAIN_DOCTOR_INT_H

#include "cli/options.h"
#include "json/json.h"

enum doctor_finding { FINE, DOUBTFUL, WRONG };

struct diagnosis {
    const struct options *options;
    struct arena *arena;
    const char *data, *database; /* The directory of the store; the URI of its database; NULL: none. */
    struct buf lines;
    struct json_builder list;
    size_t count[WRONG + 1];
};

/* One line: which thing, what was found, and what to do about it (NULL: nothing). */
void doctor_report(struct diagnosis *diagnosis, enum doctor_finding finding, const char *thing, str found,
                   const char *advice);

/* doctor_machine.c */
void doctor_clock(struct diagnosis *diagnosis);
void doctor_disk(struct diagnosis *diagnosis);
void doctor_sync(struct diagnosis *diagnosis);
void doctor_open_files(struct diagnosis *diagnosis);
void doctor_port(struct diagnosis *diagnosis);

/* doctor_files.c */
void doctor_directory(struct diagnosis *diagnosis);
void doctor_store(struct diagnosis *diagnosis);
void doctor_keys(struct diagnosis *diagnosis);
void doctor_backup(struct diagnosis *diagnosis);

/* doctor_database.c */
void doctor_database(struct diagnosis *diagnosis);

#endif
