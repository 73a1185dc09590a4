#include "app/shell/presenter.hpp"

#include <glad/gl.h>
// glad first: GLFW must not include its own OpenGL header.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <string_view>

namespace warptree::window {

namespace {
constexpr std::size_t kMostParts = 3; // each waits for the display; with more, one bounding rectangle is cheaper

bool is_software() {
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    const std::string_view renderer = name == nullptr ? "" : name;
    return renderer.starts_with("llvmpipe") || renderer.starts_with("softpipe");
}

std::vector<render::PixelRect> few(const std::vector<render::PixelRect>& parts) {
    if (parts.size() <= kMostParts) {
        return parts;
    }
    render::PixelRect all = parts.front();
    for (const render::PixelRect& p : parts) {
        all = {std::min(all.left, p.left), std::min(all.top, p.top), std::max(all.right, p.right),
               std::max(all.bottom, p.bottom)};
    }
    return {all};
}
} // namespace

Presenter::Presenter(GLFWwindow* window) : window_(window) {
    if (is_software() && glfwExtensionSupported("GLX_MESA_copy_sub_buffer") == GLFW_TRUE) {
        display_ = reinterpret_cast<CurrentDisplay>(glfwGetProcAddress("glXGetCurrentDisplay"));
        drawable_ = reinterpret_cast<CurrentDrawable>(glfwGetProcAddress("glXGetCurrentDrawable"));
        copy_ = reinterpret_cast<CopyPart>(glfwGetProcAddress("glXCopySubBufferMESA"));
    }
}

void Presenter::present(const render::GlRetained& picture, bool all) const {
    const render::PixelRect whole = picture.whole();
    const std::vector<render::PixelRect> parts = few(picture.changed());
    void* display = all || copy_ == nullptr || display_ == nullptr || drawable_ == nullptr ? nullptr : display_();
    if (display == nullptr || (parts.size() == 1 && parts.front() == whole)) {
        picture.present({whole});
        glfwSwapBuffers(window_); // waits until a software renderer has drawn everything
        return;
    }
    picture.present(parts);
    for (const render::PixelRect& p : parts) {
        copy_(display, drawable_(), p.left, whole.bottom - p.bottom, p.right - p.left, p.bottom - p.top);
    }
}

} // namespace warptree::window
