#include "app/catalogue/subject.hpp"

#include <string_view>

namespace warptree {

std::string subject_of(const StrategyInfo& info) {
    std::string all(info.id);
    for (const std::string_view part : {std::string_view(info.title), title(info.family), std::string_view(info.lesson),
                                        std::string_view(info.hazard)}) {
        all += "\n";
        all += part;
    }
    return all + (info.racy ? "\nrace" : "") + (info.deadlocks ? "\ndeadlock, hang" : "");
}

} // namespace warptree
