#include "app/serve/turns.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace {

using namespace warptree::serve;
using namespace std::chrono_literals;

// A desk whose compiles take what the test says, on a clock of its own.
class Desk {
  public:
    explicit Desk(unsigned compilers) : turns_(compilers, 0.3), compilers_(compilers) {}
    void ask(const Client& client, int times, double seconds) {
        for (int i = 0; i < times; ++i) {
            seconds_[++last_] = seconds;
            turns_.add({last_, client}, now());
        }
    }
    // Lets the compilers work for so long; the order in which jobs began, as "address/name".
    std::vector<std::string> work(double until) {
        std::vector<std::string> order;
        while (true) {
            while (running_.size() < compilers_) {
                const auto job = turns_.next();
                if (!job) break;
                order.push_back(job->client.address + "/" + job->client.name);
                running_.emplace(time_ + seconds_[job->id], *job);
            }
            if (running_.empty() || running_.begin()->first > until) break;
            const auto [end, job] = *running_.begin();
            running_.erase(running_.begin());
            time_ = end;
            turns_.done(job, seconds_[job.id], now());
        }
        time_ = until;
        return order;
    }
    Turns& turns() { return turns_; }

  private:
    Turns::Instant now() const { return Turns::Instant{} + std::chrono::milliseconds(static_cast<long>(time_ * 1e3)); }
    Turns turns_;
    unsigned compilers_;
    double time_ = 0;
    std::uint64_t last_ = 0;
    std::map<std::uint64_t, double> seconds_;
    std::multimap<double, Turns::Job> running_;
};

std::size_t place_of(const std::vector<std::string>& order, const std::string& who) {
    return static_cast<std::size_t>(std::find(order.begin(), order.end(), who) - order.begin());
}

TEST(Turns, GoRoundTheAddressesHoweverManyOneAsks) {
    Desk desk(1);
    desk.ask({"greedy", ""}, 100, 0.01);
    desk.ask({"modest", ""}, 2, 0.01);
    const auto order = desk.work(10);
    EXPECT_EQ(order.size(), 102U);
    EXPECT_LE(place_of(order, "modest/"), 1U);
    EXPECT_EQ(std::count(order.begin(), order.begin() + 5, "modest/"), 2);
}

TEST(Turns, GoRoundTheClientsOfAnAddress) {
    Desk desk(1);
    desk.ask({"class", "a"}, 50, 0.01);
    for (const char* name : {"b", "c", "d"}) desk.ask({"class", name}, 1, 0.01);
    const auto order = desk.work(10);
    for (const char* name : {"class/b", "class/c", "class/d"}) EXPECT_LE(place_of(order, name), 4U);
}

TEST(Turns, AreCountedInTimeNotInCompiles) {
    Desk desk(1);
    desk.ask({"slow", ""}, 10, 0.2);
    desk.ask({"quick", ""}, 100, 0.01);
    const auto order = desk.work(100);
    // When the quick one has had its hundred, a second in all, the slow one has had about five.
    const auto last = order.rend() - std::find(order.rbegin(), order.rend(), "quick/");
    EXPECT_NEAR(static_cast<double>(std::count(order.begin(), order.begin() + last, "slow/")), 5, 1.01);
}

TEST(Turns, OfSlowOnesTakeHalfOfTheCompilers) {
    for (const unsigned compilers : {2U, 3U, 4U, 9U}) {
        Desk desk(compilers);
        desk.ask({"class", "slow"}, 20, 5);
        desk.work(5); // it is known by now
        for (int i = 0; i < 100; ++i) desk.ask({"class", "quick " + std::to_string(i)}, 2, 0.01);
        const auto order = desk.work(7.5); // half of the compilers are free throughout: a hundred take a second or two
        EXPECT_EQ(order.size(), 200U) << compilers;
    }
}

TEST(Turns, OfNewNamesLeaveCompilersToThoseKnownToBeQuick) {
    Desk desk(2);
    for (const char* name : {"a", "b", "c"}) desk.ask({"class", name}, 1, 0.01);
    desk.work(1);
    for (int i = 0; i < 50; ++i) desk.ask({"class", "hostile " + std::to_string(i)}, 1, 5);
    desk.work(1.001);
    for (const char* name : {"a", "b", "c"}) desk.ask({"class", name}, 10, 0.01);
    const auto order = desk.work(2);
    EXPECT_EQ(std::count_if(order.begin(), order.end(), [](const auto& who) { return who.size() == 7; }), 30);
}

TEST(Turns, OfOneWhoWasAwayAreNotSavedUp) {
    Desk desk(1);
    desk.ask({"early", ""}, 500, 0.01);
    desk.work(3);
    desk.ask({"late", ""}, 100, 0.01);
    const auto order = desk.work(4);
    EXPECT_NEAR(static_cast<double>(std::count(order.begin(), order.end(), "late/")), 50, 3);
}

TEST(Turns, OfManyThatCameOnceAreForgotten) {
    Desk desk(1);
    for (int i = 0; i < 20000; ++i) {
        desk.ask({std::to_string(i), ""}, 1, 0.001);
        desk.work(0.001 * (i + 1));
    }
    EXPECT_LT(desk.turns().known(), 5000U);
}

TEST(Turns, CountWhatWaitsAndRuns) {
    Desk desk(1);
    desk.ask({"a", "x"}, 2, 1);
    desk.ask({"a", "y"}, 1, 1);
    desk.work(0.5);
    EXPECT_EQ(desk.turns().of_address("a"), 3U);
    EXPECT_EQ(desk.turns().of_client({"a", "x"}), 2U);
    desk.work(10);
    EXPECT_EQ(desk.turns().of_address("a"), 0U);
    EXPECT_EQ(desk.turns().of_client({"b", ""}), 0U);
}

} // namespace
