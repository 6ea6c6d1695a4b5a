/* api/versions_int.h — versions of definitions, as every surface shows and publishes them. */
#ifndef API_VERSIONS_INT_H
#define API_VERSIONS_INT_H

#include "api/request_int.h"

/* ",\"revision\":…,\"restores\":…,\"retiredAt\":…": where the version comes from, the one whose content it
 * has again, and since when its definition is retired. Each is left out where there is none. */
void versions_put_origin(struct buf *out, const struct definition_row *row);
/* The same after a publication, with the version that new instances run if it is another one:
 * ",\"latestVersion\":…". */
void versions_put_published(struct buf *out, const struct answer_definitions *answer);

/* ?revision=: where a version comes from. ST_INVALID: it is too long, or no line of text. */
enum status versions_read_revision(struct api_request *request, str *ret_revision, struct error *err);

#endif
