/* cli/folder/folder.h — a folder of documents, as plan, apply and export see it.
 *
 *     DIR/…/NAME.json, .yaml, .yml   definitions of every family, at any depth
 *     DIR/triggers.json, .yaml       which triggers are paused: a list of {definition, trigger, state}
 *     DIR/access.json, .yaml         an access file (docs/access.md)
 *
 * Names that begin with a dot, scenario files (*.scenario.*) and files with other endings are left out. A
 * symbolic link that leads out of the folder is refused; one that stays inside is left out, because its
 * target is read anyway.
 */
#ifndef CLI_FOLDER_FOLDER_H
#define CLI_FOLDER_FOLDER_H

#include "base/buf.h"
#include "cli/client/client.h"

/* ---- read.c ---- */

struct folder_file {
    str path; /* From the folder on. */
    str text;
};

struct folder {
    struct arena *arena;
    const char *directory;
    struct folder_file *file; /* Definitions, in order of their paths. */
    size_t count, cap, bytes;
    size_t scenario_count;               /* Left out. */
    struct folder_file triggers, access; /* An empty path: there is none. */
};

/* Everything lives in the arena. Fails with ST_INVALID or ST_LIMIT, and names the place. */
enum status folder_read(const char *directory, struct arena *arena, struct folder *ret_folder,
                        struct error *err);

/* ---- body.c ---- */

/* The body of POST /api/apply. `prune` and `expected` may be NULL. Files that are no JSON and no YAML fail.
 * */
enum status folder_body(const struct folder *folder, const struct json *prune, const struct json *expected,
                        str *ret_body, struct error *err);

/* ---- revision.c ---- */

/* The commit that the folder's work tree of Git is at; empty: it is in none, or Git is not here. */
str folder_revision(const char *directory, struct arena *arena);

/* ---- print.c ---- */

/* The results of an answer so that each comes after those that it starts; in a circle the first comes first.
 * */
const struct json **folder_order(struct client *client, const struct json *results, size_t *ret_count);

/* Adds the text of a dry run's answer. Returns how many differences there are. */
size_t folder_print_plan(struct client *client, const struct folder *folder, struct buf *out);
/* Adds the text of an answer to what was applied. */
void folder_print_applied(struct client *client, struct buf *out);

/* ---- circles.c ---- */

/* The first circle of definitions that start each other, as text; empty: there is none. */
str folder_circle(struct client *client, const struct json *results);

/* ---- names.c ---- */

/* The request for a page of definitions; its answer has `items` and `total`. */
str folder_page(int64_t page, struct arena *arena);

/* The name of the file for a definition: letters, digits, '-', '_' and inner dots stay, other bytes are %XX.
 * So it is in the folder whatever the id is. */
str folder_name_of(str id, struct arena *arena);

/* ---- write.c ---- */

/* Checks that files may be written to the folder: it does not exist, is empty, or `overwrite`. ST_CONFLICT:
 * it is not empty. */
enum status folder_check_target(const char *directory, bool overwrite, struct error *err);
/* Writes the files, each as a whole, and removes other definitions of an earlier export. */
enum status folder_write(const char *directory, const struct folder_file *file, size_t count,
                         struct arena *arena, struct error *err);

/* Where an export puts definitions. */
#define FOLDER_DEFINITIONS "definitions"

#endif
