/* dialect/serverless/view.h — the words and views of the serverless dialect, for its table. */
#ifndef DIALECT_SERVERLESS_VIEW_H
#define DIALECT_SERVERLESS_VIEW_H

#include "dialect/dialect.h"

str serverless_status_word(const struct standing *standing);
str serverless_data_word(enum instance_status status);
void serverless_put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                             int64_t bytes_max);
void serverless_put_visit(struct buf *out, const struct history_view *history, const struct execution *visit);
void serverless_put_path(struct buf *out, const struct history_view *history);
void serverless_add_run(struct run_view *view);
void serverless_fix(struct fixing *fixing);
void serverless_sketch(const struct json *document, struct sketch *sketch);
int serverless_sketch_kind(const struct sketch_node *node);

#endif
