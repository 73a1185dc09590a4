// The kernel files that were opened, for the lists that offer them. For one thread.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace warptree::session {

// Since the program began, the latest first; one that is opened again keeps its place.
const std::vector<std::filesystem::path>& opened_files();
void note_opened_file(const std::filesystem::path& path);
void rename_opened_file(const std::filesystem::path& from, const std::filesystem::path& to);

// The same, and behind them those of earlier sessions that were still there when they were remembered.
std::vector<std::filesystem::path> recent_files();
// Begins a session, in which nothing was opened yet.
void remember_files(std::vector<std::filesystem::path> of_earlier_sessions);

// The one of that file name, which is on disk; empty: none is.
std::filesystem::path opened_file(std::string_view name);

} // namespace warptree::session
