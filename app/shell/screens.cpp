#include "app/features/screen.hpp"

namespace warptree::pages {

std::vector<std::unique_ptr<Page>> make_pages(const Tools& tools) {
    std::vector<std::unique_ptr<Page>> all;
    all.push_back(make_explore(tools));
    all.push_back(make_compare(tools));
    all.push_back(make_timings(tools));
    all.push_back(make_theory(tools));
    all.push_back(make_lessons(tools));
    all.push_back(make_stride_playground(tools));
    return all;
}

} // namespace warptree::pages
