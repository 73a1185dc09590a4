// Presents the finished picture in the window.
#pragma once

#include "app/render/gl/gl_retained.hpp"

struct GLFWwindow;

namespace warptree::window {

// A software renderer shows a frame by copying it whole, twice: to the back buffer and to the display. Where GLX lets a
// part of the back buffer be shown (GLX_MESA_copy_sub_buffer), only what changed is copied; elsewhere buffers are
// swapped.
class Presenter {
  public:
    explicit Presenter(GLFWwindow* window); // its context is current, here and below
    // `all`: presents the whole picture, as the display may have lost it. Returns once it is handed to the display.
    void present(const render::GlRetained& picture, bool all) const;

  private:
    using CurrentDisplay = void* (*)();
    using CurrentDrawable = unsigned long (*)();
    using CopyPart = void (*)(void* display, unsigned long drawable, int x, int y, int width, int height); // y up

    GLFWwindow* window_;
    CurrentDisplay display_ = nullptr;
    CurrentDrawable drawable_ = nullptr;
    CopyPart copy_ = nullptr; // nullptr: not available
};

} // namespace warptree::window
