#pragma once

#include <array>
#include <string_view>

namespace warptree::timing {

// The peers: what is measured beside the strategies in the same run.
inline constexpr std::string_view kVendorReduce = "cub-reduce", kVendorScan = "cub-scan", kCopy = "device-copy",
                                  kRead = "device-read";
inline constexpr std::array kPeers{kVendorReduce, kVendorScan, kCopy, kRead};
bool is_known_peer(std::string_view variant);

} // namespace warptree::timing
