// How often each may ask: a bucket of tokens for each name. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>

namespace warptree::serve {

class Rate {
  public:
    using Instant = std::chrono::steady_clock::time_point;
    Rate(double per_second, double at_once) : per_second_(per_second), at_once_(at_once) {}

    // Whether `who` may ask once more now.
    bool take(const std::string& who, Instant now) {
        const auto [at, fresh] = buckets_.try_emplace(who, Bucket{at_once_, now});
        Bucket& bucket = at->second;
        bucket.tokens = std::min(at_once_, bucket.tokens + per_second_ * seconds(now - bucket.last));
        bucket.last = now;
        const bool may = bucket.tokens >= 1;
        if (may) bucket.tokens -= 1;
        if (buckets_.size() > kMost) forget_full(now);
        return may;
    }

  private:
    struct Bucket {
        double tokens;
        Instant last;
    };
    static constexpr std::size_t kMost = 8192;
    static double seconds(Instant::duration time) { return std::chrono::duration<double>(time).count(); }
    // A full bucket is as one that nobody has seen. If all of so many are in use, they begin anew.
    void forget_full(Instant now) {
        std::erase_if(buckets_, [&](const auto& named) {
            return named.second.tokens + per_second_ * seconds(now - named.second.last) >= at_once_;
        });
        if (buckets_.size() > kMost) buckets_.clear();
    }
    double per_second_, at_once_;
    std::map<std::string, Bucket> buckets_;
};

} // namespace warptree::serve
