// What OpenGL ES 3.0 says otherwise than OpenGL 3.3 core. A page has the former, as WebGL 2.
#pragma once

namespace warptree::render {

#if defined(__EMSCRIPTEN__)
// The first line of a shader; those in shaders/ begin with kDesktopGlsl.
inline constexpr const char* kGlsl = "#version 300 es";
inline constexpr const char* kPrecision = "precision highp float;\nprecision highp int;\n"; // after the first line
inline constexpr unsigned kPixelLayout = 0x1908;                                            // GL_RGBA
// Each question waits for the browser's process of the GPU; it reports errors on the console by itself.
inline constexpr bool kAsksForErrors = false;
#else
inline constexpr const char* kGlsl = "#version 330 core";
inline constexpr const char* kPrecision = "";
inline constexpr unsigned kPixelLayout = 0x80E1; // GL_BGRA
inline constexpr bool kAsksForErrors = true;
#endif
inline constexpr const char* kDesktopGlsl = "#version 330 core";

} // namespace warptree::render
