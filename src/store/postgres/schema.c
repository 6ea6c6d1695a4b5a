/* store/postgres/schema.c — the tables, and the steps that bring older databases to them.
 *
 * They are those of SQLite (../README.md explains the choices), with these differences. History is found by
 * (instance, revision), so no row points to another. Each node has its own rows of counts. Sequences give
 * numbers, some of them in blocks, because nodes must not wait for each other to count. `node` has a row for
 * each node that lives.
 *
 * A change of the schema is a new step at the end of the list. Steps that have been released never change,
 * because databases were made by them.
 */
#include "store/copy/copy_int.h"
#include "store/postgres/postgres_int.h"

#include <inttypes.h>
#include <stdio.h>

/* Half of each page of `instance` is left free, so that a new state finds room beside the old one and no
 * index is touched. Its columns are in this order, because the server logs of an updated row what lies
 * between the equal beginnings and the equal ends of both. A short number of the definition keeps two indexes
 * and their log small. States are not compressed by the server: they are short, and time is dearer. */
static const char *const first[] = {
    "CREATE TABLE namespace(id int4 PRIMARY KEY, name bytea NOT NULL UNIQUE)",
    "INSERT INTO namespace VALUES(1, 'default')",
    "INSERT INTO meta VALUES('instance_high', 0), ('generation', 1)",
    "CREATE SEQUENCE node_number",
    "CREATE TABLE node(id int8 PRIMARY KEY, beat timestamptz NOT NULL, began timestamptz NOT NULL)"
    " WITH (fillfactor = 20)",
    /* Every transaction of a node's writer changes its row here, and nobody else does: a heartbeat would be
     * in its way. */
    "CREATE TABLE node_turn(node int8 PRIMARY KEY, turn int8 NOT NULL) WITH (fillfactor = 20)",
    "CREATE TABLE definition(number int8 PRIMARY KEY, ns int4 NOT NULL, id bytea NOT NULL,"
    " version int4 NOT NULL, rank int8 NOT NULL, priority int2 NOT NULL, dialect bytea NOT NULL,"
    " title bytea NOT NULL, content int8 NOT NULL, created int8 NOT NULL, source bytea NOT NULL,"
    " UNIQUE(ns, id, version))",
    "CREATE UNIQUE INDEX definition_rank ON definition(ns, id, rank, version)",
    "CREATE SEQUENCE definition_number",
    "CREATE TABLE instance(id int8 PRIMARY KEY, created int8 NOT NULL, definition int4 NOT NULL,"
    " ns int4 NOT NULL, holder int8, ended int8, phase int2 NOT NULL, revision int4 NOT NULL, key bytea,"
    " state bytea NOT NULL)"
    " WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE instance ALTER state SET STORAGE EXTERNAL",
    "CREATE INDEX instance_place ON instance(definition, phase, id)",
    "CREATE INDEX instance_key ON instance(ns, key, phase, id) INCLUDE (definition)"
    " WHERE key IS NOT NULL",
    "CREATE INDEX instance_ended ON instance(ended) WHERE ended IS NOT NULL AND phase NOT IN (6, 7)",
    "CREATE INDEX instance_failed ON instance(ended) WHERE ended IS NOT NULL AND phase IN (6, 7)",
    "CREATE SEQUENCE instance_block",
    "CREATE TABLE tally(definition int8 NOT NULL, slot int2 NOT NULL, node int8 NOT NULL,"
    " count int8 NOT NULL, PRIMARY KEY(definition, slot, node)) WITH (fillfactor = 50)",
    /* In this order nothing is lost to alignment. */
    "CREATE TABLE history(instance int8 NOT NULL, at int8 NOT NULL, revision int4 NOT NULL,"
    " blob bytea NOT NULL, PRIMARY KEY(instance, revision))",
    "ALTER TABLE history ALTER blob SET STORAGE EXTERNAL",
    "CREATE TABLE timer(due int8 NOT NULL, instance int8 NOT NULL, number int8 NOT NULL,"
    " PRIMARY KEY(due, instance, number))",
    "CREATE INDEX timer_instance ON timer(instance)",
    "CREATE TABLE task(instance int8 NOT NULL, execution int8 NOT NULL, ns int4 NOT NULL,"
    " definition int8 NOT NULL, created int8 NOT NULL, node bytea NOT NULL, title bytea NOT NULL,"
    " label bytea NOT NULL, details bytea, PRIMARY KEY(instance, execution))",
    "CREATE INDEX task_definition ON task(definition, instance, execution)",
    "CREATE INDEX task_label ON task(ns, label, instance, execution)",
    "CREATE TABLE worklist(ns int4 NOT NULL, list int2 NOT NULL, who bytea NOT NULL, due int8 NOT NULL,"
    " instance int8 NOT NULL, execution int8 NOT NULL,"
    " PRIMARY KEY(ns, list, who, due, instance, execution))",
    "CREATE INDEX worklist_task ON worklist(instance, execution)",
    "CREATE TABLE pending(parent int8 NOT NULL, number int8 NOT NULL, ns int4 NOT NULL,"
    " target bytea NOT NULL, key bytea NOT NULL, created int8 NOT NULL, data bytea NOT NULL,"
    " PRIMARY KEY(parent, number))",
    "CREATE INDEX pending_target ON pending(ns, target, created, parent, number)",
    "CREATE TABLE idempotency(ns int4 NOT NULL, key bytea NOT NULL, request int8 NOT NULL,"
    " created int8 NOT NULL, http_status int4 NOT NULL, answer bytea NOT NULL, PRIMARY KEY(ns, key))",
    "CREATE INDEX idempotency_created ON idempotency(created)",
    "CREATE TABLE event_trigger(ns int4 NOT NULL, source bytea NOT NULL, type bytea NOT NULL,"
    " definition int8 NOT NULL, PRIMARY KEY(ns, source, type, definition))",
    "CREATE TABLE subscription(definition int8 NOT NULL, correlation bytea NOT NULL,"
    " instance int8 NOT NULL, PRIMARY KEY(definition, correlation, instance))",
    "CREATE INDEX subscription_instance ON subscription(instance)",
    "CREATE TABLE child(parent int8 NOT NULL, number int8 NOT NULL, instance int8 NOT NULL,"
    " awaited int2 NOT NULL, PRIMARY KEY(parent, number))",
    "CREATE TABLE unmatched(number int8 GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, ns int4 NOT NULL,"
    " received int8 NOT NULL, reason bytea NOT NULL, event bytea NOT NULL)",
    "CREATE INDEX unmatched_ns ON unmatched(ns, number)",
    "CREATE INDEX unmatched_received ON unmatched(received)",
    "CREATE TABLE failure(definition int8 NOT NULL, instance int8 NOT NULL, ns int4 NOT NULL,"
    " created int8 NOT NULL, failed int8 NOT NULL, key bytea, step bytea NOT NULL, reason bytea NOT NULL,"
    " PRIMARY KEY(definition, instance))",
    "CREATE TABLE bulk(number int8 GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, ns int4 NOT NULL,"
    " action int4 NOT NULL, state int4 NOT NULL, created int8 NOT NULL, ended int8, found int8 NOT NULL,"
    " done int8 NOT NULL, succeeded int8 NOT NULL, skipped int8 NOT NULL, refused int8 NOT NULL)",
    "CREATE INDEX bulk_running ON bulk(number) WHERE ended IS NULL",
    "CREATE INDEX bulk_ended ON bulk(ended) WHERE ended IS NOT NULL",
    "CREATE TABLE bulk_part(bulk int8 NOT NULL, kind int2 NOT NULL, number int8 NOT NULL,"
    " blob bytea NOT NULL, PRIMARY KEY(bulk, kind, number))",
    "CREATE TABLE record(ns int4 NOT NULL, kind int2 NOT NULL, key bytea NOT NULL, at int8 NOT NULL,"
    " value bytea NOT NULL, PRIMARY KEY(ns, kind, key))",
    "CREATE INDEX record_at ON record(kind, at) WHERE at > 0",
};

/* The checksum of a state comes first. */
static const char *const states[] = { "UPDATE instance SET state = " CHECKSUM_FIRST };

/* Several nodes. `instance.holder` is the node that holds jobs of it (store/nodes.h); -1 stands for those of
 * these versions, whose jobs were in the memory of the one engine. A job's row changes often and lives
 * shortly: it has room beside it, and is cleaned up early. */
static const char *const nodes[] = {
    /* A number of the sequence stands for 16 ids now, not for 1,024. The sequence itself is set forward by
     * whoever takes the next number: no rollback of this step would set it back. */
    "UPDATE meta SET value = greatest(value, (SELECT CASE WHEN is_called THEN 1024 * (last_value + 1) ELSE 0"
    " END FROM instance_block)) WHERE name = 'instance_high'",
    "ALTER TABLE instance ADD IF NOT EXISTS holder int8",
    "UPDATE instance SET holder = -1 WHERE phase & 1 = 1",
    "CREATE INDEX instance_holder ON instance(holder, id) WHERE holder IS NOT NULL",
    "ALTER TABLE node DROP beat, ADD beats int8 NOT NULL DEFAULT 0, ADD epoch int8 NOT NULL DEFAULT 0,"
    " ADD dead bool NOT NULL DEFAULT false",
    "INSERT INTO node(id, began, dead) SELECT -1, now(), true"
    " WHERE EXISTS (SELECT 1 FROM instance WHERE holder = -1)",
    /* The last transactions of nodes that are gone, for those of them that lost an answer. */
    "CREATE TABLE node_gone(node int8 PRIMARY KEY, turn int8 NOT NULL, at timestamptz NOT NULL)",
    "CREATE TABLE job(instance int8 NOT NULL, number int8 NOT NULL, available int8 NOT NULL, claimed int8,"
    " claim int8, lease int8, priority int2 NOT NULL, delivery int2 NOT NULL, queue bytea NOT NULL,"
    " worker bytea, locked int8, locked_until int8, PRIMARY KEY(instance, number))"
    " WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,"
    " autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off)",
    "CREATE INDEX job_offered ON job(queue, priority DESC, available, instance, number)"
    " WHERE claimed IS NULL",
    "CREATE INDEX job_claimed ON job(claimed, instance, number) WHERE claimed IS NOT NULL",
    "CREATE INDEX job_lease ON job(lease) WHERE lease IS NOT NULL",
    "CREATE UNLOGGED TABLE news(node int8 NOT NULL, turn int8 NOT NULL, before int8 NOT NULL,"
    " text bytea NOT NULL, PRIMARY KEY(node, turn))"
    " WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,"
    " autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off)",
    /* Node messages of nodes to each other (store/node_messages.h). */
    "CREATE UNLOGGED TABLE errand(target int8 NOT NULL, id int8 GENERATED ALWAYS AS IDENTITY,"
    " sender int8 NOT NULL, number int8 NOT NULL, until timestamptz NOT NULL, text bytea NOT NULL,"
    " PRIMARY KEY(target, id))"
    " WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,"
    " autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off)",
    "ALTER TABLE errand ALTER text SET STORAGE EXTERNAL",
    "CREATE UNLOGGED TABLE notice(node int8 PRIMARY KEY, version int8 NOT NULL, text bytea NOT NULL)",
};

/* Nobody knows who published the versions that are there. */
static const char *const authors[] = {
    "ALTER TABLE definition ADD IF NOT EXISTS author bytea NOT NULL DEFAULT ''"
};

/* The list of a tenant's tasks does not pass those of others. */
static const char *const tenants[] = {
    "CREATE INDEX IF NOT EXISTS task_ns ON task(ns, instance, execution)"
};

/* Versions that are there came from an unknown revision, and none of them is retired. */
static const char *const versions[] = {
    "ALTER TABLE definition ADD IF NOT EXISTS revision bytea NOT NULL DEFAULT '',"
    " ADD IF NOT EXISTS restores int4 NOT NULL DEFAULT 0, ADD IF NOT EXISTS retired int8 NOT NULL DEFAULT 0"
};

/* Events that nobody took before this step are found by their number only. */
static const char *const identities[] = {
    "ALTER TABLE unmatched ADD IF NOT EXISTS identity bytea",
    "CREATE INDEX IF NOT EXISTS unmatched_identity ON unmatched(ns, identity, number)"
    " WHERE identity IS NOT NULL",
};

/* From here on the store may have blocks of the audit. An engine that does not know them would go on with a
 * chain from where it was before. The tables stay as they are. */
static const char *const blocks[] = { "SELECT 1" };

/* Step i leads from version i to version i + 1. */
static const struct postgres_step {
    const char *const *statement;
    size_t count;
} steps[] = {
    { first, COUNT(first) },           { states, COUNT(states) },   { nodes, COUNT(nodes) },
    { authors, COUNT(authors) },       { tenants, COUNT(tenants) }, { versions, COUNT(versions) },
    { identities, COUNT(identities) }, { blocks, COUNT(blocks) },
};

_Static_assert(INSTANCE_FAILED == 3, "the schema names the phases of a failed instance");

/* The session that changes the tables of this schema has it. The first number is one that no other program on
 * the same database uses. */
#define MIGRATION_LOCK \
    "70934630, (SELECT oid::int8::bit(32)::int4 FROM pg_namespace WHERE nspname = current_schema())"

enum status postgres_schema_version(struct postgres_db *db, int64_t *ret_version, bool *ret_ours,
                                    struct error *err)
{
    PGresult *result;
    TRY(postgres_ask(db, SQL_HAS_META, NULL, &result, err));
    *ret_ours = postgres_number(result, 0, 0) != 0;
    *ret_version = 0;
    libpq.clear(result);
    if (!*ret_ours) return ST_OK;
    TRY(postgres_ask(db, SQL_SCHEMA_VERSION, NULL, &result, err));
    if (libpq.ntuples(result)) *ret_version = postgres_number(result, 0, 0);
    libpq.clear(result);
    return ST_OK;
}

static enum status check_version(const struct store_config *config, int64_t version, bool ours,
                                 struct error *err)
{
    int64_t newest = (int64_t)COUNT(steps);
    if (!ours && !config->create) return fail(err, ST_NOT_FOUND, "store", "the database has no Pawl store");
    if (version >= COPY_UNFINISHED) return copy_fail_unfinished("the database", err);
    if (version > newest)
        return fail(err, ST_CONFLICT, "store",
                    "schema %" PRId64 " is newer than this program, which knows up to %" PRId64, version,
                    newest);
    if (version < newest && (config->must_not_migrate || config->read_only))
        return fail(err, ST_CONFLICT, "store",
                    "schema %" PRId64 " is older than this program, which needs %" PRId64, version, newest);
    return ST_OK;
}

/* An engine of an older version that runs writes rows as they were. It has the lock of the store. */
static enum status check_alone(struct postgres_db *db, struct error *err)
{
    enum status status =
        postgres_exec(db, "SELECT 1 / pg_try_advisory_xact_lock(" NODE_LOCK_KEY ")::int", err);
    if (status != ST_AGAIN) return status;
    return fail(err, ST_CONFLICT, "store", "an engine of an older version has the store open");
}

static enum status run_step(struct postgres_db *db, const struct postgres_step *step, int64_t wait_ms,
                            struct error *err)
{
    for (size_t i = 0; i < step->count; i++) {
        enum status status = postgres_exec(db, step->statement[i], err);
        if (status == ST_AGAIN)
            return fail(
                err, ST_CONFLICT, "store",
                "the tables cannot be migrated: another session has had one of them locked for %" PRId64
                " ms (pg_locks shows it)",
                wait_ms);
        TRY(status);
    }
    return ST_OK;
}

/* Nodes that start together wait for the first of them. */
static enum status lock_schema(struct postgres_db *db, int64_t wait_ms, struct error *err)
{
    char sql[64];
    snprintf(sql, sizeof sql, "SET LOCAL lock_timeout = %" PRId64, wait_ms);
    TRY(postgres_exec(db, sql, err));
    enum status status = postgres_exec(db, "SELECT pg_advisory_xact_lock(" MIGRATION_LOCK ")", err);
    if (status != ST_AGAIN) return status;
    return fail(err, ST_CONFLICT, "store",
                "another node has made or migrated the tables for more than %" PRId64
                " ms and is not done; start again when it is",
                wait_ms);
}

static enum status run_steps(struct postgres_db *db, const struct store_config *config, struct error *err)
{
    int64_t version, wait_ms = config->migration_wait_ms ? config->migration_wait_ms : MIGRATION_WAIT_MS;
    bool ours;
    char sql[96];
    /* The version is read under the lock, so that no other node can be faster. */
    TRY(lock_schema(db, wait_ms, err));
    TRY(postgres_schema_version(db, &version, &ours, err));
    TRY(check_version(config, version, ours, err));
    if (!ours)
        TRY(postgres_exec(db,
                          "CREATE TABLE meta(name text PRIMARY KEY, value int8 NOT NULL);"
                          "INSERT INTO meta VALUES('schema', 0)",
                          err));
    if (version == (int64_t)COUNT(steps)) return ST_OK;
    if (version > 0) TRY(check_alone(db, err));
    for (size_t i = (size_t)version; i < COUNT(steps); i++) TRY(run_step(db, &steps[i], wait_ms, err));
    snprintf(sql, sizeof sql, "UPDATE meta SET value = %zu WHERE name = 'schema'", COUNT(steps));
    return postgres_exec(db, sql, err);
}

enum status postgres_migrate(struct postgres_db *db, const struct store_config *config, struct error *err)
{
    int64_t version;
    bool ours;
    TRY(postgres_db_connect(db, err));
    TRY(postgres_schema_version(db, &version, &ours, err));
    TRY(check_version(config, version, ours, err));
    if (ours && version == (int64_t)COUNT(steps)) return ST_OK;
    TRY(postgres_exec(db, "BEGIN", err));
    enum status status = run_steps(db, config, err);
    if (status == ST_OK) status = postgres_exec(db, "COMMIT", err);
    else postgres_exec(db, "ROLLBACK", NULL);
    return status;
}
