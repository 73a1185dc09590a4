#include "kernels/trace/program_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <utility>

namespace warptree {

namespace {
using Kept = std::vector<const KeptRequest*>;
using Span = std::pair<Kept::const_iterator, Kept::const_iterator>;

// What each lane of a warp has still to make.
class Lanes {
  public:
    Lanes(Span requests, const std::vector<std::uint32_t>& sequences)
        : from_(requests.first), count_(static_cast<std::size_t>(requests.second - requests.first)), done_(count_) {
        for (std::size_t i = 0; i < count_; ++i) {
            std::size_t at = request(i).first_index;
            for (std::uint32_t rest = request(i).mask; rest != 0; rest &= rest - 1) {
                lanes_[static_cast<unsigned>(std::countr_zero(rest))].left.emplace_back(sequences[at++], i);
            }
        }
        for (Lane& l : lanes_) {
            std::sort(l.left.begin(), l.left.end());
        }
    }

    // All of them, in order.
    void merge(Kept& into) {
        const KeptRequest* last = nullptr;
        for (std::size_t n = 0; n < count_; ++n) {
            const std::size_t i = choose(last);
            done_[i] = true;
            last = from_[static_cast<std::ptrdiff_t>(i)];
            into.push_back(last);
        }
    }

  private:
    struct Lane {
        std::vector<std::pair<std::uint32_t, std::size_t>> left; // sequence, request
        std::size_t made = 0;
    };
    const Request& request(std::size_t i) const { return from_[static_cast<std::ptrdiff_t>(i)]->request; }
    std::optional<std::size_t> next(unsigned lane) {
        Lane& l = lanes_[lane];
        while (l.made < l.left.size() && done_[l.left[l.made].second]) {
            ++l.made;
        }
        return l.made < l.left.size() ? std::optional(l.left[l.made].second) : std::nullopt;
    }
    // All its lanes make it next.
    bool ready(std::size_t i) {
        for (std::uint32_t rest = request(i).mask; rest != 0; rest &= rest - 1) {
            if (next(static_cast<unsigned>(std::countr_zero(rest))) != i) {
                return false;
            }
        }
        return true;
    }
    std::size_t choose(const KeptRequest* last) {
        std::optional<std::size_t> chosen, otherwise;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const std::optional<std::size_t> i = next(lane);
            if (!i) {
                continue;
            }
            // Lanes that leave a loop at different turns, and do not wait at its end, may disagree for good.
            otherwise = otherwise ? otherwise : i;
            const bool goes_on = last != nullptr && from_[static_cast<std::ptrdiff_t>(*i)]->path == last->path;
            if ((!chosen || goes_on) && ready(*i)) {
                chosen = i;
                if (goes_on) {
                    break;
                }
            }
        }
        return chosen ? *chosen : *otherwise;
    }

    Kept::const_iterator from_;
    std::size_t count_;
    std::array<Lane, kWarpSize> lanes_;
    std::vector<bool> done_;
};
} // namespace

std::vector<const KeptRequest*> program_order(const std::vector<KeptRequest>& requests,
                                              const std::vector<std::uint32_t>& sequences) {
    const auto place = [](const KeptRequest* r) { return std::pair(r->request.step, r->request.warp); };
    const auto met = [&](const KeptRequest* r) {
        return std::pair(sequences[r->request.first_index], std::countr_zero(r->request.mask));
    };
    Kept all;
    all.reserve(requests.size());
    std::transform(requests.begin(), requests.end(), std::back_inserter(all), [](const KeptRequest& r) { return &r; });
    std::stable_sort(all.begin(), all.end(), [&](const KeptRequest* a, const KeptRequest* b) {
        return place(a) != place(b) ? place(a) < place(b) : met(a) < met(b);
    });

    Kept ordered;
    ordered.reserve(all.size());
    for (auto from = all.cbegin(), end = from; from != all.cend(); from = end) {
        end = std::find_if(from, all.cend(), [&](const auto* r) { return place(r) != place(*from); });
        if (std::all_of(from, end, [&](const auto* r) { return r->path == (*from)->path; })) {
            ordered.insert(ordered.end(), from, end);
        } else {
            Lanes({from, end}, sequences).merge(ordered);
        }
    }
    return ordered;
}

} // namespace warptree
