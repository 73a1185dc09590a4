// The kernel files that were opened since the program began, for the lists that offer them. For one thread.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace warptree::session {

// As they were opened, the latest first; one that is opened again keeps its place.
const std::vector<std::filesystem::path>& opened_files();
void note_opened_file(const std::filesystem::path& path);
void rename_opened_file(const std::filesystem::path& from, const std::filesystem::path& to);

// The one of that file name, which is on disk; empty: none is.
std::filesystem::path opened_file(std::string_view name);

} // namespace warptree::session
