/* runtime/entities/import.h — workflows that join those of a model: DEPLOY.
 *
 * The query thread merges them with the model's and compiles the result; the engine saves it, if the model is
 * still the one that was merged. The workflows come from an import (call_deploy.import), or from a document
 * of entity workflows that is deployed as other definitions are, which may bring the model along.
 */
#ifndef RUNTIME_ENTITIES_IMPORT_H
#define RUNTIME_ENTITIES_IMPORT_H

#include "runtime/call/call.h"

struct store_reader;
struct turn;

/* A deployed document, of the entity dialect and without mistakes, becomes an import. */
void import_take_document(struct call *call, const struct json *document);

/* On the query thread: the text to compile is that of the model's workflows together with the imported ones.
 */
enum status import_merge(struct store_reader *reader, struct call *call, struct error *err);

/* Says what is wrong with the model that a document brings along, and what would change in it: adds objects
 * {"path", "change", "from", "to"} to `out`, each behind a comma, and sets `changes` of the import. */
enum status import_judge(struct store_reader *reader, const struct call *call, struct arena *arena,
                         struct buf *out, struct error *err);

/* On the engine's: the model gets the workflows (`is_latest`: it has them), and what else its document says.
 * ST_CONFLICT: it is not the one that was merged. */
enum status import_save(struct turn *turn, const struct call *call, bool is_latest, struct error *err);

#endif
