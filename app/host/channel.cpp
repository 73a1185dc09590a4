#include "app/host/channel.hpp"

#include "app/host/guards.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <mutex>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace warptree::host {

const LoadedObject* loaded = nullptr;
thread_local std::uint32_t current_device = 0;

namespace {

std::mutex& turn() {
    static std::mutex one;
    return one;
}

bool write_all(int fd, const void* from, std::size_t count) {
    const auto* at = static_cast<const char*>(from);
    while (count > 0) {
        const ssize_t put = write(fd, at, count);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += put;
        count -= static_cast<std::size_t>(put);
    }
    return true;
}

// The other end is gone, or the program has closed this one.
[[noreturn]] void leave_unheard() {
    constexpr std::string_view kSaid = "the program has closed its connection to the device\n";
    write_all(STDERR_FILENO, kSaid.data(), kSaid.size());
    constexpr int kRefusedCode = 126;
    _exit(kRefusedCode);
}

} // namespace

bool read_all(int fd, void* to, std::size_t count) {
    auto* at = static_cast<char*>(to);
    while (count > 0) {
        const ssize_t got = read(fd, at, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

namespace {

Reply answer_to(const Ask& question, std::span<const std::byte> bytes) {
    const std::lock_guard lock(turn());
    Reply reply;
    if (!write_all(kSocket, &question, sizeof question) || !write_all(kSocket, bytes.data(), bytes.size()) ||
        !read_all(kSocket, &reply.answer, sizeof reply.answer) || reply.answer.bytes > kLargestMessage)
        leave_unheard();
    reply.bytes.resize(reply.answer.bytes);
    if (!read_all(kSocket, reply.bytes.data(), reply.bytes.size())) leave_unheard();
    return reply;
}

Ask question_from(Call call, const CodeChain& at) {
    Ask question;
    question.call = static_cast<std::uint32_t>(call);
    question.section = at.at.section;
    question.address = at.at.address;
    for (std::size_t i = 0; i < kCallers; ++i)
        question.words[kFirstCaller + i] =
            std::uint64_t{at.callers[i].section} << kSectionShift | at.callers[i].address;
    return question;
}

Ask early_question(const EarlyAccess& access) {
    Ask question = question_from(Call::early, access.at);
    question.words[0] = access.address;
    question.words[1] = access.writes ? 1 : 0;
    return question;
}

} // namespace

void tell_early_accesses() {
    for (EarlyAccess access; take_early_access(access);) answer_to(early_question(access), {});
}

Reply ask(Call call, std::initializer_list<std::uint64_t> words, const void* from, std::span<const std::byte> bytes) {
    static std::atomic<std::uint32_t> guards_seen{0};
    std::fflush(stdout);
    std::cout.flush(); // where it does not share the C library's buffer
    tell_early_accesses();
    Ask question;
    question.call = static_cast<std::uint32_t>(call);
    question.device = current_device;
    if (loaded != nullptr && from != nullptr) {
        const CodePlace at = loaded->place(bits(from) - 1); // a return address: the call is before it
        question.section = at.section;
        question.address = at.address;
    }
    std::size_t i = 0;
    for (const std::uint64_t word : words) question.words[i++] = word;
    question.bytes = bytes.size();
    Reply reply = answer_to(question, bytes);
    if (guards_seen.exchange(reply.answer.guards) != reply.answer.guards) {
        Ask for_guards;
        for_guards.call = static_cast<std::uint32_t>(Call::guards);
        set_guards(answer_to(for_guards, {}).bytes);
    }
    return reply;
}

std::byte* stage() {
    static std::byte* const room = [] {
        void* const at = mmap(nullptr, kStageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, kSharedFile, 0);
        return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
    }();
    return room;
}

bool map_shared(std::uint64_t address, std::uint64_t offset, std::uint64_t bytes) {
    void* const wanted = reinterpret_cast<void*>(address);
    return mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, kSharedFile,
                static_cast<off_t>(offset)) == wanted;
}

void unmap_shared(std::uint64_t address, std::uint64_t bytes) { munmap(reinterpret_cast<void*>(address), bytes); }

void say_crashed(int signal, std::uint64_t address, bool stack, const CodeChain& at) {
    for (EarlyAccess access; take_early_access(access);) {
        const Ask before = early_question(access);
        write_all(kSocket, &before, sizeof before);
    }
    Ask question = question_from(Call::crashed, at);
    question.words[0] = static_cast<std::uint64_t>(signal);
    question.words[1] = address;
    question.words[2] = stack ? 1 : 0;
    write_all(kSocket, &question, sizeof question);
}

} // namespace warptree::host
