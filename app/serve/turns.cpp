#include "app/serve/turns.hpp"

#include <algorithm>

namespace warptree::serve {
namespace {

constexpr auto kRemembered = std::chrono::minutes(2); // what a share has used, after it was last seen
constexpr std::size_t kMostRemembered = 4096;         // addresses, and clients of an address
constexpr double kNewest = 0.3;                       // weight of the last compile in the average

// Of those that wait or run: whoever comes begins with no less.
template <class Shares> double least_used(const Shares& shares) {
    double least = -1;
    for (const auto& [name, share] : shares) {
        if (share.busy() && (least < 0 || share.used < least)) least = share.used;
    }
    return std::max(least, 0.0);
}

template <class Shares> void forget_idle(Shares& shares, std::chrono::steady_clock::time_point now) {
    const bool crowded = shares.size() > kMostRemembered;
    std::erase_if(shares,
                  [&](const auto& of) { return !of.second.busy() && (crowded || now - of.second.last > kRemembered); });
}

} // namespace

Turns::Pace Turns::pace(const OfClient& client) const {
    return client.average < 0 ? Pace::unknown : client.average < slow_ ? Pace::quick : Pace::slow;
}

bool Turns::may_run(const OfClient& client) const {
    if (client.waiting == 0) return false;
    switch (pace(client)) {
    case Pace::unknown: return running_[static_cast<int>(Pace::unknown)] < most_unknown_;
    case Pace::slow: return running_[static_cast<int>(Pace::slow)] < most_slow_;
    case Pace::quick: break;
    }
    return true;
}

bool Turns::may_run(const OfAddress& address) const {
    return address.waiting > 0 && std::any_of(address.clients.begin(), address.clients.end(),
                                              [this](const auto& client) { return may_run(client.second); });
}

template <class Shares> auto Turns::least(Shares& shares) const {
    auto best = shares.end();
    for (auto at = shares.begin(); at != shares.end(); ++at) {
        if (may_run(at->second) && (best == shares.end() || at->second.used < best->second.used)) best = at;
    }
    return best;
}

void Turns::forget(Instant now) {
    constexpr auto kOften = std::chrono::seconds(1);
    const bool time = now - forgot_ > kOften;
    if (time || addresses_.size() > kMostRemembered) forget_idle(addresses_, now);
    if (!time) return;
    for (auto& [name, address] : addresses_) forget_idle(address.clients, now);
    forgot_ = now;
}

void Turns::add(const Job& job, Instant now) {
    forget(now);
    const double others = least_used(addresses_);
    OfAddress& address = addresses_[job.client.address];
    if (!address.busy()) address.used = std::max(address.used, others);
    if (address.clients.size() > kMostRemembered) forget_idle(address.clients, now);
    const double siblings = least_used(address.clients);
    OfClient& client = address.clients[job.client.name];
    if (!client.busy()) client.used = std::max(client.used, siblings);
    client.jobs.push_back(job.id);
    for (Share* share : {static_cast<Share*>(&address), static_cast<Share*>(&client)}) {
        ++share->waiting;
        share->last = now;
    }
}

std::optional<Turns::Job> Turns::next() {
    const auto address = least(addresses_);
    if (address == addresses_.end()) return std::nullopt;
    const auto client = least(address->second.clients);
    Job job{client->second.jobs.front(), {address->first, client->first}, pace(client->second)};
    client->second.jobs.pop_front();
    ++running(job.pace);
    for (Share* share : {static_cast<Share*>(&address->second), static_cast<Share*>(&client->second)}) {
        --share->waiting;
        ++share->running;
    }
    return job;
}

void Turns::done(const Job& job, double seconds, Instant now) {
    OfAddress& address = addresses_.at(job.client.address);
    OfClient& client = address.clients.at(job.client.name);
    client.average = client.average < 0 ? seconds : client.average + kNewest * (seconds - client.average);
    --running(job.pace);
    for (Share* share : {static_cast<Share*>(&address), static_cast<Share*>(&client)}) {
        share->used += seconds;
        --share->running;
        share->last = now;
    }
}

std::size_t Turns::of_address(const std::string& address) const {
    const auto found = addresses_.find(address);
    return found == addresses_.end() ? 0 : found->second.waiting + found->second.running;
}

std::size_t Turns::of_client(const Client& client) const {
    const auto found = addresses_.find(client.address);
    if (found == addresses_.end()) return 0;
    const auto of = found->second.clients.find(client.name);
    return of == found->second.clients.end() ? 0 : of->second.waiting + of->second.running;
}

} // namespace warptree::serve
