#include "app/features/screen.hpp"

#include <algorithm>

namespace warptree::pages {

std::span<const PageMaker> page_makers() {
    static constexpr PageMaker kAll[]{{"explore", make_explore}, {"compare", make_compare},
                                      {"timings", make_timings}, {"theory", make_theory},
                                      {"lessons", make_lessons}, {"stride-playground", make_stride_playground}};
    return kAll;
}

std::vector<std::unique_ptr<Page>> make_pages(const Tools& tools) {
    std::vector<std::unique_ptr<Page>> all;
    for (const PageMaker& maker : page_makers()) {
        all.push_back(maker.make(tools));
    }
    return all;
}

std::unique_ptr<Page> make_page(std::string_view id, const Tools& tools) {
    const auto all = page_makers();
    const auto found = std::find_if(all.begin(), all.end(), [id](const PageMaker& m) { return id == m.id; });
    return found == all.end() ? nullptr : found->make(tools);
}

} // namespace warptree::pages
