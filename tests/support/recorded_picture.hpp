// Compares pictures with those in tests/golden/pictures. WARPTREE_UPDATE_GOLDENS=1 records them instead.
#pragma once

#include "tests/support/paths.hpp"
#include "tests/support/picture_compare.hpp"
#include "tests/support/recorded_fonts.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace warptree::tests {

// `write` draws the picture into the given file. If other fonts are installed than those of the recording, a picture
// that differs is skipped, because their widths may move what is drawn.
template <class Write> void expect_as_recorded(const std::string& file, Write&& write) {
    constexpr double kTolerance = 24;
    const std::filesystem::path golden = golden_dir() / "pictures" / file;
    const char* update = std::getenv("WARPTREE_UPDATE_GOLDENS");
    if (update != nullptr && *update == '1') {
        write(golden);
        return;
    }
    const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / ("golden-" + file);
    write(path);
    const double far = difference(path, golden);
    if (far >= kTolerance) {
        if (const std::string other = other_fonts(); !other.empty()) {
            GTEST_SKIP() << other;
        }
    }
    EXPECT_LT(far, kTolerance) << "compare " << path << " with " << golden;
}

} // namespace warptree::tests
