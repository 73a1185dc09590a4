// The files of a folder, kept in memory as they are sent: no name from outside opens a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace warptree::serve {

struct SiteFile {
    std::string type;                            // "text/html; charset=utf-8"
    std::string tag;                             // of its contents, as HTTP's ETag has it: "\"9f3c…\""
    std::shared_ptr<const std::string> bytes;    // never nullptr
    std::shared_ptr<const std::string> deflated; // as gzip; nullptr: that would not be shorter
};

struct SiteLimits {
    std::size_t files = 4096;
    std::uint64_t bytes = 256 << 20; // in all
};

// Regular files below a folder by their path in it ("js/app.js"); hidden ones, and links that lead out of it, are left
// out. Throws FileError where the folder cannot be read or holds more than the limits.
std::map<std::string, SiteFile> site_of(const std::filesystem::path& folder, const SiteLimits& limits = {});
SiteFile site_file(std::string_view name, std::string bytes);

} // namespace warptree::serve
