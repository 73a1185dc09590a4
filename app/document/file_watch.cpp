#include "app/document/file_watch.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace warptree::session {

FileWatch::FileWatch(const std::filesystem::path& file, std::function<void()> changed) : changed_(std::move(changed)) {
    const std::filesystem::path path = std::filesystem::absolute(file);
    events_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    stop_ = eventfd(0, EFD_CLOEXEC);
    // Watch the folder, as most editors write a new file and rename it.
    if (events_ >= 0 && stop_ >= 0 &&
        inotify_add_watch(events_, path.parent_path().c_str(),
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM) >= 0) {
        thread_ = std::thread([this, name = path.filename().string()] { watch(name); });
    }
}

FileWatch::~FileWatch() {
    const std::uint64_t one = 1;
    if (thread_.joinable() && write(stop_, &one, sizeof one) == sizeof one) {
        thread_.join();
    }
    for (const int descriptor : {events_, stop_}) {
        if (descriptor >= 0) {
            close(descriptor);
        }
    }
}

void FileWatch::watch(const std::string& name) const {
    alignas(inotify_event) std::array<char, 4096> buffer;
    for (;;) {
        std::array<pollfd, 2> both{pollfd{events_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
        if (poll(both.data(), both.size(), -1) < 0 || both[1].revents != 0) {
            return;
        }
        bool ours = false;
        for (ssize_t size = 0; (size = read(events_, buffer.data(), buffer.size())) > 0;) {
            for (const char* at = buffer.data(); at < buffer.data() + size;) {
                inotify_event event;
                std::memcpy(&event, at, sizeof event);
                ours = ours || (event.len > 0 && name == at + sizeof event);
                at += sizeof event + event.len;
            }
        }
        if (ours) {
            changed_();
        }
    }
}

} // namespace warptree::session
