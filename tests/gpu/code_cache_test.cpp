#include "app/gpu/code_cache.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace warptree::gpu {
namespace {

CacheKey key(std::string_view a, std::string_view b = {}) {
    CacheKey k;
    k.add(a);
    k.add(b);
    return k;
}

TEST(CodeCache, TellsWhatItKeptAndNothingElse) {
    const tests::TemporaryFolder folder;
    const CodeCache cache(folder.path() / "deep" / "down");
    EXPECT_EQ(cache.find(key("a")), std::nullopt);
    const CachedCode code{std::string("\0\1binary", 8), {"_Z1kv", "other"}, 0.25};
    cache.put(key("a"), code);
    EXPECT_EQ(cache.find(key("a")), code);
    EXPECT_EQ(cache.find(key("b")), std::nullopt);
    EXPECT_NE(key("ab", "c").text(), key("a", "bc").text());
}

TEST(CodeCache, TakesNothingThatWasCutOrChanged) {
    const tests::TemporaryFolder folder;
    const CodeCache cache(folder.path());
    cache.put(key("a"), {std::string(1000, 'x'), {"k"}, 1});
    const auto path = folder.path() / key("a").text();
    const auto size = std::filesystem::file_size(path);
    for (const std::uintmax_t cut : {size - 1, size / 2, std::uintmax_t{3}, std::uintmax_t{0}}) {
        std::filesystem::resize_file(path, cut);
        EXPECT_EQ(cache.find(key("a")), std::nullopt) << cut;
    }
    cache.put(key("a"), {std::string(1000, 'x'), {"k"}, 1});
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(size - 10));
        file.put('y');
    }
    EXPECT_EQ(cache.find(key("a")), std::nullopt);
}

TEST(CodeCache, ForgetsTheLongestUnused) {
    const tests::TemporaryFolder folder;
    const CodeCache cache(folder.path(), 2500);
    const auto code = [](char c) { return CachedCode{std::string(1000, c), {"k"}, 1}; };
    const auto age = [&](const char* name, int hours) {
        std::filesystem::last_write_time(folder.path() / key(name).text(),
                                         std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    cache.put(key("a"), code('a'));
    age("a", 2);
    cache.put(key("b"), code('b'));
    age("b", 1);
    EXPECT_TRUE(cache.find(key("a"))); // now the most recently used
    cache.put(key("c"), code('c'));
    EXPECT_TRUE(cache.find(key("a")));
    EXPECT_FALSE(cache.find(key("b")));
    EXPECT_TRUE(cache.find(key("c")));
}

TEST(CodeCache, IsNoneWhereNothingCanBeWritten) {
    const CodeCache cache("/proc/none");
    cache.put(key("a"), {"x", {"k"}, 1});
    EXPECT_EQ(cache.find(key("a")), std::nullopt);
}

} // namespace
} // namespace warptree::gpu
