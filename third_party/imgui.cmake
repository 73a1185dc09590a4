# Dear ImGui as Debian packs it: core, FreeType rasteriser and all backends in libimgui.a, stb beside it. Gives the
# target imgui; its OpenGL 3 backend brings its own loader.
warptree_require_module(imgui libimgui-dev)
if(imgui_FOUND)
    set(imgui_archive "${imgui_LINK_LIBRARIES}")
    list(FILTER imgui_archive INCLUDE REGEX "libimgui\\.")
    set(imgui_others "${imgui_LINK_LIBRARIES}")
    list(FILTER imgui_others EXCLUDE REGEX "libimgui\\.")
    # An archive that names what it needs, so that it comes before them on the link line.
    add_library(imgui UNKNOWN IMPORTED GLOBAL)
    set_target_properties(imgui PROPERTIES IMPORTED_LOCATION "${imgui_archive}")
    target_link_libraries(imgui INTERFACE ${imgui_others} glfw Freetype::Freetype ${CMAKE_DL_LIBS})
    foreach(directory IN LISTS imgui_INCLUDE_DIRS)
        target_include_directories(imgui INTERFACE "${directory}")
        if(EXISTS "${directory}/backends")
            target_include_directories(imgui INTERFACE "${directory}/backends")
        endif()
    endforeach()
endif()
