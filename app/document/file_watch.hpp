// Notices when another program writes a file.
#pragma once

#include <filesystem>
#include <functional>
#include <thread>

namespace warptree::session {

class FileWatch {
  public:
    // `changed` is called from another thread after the file was written or replaced. On a system without inotify it is
    // never called.
    FileWatch(const std::filesystem::path& file, std::function<void()> changed);
    ~FileWatch();
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;

  private:
    void watch(const std::string& name) const;

    std::function<void()> changed_;
    int events_ = -1, stop_ = -1; // descriptors
    std::thread thread_;
};

} // namespace warptree::session
