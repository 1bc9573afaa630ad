#include "build.h"

// `scripts/build-packages` finds this name in the finished program, and writes the commit after it. Told by the compiler, each commit
// would compile everything that knows it anew. It is no constant, or the compiler would read what stands here now.
char lanyard_build_field[sizeof "lanyard-build-commit=" + 40] = "lanyard-build-commit=";

const char *lanyard_build_commit(void)
{
    return lanyard_build_field + sizeof "lanyard-build-commit=" - 1;
}
