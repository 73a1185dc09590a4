// Compiles for many: a bounded queue in front of several compilers, with fair turns.
//
// Turns go to the address, and among its clients to the one, that has used least of the compilers' time; who was away
// begins with the least of those that wait, so nobody saves turns up. Clients whose compiles take long on average have half
// of the compilers at a time between them, and clients that nothing is known of yet the other half. So neither many requests
// nor slow ones, under however many names, keep those waiting who have shown that theirs are quick.
#pragma once

#include "app/compile/client/compiler.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace warptree::serve {

struct Client {
    std::string address;
    std::string name; // tells those of one address apart, as the clients of one classroom; empty: it gives none
};

struct Outcome {
    // Bytes of a compile::Program, which has diagnostics instead of code where the text is wrong; nullptr: `refusal`.
    std::shared_ptr<const std::string> program;
    std::string refusal; // one line: why there is no program
    bool kept = false;   // had been compiled before, or was being compiled for somebody else
};

struct DeskLimits {
    unsigned compilers = 0;         // 0: one more than there are cores
    std::size_t waiting = 512;      // requests in all, those that are being compiled included
    std::size_t of_address = 384;   // of them by one address
    std::size_t of_client = 4;      // and by one client that gives its name
    std::uint64_t kept = 256 << 20; // bytes of requests and answers, the last used ones
    compile::Limits compile{std::chrono::milliseconds{compile::Limits().time.count() * 2 / 5}, 1ULL << 30};
};

struct DeskCounts {
    std::uint64_t compiled = 0, kept = 0, refused = 0; // answers: by a compiler, without one, without a program
    std::uint64_t turned_away = 0;                     // not taken, because too many wait
    std::size_t waiting = 0, running = 0, kept_programs = 0;
    std::uint64_t kept_bytes = 0;
};

class CompileDesk {
  public:
    explicit CompileDesk(const DeskLimits& limits = {});
    ~CompileDesk(); // stops
    CompileDesk(const CompileDesk&) = delete;
    CompileDesk& operator=(const CompileDesk&) = delete;

    using Done = std::function<void(const Outcome&)>; // on the caller's thread, or on one of the desk's; may not throw
    enum class Taken : std::uint8_t { yes, too_many, too_many_of_client };
    // Calls `done` once if it is taken, and never if not.
    Taken submit(const Client& client, compile::Request request, Done done);

    // Finishes what is being compiled and answers all that waits with a refusal; nothing more is taken.
    void stop();
    bool idle() const; // nothing waits or is being compiled
    DeskCounts counts() const;

  private:
    struct Desk;
    std::unique_ptr<Desk> desk_;
};

} // namespace warptree::serve
