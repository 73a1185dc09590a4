// The last used answers, by the whole of their requests. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace warptree::serve {

class KeptAnswers {
  public:
    explicit KeptAnswers(std::uint64_t most) : most_(most) {}

    std::shared_ptr<const std::string> find(const std::string& request) {
        const auto found = by_request_.find(request);
        if (found == by_request_.end()) return nullptr;
        order_.splice(order_.begin(), order_, found->second);
        return found->second->program;
    }
    void add(const std::string& request, std::shared_ptr<const std::string> program) {
        const std::uint64_t size = size_of(request, *program);
        if (size > most_ / 8 || by_request_.contains(request)) return;
        order_.push_front({request, std::move(program)});
        by_request_.emplace(order_.front().request, order_.begin());
        bytes_ += size;
        while (bytes_ > most_) {
            bytes_ -= size_of(order_.back().request, *order_.back().program);
            by_request_.erase(order_.back().request);
            order_.pop_back();
        }
    }
    std::uint64_t bytes() const { return bytes_; }
    std::size_t count() const { return order_.size(); }

  private:
    struct Answer {
        std::string request;
        std::shared_ptr<const std::string> program;
    };
    static std::uint64_t size_of(const std::string& request, const std::string& program) {
        constexpr std::uint64_t kOverhead = 256;
        return request.size() + program.size() + kOverhead;
    }
    std::uint64_t most_, bytes_ = 0;
    std::list<Answer> order_;
    std::unordered_map<std::string_view, std::list<Answer>::iterator> by_request_;
};

} // namespace warptree::serve
