// A linked GLSL program from two files in shaders/.
#pragma once

#include <string_view>

namespace warptree::render {

// Throws DeviceError with the start of the compiler's log, FileError when a file is missing. Needs a current context.
unsigned load_program(std::string_view vertex_file, std::string_view fragment_file);
// Throws DeviceError naming `what` when OpenGL has recorded an error.
void check_gl(const char* what);

} // namespace warptree::render
