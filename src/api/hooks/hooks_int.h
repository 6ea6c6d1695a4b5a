/* api/hooks/hooks_int.h — webhooks, and triggers as operators see them. */
#ifndef API_HOOKS_HOOKS_INT_H
#define API_HOOKS_HOOKS_INT_H

#include "api/route_int.h"

route_fn hooks_take, hooks_list_triggers, hooks_pause, hooks_resume, hooks_fire, hooks_list_arrivals,
    hooks_pause_engine, hooks_resume_engine;
body_fn hooks_read; /* The payload of an arrival. */

#endif
