/* base/libpq.h — libpq, loaded when something first needs PostgreSQL: a job, or the store.
 *
 * It brings Kerberos and LDAP with it, which an engine without PostgreSQL should not pay for at start.
 */
#ifndef BASE_LIBPQ_H
#define BASE_LIBPQ_H

#include "base/status.h"

#include <libpq-fe.h>

/* clang-format off */
#define LIBPQ_MAP(XX)      \
    XX(conninfoParse)      \
    XX(conninfoFree)       \
    XX(freemem)            \
    XX(connectStartParams) \
    XX(connectPoll)        \
    XX(status)             \
    XX(finish)             \
    XX(socket)             \
    XX(errorMessage)       \
    XX(setErrorVerbosity)  \
    XX(setNoticeProcessor) \
    XX(setnonblocking)     \
    XX(sendQuery)          \
    XX(sendQueryParams)    \
    XX(setSingleRowMode)   \
    XX(flush)              \
    XX(consumeInput)       \
    XX(isBusy)             \
    XX(getResult)          \
    XX(resultStatus)       \
    XX(resultErrorField)   \
    XX(nfields)            \
    XX(ntuples)            \
    XX(fname)              \
    XX(ftype)              \
    XX(getvalue)           \
    XX(getlength)          \
    XX(getisnull)          \
    XX(cmdTuples)          \
    XX(clear)              \
    XX(getCancel)          \
    XX(cancel)             \
    XX(freeCancel)         \
    XX(connectdbParams)    \
    XX(exec)               \
    XX(sendPrepare)        \
    XX(sendQueryPrepared)  \
    XX(execParams)         \
    XX(enterPipelineMode)  \
    XX(exitPipelineMode)   \
    XX(pipelineSync)       \
    XX(sendFlushRequest)   \
    XX(resultErrorMessage) \
    XX(serverVersion)      \
    XX(notifies)           \
    XX(backendPID)         \
    XX(host)               \
    XX(port)               \
    XX(db)
/* clang-format on */

struct libpq {
#define XX(name) __typeof__(PQ##name) *name;
    LIBPQ_MAP(XX)
#undef XX
};

/* The functions of libpq, set once libpq_load() has succeeded in the process. */
extern struct libpq libpq;

/* From any thread. ST_INTERNAL if libpq is missing or too old. */
enum status libpq_load(struct error *err);

#endif
