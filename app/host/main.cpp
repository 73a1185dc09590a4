// warptree-host: runs the host's half of a CUDA program. Started by warptree, which sends it the compiled object and
// answers its calls of the runtime API.
#include "app/confine/confine.hpp"
#include "app/host/channel.hpp"
#include "app/host/crash.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace warptree::host;

[[noreturn]] void leave(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::fflush(stderr);
    _exit(2);
}

// Before a line of the program runs, and before its object is looked at.
void confine_this(const Start& start, const std::string& folder) {
    warptree::confine::Policy policy = warptree::confine::program_policy();
    policy.limits.seconds = start.seconds;
    policy.limits.memory = start.memory;
    policy.lifeline = kSocket;
    policy.nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (!folder.empty()) policy.readable = {folder};
    const warptree::confine::Achieved given = warptree::confine::confine(policy);
    if (given.holds_programs()) return;
    std::string why;
    for (const std::string& sentence : given.missing) why += (why.empty() ? "" : "; ") + sentence;
    leave("host code runs only where it can be confined, and this system does not allow that (" + why + ")");
}

int run(std::uint64_t stack_end) {
    Start start;
    if (!read_all(kSocket, &start, sizeof start)) return 2;
    // Static: finalisers, which run at exit, are found in the object, and may look at the arguments.
    static std::vector<std::byte> object(start.object);
    static std::string words(start.arguments, '\0');
    if (!read_all(kSocket, object.data(), object.size()) || !read_all(kSocket, words.data(), words.size())) return 2;
    static std::vector<char*> arguments;
    for (std::size_t at = 0; at < words.size(); at += std::string_view(words.data() + at).size() + 1)
        arguments.push_back(words.data() + at);
    arguments.push_back(nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
    stage();
    try {
        confine_this(start, start.files != 0 ? std::filesystem::current_path().string() : std::string());
    } catch (const std::exception& error) {
        leave(error.what());
    }
    watch_crashes(stack_end);
    static const LoadedObject* object_loaded = nullptr;
    try {
        object_loaded = new LoadedObject(object);
    } catch (const std::exception& error) {
        leave(error.what());
    }
    loaded = object_loaded;
    auto* const entry = reinterpret_cast<int (*)(int, char**, char**)>(loaded->symbol("main"));
    if (entry == nullptr) leave("it has no function main");
    ask(Call::loaded, {}, nullptr);
    loaded->run_initialisers();
    std::atexit([] {
        loaded->run_finalisers();
        tell_early_accesses();
    });
    return entry(static_cast<int>(arguments.size()) - 1, arguments.data(), environ);
}

} // namespace

#ifdef __SANITIZE_ADDRESS__
// A confined process cannot be searched for leaks, which takes another one that traces it.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int count, char**) {
    struct stat facts {};
    if (count != 1 || fstat(kSocket, &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
        std::fputs("warptree-host is started by warptree; it does nothing by itself\n", stderr);
        return 2;
    }
    char here = 0;
    std::exit(run(reinterpret_cast<std::uint64_t>(&here)));
}
