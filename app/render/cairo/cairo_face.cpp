#include "app/render/cairo/cairo_face.hpp"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

namespace warptree::render {

cairo_font_face_t* open_face(scene::Face face) {
    FcPattern* pattern = FcPatternCreate();
    const auto family = [&](const char* name) {
        FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8*>(name));
    };
    if (face == scene::Face::mono) {
        family("JetBrains Mono");
        family("DejaVu Sans Mono");
        family("monospace");
    } else {
        family("Inter");
        family("DejaVu Sans");
        family("sans-serif");
    }
    FcPatternAddInteger(pattern, FC_WEIGHT, face == scene::Face::sans_bold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
    FcPatternAddBool(pattern, FC_OUTLINE, FcTrue);
    cairo_font_face_t* font = cairo_ft_font_face_create_for_pattern(pattern);
    FcPatternDestroy(pattern);
    return font;
}

} // namespace warptree::render
