# Dear ImGui as Debian packs it: core and all backends in libimgui.a, stb beside it. Gives the target imgui with
# the GLFW and OpenGL 3 backends; the OpenGL backend brings its own loader.
warptree_require_module(imgui libimgui-dev)
add_library(imgui INTERFACE)
if(imgui_FOUND AND glfw3_FOUND)
    target_include_directories(imgui SYSTEM INTERFACE ${imgui_INCLUDE_DIRS})
    foreach(directory IN LISTS imgui_INCLUDE_DIRS)
        target_include_directories(imgui SYSTEM INTERFACE "${directory}/backends")
    endforeach()
    target_link_libraries(imgui INTERFACE PkgConfig::imgui glfw Freetype::Freetype ${CMAKE_DL_LIBS})
endif()
