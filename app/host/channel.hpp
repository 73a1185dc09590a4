// The program's side of the socket: asks who serves it, one question at a time.
#pragma once

#include "app/host/loaded_object.hpp"
#include "app/host/protocol.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace warptree::host {

// The device that a thread has chosen.
extern thread_local std::uint32_t current_device;

// The object that runs, for the places of calls; null before it is loaded.
extern const LoadedObject* loaded;

struct Reply {
    Answer answer;
    std::vector<std::byte> bytes;
    int error() const { return answer.error; }
    std::uint64_t word(unsigned i) const { return answer.words[i]; }
};

// Asks and waits. Prints that the program made before come first. If nobody answers any more, this process ends.
// `from`: an instruction of the program, for the story and for findings.
Reply ask(Call call, std::initializer_list<std::uint64_t> words, const void* from,
          std::span<const std::byte> bytes = {});

// Tells of the host's accesses to memory that the device may still be using; asking does so, too.
void tell_early_accesses();

// The room in the shared file through which arrays pass; one copy at a time.
std::byte* stage();
// Maps `bytes` of the shared file, from `offset`, at an address that both sides have agreed on; false: it cannot be.
bool map_shared(std::uint64_t address, std::uint64_t offset, std::uint64_t bytes);
void unmap_shared(std::uint64_t address, std::uint64_t bytes);

// An instruction, and who called it, as far as is known.
struct CodeChain {
    CodePlace at;
    std::array<CodePlace, kCallers> callers{};
};

// Says that the program crashed. For a signal handler: it takes no lock and allocates nothing.
void say_crashed(int signal, std::uint64_t address, bool stack, const CodeChain& at);

// Reads all of a message from the socket; false: the other end is gone.
bool read_all(int fd, void* to, std::size_t count);

inline std::uint64_t bits(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

} // namespace warptree::host
