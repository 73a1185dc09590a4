// Recording files: shipped ones and invalid ones.
#pragma once

#include "app/base/error.hpp"
#include "tests/support/paths.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace warptree::tests {

// A file that is deleted after the test.
class RecordingFile {
  public:
    explicit RecordingFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() / ("warptree_recording_" + std::to_string(getpid()) + ".json")) {
        std::ofstream(path_) << text;
    }
    ~RecordingFile() { std::filesystem::remove(path_); }
    RecordingFile(const RecordingFile&) = delete;
    RecordingFile& operator=(const RecordingFile&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

template <class Load> std::string refusal_of(const std::string& text, Load load) {
    const RecordingFile file(text);
    try {
        load(file.path());
    } catch (const FileError& e) {
        return e.what();
    }
    return "accepted";
}

inline std::vector<std::filesystem::path> files(const std::filesystem::path& directory, const std::string& extension) {
    std::vector<std::filesystem::path> found;
    if (std::filesystem::is_directory(directory)) {
        for (const auto& entry : std::filesystem::directory_iterator(directory)) {
            if (entry.path().extension() == extension && entry.path().filename() != "explanations.json") {
                found.push_back(entry.path());
            }
        }
    }
    return found;
}

} // namespace warptree::tests
