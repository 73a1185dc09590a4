#include "app/base/whole_file.hpp"

#include "app/base/error.hpp"
#include "app/base/temporary_file.hpp"
#include "app/measure/clocks/clocks.hpp"
#include "app/measure/code/recording.hpp"
#include "app/measure/counters/counters.hpp"
#include "app/measure/timing/results_file.hpp"
#include "app/trace/io/file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace warptree;
using testing::HasSubstr;

namespace {
namespace fs = std::filesystem;

std::string message(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "done";
}

class WholeFile : public testing::Test {
  protected:
    fs::path path(const std::string& name) const { return folder_.path() / name; }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            all.push_back(entry.path().filename().string());
        }
        std::sort(all.begin(), all.end());
        return all;
    }
    static mode_t mode(const fs::path& file) {
        struct stat status {};
        return stat(file.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
    }
    tests::TemporaryFolder folder_;
};

// A pipe without a writer would hold a reader for ever: the test ends by an alarm then.
TEST_F(WholeFile, OnlyRegularFilesAreRead) {
    alarm(60);
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    fs::create_directory(path("folder"));
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string at = path("socket").string();
    ASSERT_LT(at.size(), sizeof address.sun_path);
    std::memcpy(address.sun_path, at.c_str(), at.size() + 1);
    ASSERT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    fs::create_symlink(path("pipe"), path("link"));
    const std::vector<fs::path> none{path("pipe"), path("folder"), path("socket"),
                                     path("link"), "/dev/zero",    "/dev/null"};
    for (const fs::path& file : none) {
        EXPECT_THAT(message([&] { read_whole(file); }), HasSubstr("cannot be read")) << file;
        EXPECT_THROW(load(file), FileError) << file;
        EXPECT_THROW(clocks::load(file), FileError) << file;
        EXPECT_THROW(code::load_recording(file), FileError) << file;
        EXPECT_THROW(counters::load_recording(file), FileError) << file;
        EXPECT_THROW(timing::load_results(file), FileError) << file;
    }
    close(socket);
    EXPECT_FALSE(read_whole("/proc/self/status").empty()); // which states a size of 0
    folder_.write("there", "text");
    fs::create_symlink(path("there"), path("good"));
    EXPECT_EQ(read_whole(path("good")), "text");
    EXPECT_THAT(message([&] { read_whole(path("none")); }), HasSubstr("there is no such file"));
    alarm(0);
}

// A sparse file takes no room on the disk, and would take all memory.
TEST_F(WholeFile, SizesAreBounded) {
    folder_.write("sparse", "PK");
    fs::resize_file(path("sparse"), 1ULL << 40);
    EXPECT_THAT(message([&] { read_whole(path("sparse")); }), HasSubstr("larger than 64 MB"));
    EXPECT_THAT(message([&] { read_whole(path("sparse"), 1000, "PK"); }), HasSubstr("larger than 1000 bytes"));
    EXPECT_EQ(read_whole(path("sparse"), 1000, "{"), "P"); // another kind of file
    EXPECT_THROW(load(path("sparse")), FileError);
    folder_.write("five", "12345");
    EXPECT_EQ(read_whole(path("five"), 5), "12345");
    EXPECT_THROW(read_whole(path("five"), 4), FileError);
    const std::string big(200'000, 'x');
    folder_.write("big", big);
    EXPECT_EQ(read_whole(path("big"), big.size(), "xx"), big);
    EXPECT_THROW(read_whole("/proc/self/status", 10), FileError);
}

TEST_F(WholeFile, OtherFormsOfTextAreNamed) {
    const std::string source = "__global__ void k(int* out) { out[0] = 1; }\n";
    const auto wide = [&](std::size_t unit, bool little, bool marked) {
        std::string text;
        const auto put = [&](unsigned code) {
            for (std::size_t i = 0; i < unit; ++i) {
                text += static_cast<char>(code >> (8 * (little ? i : unit - 1 - i)) & 0xFF);
            }
        };
        if (marked) {
            put(0xFEFF);
        }
        for (const char c : source) {
            put(static_cast<unsigned char>(c));
        }
        return text;
    };
    for (const bool little : {true, false}) {
        for (const bool marked : {true, false}) {
            EXPECT_THAT(why_no_text(wide(2, little, marked)), HasSubstr("text in UTF-16; save it as UTF-8"));
        }
        EXPECT_THAT(why_no_text(wide(4, little, true)), HasSubstr("UTF-32"));
    }
    EXPECT_THAT(why_no_text(source + '\0' + source), HasSubstr("byte 45 is zero"));
    EXPECT_EQ(why_no_text("\xEF\xBB\xBF" + source + "// \xC3\xA4\n"), "");
    EXPECT_EQ(why_no_text(""), "");
    folder_.write("wide.cu", wide(2, true, true));
    EXPECT_THAT(message([&] { read_text(path("wide.cu")); }), HasSubstr("wide.cu: it is text in UTF-16"));
}

// A person may have links wait under the names that a program would guess.
TEST_F(WholeFile, TemporaryNamesAreNotGuessedNorFollowed) {
    folder_.write("victim", "mine");
    for (const std::string& end :
         {std::string(".part"), "." + std::to_string(getpid()) + ".part", ".part" + std::to_string(getpid())}) {
        fs::create_symlink(path("victim"), path("out" + end));
    }
    write_whole(path("out"), "new");
    EXPECT_EQ(read_whole(path("victim")), "mine");
    EXPECT_EQ(read_whole(path("out")), "new");
    const TemporaryFile a(path("x")), b(path("x"));
    EXPECT_TRUE(is_temporary(a.path()));
    EXPECT_FALSE(is_temporary(path("x")) || is_temporary(path("x.part")));
    EXPECT_NE(a.path(), b.path());
    EXPECT_EQ(a.path().parent_path(), folder_.path());
}

// As a signal's handler does that ends the process.
TEST_F(WholeFile, TemporaryFilesAreRemovedWithoutTheirOwners) {
    write_whole(path("kept"), "1");
    const pid_t child = fork();
    if (child == 0) {
        TemporaryFile kept(path("kept"));
        kept.write("2");
        kept.keep();
        std::vector<std::unique_ptr<TemporaryFile>> dropped;
        for (int i = 0; i < 20; ++i) { // places are used again
            dropped.clear();
            dropped.push_back(std::make_unique<TemporaryFile>(path("x")));
        }
        dropped.push_back(std::make_unique<TemporaryFile>(path("y")));
        remove_temporary_files();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_THAT(names(), testing::ElementsAre("kept"));
    EXPECT_EQ(read_whole(path("kept")), "2");
}

TEST_F(WholeFile, PermissionsAreANewFilesOrTheOldOnes) {
    const mode_t before = umask(027);
    write_whole(path("new"), "1");
    EXPECT_EQ(mode(path("new")), 0640U);
    chmod(path("new").c_str(), 0604);
    write_whole(path("new"), "2");
    EXPECT_EQ(mode(path("new")), 0604U);
    umask(before);
    fs::create_symlink("new", path("link"));
    write_whole(path("link"), "3");
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(read_whole(path("new")), "3");
    const std::string longest(255, 'n');
    write_whole(path(longest), "4");
    EXPECT_EQ(read_whole(path(longest)), "4");
}

// A limit on the size of files stands for a full disk: writing fails midway.
TEST_F(WholeFile, NothingIsLostOnAFullDisk) {
    write_whole(path("mine"), "before");
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit little{1 << 16, 1 << 16};
        setrlimit(RLIMIT_FSIZE, &little);
        const std::string why = message([&] { write_whole(path("mine"), std::string(1 << 20, 'x')); });
        _exit(why.find("nothing was changed") != std::string::npos ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(read_whole(path("mine")), "before");
    EXPECT_THAT(names(), testing::ElementsAre("mine"));
}

TEST_F(WholeFile, FoldersAppearWholeOrNotAtAll) {
    {
        const TemporaryFile dropped(path("film"), TemporaryFile::Kind::folder);
        write_whole(dropped.path() / "1.png", "x");
    }
    EXPECT_TRUE(names().empty());
    TemporaryFile kept(path("film"), TemporaryFile::Kind::folder);
    write_whole(kept.path() / "1.png", "x");
    kept.keep();
    EXPECT_EQ(read_whole(path("film") / "1.png"), "x");
}

TEST_F(WholeFile, NamesInFilesStayBelowTheirFolder) {
    fs::create_directory(path("course"));
    fs::create_symlink(folder_.path(), path("course/out"));
    for (const char* name : {"/etc/passwd", "../x", "a/../../x", "out/x", "out", ""}) {
        EXPECT_THROW(path_below(path("course"), name), FileError) << name;
    }
    EXPECT_EQ(path_below(path("course"), "a/b.npy"), path("course/a/b.npy"));
}
} // namespace
