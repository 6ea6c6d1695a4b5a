/* runtime/access/change_issuer.c — issuers of tokens. */
#include "runtime/access/access_int.h"

static enum status write_issuer(struct changes *changes, const struct access_change *change,
                                const struct json *old, bool is_new, struct error *err)
{
    const struct json *record;
    TRY(changes_make(changes, change, old, &record, err));
    bool is_same = old && json_equal(old, record);
    changes_answer(changes, change, change->name, record, is_new, is_same);
    if (is_same) return ST_OK;
    changes->advances = true;
    return changes_put(
        changes,
        (struct record_row){ .kind = RECORD_ISSUER, .key = change->name, .value = json_encoded(record) },
        err);
}

enum status change_issuer(struct changes *changes, const struct access_change *change, struct error *err)
{
    const struct json *old;
    bool there;
    TRY(changes_check_admin(changes, TENANT_ANY, err));
    TRY(access_check_name(ACCESS_ISSUER, change->name, err));
    TRY(changes_read(changes, ACCESS_ISSUER, change->name, &old, &there, err));
    TRY(changes_check_there(change, old, there, err));
    switch (change->action) {
    case ACCESS_CREATE:
    case ACCESS_CHANGE:
    case ACCESS_PUT: return write_issuer(changes, change, old, !there, err);
    case ACCESS_REMOVE:
        /* Sessions and tokens of the issuer end, because its record is read for each of them. */
        changes->advances = changes->may_lose_admin = true;
        changes_answer(changes, change, change->name, NULL, false, false);
        return changes_remove(changes, TENANT_ANY, RECORD_ISSUER, change->name, err);
    default: return changes_refuse_action(change, err);
    }
}
