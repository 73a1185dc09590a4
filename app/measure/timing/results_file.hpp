// Result files: `warptree.timings` version 2, JSON. Every sample with its provenance, or published figures with their
// source.
//
// { "format": "warptree.timings", "version": 2, "series": [ { "name", "provenance": {…}, "points": [ {…}, … ] }, … ] }
//
// Members are named as in results.hpp; times are in seconds, rates in bytes per second. Optional members are left out
// at their default. Instead of `samples` there may be `nanoseconds`, integers; instead of `rounds`, `turns`: samples
// per round.
// Version 1 had neither these two nor `min_time`.
// Readers reject unknown members, so that a misspelt one is not taken for a missing one.
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
struct NotResults : FileError {
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

// One line per point.
std::string to_json(std::span<const Series> series);
// `name` names the text in errors. At least one series; every value is in the range that results.hpp gives.
std::vector<Series> series_from_json(const std::string& text, const std::string& name);

void save_results(const std::filesystem::path& file, std::span<const Series> series); // throws FileError
std::vector<Series> load_results(const std::filesystem::path& file);                  // throws FileError

} // namespace warptree::timing
