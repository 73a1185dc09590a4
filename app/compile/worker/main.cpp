// warptree-compile: the compiler of kernel files, started by warptree, which talks to it through descriptor 0.
#include "app/compile/worker/worker.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>

int main(int count, char** arguments) {
    if (count == 2 && std::string_view(arguments[1]) == "--keep-prelude") return warptree::compile::keep_prelude();
    struct stat facts {};
    if (count != 2 || fstat(0, &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
        std::fputs("warptree-compile is started by warptree; it does nothing by itself\n", stderr);
        return 2;
    }
    // Exit without destructors, which would only cost time.
    std::_Exit(warptree::compile::serve(0, std::strtoull(arguments[1], nullptr, 10)));
}
