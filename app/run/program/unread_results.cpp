#include "app/run/program/unread_results.hpp"

#include <fmt/format.h>

namespace warptree::runs {

void UnreadResults::stored(std::uint32_t array, const std::string& kernel, const std::string& name, SourceLine line,
                           bool uses, bool one) {
    results_.insert(array);
    rounds_[array] += just_set_.erase(array) != 0 ? 1 : 0;
    last_ = stored_[array] = {kernel, name, line, one};
    if (uses) {
        used_.insert(array);
    }
}

void UnreadResults::copied(std::uint32_t from, std::uint32_t to) {
    used_.insert(from);
    if (results_.contains(from)) {
        results_.insert(to);
    }
}

void UnreadResults::read(std::uint32_t array) {
    read_.insert(array);
    any_read_ = any_read_ || results_.contains(array);
}

std::optional<UnreadResults::Unread> UnreadResults::nothing_read() const {
    if (seen_ || any_read_ || results_.empty()) {
        return std::nullopt;
    }
    return Unread{fmt::format("what {} stores to {} is never read: no copy brings it to the host (cudaMemcpy with "
                              "cudaMemcpyDeviceToHost)",
                              last_.kernel, last_.name),
                  last_.line};
}

std::vector<UnreadResults::Unread> UnreadResults::flags() const {
    constexpr unsigned kLoop = 2;
    std::vector<Unread> found;
    if (seen_ || !any_read_) {
        return found;
    }
    for (const auto& [array, stored] : stored_) {
        const unsigned rounds = rounds_.at(array);
        if (rounds >= (stored.one ? 1 : kLoop) && !used_.contains(array) && !read_.contains(array)) {
            found.push_back(
                {fmt::format("what {} stores to {} is never read, though the host sets it before {}: no copy "
                             "brings it back (cudaMemcpy with cudaMemcpyDeviceToHost)",
                             stored.kernel, stored.name,
                             rounds == 1 ? "the launch" : fmt::format("{} launches", rounds)),
                 stored.line});
        }
    }
    return found;
}

} // namespace warptree::runs
