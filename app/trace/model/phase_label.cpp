#include "app/trace/model/phase_label.hpp"

namespace warptree {

const char* title(Phase phase) {
    switch (phase) {
    case Phase::none: break;
    case Phase::batch: return "batch";
    case Phase::warps: return "A";
    case Phase::totals: return "C";
    case Phase::add_totals: return "D: add back";
    case Phase::add_to_batch: return "E: to batch";
    case Phase::up_sweep: return "up";
    case Phase::down_sweep: return "down";
    case Phase::look_back: return "look back";
    case Phase::publish: return "publish";
    case Phase::add_prefix: return "add prefix";
    }
    return "";
}

std::string stage_label(Phase phase, std::uint32_t stride) {
    const std::string s = "s = " + std::to_string(stride);
    switch (phase) {
    case Phase::none: return s;
    case Phase::warps:
    case Phase::totals:
    case Phase::up_sweep:
    case Phase::down_sweep: return std::string(title(phase)) + ": " + s;
    case Phase::batch:
    case Phase::look_back: return std::string(title(phase)) + " " + std::to_string(stride);
    case Phase::add_totals:
    case Phase::add_to_batch:
    case Phase::publish:
    case Phase::add_prefix: break;
    }
    return title(phase);
}

} // namespace warptree
