# The program and its data. The binary finds the data beside itself: see app/base/resources.hpp.
install(TARGETS warptree RUNTIME)
install(TARGETS warptree-compile warptree-host RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/warptree")
install(FILES "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/warptree-compile.pch" DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/warptree"
    OPTIONAL) # cross-compiled, there is none
# For people to read: the worker has them embedded.
install(DIRECTORY "${CMAKE_SOURCE_DIR}/app/compile/include/" DESTINATION "${CMAKE_INSTALL_DATADIR}/warptree/include")
foreach(directory IN ITEMS shaders assets)
    if(IS_DIRECTORY "${CMAKE_SOURCE_DIR}/${directory}")
        install(DIRECTORY "${CMAKE_SOURCE_DIR}/${directory}" DESTINATION "${CMAKE_INSTALL_DATADIR}/warptree")
    endif()
endforeach()
install(DIRECTORY "${CMAKE_SOURCE_DIR}/kernels" DESTINATION "${CMAKE_INSTALL_DATADIR}/warptree" FILES_MATCHING
    PATTERN "*.cu" PATTERN "*.cuh" PATTERN "order.txt")
if(EXISTS "${CMAKE_SOURCE_DIR}/README.md")
    install(FILES "${CMAKE_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()

# Desktop menu entry, icon and file types.
set(desktop "${CMAKE_SOURCE_DIR}/cmake/desktop")
install(FILES "${desktop}/warptree.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
install(FILES "${desktop}/warptree.svg" DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
install(FILES "${desktop}/warptree.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages")

# Made from --help by the target warptree_manual; an installation without it has none.
set(manual "${CMAKE_BINARY_DIR}/manual")
find_package(Python3 REQUIRED COMPONENTS Interpreter) # python3-glad brings it
file(GLOB manual_scripts CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/script/manual" "${CMAKE_SOURCE_DIR}/script/lib/*.py")
add_custom_command(OUTPUT "${manual}/warptree.1.gz" "${manual}/warptree.bash" "${manual}/_warptree"
    COMMAND "${CMAKE_COMMAND}" -E env "WARPTREE_DATA=${CMAKE_SOURCE_DIR}" # not installed yet
            $<TARGET_FILE:Python3::Interpreter> "${CMAKE_SOURCE_DIR}/script/manual" "$<TARGET_FILE:warptree>" "${manual}"
    DEPENDS warptree ${manual_scripts} VERBATIM)
add_custom_target(warptree_manual DEPENDS "${manual}/warptree.1.gz")
install(FILES "${manual}/warptree.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL)
install(FILES "${manual}/warptree.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
    RENAME warptree OPTIONAL)
install(FILES "${manual}/_warptree" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" OPTIONAL)
