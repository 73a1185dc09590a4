// warptree-compile: the compiler of kernel files, started by warptree, which talks to it through descriptor 0.
#include "app/compile/worker.hpp"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>

namespace {

struct Work {
    std::chrono::milliseconds time;
    std::uint64_t memory;
    int code = 1;
};

// Clang's recursion deepens with its input; its own guard assumes a stack of 8 MB.
constexpr std::size_t kStack = 64ULL << 20;

void* work(void* argument) {
    auto& work = *static_cast<Work*>(argument);
    warptree::compile::watch_stack_of_this_thread();
    work.code = warptree::compile::serve(0, work.time, work.memory);
    return nullptr;
}

} // namespace

int main(int count, char** arguments) {
    if (count == 2 && std::string_view(arguments[1]) == "--keep-prelude") return warptree::compile::keep_prelude();
    struct stat facts {};
    if (count != 3 || fstat(0, &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
        std::fputs("warptree-compile is started by warptree; it does nothing by itself\n", stderr);
        return 2;
    }
    warptree::compile::confine_process();
    Work task{std::chrono::milliseconds(std::strtoll(arguments[1], nullptr, 10)),
              std::strtoull(arguments[2], nullptr, 10)};
    pthread_attr_t attributes;
    pthread_t thread{};
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStack);
    if (pthread_create(&thread, &attributes, work, &task) != 0) {
        std::fputs("no memory for a stack\n", stderr);
        return 1;
    }
    pthread_join(thread, nullptr);
    // Exit without destructors, which would only cost time.
    std::_Exit(task.code);
}
