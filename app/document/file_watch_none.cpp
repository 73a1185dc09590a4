// Where nobody else writes a module's files: nothing is watched.
#include "app/document/file_watch.hpp"

#include <utility>

namespace warptree::session {

FileWatch::FileWatch(const std::filesystem::path& /*file*/, std::function<void()> changed)
    : changed_(std::move(changed)) {}

FileWatch::~FileWatch() = default;

} // namespace warptree::session
