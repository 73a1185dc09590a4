#include "app/trace/record/step_order.hpp"

#include <set>

namespace warptree::record {

std::vector<std::uint32_t> order_as_run(std::uint32_t count, const std::vector<std::vector<std::uint32_t>>& warps,
                                        std::span<const std::pair<std::uint32_t, std::uint32_t>> ran) {
    struct Before {
        std::uint32_t by_program = 0, by_run = 0; // steps that are still to come before this one
    };
    std::vector<Before> before(count);
    std::vector<std::vector<std::uint32_t>> then(count), then_ran(count);
    for (const std::vector<std::uint32_t>& steps : warps) {
        for (std::size_t i = 1; i < steps.size(); ++i) {
            then[steps[i - 1]].push_back(steps[i]);
            ++before[steps[i]].by_program;
        }
    }
    for (const auto& [first, second] : ran) {
        then_ran[first].push_back(second);
        ++before[second].by_run;
    }
    std::set<std::uint32_t> ready, contrary; // contrary: ready but for what ran before
    const auto sort_in = [&](std::uint32_t step) {
        if (before[step].by_program == 0) {
            contrary.erase(step);
            (before[step].by_run == 0 ? ready : contrary).insert(step);
        }
    };
    for (std::uint32_t s = 0; s < count; ++s) {
        sort_in(s);
    }
    std::vector<std::uint32_t> order;
    std::vector<bool> done(count);
    while (order.size() < count) {
        std::set<std::uint32_t>& from = ready.empty() ? contrary : ready;
        const std::uint32_t step = *from.begin();
        from.erase(from.begin());
        done[step] = true;
        order.push_back(step);
        for (const std::uint32_t next : then[step]) {
            --before[next].by_program;
            sort_in(next);
        }
        for (const std::uint32_t next : then_ran[step]) {
            --before[next].by_run;
            if (!done[next]) {
                sort_in(next);
            }
        }
    }
    return order;
}

} // namespace warptree::record
