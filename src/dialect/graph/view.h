/* dialect/graph/view.h — the views of flow graphs, for their table. */
#ifndef DIALECT_GRAPH_VIEW_H
#define DIALECT_GRAPH_VIEW_H

#include "dialect/dialect.h"

str graph_status_word(const struct standing *standing);
str graph_data_word(enum instance_status status);
void graph_put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                        int64_t bytes_max);
void graph_put_visit(struct buf *out, const struct history_view *history, const struct execution *visit);
void graph_add_run(struct run_view *view);
void graph_fix(struct fixing *fixing);
void graph_sketch(const struct json *document, struct sketch *sketch);

/* Why an instance was stopped: the engine's own reason is a word. */
str graph_reason(const struct json *error, str failure);

#endif
