/* api/definitions/definitions_int.h — definitions and documents, for applications that show and edit them. */
#ifndef API_DEFINITIONS_DEFINITIONS_INT_H
#define API_DEFINITIONS_DEFINITIONS_INT_H

#include "api/request_int.h"
#include "api/route_int.h"
#include "json/put.h"

/* ---- list.c ---- */

route_fn definitions_list, definitions_get;

/* ---- tools.c, templates.c ---- */

route_fn definitions_ticks, definitions_ticks_of, definitions_tables, definitions_try_table,
    definitions_compare, definitions_templates;

/* ---- pictures.c ---- */

route_fn definitions_picture, definitions_draw;

/* ---- apply.c ---- */

route_fn definitions_apply;

/* ---- agent_tools.c ---- */

route_fn definitions_agent_tools;

/* ---- change.c ---- */

route_fn definitions_restore, definitions_retire, definitions_delete;

/* The answer's text is there already. */
render_fn definitions_render_text;

/* A version in a path: a number, or `latest` (0). */
enum status definitions_version(struct api_request *request, str text, int32_t *ret_version,
                                struct error *err);

#endif
