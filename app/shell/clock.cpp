#include "app/shell/clock.hpp"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace warptree::window {

namespace {
constexpr double kStep = 1.0 / 60;
}

Clock::Clock() {
    if (const char* path = std::getenv("WARPTREE_CLOCK")) {
        path_ = path;
    }
    tick();
}

double Clock::now() const { return told() ? now_ : glfwGetTime(); }

void Clock::tick() {
    if (!told()) {
        return;
    }
    std::ifstream in(path_);
    std::uint64_t number = 0;
    double until = 0;
    if (in >> number >> until) {
        number_ = number;
        until_ = until;
    }
    now_ = begun_ ? std::min(std::max(until_, now_), now_ + kStep) : until_;
    begun_ = true;
}

} // namespace warptree::window
