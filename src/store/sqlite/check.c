/* store/sqlite/check.c — verifies that the tables of a SQLite file agree with each other. */
#include "store/sqlite/sqlite_int.h"

#include <stdio.h>

/* Each query returns a sentence for every wrong row. */
static const char *const questions[] = {
    "SELECT 'SQLite: ' || integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",

    "SELECT 'definition ' || definition || ' has ' || sum(found) || ' instances in phase ' || phase ||"
    " ', but ' || sum(counted) || ' are counted' FROM"
    " (SELECT definition, phase, 1 AS found, 0 AS counted FROM instance"
    "  UNION ALL SELECT definition, slot, 0, count FROM tally WHERE slot >= 0)"
    " GROUP BY definition, phase HAVING sum(found) <> sum(counted)",

    "SELECT 'definition ' || definition || ' has ' || sum(found) || ' open tasks, but ' || sum(counted) ||"
    " ' are counted' FROM"
    " (SELECT definition, 1 AS found, 0 AS counted FROM task"
    "  UNION ALL SELECT definition, 0, count FROM tally WHERE slot = -1)"
    " GROUP BY definition HAVING sum(found) <> sum(counted)",

    "SELECT 'there are ' || found || ' timers, but ' || counted || ' are counted' FROM"
    " (SELECT (SELECT count(*) FROM timer) AS found,"
    "  ifnull((SELECT sum(count) FROM tally WHERE slot = -2), 0) AS counted) WHERE found <> counted",

    "SELECT 'instance ' || id || ' is of definition ' || definition || ', which is not there' FROM instance"
    " WHERE NOT EXISTS (SELECT 1 FROM definition WHERE number = instance.definition)",

    "SELECT 'a list has a task of instance ' || instance || ', which is not open' FROM worklist"
    " WHERE NOT EXISTS (SELECT 1 FROM task t WHERE t.instance = worklist.instance"
    "  AND t.execution = worklist.execution)",

    "SELECT 'a reason to have failed belongs to instance ' || instance || ', which is not there' FROM failure"
    " WHERE NOT EXISTS (SELECT 1 FROM instance i WHERE i.id = failure.instance)",

    "SELECT DISTINCT 'parts of bulk ' || bulk || ' are left without it' FROM bulk_part"
    " WHERE NOT EXISTS (SELECT 1 FROM bulk b WHERE b.id = bulk_part.bulk)",

    "SELECT DISTINCT 'definition ' || definition || ' takes events, but is not there' FROM event_trigger"
    " WHERE NOT EXISTS (SELECT 1 FROM definition WHERE number = event_trigger.definition)",

    /* Together with check_history(), which walks along every chain, this finds rows that belong to none. */
    "SELECT 'history row ' || h.id || ' belongs to instance ' || h.instance ||"
    " ', which does not reach it' FROM history h LEFT JOIN instance i ON i.id = h.instance"
    " WHERE h.instance <> 0 AND (i.id IS NULL OR h.id > i.last_history OR h.revision > i.revision)",

    /* Groups (sqlite/blocks.c) have the number of their blocks in `at`. */
    "SELECT 'the audit has ' || found || ' blocks, but ' || counted || ' in its groups' FROM"
    " (SELECT (SELECT count(*) FROM history WHERE instance = 0"
    "  AND id <= (SELECT value FROM meta WHERE name = 'blocks')) AS found,"
    "  (SELECT ifnull(sum(-at), 0) FROM record WHERE at < 0) AS counted) WHERE found <> counted",

    "SELECT 'instance ' || i.id || ' has ' || count(h.id) || ' history rows, but revision ' || i.revision"
    " FROM history h JOIN instance i ON i.id = h.instance GROUP BY i.id HAVING count(h.id) <> i.revision",
};

enum status sqlite_integrity(struct store *store, store_found_fn *found, void *context, struct error *err)
{
    struct sqlite_db *db = &((struct sqlite_store *)store)->db;
    for (size_t i = 0; i < COUNT(questions); i++) {
        sqlite3_stmt *statement;
        if (sqlite3_prepare_v2(db->handle, questions[i], -1, &statement, NULL) != SQLITE_OK)
            return sqlite_fail(db, err);
        int code;
        while ((code = sqlite3_step(statement) & 0xff) == SQLITE_ROW)
            found(context, (const char *)sqlite3_column_text(statement, 0));
        /* A page that cannot be read is a finding; the other queries may still succeed. */
        if (code == SQLITE_CORRUPT) found(context, "SQLite: a table cannot be read to its end");
        enum status status = code == SQLITE_DONE || code == SQLITE_CORRUPT ? ST_OK : sqlite_fail(db, err);
        sqlite3_finalize(statement);
        if (status != ST_OK) return status;
    }
    return ST_OK;
}
