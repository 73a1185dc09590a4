#include "app/trace/model/program_story.hpp"

#include <array>

namespace warptree {

std::string_view name(StoryKind kind) {
    constexpr std::array<std::string_view, 9> kNames = {"allocate", "copy",  "set",  "launch", "wait",
                                                        "print",    "error", "free", "exit"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(CopyDirection direction) {
    constexpr std::array<std::string_view, 4> kNames = {"host to host", "host to device", "device to host",
                                                        "device to device"};
    return kNames[static_cast<std::size_t>(direction)];
}

} // namespace warptree
