/* api/workflows/workflows_int.h — workflows as their builders see them: documents, drafts, runs. */
#ifndef API_WORKFLOWS_WORKFLOWS_INT_H
#define API_WORKFLOWS_WORKFLOWS_INT_H

#include "api/answer_int.h"
#include "api/request_int.h"
#include "api/route_int.h"

#include "json/put.h"

route_fn workflows_publish, workflows_validate, workflows_list, workflows_get, workflows_versions,
    workflows_get_version;
route_fn workflows_node_types;
render_fn workflows_render_published;
/* The errors or the warnings, in the form of problems_json(). */
void workflows_put_problems(struct buf *out, const struct problems *problems, bool warnings,
                            struct arena *arena);
route_fn workflows_start, workflows_replay, workflows_runs, workflows_run, workflows_trace, workflows_resume,
    workflows_cancel;
route_fn workflows_draft_list, workflows_draft_get, workflows_draft_save, workflows_draft_remove;

#endif
