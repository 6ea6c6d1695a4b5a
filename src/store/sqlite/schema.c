/* store/sqlite/schema.c — the tables, and the steps that bring older files to them.
 *
 * README.md explains the choices. A change of the schema is a new step at the end of the list. Steps that
 * have been released never change, because files were made by them.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <inttypes.h>
#include <stdio.h>

/* "PAWL" in the file's header, for file(1) and for us. */
enum { APPLICATION_ID = 0x5041574c };

static const struct migration steps[] = {
    { "CREATE TABLE namespace(id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);"
      "INSERT INTO namespace VALUES(1, CAST('default' AS BLOB));"
      "INSERT INTO meta VALUES('instance_high', 0);"

      "CREATE TABLE definition(number INTEGER PRIMARY KEY, ns INT NOT NULL, id BLOB NOT NULL,"
      " version INT NOT NULL, dialect BLOB NOT NULL, title BLOB NOT NULL, content INT NOT NULL,"
      " created INT NOT NULL, source BLOB NOT NULL, UNIQUE(ns, id, version));"

      "CREATE TABLE instance(id INTEGER PRIMARY KEY, ns INT NOT NULL, definition INT NOT NULL,"
      " phase INT NOT NULL, created INT NOT NULL, ended INT, key BLOB, revision INT NOT NULL,"
      " last_history INT NOT NULL, state BLOB NOT NULL);"
      "CREATE INDEX instance_place ON instance(definition, phase);"
      "CREATE INDEX instance_key ON instance(ns, key, phase) WHERE key IS NOT NULL;"
      "CREATE INDEX instance_ended ON instance(ended) WHERE ended IS NOT NULL;"

      "CREATE TABLE tally(definition INT NOT NULL, slot INT NOT NULL, count INT NOT NULL,"
      " PRIMARY KEY(definition, slot)) WITHOUT ROWID;"

      "CREATE TABLE history(id INTEGER PRIMARY KEY, instance INT NOT NULL, prev INT NOT NULL,"
      " revision INT NOT NULL, at INT NOT NULL, blob BLOB NOT NULL);"

      "CREATE TABLE timer(due INT NOT NULL, instance INT NOT NULL, number INT NOT NULL,"
      " PRIMARY KEY(due, instance, number)) WITHOUT ROWID;"

      "CREATE TABLE task(instance INT NOT NULL, execution INT NOT NULL, ns INT NOT NULL,"
      " definition INT NOT NULL, created INT NOT NULL, node BLOB NOT NULL, title BLOB NOT NULL,"
      " label BLOB NOT NULL, PRIMARY KEY(instance, execution)) WITHOUT ROWID;"
      "CREATE INDEX task_definition ON task(definition, instance, execution);"
      "CREATE INDEX task_label ON task(ns, label, instance, execution);"

      "CREATE TABLE pending(parent INT NOT NULL, number INT NOT NULL, ns INT NOT NULL,"
      " target BLOB NOT NULL, key BLOB NOT NULL, created INT NOT NULL, data BLOB NOT NULL,"
      " PRIMARY KEY(parent, number)) WITHOUT ROWID;"
      "CREATE INDEX pending_target ON pending(ns, target, created);"

      "CREATE TABLE idempotency(ns INT NOT NULL, key BLOB NOT NULL, request INT NOT NULL,"
      " created INT NOT NULL, http_status INT NOT NULL, answer BLOB NOT NULL,"
      " PRIMARY KEY(ns, key)) WITHOUT ROWID;"
      "CREATE INDEX idempotency_created ON idempotency(created);" },

    { "CREATE TABLE event_trigger(ns INT NOT NULL, source BLOB NOT NULL, type BLOB NOT NULL,"
      " definition INT NOT NULL, PRIMARY KEY(ns, source, type, definition)) WITHOUT ROWID;"

      "CREATE TABLE subscription(definition INT NOT NULL, token BLOB NOT NULL, instance INT NOT NULL,"
      " PRIMARY KEY(definition, token, instance)) WITHOUT ROWID;"

      "CREATE TABLE child(parent INT NOT NULL, number INT NOT NULL, instance INT NOT NULL,"
      " awaited INT NOT NULL, PRIMARY KEY(parent, number)) WITHOUT ROWID;"

      /* An unmatched event's number is a cursor: it must not come back when the newest unmatched event is
         purged. */
      "CREATE TABLE letter(id INTEGER PRIMARY KEY AUTOINCREMENT, ns INT NOT NULL, received INT NOT NULL,"
      " reason BLOB NOT NULL, event BLOB NOT NULL);"
      "CREATE INDEX letter_ns ON letter(ns);"
      "CREATE INDEX letter_received ON letter(received);"

      "ALTER TABLE definition ADD COLUMN rank INT NOT NULL DEFAULT 0;"
      "CREATE UNIQUE INDEX definition_rank ON definition(ns, id, rank, version);" },

    /* The source comes last, because columns behind a long one are reached through all of its pages. No
     * dialect had another priority before this step. */
    { "CREATE TABLE definition_new(number INTEGER PRIMARY KEY, ns INT NOT NULL, id BLOB NOT NULL,"
      " version INT NOT NULL, rank INT NOT NULL, priority INT NOT NULL, dialect BLOB NOT NULL,"
      " title BLOB NOT NULL, content INT NOT NULL, created INT NOT NULL, source BLOB NOT NULL,"
      " UNIQUE(ns, id, version));"
      "INSERT INTO definition_new SELECT number, ns, id, version, rank, 5, dialect, title, content, created,"
      " source FROM definition;"
      "DROP TABLE definition;"
      "ALTER TABLE definition_new RENAME TO definition;"
      "CREATE UNIQUE INDEX definition_rank ON definition(ns, id, rank, version);" },

    /* Failed instances (phases 6 and 7) have a retention of their own and are mostly kept for ever. A
     * search for the others must not pass them. */
    { "DROP INDEX instance_ended;"
      "CREATE INDEX instance_ended ON instance(ended) WHERE ended IS NOT NULL AND phase NOT IN (6, 7);"
      "CREATE INDEX instance_failed ON instance(ended) WHERE ended IS NOT NULL AND phase IN (6, 7);" },
    /* The states tell why instances failed, so the table is filled from them. The number of a bulk must not
     * come back, like that of an unmatched event. */
    { "CREATE TABLE failure(definition INT NOT NULL, instance INT NOT NULL, ns INT NOT NULL,"
      " created INT NOT NULL, failed INT NOT NULL, key BLOB, step BLOB NOT NULL, reason BLOB NOT NULL,"
      " PRIMARY KEY(definition, instance)) WITHOUT ROWID;"

      "CREATE TABLE bulk(id INTEGER PRIMARY KEY AUTOINCREMENT, ns INT NOT NULL, action INT NOT NULL,"
      " state INT NOT NULL, created INT NOT NULL, ended INT, found INT NOT NULL, done INT NOT NULL,"
      " succeeded INT NOT NULL, skipped INT NOT NULL, refused INT NOT NULL);"
      "CREATE INDEX bulk_running ON bulk(id) WHERE ended IS NULL;"
      "CREATE INDEX bulk_ended ON bulk(ended) WHERE ended IS NOT NULL;"

      "CREATE TABLE bulk_part(bulk INT NOT NULL, kind INT NOT NULL, number INT NOT NULL, blob BLOB NOT NULL,"
      " PRIMARY KEY(bulk, kind, number));",
      sqlite_fill_failures },

    /* Changes names only: the tables keep their rows, and unmatched events their highest number. */
    { "ALTER TABLE letter RENAME TO unmatched;"
      "DROP INDEX letter_ns;"
      "DROP INDEX letter_received;"
      "CREATE INDEX unmatched_ns ON unmatched(ns);"
      "CREATE INDEX unmatched_received ON unmatched(received);"
      "ALTER TABLE subscription RENAME COLUMN token TO correlation;" },

    /* Most records are never purged by age, and have no row in the index. */
    { "CREATE TABLE record(ns INT NOT NULL, kind INT NOT NULL, key BLOB NOT NULL, at INT NOT NULL,"
      " value BLOB NOT NULL, PRIMARY KEY(ns, kind, key)) WITHOUT ROWID;"
      "CREATE INDEX record_at ON record(kind, at) WHERE at > 0;" },

    /* A person's lists (store/worklist.h) have rows of their own, in the order in which they are shown. Tasks
     * without details have none. */
    { "ALTER TABLE task ADD COLUMN details BLOB;"
      "CREATE TABLE worklist(ns INT NOT NULL, list INT NOT NULL, who BLOB NOT NULL, due INT NOT NULL,"
      " instance INT NOT NULL, execution INT NOT NULL,"
      " PRIMARY KEY(ns, list, who, due, instance, execution)) WITHOUT ROWID;"
      "CREATE INDEX worklist_task ON worklist(instance, execution);" },

    /* Timers are counted like instances and tasks: the metrics ask for their number every few seconds. */
    { "INSERT INTO tally SELECT 0, -2, count(*) FROM timer;" },

    /* Nobody knows who published the versions that are there. */
    { "ALTER TABLE definition ADD COLUMN author BLOB NOT NULL DEFAULT x'';" },

    /* The list of a tenant's tasks does not pass those of others. */
    { "CREATE INDEX task_ns ON task(ns, instance, execution);" },

    /* Versions that are there came from an unknown revision. None of them is retired. The source comes
     * last again. */
    { "CREATE TABLE definition_new(number INTEGER PRIMARY KEY, ns INT NOT NULL, id BLOB NOT NULL,"
      " version INT NOT NULL, rank INT NOT NULL, priority INT NOT NULL, dialect BLOB NOT NULL,"
      " title BLOB NOT NULL, content INT NOT NULL, created INT NOT NULL, author BLOB NOT NULL,"
      " revision BLOB NOT NULL, restores INT NOT NULL, retired INT NOT NULL, source BLOB NOT NULL,"
      " UNIQUE(ns, id, version));"
      "INSERT INTO definition_new SELECT number, ns, id, version, rank, priority, dialect, title, content,"
      " created, author, x'', 0, 0, source FROM definition;"
      "DROP TABLE definition;"
      "ALTER TABLE definition_new RENAME TO definition;"
      "CREATE UNIQUE INDEX definition_rank ON definition(ns, id, rank, version);" },

    /* Events that nobody took before this step are found by their number only. */
    { "ALTER TABLE unmatched ADD COLUMN identity BLOB;"
      "CREATE INDEX unmatched_identity ON unmatched(ns, identity) WHERE identity IS NOT NULL;" },

    /* From here on the store may have blocks of the audit. An engine that does not know them would go on with
     * a chain from where it was before. The tables stay as they are: the newest row of the history is noted,
     * because blocks are behind it. */
    { "INSERT INTO meta SELECT 'blocks', ifnull(max(id), 0) FROM history;" },
};

_Static_assert(INSTANCE_FAILED == 3, "the schema names the phases of a failed instance");

struct sqlite_schema sqlite_schema(void)
{
    return (struct sqlite_schema){ .step = steps, .count = COUNT(steps) };
}

enum status sqlite_inspect(struct sqlite_db *db, enum sqlite_origin *ret_origin, int64_t *ret_version,
                           struct error *err)
{
    int64_t application, tables, has_meta, version = 0;
    TRY(sqlite_number(db, "PRAGMA application_id", &application, err));
    TRY(sqlite_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err));
    TRY(sqlite_number(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'meta'",
                      &has_meta, err));
    bool ours = application == APPLICATION_ID && has_meta;
    if (ours) TRY(sqlite_number(db, "SELECT value FROM meta WHERE name = 'schema'", &version, err));
    *ret_origin = ours ? ORIGIN_OURS : application == 0 && tables == 0 ? ORIGIN_EMPTY : ORIGIN_FOREIGN;
    *ret_version = version;
    return ST_OK;
}

static enum status run_steps(struct sqlite_db *db, struct sqlite_schema schema, struct error *err)
{
    /* The version is read inside the transaction, so that no other process can be faster. */
    enum sqlite_origin origin;
    int64_t version;
    TRY(sqlite_inspect(db, &origin, &version, err));
    must(origin != ORIGIN_FOREIGN && version >= 0 && version <= (int64_t)schema.count);
    char sql[96];
    if (origin == ORIGIN_EMPTY) {
        snprintf(sql, sizeof sql, "PRAGMA application_id = %d", APPLICATION_ID);
        TRY(sqlite_exec(db, sql, err));
        TRY(sqlite_exec(db,
                        "CREATE TABLE meta(name TEXT PRIMARY KEY, value INT) WITHOUT ROWID;"
                        "INSERT INTO meta VALUES('schema', 0)",
                        err));
    }
    for (; version < (int64_t)schema.count; version++) {
        TRY(sqlite_exec(db, schema.step[version].sql, err));
        if (schema.step[version].fill) TRY(schema.step[version].fill(db, err));
    }
    snprintf(sql, sizeof sql, "UPDATE meta SET value = %" PRId64 " WHERE name = 'schema'", version);
    return sqlite_exec(db, sql, err);
}

enum status sqlite_migrate(struct sqlite_db *db, struct sqlite_schema schema, struct error *err)
{
    TRY(sqlite_exec(db, "BEGIN IMMEDIATE", err));
    enum status status = run_steps(db, schema, err);
    if (status == ST_OK) status = sqlite_exec(db, "COMMIT", err);
    if (status != ST_OK && !sqlite3_get_autocommit(db->handle)) sqlite_exec(db, "ROLLBACK", NULL);
    return status;
}
