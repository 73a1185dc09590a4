#include "app/compile/worker/worker.hpp"

#include "app/compile/lower/clock_marks.hpp"

#include "app/compile/client/wire.hpp"
#include "app/compile/front_end/front_end.hpp"
#include "app/compile/front_end/host.hpp"
#include "app/compile/front_end/host_options.hpp"
#include "app/compile/lower/compiled.hpp"
#include "app/compile/worker/stack.hpp"
#include "app/confine/confine.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <optional>
#include <unistd.h>

namespace warptree::compile {
namespace {

// Clang retains some memory for each file; beyond this much resident memory a restart is cheaper.
constexpr std::uint64_t kMostResident = 250ULL << 20;

bool read_all(int fd, char* to, std::size_t count) {
    while (count > 0) {
        const ssize_t got = read(fd, to, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

// The next frame's bytes; nullopt: the client is gone, or sends something invalid.
std::optional<std::string> next_frame(int socket) {
    std::array<char, kLengthBytes> beginning;
    if (!read_all(socket, beginning.data(), beginning.size())) return std::nullopt;
    const std::uint64_t length = frame_length({beginning.data(), beginning.size()});
    if (length > kLargestFrame) return std::nullopt;
    std::string bytes(length, '\0');
    if (!read_all(socket, bytes.data(), bytes.size())) return std::nullopt;
    return bytes;
}

// Asks the client, which alone looks at the disk.
FoundFile asked(int socket, Tree tree, const std::string& path) {
    Answer question;
    question.kind = Answer::Kind::asks;
    question.bytes = bytes_of({tree, path});
    if (!write_all(socket, frame_of(question))) _exit(1);
    const auto reply = next_frame(socket);
    if (!reply) _exit(1);
    return found_from(*reply);
}

// Read by a descriptor that was opened before: a confined process opens nothing.
class ResidentMemory {
  public:
    std::uint64_t bytes() const {
        std::array<char, 64> text{};
        if (pread(file_, text.data(), text.size() - 1, 0) <= 0) return 0;
        const char* second = std::strchr(text.data(), ' ');
        return second == nullptr ? 0 : std::strtoull(second, nullptr, 10) * page_;
    }

  private:
    int file_ = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    std::uint64_t page_ = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
};

void place_templates(Program& program, const Compiled& compiled) {
    for (std::size_t i = 0; i < program.templates.size() && i < compiled.template_places.size(); ++i) {
        if (compiled.template_places[i].file >= program.files.size()) continue;
        program.templates[i].location = static_cast<std::uint32_t>(program.locations.size());
        program.locations.push_back(compiled.template_places[i]);
    }
}

Answer answer_to(int socket, const Request& request) {
    Answer answer;
    try {
        const FindFile find = [socket](Tree tree, const std::string& path) { return asked(socket, tree, path); };
        Compiled compiled = compile(request, find);
        if (request.code == Code::clocked && compiled.module != nullptr) mark_lines(compiled, request.lines);
        Program program = lower(compiled);
        place_templates(program, compiled);
        if (request.code != Code::none && program.compiled() && compiled.module != nullptr)
            program.code = device_code(compiled, program, request);
        if (request.host && program.compiled()) program.host = compile_host(request, find);
        const std::vector<std::uint8_t> bytes = to_bytes(program);
        answer.kind = Answer::Kind::program;
        answer.bytes.assign(bytes.begin(), bytes.end());
    } catch (const std::exception& error) {
        answer.kind = Answer::Kind::refused;
        answer.bytes = error.what();
    }
    if (answer.bytes.size() + kLengthBytes > kLargestFrame) {
        answer.kind = Answer::Kind::refused;
        answer.bytes = request.name + ": the compiled file is too large";
    }
    return answer;
}

// Clang cannot be unwound: it ends when out of memory.
void end_when_out_of_memory() {
    std::set_new_handler([] {
        say("out of memory\n");
        std::abort();
    });
}

} // namespace

int serve(int socket, std::uint64_t memory) {
    std::signal(SIGPIPE, SIG_IGN);
    mallopt(M_ARENA_MAX, 1); // another one would reserve address space that compiling may need
    Answer beginning;
    const ResidentMemory resident;
    try {
        prepare_front_end();
        system_headers(); // where they lie: seen before this process is confined
        confine::Policy policy = confine::compiler_policy();
        policy.lifeline = socket;
        policy.limits.memory = memory + kDeepStack;
        confine::confine(policy);
        end_when_out_of_memory();
    } catch (const std::exception& error) {
        beginning.kind = Answer::Kind::refused;
        beginning.bytes = error.what();
    }
    if (!write_all(socket, frame_of(beginning)) || beginning.kind != Answer::Kind::ready) return 1;
    return on_deep_stack([&] {
        while (const auto frame = next_frame(socket)) {
            Answer answer = answer_to(socket, request_from(*frame));
            if (resident.bytes() > kMostResident) {
                malloc_trim(0);
                answer.leaves = answer.leaves || resident.bytes() > kMostResident;
            }
            if (!write_all(socket, frame_of(answer))) break;
        }
        return 0;
    });
}

} // namespace warptree::compile
