/* store/copy/tables.c — the tables of a store, as both back ends have them.
 *
 * A new table is a row of copy_tables, or of copy_left_out with the reason. A new column is added to its
 * table or, if one back end alone has it, to copy_own_columns. tests/unit/store/test_copy.c fails until that
 * is done.
 */
#include "store/copy/copy_int.h"

#include "base/buf.h"
#include "base/limits.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>

/* clang-format off */
#define N(word) { .name = word, .kind = COPY_NUMBER }
#define B(word) { .name = word, .kind = COPY_BYTES }
/* clang-format on */

/* The key comes first, in its order. */
static const struct copy_column namespaces[] = { N("id"), B("name") };
static const struct copy_column definitions[] = { N("number"),   B("id"),       N("ns"),      N("version"),
                                                  N("rank"),     N("priority"), B("dialect"), B("title"),
                                                  N("content"),  N("created"),  B("source"),  B("author"),
                                                  B("revision"), N("restores"), N("retired") };
static const struct copy_column instances[] = {
    N("id"),    N("ns"),       N("definition"),
    N("phase"), N("created"),  N("ended"),
    B("key"),   N("revision"), { .name = "state", .kind = COPY_BYTES, .is_state = true }
};
static const struct copy_column histories[] = { N("instance"), N("revision"), N("at"), B("blob") };
static const struct copy_column tallies[] = { N("definition"), N("slot"), N("count") };
static const struct copy_column timers[] = { N("due"), N("instance"), N("number") };
static const struct copy_column tasks[] = { N("instance"),   N("execution"), N("ns"),
                                            N("definition"), N("created"),   B("node"),
                                            B("title"),      B("label"),     B("details") };
static const struct copy_column worklists[] = { N("ns"),  N("list"),     B("who"),
                                                N("due"), N("instance"), N("execution") };
static const struct copy_column pendings[] = { N("parent"), N("number"),  N("ns"),  B("target"),
                                               B("key"),    N("created"), B("data") };
static const struct copy_column idempotencies[] = { N("ns"),      B("key"),         N("request"),
                                                    N("created"), N("http_status"), B("answer") };
static const struct copy_column event_triggers[] = { N("ns"), B("source"), B("type"), N("definition") };
static const struct copy_column subscriptions[] = { N("definition"), B("correlation"), N("instance") };
static const struct copy_column children[] = { N("parent"), N("number"), N("instance"), N("awaited") };
static const struct copy_column unmatcheds[] = { { .name = "number", .kind = COPY_NUMBER, .in_sqlite = "id" },
                                                 N("ns"),
                                                 N("received"),
                                                 B("reason"),
                                                 B("event"),
                                                 B("identity") };
static const struct copy_column failures[] = { N("definition"), N("instance"), N("ns"),   N("created"),
                                               N("failed"),     B("key"),      B("step"), B("reason") };
static const struct copy_column bulks[] = { { .name = "number", .kind = COPY_NUMBER, .in_sqlite = "id" },
                                            N("ns"),
                                            N("action"),
                                            N("state"),
                                            N("created"),
                                            N("ended"),
                                            N("found"),
                                            N("done"),
                                            N("succeeded"),
                                            N("skipped"),
                                            N("refused") };
static const struct copy_column bulk_parts[] = { N("bulk"), N("kind"), N("number"), B("blob") };
static const struct copy_column records[] = { N("ns"), N("kind"), B("key"), N("at"), B("value") };

#define T(table, list, key_count) .name = table, .column = list, .columns = COUNT(list), .keys = key_count

#define ALONE "((1::int8 << 44) - 1)"
_Static_assert(ID_INSTANCE_MAX == (UINT64_C(1) << 44) - 1, "numbers above it belong to no instance");
#define TRANSIENT "10"
_Static_assert(RECORD_TRANSIENT == 10, "a kind is a number in the file");

#define BLOCK "43"
_Static_assert(RECORD_AUDIT_BLOCK == 43, "a kind is a number in the file");

/* Instances come before their histories, because SQLite notes the newest history row in them. */
const struct copy_table copy_tables[] = {
    { T("namespace", namespaces, 1), .filled = true },
    { T("definition", definitions, 1) },
    { T("instance", instances, 1) },
    /* SQLite keeps blocks of the audit among them (store/sqlite/blocks.c). Elsewhere they are records. */
    { T("history", histories, 2), .is_history = true, .sqlite_from = "history WHERE instance <> 0" },
    /* Each node has rows of its own there; the copy has their sum. */
    { T("tally", tallies, 2), .filled = true,
      .postgres_from =
          "(SELECT definition, slot, sum(count)::int8 AS count FROM tally GROUP BY definition, slot) "
          "AS tally" },
    { T("timer", timers, 3) },
    { T("task", tasks, 2) },
    { T("worklist", worklists, 6) },
    /* The numbers of events on a long way begin with the node that has them (runtime/events/routings.c). They
     * are counted anew, as those of an engine alone: 44 bits of ones and their place. */
    { T("pending", pendings, 2),
      .postgres_from = "(SELECT CASE WHEN parent > " ALONE " THEN " ALONE " + dense_rank() OVER "
                       "(PARTITION BY parent > " ALONE " ORDER BY parent) ELSE parent END AS parent, "
                       "number, ns, target, key, created, data FROM pending) AS pending" },
    { T("idempotency", idempotencies, 2) },
    { T("event_trigger", event_triggers, 4) },
    { T("subscription", subscriptions, 3) },
    { T("child", children, 2) },
    { T("unmatched", unmatcheds, 1) },
    { T("failure", failures, 2) },
    { T("bulk", bulks, 1) },
    { T("bulk_part", bulk_parts, 3) },
    /* An engine alone does not write which node an instance ends with. */
    { T("record", records, 3),
      .postgres_from = "(SELECT ns, kind, key, at, CASE WHEN kind = " TRANSIENT " THEN '' ELSE value END "
                       "AS value FROM record) AS record",
      .sqlite_from = "(SELECT ns, kind, key, at, value FROM record WHERE at >= 0 UNION ALL "
                     "SELECT prev, " BLOCK ", substr(blob, 1, revision), 0, substr(blob, revision + 1) "
                     "FROM history WHERE instance = 0) AS record" },
};
const size_t copy_table_count = COUNT(copy_tables);
_Static_assert(COUNT(copy_tables) <= COPIED_TABLES_MAX, "all of them are reported");

const struct copy_own_column copy_own_columns[] = {
    { COPY_SQLITE, "instance", "last_history", "0", "set when the last row of its history is written" },
    { COPY_SQLITE, "history", "id", NULL, "counted from 1 in the order of the rows" },
    { COPY_SQLITE, "history", "prev", NULL, "leads to the revision before" },
    { COPY_POSTGRES, "tally", "node", "0", "counts of nodes that are gone belong to node 0" },
    { COPY_POSTGRES, "instance", "holder", "NULL", "set at the end: the next node takes over all jobs" },
};
const size_t copy_own_column_count = COUNT(copy_own_columns);

const struct copy_left_out copy_left_out[] = {
    { COPY_SQLITE, "meta", false,
      "describes the store itself; the highest id of instances is set by itself" },
    { COPY_SQLITE, "sqlite_sequence", false, "SQLite's own; the highest numbers are set by themselves" },
    { COPY_POSTGRES, "meta", false,
      "describes the store itself; the highest id of instances is set by itself" },
    { COPY_POSTGRES, "node", false, "nodes that live; none does during a copy" },
    { COPY_POSTGRES, "node_turn", false, "their last transactions" },
    { COPY_POSTGRES, "node_gone", false, "last transactions of dead ones" },
    { COPY_POSTGRES, "job", false, "who may have the jobs, which are in the states of their instances" },
    { COPY_POSTGRES, "news", false, "what nodes have just told each other" },
    { COPY_POSTGRES, "errand", false, "what nodes have just sent to each other" },
    { COPY_POSTGRES, "notice", false, "what nodes tell of themselves" },
    { COPY_POSTGRES, "errand_id_seq", true, "their order" },
    { COPY_POSTGRES, "node_number", true, "numbers of nodes mean nothing elsewhere" },
    { COPY_POSTGRES, "instance_block", true, "follows the highest id of instances by itself" },
    { COPY_POSTGRES, "definition_number", true, "follows the highest number of a definition by itself" },
    { COPY_POSTGRES, "unmatched_number_seq", true, "set with the numbers" },
    { COPY_POSTGRES, "bulk_number_seq", true, "set with the numbers" },
};
const size_t copy_left_out_count = COUNT(copy_left_out);

/* ---- SQL ---- */

#define CHECKSUM_BEHIND \
    "CASE WHEN length(state) < 8 THEN state ELSE substr(state, 9) || substr(state, 1, 8) END"

static void put_names(const struct copy_table *table, enum copy_side side, size_t count, struct buf *out)
{
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s%s", i ? ", " : "", copy_column_name(&table->column[i], side));
}

const char *copy_select(const struct copy_table *table, enum copy_side side, struct arena *arena)
{
    struct buf sql;
    buf_init(&sql, arena);
    for (size_t i = 0; i < table->columns; i++) {
        bool turned = side == COPY_POSTGRES && table->column[i].is_state;
        buf_printf(&sql, "%s%s", i ? ", " : "SELECT ",
                   turned ? CHECKSUM_BEHIND : copy_column_name(&table->column[i], side));
    }
    const char *from = side == COPY_POSTGRES ? table->postgres_from : table->sqlite_from;
    buf_printf(&sql, " FROM %s ORDER BY ", from ? from : table->name);
    if (side == COPY_SQLITE && table->is_history) buf_add_str(&sql, STR("rowid"));
    else put_names(table, side, table->keys, &sql);
    buf_add_char(&sql, '\0');
    return sql.p;
}

const char *copy_insert(const struct copy_table *table, enum copy_side side, struct arena *arena,
                        const char **ret_own)
{
    struct buf sql, own;
    buf_init(&sql, arena);
    buf_init(&own, arena);
    buf_printf(&sql, "INSERT INTO %s(", table->name);
    put_names(table, side, table->columns, &sql);
    for (size_t i = 0; i < copy_own_column_count; i++) {
        const struct copy_own_column *column = &copy_own_columns[i];
        if (column->side != side || !column->value || strcmp(column->table, table->name) != 0) continue;
        buf_printf(&sql, ", %s", column->column);
        buf_printf(&own, ", %s", column->value);
    }
    buf_add(&sql, ") ", sizeof ") ");
    buf_add_char(&own, '\0');
    *ret_own = own.p;
    return sql.p;
}

/* ---- rows ---- */

int copy_compare_keys(const struct copy_table *table, const struct copy_cell *a, const struct copy_cell *b)
{
    for (size_t i = 0; i < table->keys; i++) {
        int order = table->column[i].kind == COPY_BYTES
                        ? str_compare(a[i].bytes, b[i].bytes)
                        : (a[i].number > b[i].number) - (a[i].number < b[i].number);
        if (order) return order;
    }
    return 0;
}

size_t copy_difference(const struct copy_table *table, const struct copy_cell *a, const struct copy_cell *b)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (a[i].null != b[i].null) return i;
        if (a[i].null) continue;
        bool same = table->column[i].kind == COPY_BYTES ? str_equal(a[i].bytes, b[i].bytes)
                                                        : a[i].number == b[i].number;
        if (!same) return i;
    }
    return table->columns;
}

enum { KEY_BYTES_SHOWN = 40 };

static void put_bytes(str bytes, struct buf *out)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < bytes.n && i < KEY_BYTES_SHOWN; i++) {
        unsigned char c = (unsigned char)bytes.p[i];
        if (c < ' ' || c >= 0x7f || c == '"' || c == '\\') buf_printf(out, "\\x%02x", c);
        else buf_add_char(out, (char)c);
    }
    buf_add_str(out, bytes.n > KEY_BYTES_SHOWN ? STR("…\"") : STR("\""));
}

const char *copy_key_text(const struct copy_table *table, const struct copy_cell *cell, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < table->keys; i++) {
        buf_add_str(&out, i ? STR(", ") : STR("("));
        if (table->column[i].kind == COPY_BYTES) put_bytes(cell[i].bytes, &out);
        else buf_printf(&out, "%" PRId64, cell[i].number);
    }
    buf_add(&out, ")", sizeof ")");
    return out.p;
}

enum status copy_fail_unfinished(const char *where, struct error *err)
{
    return fail(err, ST_CONFLICT, where,
                "%s has a copy that was not finished; begin it again with `pawl store copy --overwrite`",
                where);
}
