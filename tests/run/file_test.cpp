// Trace files: round trips, and damaged files, each refused in one line without a crash.
#include "app/base/npy.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/run/kernel_run.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/sources.hpp"
#include "app/trace/io/archive.hpp"
#include "app/trace/io/check.hpp"
#include "app/trace/io/file.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace warptree {
namespace {

class TraceFile : public testing::Test {
  protected:
    void SetUp() override {
        directory_ = std::filesystem::temp_directory_path() / ("warptree_file_test_" + std::to_string(getpid()));
        std::filesystem::create_directories(directory_);
        path_ = directory_ / "run.wtrace";
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    static Trace small() {
        RunOptions o;
        o.strategy = "unroll-last-warp";
        o.n = 150;
        o.block = 64;
        o.input = InputKind::random;
        o.backend = Backend::cpu;
        o.finish = Finish::relaunch;
        return runs::run_any(o);
    }
    void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
    std::string message() const {
        try {
            load(path_);
        } catch (const FileError& e) {
            return e.what();
        }
        return {};
    }
    std::filesystem::path directory_, path_;
};

TEST_F(TraceFile, ACancelledSaveLeavesWhatWasThere) {
    const Trace trace = small();
    write("before");
    RunControl control;
    control.cancel = true;
    EXPECT_THROW(save(trace, path_, &control), Cancelled);
    EXPECT_THROW(pack({{"a", std::string(100000, 'a')}}, &control), Cancelled);
    EXPECT_EQ(read_whole(path_), "before");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
    control.cancel = false;
    double most = 0;
    control.progress = [&](double fraction) { most = std::max(most, fraction); };
    save(trace, path_, &control);
    EXPECT_EQ(load(path_), trace);
    EXPECT_GT(most, 0);
    EXPECT_LE(most, 1);
}

TEST_F(TraceFile, KeepsEveryStrategyAndType) {
    bool odd = false;
    for (const StrategyInfo& s : strategies()) {
        odd = !odd; // under a sanitizer types take turns
        for (const ElementType type : tests::sampled<ElementType>({ElementType::i32, ElementType::f64},
                                                                  {odd ? ElementType::i32 : ElementType::f64})) {
            RunOptions o;
            o.strategy = s.id;
            o.n = s.answer == Answer::matrix ? 8 : 111;
            o.type = type;
            o.input = InputKind::random;
            o.backend = Backend::cpu;
            o.window = {0, 1};
            if (refusal(o)) {
                continue;
            }
            const Trace trace = runs::run_any(o);
            save(trace, path_);
            EXPECT_EQ(load(path_), trace) << s.id << " " << name(type);
        }
    }
}

TEST_F(TraceFile, HoldsTheTextItsLinesAreOf) {
    RunOptions o;
    o.strategy = "block-shuffle";
    o.n = 64;
    o.block = 64;
    o.backend = Backend::cpu;
    o.finish = Finish::last_block;
    Trace trace = runs::run_any(o);
    std::vector<std::string> paths;
    for (const SourceFile& file : trace.sources) {
        paths.push_back(file.path);
    }
    EXPECT_EQ(paths.front(), "block_shuffle.cu");
    EXPECT_THAT(paths, testing::IsSupersetOf({"warp_reduce.cuh", "reduce/last_block.cuh", "reduction.cuh"}));
    for (const SourceView& file : sources(trace)) {
        EXPECT_EQ(file.origin, SourceOrigin::recorded) << file.path;
    }
    trace.sources.front().text = "// another\n\x01 text \"of\" old\n";
    save(trace, path_);
    const Trace opened = load(path_);
    EXPECT_EQ(opened, trace);
    const auto files = sources(opened);
    EXPECT_EQ(files[0].origin, SourceOrigin::differs);
    EXPECT_EQ(files[0].text, trace.sources[0].text);
}

TEST_F(TraceFile, SameTraceSameBytes) {
    save(small(), path_);
    const std::string first = read_whole(path_);
    save(small(), path_);
    EXPECT_EQ(read_whole(path_), first);
}

TEST_F(TraceFile, KeepsWhatIsNotFinite) {
    Trace trace = small();
    trace.reference_error = std::numeric_limits<double>::infinity();
    trace.tolerance = -0.0;
    save(trace, path_);
    EXPECT_EQ(load(path_), trace);
}

TEST_F(TraceFile, EveryTruncationIsNoticed) {
    save(small(), path_);
    const std::string whole = read_whole(path_);
    for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 400) {
        write(whole.substr(0, size));
        EXPECT_THROW(load(path_), FileError) << size;
    }
    for (std::size_t missing : {std::size_t{1}, std::size_t{21}, std::size_t{22}, whole.size() - 5, whole.size() - 2}) {
        write(whole.substr(0, whole.size() - missing));
        EXPECT_THROW(load(path_), TruncatedTrace) << missing;
    }
}

TEST_F(TraceFile, BytesDependOnNoTimeZone) {
    const char* zone = std::getenv("TZ");
    const std::string before = zone == nullptr ? "" : zone;
    std::string first;
    for (const char* there : {"UTC0", "XXX-13", "XXX+11"}) {
        setenv("TZ", there, 1);
        tzset();
        save(small(), path_);
        const std::string bytes = read_whole(path_);
        EXPECT_EQ(first.empty() ? bytes : first, bytes) << there;
        first = bytes;
    }
    zone == nullptr ? unsetenv("TZ") : setenv("TZ", before.c_str(), 1);
    tzset();
}

// A directory entry whose size exceeds what its bytes can hold is refused before memory is allocated for it.
TEST_F(TraceFile, BombsAreRefused) {
    write(pack({{"manifest.json", std::string(100, ' ')}}));
    std::string bytes = read_whole(path_);
    const auto central = bytes.rfind("PK\x01\x02");
    ASSERT_NE(central, std::string::npos);
    for (const std::size_t at : {std::size_t{22}, central + 24}) { // the uncompressed size, in both places
        bytes.replace(at, 4, "\xFF\xFF\xFF\x7F");
    }
    write(bytes);
    EXPECT_THROW(load(path_), CorruptTrace);
    EXPECT_THROW(unpack(pack({{"a", std::string(1000, 'a')}}), 999), BadArchive);
}

// Nor is memory taken for each of a million empty entries.
TEST_F(TraceFile, EntriesAreCountedBeforeMemoryIsTaken) {
    const auto refusal = [](const std::string& bytes) {
        try {
            unpack(bytes, 1U << 20);
        } catch (const BadArchive& e) {
            return e.what;
        }
        return std::string();
    };
    Entries entries;
    for (int i = 0; i < 4096; ++i) {
        entries.emplace_back("x" + std::to_string(i), "");
    }
    EXPECT_EQ(refusal(pack(entries)), "");
    entries.emplace_back("one more", "");
    EXPECT_EQ(refusal(pack(entries)), "more than 4096 entries");
    std::string many = pack({{"x", ""}});
    many.replace(many.rfind("PK\x05\x06") + 8, 4, "\xFF\xFF\xFF\xFF"); // another record says how many
    EXPECT_EQ(refusal(many), "more than 4096 entries");
    many += "a comment";
    many[many.size() - 11] = 9; // its length
    EXPECT_EQ(refusal(many), "more than 4096 entries");
}

TEST_F(TraceFile, MessagesAreOneLineWithoutControls) {
    write(pack({{"manifest.json", R"({"format": "warptree.trace", "version": 99, "producer": "a\n\u001b[31mb"})"}}));
    EXPECT_THROW(load(path_), NewerTrace);
    const std::string text = message();
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20; })) << text;
}

TEST_F(TraceFile, PathsThatAreNoTextCanBeSaved) {
    Trace trace = small();
    trace.options.input_file = "\xFF.txt";
    save(trace, path_);
    EXPECT_EQ(load(path_).result, trace.result);
}

TEST_F(TraceFile, LinksStayLinksAndModesStay) {
    save(small(), path_);
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    const auto link = directory_ / "link.wtrace";
    std::filesystem::create_symlink(path_, link);
    save(small(), link);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms::owner_all);
    EXPECT_EQ(load(link), small());
}

// `record -o /dev/full` and the like: anything but a regular file must never be replaced.
TEST_F(TraceFile, PipesAndDevicesAreWrittenTo) {
    const auto pipe = directory_ / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::string got;
    std::thread reader([&] {
        std::ifstream in(pipe, std::ios::binary);
        got.assign(std::istreambuf_iterator<char>(in), {});
    });
    save(small(), pipe);
    reader.join();
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
    save(small(), path_);
    EXPECT_EQ(got, read_whole(path_));
    const std::filesystem::path full = directory_ / "full"; // never /dev/full itself: a fault here would replace it
    if (mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) == 0 && access(full.c_str(), W_OK) == 0) {
        std::string reason;
        try {
            save(small(), full);
        } catch (const FileError& e) {
            reason = e.what();
        }
        EXPECT_FALSE(reason.empty());
        EXPECT_TRUE(std::filesystem::is_character_file(full));
    }
}

TEST_F(TraceFile, DamagedBytesNeverCrash) {
    const Trace trace = small();
    save(trace, path_);
    const std::string whole = read_whole(path_);
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        std::string damaged = whole;
        damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
        write(damaged);
        try {
            EXPECT_EQ(load(path_), trace); // some bytes of the archive have no meaning
        } catch (const FileError&) {
        }
    }
}

// Damage that checksums do not catch: entries changed and packed again.
TEST_F(TraceFile, DamagedEntriesNeverCrash) {
    save(small(), path_);
    const std::map<std::string, std::string> originals[] = {
        unpack(read_whole(path_), 1U << 30),
        unpack(read_whole(tests::golden_dir() / "traces" / "sequential_200_64_i32.wtrace"), 1U << 30)}; // of a GPU
    std::mt19937 random(2);
    const int times = tests::kFewCases ? 120 : 400; // script/fuzz goes on for longer
    for (int i = 0; i < times; ++i) {
        const auto& entries = originals[i % 2];
        Entries changed(entries.begin(), entries.end());
        std::string& bytes = changed[random() % changed.size()].second;
        for (unsigned k = 0; k < 1 + random() % 3; ++k) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        write(pack(changed));
        try {
            check(load(path_));
        } catch (const FileError& e) {
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
        }
    }
}

TEST_F(TraceFile, EachFaultHasItsOwnType) {
    write("");
    EXPECT_THROW(load(path_), NotATrace);
    write("hello, this is no trace at all");
    EXPECT_THROW(load(path_), NotATrace);
    write(pack({{"other.txt", "a zip of something else"}}));
    EXPECT_THROW(load(path_), NotATrace);
    EXPECT_THROW(load(directory_ / "absent.wtrace"), FileError);
    EXPECT_THROW(load(directory_), FileError);
    save(small(), path_);
    const std::string whole = read_whole(path_);
    write(whole.substr(0, whole.size() / 2));
    EXPECT_THROW(load(path_), TruncatedTrace);
}

// Archives that state, and unpack to, far more than the trace that they hold.
TEST_F(TraceFile, RowsAreCountedBeforeMemoryIsTaken) {
    save(small(), path_);
    auto entries = unpack(read_whole(path_), 1U << 30);
    const auto json = [&] { return nlohmann::ordered_json::parse(entries.at("manifest.json")); };
    const auto stated = [&](const std::string& array, std::uint64_t rows) {
        auto manifest = json();
        manifest["arrays"][array]["shape"][0] = rows;
        entries["manifest.json"] = manifest.dump();
    };
    const auto refused_with = [&](std::uint64_t most_kilobytes) {
        write(pack(Entries(entries.begin(), entries.end())));
        const pid_t child = fork();
        if (child == 0) {
            rusage before{}, after{};
            getrusage(RUSAGE_SELF, &before);
            bool refused = false;
            try {
                load(path_);
            } catch (const CorruptTrace&) {
                refused = true;
            }
            getrusage(RUSAGE_SELF, &after);
            const auto taken = static_cast<std::uint64_t>(after.ru_maxrss - before.ru_maxrss);
            _exit(!refused ? 1 : taken > most_kilobytes ? 2 : 0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
    };
    const auto originals = entries;
    constexpr std::uint64_t kRows = 20'000'000; // 20 MB of kinds, and 800 MB of rows
    for (const char* table : {"request", "node", "vote"}) {
        entries = originals;
        const std::string kinds = std::string(table) + "_kind";
        entries[kinds + ".npy"] = npy::encode("|u1", kRows, std::string(kRows, '\0'));
        EXPECT_EQ(refused_with(32 << 10), 0) << table << ": the manifest states less";
        stated(kinds, kRows);
        EXPECT_EQ(refused_with(32 << 10), 0) << table << ": its launches have less";
        auto manifest = json();
        manifest["launches"][0]["rows"][table] = kRows;
        entries["manifest.json"] = manifest.dump();
        EXPECT_EQ(refused_with(32 << 10), 0) << table << ": its other columns have less";
    }
    entries = originals;
    auto manifest = json();
    for (auto& launch : manifest["launches"]) { // together they have too many to be counted
        launch["rows"]["node"] = ~0U;
    }
    entries["manifest.json"] = manifest.dump();
    EXPECT_EQ(refused_with(32 << 10), 0);
    entries = originals;
    stated("node_kind", 3);
    EXPECT_EQ(refused_with(32 << 10), 0);
    stated("node_kind", ~0ULL);
    EXPECT_EQ(refused_with(32 << 10), 0);
    entries = originals;
    entries["another.npy"] = std::string(100U << 20, '\0'); // nobody asks for it
    write(pack(Entries(entries.begin(), entries.end())));
    EXPECT_EQ(load(path_).result, small().result);
    entries = originals;
    entries["manifest.json"] += std::string(kMostManifestBytes, ' ');
    EXPECT_EQ(refused_with(64 << 10), 0);
}

class Tampered : public TraceFile {
  protected:
    // The file with one change in its manifest.
    void replace(const std::string& from, const std::string& to) {
        save(small(), path_);
        auto entries = unpack(read_whole(path_), 1U << 30);
        std::string& manifest = entries.at("manifest.json");
        const auto at = manifest.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        manifest.replace(at, from.size(), to);
        write(pack(Entries(entries.begin(), entries.end())));
    }
};

TEST_F(Tampered, NewerVersionSaysSo) {
    replace(fmt::format("\"version\": {}", kTraceVersion), fmt::format("\"version\": {}", kTraceVersion + 1));
    EXPECT_THROW(load(path_), NewerTrace);
    EXPECT_NE(message().find("update warptree"), std::string::npos);
}
TEST_F(Tampered, OlderVersionSaysSo) {
    for (const int version : {-1, 0, 1, kTraceVersion - 1}) {
        replace(fmt::format("\"version\": {}", kTraceVersion), fmt::format("\"version\": {}", version));
        EXPECT_THROW(load(path_), OlderTrace) << version;
        EXPECT_NE(message().find("record it anew"), std::string::npos);
    }
}
// A file of one kernel, run by the program's choice.
TEST_F(TraceFile, KeepsLaunchesBeside) {
    RunOptions o;
    o.kernel.text = "__global__ void count(const int* x, int* h, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i <= n) h[i] = x[i];\n}\n";
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    ASSERT_FALSE(trace.tried.empty());
    save(trace, path_);
    EXPECT_EQ(load(path_).tried, trace.tried);
}
TEST_F(Tampered, AbsurdLaunchesAreRefused) {
    for (const char* grid : {"0", "4294967295", "-1", "1e9", "\"x\"", "99999999999999999999"}) {
        replace("\"block\": 64", std::string("\"block\": ") + grid);
        EXPECT_THROW(load(path_), CorruptTrace) << grid;
    }
}
TEST_F(Tampered, UnknownWordsAreRefused) {
    replace("\"type\": \"i32\"", "\"type\": \"i33\"");
    EXPECT_THROW(load(path_), CorruptTrace);
}

// If accepted, each of these would be an index out of range.
TEST(TraceCheck, RefusesIndicesOutOfRange) {
    RunOptions o;
    o.n = 100;
    o.block = 64;
    o.backend = Backend::cpu;
    const Trace good = runs::run_any(o);
    check(good);
    const std::vector<std::function<void(Launch&)>> faults{
        [](Launch& l) { l.nodes.back().left = static_cast<std::uint32_t>(l.nodes.size()); },
        [](Launch& l) { l.nodes.back().right_or_element = static_cast<std::uint32_t>(l.nodes.size() - 1); }, // itself
        [](Launch& l) { l.nodes.front().step = 99; },
        [](Launch& l) { l.nodes.front().thread = 64; },
        [](Launch& l) { l.nodes.front().right_or_element = 100; },
        [](Launch& l) { l.nodes.front().block = 7; },
        [](Launch& l) { l.requests.back().first_index = static_cast<std::uint32_t>(l.indices.size()); },
        [](Launch& l) {
            l.requests.back().first_index = static_cast<std::uint32_t>(l.indices.size() - 1);
            l.requests.back().index_shape = LaneShape::even;
        },
        [](Launch& l) { l.requests.back().index_shape = static_cast<LaneShape>(3); },
        [](Launch& l) { l.watches.back().shape = static_cast<LaneShape>(3); },
        [](Launch& l) { l.watches.back().first_value = static_cast<std::uint32_t>(l.watched.size()); },
        [](Launch& l) { l.requests.back().warp = 2; },
        [](Launch& l) { l.requests.back().kind = static_cast<AccessKind>(9); },
        [](Launch& l) { l.requests.back().bytes = 3; },
        [](Launch& l) { l.warp_steps.pop_back(); },
        [](Launch& l) {
            l.warp_steps.front().active = 1;
            l.warp_steps.front().existing = 0;
        },
        [](Launch& l) { l.outputs.front().node = 1U << 30; },
        [](Launch& l) { l.barriers.front().step = 60000; },
        [](Launch& l) { l.steps.clear(); },
        [](Launch& l) { l.block = 0; },
        [](Launch& l) { l.window_count = l.grid + 1; },
        [](Launch& l) { l.outputs_total = 0; },
        [](Launch& l) { l.steps.back().counters.useful_combines = 1; },
        [](Launch& l) { l.steps[1].counters.padding_combines = l.steps[1].counters.combines + 1; },
    };
    for (std::size_t i = 0; i < faults.size(); ++i) {
        Trace bad = good;
        faults[i](bad.launches.front());
        EXPECT_THROW(check(bad), CorruptTrace) << "fault " << i;
    }
    Trace bad = good;
    bad.tree.padding_combines = ~std::uint64_t{0};
    EXPECT_THROW(check(bad), CorruptTrace);
}

TEST_F(TraceFile, UnwritablePlacesLeaveNothingBehind) {
    EXPECT_THROW(save(small(), directory_ / "no" / "such" / "dir.wtrace"), FileError);
    EXPECT_THROW(save(small(), directory_), FileError);
    EXPECT_THROW(save(small(), "/proc/warptree.wtrace"), FileError);
    EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

} // namespace
} // namespace warptree
