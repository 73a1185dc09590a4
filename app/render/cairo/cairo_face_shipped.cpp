// The fonts that a page of script/web brings along.
#include "app/base/error.hpp"
#include "app/render/cairo/cairo_face.hpp"
#include "app/render/font_file.hpp"

#include <cairo-ft.h>

#include <string>

namespace warptree::render {

cairo_font_face_t* open_face(scene::Face face) {
    static const FT_Library library = [] { // as long as the program, like the faces
        FT_Library made = nullptr;
        FT_Init_FreeType(&made);
        return made;
    }();
    const std::string file = font_file(face);
    FT_Face opened = nullptr;
    if (FT_New_Face(library, file.c_str(), 0, &opened) != 0) {
        throw FileError(file + ": is no font that FreeType can read");
    }
    return cairo_ft_font_face_create_for_ft_face(opened, FT_LOAD_NO_HINTING);
}

} // namespace warptree::render
