// A private X server, stopped by the destructor.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace warptree::testing {

inline bool has(const char* program) {
    return std::system((std::string("command -v ") + program + " >/dev/null 2>&1").c_str()) == 0;
}

class XServer {
  public:
    // Waits until it runs. `directory`: for files with its display number and process id.
    explicit XServer(const std::filesystem::path& directory) : pid_file_(directory / "xvfb") {
        const std::string number = (directory / "display").string();
        // The server chooses a free display and writes its number. -r: no key repeat, however late a key is released.
        if (std::system(("Xvfb -displayfd 3 -r -screen 0 1440x900x24 +extension GLX 3>" + number +
                         " >/dev/null 2>&1 & echo $! >" + pid_file_.string())
                            .c_str()) != 0) {
            return;
        }
        std::string text;
        for (int i = 0; i < 600 && text.empty(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            std::ifstream(number) >> text;
        }
        name_ = text.empty() ? "" : ":" + text;
    }
    ~XServer() {
        std::ifstream pid(pid_file_);
        if (int xvfb = 0; pid >> xvfb) {
            kill(xvfb, SIGTERM);
        }
    }
    XServer(const XServer&) = delete;
    XServer& operator=(const XServer&) = delete;
    const std::string& name() const { return name_; } // empty: it did not start

  private:
    std::filesystem::path pid_file_;
    std::string name_;
};

} // namespace warptree::testing
