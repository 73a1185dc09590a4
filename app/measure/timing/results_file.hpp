// Result files: `warptree.timings` version 2, JSON. Every sample, everything known about where and how, or published
// figures with their source.
//
// { "format": "warptree.timings", "version": 2, "series": [ { "name", "provenance": {…}, "points": [ {…}, … ] }, … ] }
//
// Members are named as in results.hpp; times are seconds, rates bytes a second. A member at its default is left out.
// Instead of `samples` there may be `nanoseconds`, all whole; instead of `rounds`, `turns`: the samples per round.
// Version 1 had neither these two nor `min_time`.
// Readers refuse unknown members, so that a misspelt one does not count as missing.
#pragma once

#include "app/base/error.hpp"
#include "app/measure/timing/results.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace warptree::timing {

inline constexpr int kResultsVersion = 2;

// Why a result file cannot be used; each type has its own message.
struct NotResults : FileError { // foreign
    using FileError::FileError;
};
struct NewerResults : FileError {
    using FileError::FileError;
};
struct TruncatedResults : FileError {
    using FileError::FileError;
};
struct BrokenResults : FileError { // a member is missing, unknown or out of range
    using FileError::FileError;
};

// A point a line.
std::string to_json(std::span<const Series> series);
// `name` is what errors call the text. At least one series; every value in the range that results.hpp gives.
std::vector<Series> series_from_json(const std::string& text, const std::string& name);

void save_results(const std::filesystem::path& file, std::span<const Series> series); // throws FileError
std::vector<Series> load_results(const std::filesystem::path& file);                  // throws FileError

} // namespace warptree::timing
