/* api/grpc/descriptors_int.h — what is known at run time about the messages and services of contract/proto.
 */
#ifndef API_GRPC_DESCRIPTORS_INT_H
#define API_GRPC_DESCRIPTORS_INT_H

#include "base/str.h"

/* A google.protobuf.FileDescriptorSet of all files, those that they import included. A file stands behind
 * the files that it imports. */
str grpc_descriptors(void);

#endif
