/* api/tasks/routes.c — the paths of people's tasks. */
#include "api/route_int.h"
#include "api/tasks/tasks_int.h"

static const struct api_route routes[] = {
    { "GET", "/api/tasks", tasks_list, MAY_TASKS_READ,
      .query = "person assignee candidate group unassigned dueBefore definitionId keyword instanceId jobType "
               "pageSize cursor" },
    { "GET", "/api/tasks/stream", tasks_stream, MAY_TASKS_READ, .takes = TAKES_LAST_EVENT,
      .query = "person group" },
    { "GET", "/api/tasks/{id}", tasks_get, MAY_TASKS_READ },
    { "POST", "/api/tasks/{id}/claim", tasks_claim, MAY_TASKS_OWN,
      .takes = TAKES_KEY | TAKES_ACTOR | TAKES_GROUPS, .body = "by comment groups" },
    { "POST", "/api/tasks/{id}/unclaim", tasks_unclaim, MAY_TASKS_OWN, .takes = TAKES_KEY | TAKES_ACTOR,
      .body = "by comment" },
    { "POST", "/api/tasks/{id}/assign", tasks_assign, MAY_TASKS_ALL, .takes = TAKES_KEY | TAKES_ACTOR,
      .body = "by comment assignee assignees groups due followUp priority" },
    { "POST", "/api/tasks/{id}/comment", tasks_comment, MAY_TASKS_OWN, .takes = TAKES_KEY | TAKES_ACTOR,
      .body = "by comment" },
    { "POST", "/api/tasks/{id}/complete", tasks_complete, MAY_TASKS_OWN,
      .takes = TAKES_KEY | TAKES_ACTOR | TAKES_GROUPS, .body = "by groups decision answer" },
};

const struct surface tasks_surface = {
    .prefix = STR_INIT("/api/tasks"),
    .errors = &error_plain,
    .route = routes,
    .route_count = COUNT(routes),
};
