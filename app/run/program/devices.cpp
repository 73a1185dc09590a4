#include "app/run/program/devices.hpp"

#include <algorithm>
#include <cstring>

namespace warptree::runs {

void ProgramDevices::allocated(std::uint32_t allocation, std::uint64_t bytes) {
    owners_.resize(std::max<std::size_t>(owners_.size(), allocation + std::size_t{1}));
    owners_[allocation] = current_;
    used_[current_] += bytes;
}

void ProgramDevices::freed(std::uint32_t allocation, std::uint64_t bytes) {
    std::uint64_t& used = used_[owner(allocation)];
    used -= std::min(used, bytes);
}

void ProgramDevices::show_variables(simt::Memory& memory, const std::vector<std::uint32_t>& known) {
    if (count() == 1) {
        return;
    }
    const auto image = [&](std::uint32_t i) {
        const simt::Allocation& a = memory[i];
        return Image(a.data(), a.data() + a.bytes());
    };
    for (std::size_t i = initial_.size(); i < known.size(); ++i) { // before anything has run
        initial_.push_back(image(known[i]));
    }
    if (shown_ == current_) {
        return;
    }
    std::vector<Image>& kept = variables_[shown_];
    kept.clear();
    for (const std::uint32_t i : known) {
        kept.push_back(image(i));
    }
    const std::vector<Image>& shown = variables_[current_].empty() ? initial_ : variables_[current_];
    for (std::size_t i = 0; i < std::min(shown.size(), known.size()); ++i) {
        std::memcpy(memory[known[i]].data(), shown[i].data(), shown[i].size());
    }
    shown_ = current_;
}

} // namespace warptree::runs
