// Trace files, .wtrace: a zip archive of one-dimensional NumPy arrays and manifest.json, so that
// numpy.load("run.wtrace")["active_mask"] works. Tables are stored by column; row i of every column of a table is one
// record. Rows of the first launch come first; `rows` of each launch in the manifest says how many are its own.
#pragma once

#include "app/base/error.hpp"
#include "app/trace/model/trace.hpp"

#include <filesystem>

namespace warptree {

struct NotATrace : FileError { // empty, or another kind of file
    using FileError::FileError;
};
struct TruncatedTrace : FileError {
    using FileError::FileError;
};
struct CorruptTrace : FileError { // damaged; what() names the array
    using FileError::FileError;
};
struct NewerTrace : FileError { // of a later format version
    using FileError::FileError;
};
struct OlderTrace : FileError { // of a format version that is no longer read
    using FileError::FileError;
};

// The one version that is read. 9: what is stored, and what arrays held before a launch.
inline constexpr int kTraceVersion = 9;
// What a reader takes at most, stated before it takes any: all entries unpacked, and the manifest among them.
inline constexpr std::uint64_t kMostTraceBytes = 2ULL << 30;
inline constexpr std::uint64_t kMostManifestBytes = 32ULL << 20;

// Writes all or nothing; same trace, same bytes. Throws FileError, and Cancelled when `control` requests it.
void save(const Trace& trace, const std::filesystem::path& path, RunControl* control = nullptr);
// Checks every size and index before use; memory is taken for as many rows as the manifest states and all columns of
// their table have. Throws the errors above, and Cancelled when `control` requests it.
Trace load(const std::filesystem::path& path, RunControl* control = nullptr);

} // namespace warptree
