// Where the program's data files (shaders, assets, kernels) are.
#pragma once

#include "app/base/error.hpp"

#include <filesystem>
#include <string_view>

namespace warptree {

// A data file of the program was not found; what() names it and every place searched.
struct MissingResource : FileError {
    using FileError::FileError;
};

// The path of "shaders/box.vert", "assets/themes/light.json", ...: the first that exists below $WARPTREE_DATA,
// ../share/warptree beside the executable, the source tree (unless built to be packed), the install prefix.
std::filesystem::path resource(std::string_view relative);

} // namespace warptree
