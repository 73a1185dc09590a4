# For script/package: a Debian package, and an archive that runs from any folder.
set(CPACK_PACKAGE_NAME warptree)
set(CPACK_PACKAGE_VENDOR warptree)
set(CPACK_PACKAGE_CONTACT "warptree <warptree@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "step through real GPU reduction kernels")
set(CPACK_PACKAGE_DESCRIPTION "Shows how a CUDA kernel reduces an array to one value, step by step: the tree,
warps with their inactive lanes, shared-memory banks, races, and the line of
source that runs. Any plain .cu file goes in; neither a GPU nor the CUDA toolkit
is needed.")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_FILE_NAME "warptree-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Dependencies unknown to the linker: the fonts, and the libraries that GLFW and Dear ImGui load at run time.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "fonts-inter, fonts-jetbrains-mono, libgl1, libgl1-mesa-dri, libxcursor1, libxi6, libxinerama1, libxrandr2")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS ffmpeg)
include(CPack)
