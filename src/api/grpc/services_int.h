/* api/grpc/services_int.h — services of gRPC, and how their calls come in and go out.
 *
 * A service is a table of methods (net/grpc.h). The functions of a method get the api as their context. A
 * method names the permission that its callers need (`needs`), and so does each kind of event.
 */
#ifndef API_GRPC_SERVICES_INT_H
#define API_GRPC_SERVICES_INT_H

#include "api/api_int.h"
#include "access/permit/permission.h"
#include "net/grpc.h"

struct grpc_service {
    str name; /* "grpc.health.v1.Health" */
    const struct grpc_method *methods;
    size_t count;
};

extern const struct grpc_service *const services_all[]; /* Ends with NULL. */

/* Finds "/grpc.health.v1.Health/Check". The service is known even if it has not the method; NULL: neither. */
const struct grpc_method *services_find(str path, const struct grpc_service **ret_service);

extern const struct grpc_service health_service, reflection_service, reflection_alpha_service,
    workflow_service, cloud_events_service;

/* services.c: the handler of requests that are calls. */
void services_handle(struct api_request *request);

/* pieces.c: keeps what arrives while the caller is read from the store, and then begins the call with it. */
void pieces_keep(struct api_request *request);
void pieces_go_on(struct api_request *request);

/* health.c: tells those who watch, if something has changed. Called a few times per second. */
void health_look(struct api *api);

/* member_stream.c: keeps the streams of calculation nodes alive, or ends them. Called likewise. */
void member_streams_look(struct api *api);

#endif
