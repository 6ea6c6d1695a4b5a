/* api/tasks/routes.c — the paths of people's tasks. */
#include "api/route_int.h"
#include "api/tasks/tasks_int.h"

static const struct api_route routes[] = {
    { "GET", "/api/tasks", tasks_list,
      .query = "person assignee candidate group unassigned dueBefore definitionId keyword instanceId jobType "
               "pageSize cursor" },
    { "GET", "/api/tasks/stream", tasks_stream, .takes = TAKES_LAST_EVENT, .query = "person group" },
    { "GET", "/api/tasks/{id}", tasks_get },
    { "POST", "/api/tasks/{id}/claim", tasks_claim, .takes = TAKES_KEY | TAKES_ACTOR | TAKES_GROUPS,
      .body = "by comment groups" },
    { "POST", "/api/tasks/{id}/unclaim", tasks_unclaim, .takes = TAKES_KEY | TAKES_ACTOR,
      .body = "by comment" },
    { "POST", "/api/tasks/{id}/assign", tasks_assign, .takes = TAKES_KEY | TAKES_ACTOR,
      .body = "by comment assignee assignees groups due followUp priority" },
    { "POST", "/api/tasks/{id}/comment", tasks_comment, .takes = TAKES_KEY | TAKES_ACTOR,
      .body = "by comment" },
    { "POST", "/api/tasks/{id}/complete", tasks_complete, .takes = TAKES_KEY | TAKES_ACTOR | TAKES_GROUPS,
      .body = "by groups decision answer" },
};

const struct surface tasks_surface = {
    .prefix = STR_INIT("/api/tasks"),
    .errors = &error_plain,
    .route = routes,
    .route_count = COUNT(routes),
};
