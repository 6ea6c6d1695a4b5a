/* api/forms/routes.c — the paths of forms. They are open, and the trigger says who may use its form. */
#include "api/forms/forms_int.h"

static const struct api_route routes[] = {
    { "GET", "/forms/{definition}", forms_show, MAY_DATA, .any_query = true, .any_caller = true },
    { "POST", "/forms/{definition}", forms_send, MAY_DATA, .read = forms_read, .any_query = true,
      .any_body = true, .any_type = true, .any_caller = true },
    { "GET", "/forms/{definition}/{trigger}", forms_show, MAY_DATA, .any_query = true, .any_caller = true },
    { "POST", "/forms/{definition}/{trigger}", forms_send, MAY_DATA, .read = forms_read, .any_query = true,
      .any_body = true, .any_type = true, .any_caller = true },
};

const struct surface forms_surface = {
    .prefix = STR_INIT("/forms/"),
    .errors = &forms_errors,
    .route = routes,
    .route_count = COUNT(routes),
};
