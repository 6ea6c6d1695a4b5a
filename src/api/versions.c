/* api/versions.c — where a version comes from, and which one it restores. */
#include "api/versions_int.h"

#include "base/utf8.h"
#include "json/put.h"

void versions_put_origin(struct buf *out, const struct definition_row *row)
{
    if (row->revision.n) {
        PUT(out, ",\"revision\":");
        put_text(out, row->revision);
    }
    if (row->restores) {
        PUT(out, ",\"restores\":");
        put_int(out, row->restores);
    }
    if (row->retired_ms) {
        PUT(out, ",\"retiredAt\":");
        put_time(out, row->retired_ms);
    }
    if (row->is_leaving) PUT(out, ",\"deleting\":true");
}

void versions_put_published(struct buf *out, const struct answer_definitions *answer)
{
    versions_put_origin(out, answer->row);
    if (!answer->latest || answer->latest == answer->row->version) return;
    PUT(out, ",\"latestVersion\":");
    put_int(out, answer->latest);
}

/* One line of text, which a terminal and a page can show as it is. */
static bool is_line(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f) return false;
    return utf8_is_valid(text);
}

enum status versions_read_revision(struct api_request *request, str *ret_revision, struct error *err)
{
    str revision = query_text(request, STR("revision"));
    if (revision.n > REVISION_BYTES_MAX || !is_line(revision))
        return fail(err, ST_INVALID, "revision", "revision must be a line of text of at most %d bytes",
                    REVISION_BYTES_MAX);
    *ret_revision = revision;
    return ST_OK;
}
