// The fonts that a page of script/web brings along.
#include "app/base/resources.hpp"
#include "app/render/font_file.hpp"

namespace warptree::render {

std::string font_file(scene::Face face) {
    return resource(face == scene::Face::mono        ? "fonts/JetBrainsMono-Regular.ttf"
                    : face == scene::Face::sans_bold ? "fonts/Inter-SemiBold.otf"
                                                     : "fonts/Inter-Regular.otf")
        .string();
}

} // namespace warptree::render
