// Threads of the program: thread-local variables of its object begin in each as the object says. This program's own
// pthread_create stands before the C library's, for libstdc++, too.
#include "app/host/channel.hpp"

#include <memory>

#include <dlfcn.h>
#include <pthread.h>

namespace {

struct Beginning {
    void* (*function)(void*);
    void* argument;
};

void* begin(void* given) {
    const std::unique_ptr<Beginning> beginning(static_cast<Beginning*>(given));
    if (warptree::host::loaded != nullptr) warptree::host::loaded->begin_thread();
    return beginning->function(beginning->argument);
}

} // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                              void* argument) {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    auto beginning = std::make_unique<Beginning>(Beginning{function, argument});
    const int error = create(thread, attributes, begin, beginning.get());
    if (error == 0) beginning.release(); // NOLINT: begin() has it
    return error;
}
