// Whose turn it is: see compile_desk.hpp. Not thread-safe.
#pragma once

#include "app/serve/compile_desk.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace warptree::serve {

class Turns {
  public:
    // What is known of a client: how long its compiles take on average.
    enum class Pace : std::uint8_t { unknown, quick, slow };
    struct Job {
        std::uint64_t id = 0;
        Client client;
        Pace pace = Pace::unknown; // when it began
    };
    using Instant = std::chrono::steady_clock::time_point;

    // `slow`: seconds, from which on a client is slow.
    Turns(unsigned compilers, double slow)
        : most_slow_(compilers > 1 ? compilers / 2 : 1), most_unknown_(compilers - compilers / 2), slow_(slow) {}

    void add(const Job& job, Instant now);
    // Takes the next one off the queue; nullopt: none waits, or those that do have all that they may have.
    std::optional<Job> next();
    // A job of next() is over, and took so many seconds of a compiler.
    void done(const Job& job, double seconds, Instant now);

    std::size_t of_address(const std::string& address) const; // that wait or are being compiled
    std::size_t of_client(const Client& client) const;
    std::size_t known() const { return addresses_.size(); }

  private:
    struct Share {
        double used = 0; // seconds of the compilers
        std::size_t waiting = 0;
        unsigned running = 0;
        Instant last = {};
        bool busy() const { return waiting + running > 0; }
    };
    struct OfClient : Share {
        double average = -1; // seconds; negative: none has ended yet
        std::deque<std::uint64_t> jobs;
    };
    struct OfAddress : Share {
        std::map<std::string, OfClient> clients;
    };
    Pace pace(const OfClient& client) const;
    bool may_run(const OfClient& client) const;
    bool may_run(const OfAddress& address) const; // one of its clients may
    unsigned& running(Pace pace) { return running_[static_cast<int>(pace)]; }
    template <class Shares> auto least(Shares& shares) const;
    void forget(Instant now);

    unsigned most_slow_, most_unknown_;
    double slow_;
    unsigned running_[3] = {}; // by pace
    std::map<std::string, OfAddress> addresses_;
    Instant forgot_ = {};
};

} // namespace warptree::serve
