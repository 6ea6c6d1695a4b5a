/* runtime/access/audit_read.c — lists rows of the audit, newest first. On the query thread, in parts. */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum {
    TIME_DIGITS = 16, /* At the beginning of a key. */
    LOOKS_PER_PART = 500,
    LOOKS_MAX = 50000, /* Rows that one page looks at; then the client asks for the next page. */
};

/* Everything of that millisecond lies before it, and everything older behind it. */
static str end_of_time(int64_t at_ms, struct arena *arena)
{
    str key = audit_key(at_ms, 0, 0, arena);
    return arena_printf(arena, "%.*sg", TIME_DIGITS, key.p);
}

static bool fits(str pattern, str text)
{
    if (!pattern.n) return true;
    if (pattern.p[pattern.n - 1] != '*') return str_equal(pattern, text);
    return str_starts(text, str_slice(pattern, 0, pattern.n - 1));
}

static bool is_wanted(const struct call_audit_rows *asked, const struct audit_row *row)
{
    return fits(asked->principal, row->principal) && fits(asked->action, row->action) &&
           fits(asked->object, row->object) && fits(asked->outcome, row->outcome);
}

static void begin(struct call *call)
{
    const struct call_audit_rows *asked = &call->as.audit_rows;
    struct answer_audit_rows *answer = &call->value.audit_rows;
    must(asked->max);
    *answer = (struct answer_audit_rows){ .row = arena_make_n(call->arena, struct audit_row, asked->max),
                                          .id = arena_make_n(call->arena, str, asked->max),
                                          .after_ = asked->before };
    str until = asked->until_ms ? end_of_time(asked->until_ms, call->arena) : STR_NONE;
    if (str_compare(until, answer->after_) > 0) answer->after_ = until;
}

/* A damaged row is shown as one, so that nobody takes it for missing. */
static void take(struct call *call, const struct record_row *record)
{
    struct answer_audit_rows *answer = &call->value.audit_rows;
    struct audit_row row;
    uint64_t number;
    struct audit_hash before, hash;
    if (audit_decode(record->value, call->arena, &row, &number, &before, &hash, NULL) != ST_OK) {
        int64_t node;
        row = (struct audit_row){ .tenant = call->ns, .action = STR("audit.damaged"), .count = 1 };
        if (!audit_key_parse(record->key, &row.at_ms, &node, &number)) row.at_ms = 0;
    }
    if (!is_wanted(&call->as.audit_rows, &row)) return;
    answer->row[answer->count] = row;
    answer->id[answer->count++] = record->key;
}

enum status audit_read_list(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    const struct call_audit_rows *asked = &call->as.audit_rows;
    struct answer_audit_rows *answer = &call->value.audit_rows;
    TRY(caller_check_for(call->caller, MAY_AUDIT_READ, STR_NONE, err));
    if (!answer->row) begin(call);
    const struct record_filter filter = { .ns = call->ns,
                                          .kind = RECORD_AUDIT,
                                          .after = answer->after_,
                                          .upto = asked->since_ms ? end_of_time(asked->since_ms, call->arena)
                                                                  : STR_NONE,
                                          .max = LOOKS_PER_PART };
    struct record_row *row;
    size_t count, i = 0;
    TRY(reader_records(query->reader, &filter, call->arena, &row, &count, err));
    for (; i < count && answer->count < asked->max; i++) take(call, &row[i]);
    if (i) answer->after_ = row[i - 1].key;
    answer->checked += (int64_t)i;
    bool has_more = i < count || count == LOOKS_PER_PART, is_full = answer->count == asked->max;
    *ret_more = has_more && !is_full && answer->checked < LOOKS_MAX;
    answer->next = has_more && !*ret_more ? answer->after_ : STR_NONE;
    return ST_OK;
}
