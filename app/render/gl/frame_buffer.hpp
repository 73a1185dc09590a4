// One image that drawings are painted into, for the frames of an animation.
#pragma once

#include "app/drawing/draw.hpp"

#include <filesystem>
#include <memory>
#include <span>

namespace warptree::render {

class FrameBuffer {
  public:
    // Pixels; throws FileError when there is no memory for them.
    FrameBuffer(int width, int height);
    ~FrameBuffer();
    FrameBuffer(const FrameBuffer&) = delete;
    FrameBuffer& operator=(const FrameBuffer&) = delete;

    void paint(const scene::Drawing& drawing); // over what was there
    // Rows from the top, 4 bytes a pixel: blue, green, red, unused.
    std::span<const unsigned char> pixels() const;
    void write_png(const std::filesystem::path& path) const; // throws FileError

  private:
    struct Pixels;
    std::unique_ptr<Pixels> pixels_;
};

} // namespace warptree::render
