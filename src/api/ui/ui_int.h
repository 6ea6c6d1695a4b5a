/* api/ui/ui_int.h — the handlers of the surface of the web application. */
#ifndef API_UI_UI_INT_H
#define API_UI_UI_INT_H

#include "api/answer_int.h"
#include "api/route_int.h"
#include "api/ui/assets_int.h"

route_fn ui_root, ui_enter, ui_get;

/* Answers with a file, in the shortest form that the client takes. */
void ui_answer_asset(struct api_request *request, const struct ui_asset *asset);

#endif
