/* dialect/steps/view.h — the views of the steps dialect, for its table. */
#ifndef DIALECT_STEPS_VIEW_H
#define DIALECT_STEPS_VIEW_H

#include "dialect/dialect.h"

str steps_data_word(enum instance_status status);
void steps_put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                        int64_t bytes_max);
void steps_put_visit(struct buf *out, const struct history_view *history, const struct execution *visit);
void steps_add_run(struct run_view *view);
void steps_fix(struct fixing *fixing);
void steps_sketch(const struct json *document, struct sketch *sketch);

#endif
