#include "kernels/build_info.hpp"

#include <cstdio>

int main() {
    const auto& info = warptree::build_info();
    std::printf("warptree %.*s\n", static_cast<int>(info.version.size()), info.version.data());
}
