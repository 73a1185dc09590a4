#include "app/compile/worker.hpp"

#include "app/compile/clock_marks.hpp"

#include "app/compile/compiled.hpp"
#include "app/compile/compiler_wire.hpp"
#include "app/compile/front_end.hpp"

#include <array>
#include <cerrno>
#include <fstream>
#include <malloc.h>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>

namespace warptree::compile {
namespace {

// Clang retains some memory for each file; beyond this much resident memory a restart is cheaper.
constexpr std::uint64_t kMostResident = 250ULL << 20;

bool read_all(int fd, char* to, std::size_t count) {
    while (count > 0) {
        const ssize_t got = recv(fd, to, count, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

// nullopt: the client is gone, or sends something invalid.
std::optional<Request> next_request(int socket) {
    std::array<char, kLengthBytes> beginning;
    if (!read_all(socket, beginning.data(), beginning.size())) return std::nullopt;
    const std::uint64_t length = frame_length({beginning.data(), beginning.size()});
    if (length > kLargestFrame) return std::nullopt;
    std::string bytes(length, '\0');
    if (!read_all(socket, bytes.data(), bytes.size())) return std::nullopt;
    return request_from(bytes);
}

std::uint64_t resident_bytes() {
    std::uint64_t mapped = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> mapped >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void place_templates(Program& program, const Compiled& compiled) {
    for (std::size_t i = 0; i < program.templates.size() && i < compiled.template_places.size(); ++i) {
        if (compiled.template_places[i].file >= program.files.size()) continue;
        program.templates[i].location = static_cast<std::uint32_t>(program.locations.size());
        program.locations.push_back(compiled.template_places[i]);
    }
}

Answer answer_to(const Request& request) {
    Answer answer;
    try {
        Compiled compiled = compile(request);
        if (request.code == Code::clocked && compiled.module != nullptr) mark_lines(compiled, request.lines);
        Program program = lower(compiled);
        place_templates(program, compiled);
        if (request.code != Code::none && program.compiled() && compiled.module != nullptr)
            program.code = device_code(compiled, program, request);
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

} // namespace

int serve(int socket, std::chrono::milliseconds time, std::uint64_t memory) {
    Answer beginning;
    try {
        prepare_front_end();
    } catch (const std::exception& error) {
        beginning.kind = Answer::Kind::refused;
        beginning.bytes = error.what();
    }
    if (!write_all(socket, frame_of(beginning)) || beginning.kind != Answer::Kind::ready) return 1;
    limit_memory(memory);
    while (const auto request = next_request(socket)) {
        limit_time(time);
        Answer answer = answer_to(*request);
        if (resident_bytes() > kMostResident) {
            malloc_trim(0);
            answer.leaves = answer.leaves || resident_bytes() > kMostResident;
        }
        if (!write_all(socket, frame_of(answer)) || answer.leaves) break;
    }
    return 0;
}

} // namespace warptree::compile
