/* api/access/records_int.h — what handlers of users, keys, grants, issuers and tenants share. */
#ifndef API_ACCESS_RECORDS_INT_H
#define API_ACCESS_RECORDS_INT_H

#include "api/access/access_int.h"
#include "api/request_int.h"

#include "access/limits.h"
#include "json/json.h"

/* The kind that the path of the request is about. */
enum access_kind records_kind(const struct api_request *request);

/* Submits a page of a list. */
enum status records_submit_list(struct api_request *request, struct call_access_list *asked,
                                struct error *err);

/* Warns if the change is about an issuer whose client secret is not there (issuer_secrets.c). */
void issuer_secrets_warn(struct api_request *request, const struct access_change *change);

/* { "file": an access file, "remove": [{ kind, name, tenant }] } and what became of each record (apply.c). */
enum status access_read_changes(struct api_request *request, const struct json *body,
                                struct call_access *asked, struct error *err);
void access_put_items(const struct call *call, struct buf *out);

/* Submits one change on behalf of the caller. */
enum status records_submit(struct api_request *request, const struct access_change *change, render_fn *render,
                           struct error *err);

/* The record, with 201 if it is new. */
render_fn records_render_made;

#endif
