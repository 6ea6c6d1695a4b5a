/* api/grpc/descriptors.c — the descriptors of contract/proto, as a part of the program. */
#include "api/grpc/descriptors_int.h"

/* Global and hidden for the same reasons as in api/openapi.c. */
__asm__(".section .rodata\n"
        ".global grpc_descriptors_begin, grpc_descriptors_end\n"
        ".hidden grpc_descriptors_begin\n"
        ".hidden grpc_descriptors_end\n"
        "grpc_descriptors_begin:\n"
        ".incbin \"" PAWL_GEN "/proto/descriptors.pb\"\n"
        "grpc_descriptors_end:\n"
        ".byte 0\n"
        ".text\n");

extern const char grpc_descriptors_begin[] __attribute__((visibility("hidden")));
extern const char grpc_descriptors_end[] __attribute__((visibility("hidden")));

str grpc_descriptors(void)
{
    return (str){ grpc_descriptors_begin, (size_t)(grpc_descriptors_end - grpc_descriptors_begin) };
}
