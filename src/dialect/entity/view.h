/* dialect/entity/view.h — how entities are shown under /v1 and to scenarios. */
#ifndef DIALECT_ENTITY_VIEW_H
#define DIALECT_ENTITY_VIEW_H

#include "dialect/dialect.h"

bool entity_is_own_node(const struct program_node *node);
str entity_data_word(enum instance_status status);
void entity_put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                         int64_t bytes_max);
void entity_put_visit(struct buf *out, const struct history_view *history, const struct execution *visit);
void entity_add_run(struct run_view *view);
void entity_sketch(const struct json *document, struct sketch *sketch);

#endif
