/* runtime/definitions/restore.c — an older version becomes the latest again.
 *
 * Its text is published as a new version, as if its author had sent it again: the checks are the same, those
 * of the secrets too. Instances that run keep their versions.
 */
#include "runtime/definitions/definitions_int.h"

#include "runtime/memory/memory.h"

static enum status fail_no_version(const struct call_restore *asked, struct error *err)
{
    if (asked->version == VERSION_PREVIOUS)
        return fail(err, ST_NOT_FOUND, "version", "definition \"%.*s\" has no version before its latest",
                    STR_ARG(asked->id));
    return fail(err, ST_NOT_FOUND, "version", "definition \"%.*s\" has no version %d", STR_ARG(asked->id),
                asked->version);
}

enum status restore_begin(struct query *query, struct call *call, struct error *err)
{
    const struct call_restore asked = call->as.restore;
    struct definition_row row;
    bool is_there;
    TRY(found_asked(
        reader_definition(query->reader, call->ns, asked.id, asked.version, call->arena, &row, err),
        &is_there));
    if (!is_there) return fail_no_version(&asked, err);
    call->kind = CALL_DEPLOY;
    call->as.deploy = (struct call_deploy){ .text = row.source,
                                            .format = SOURCE_JSON,
                                            .author = asked.author,
                                            .revision = asked.revision,
                                            .restores = row.version };
    return ST_OK;
}
