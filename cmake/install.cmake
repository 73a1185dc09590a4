# The program and its data. The binary finds the data beside itself: see app/base/resources.hpp.
install(TARGETS warptree RUNTIME)
install(TARGETS warptree-compile RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/warptree")
# For people to read: the worker has them in itself.
install(DIRECTORY "${CMAKE_SOURCE_DIR}/app/compile/include/" DESTINATION "${CMAKE_INSTALL_DATADIR}/warptree/include")
foreach(directory IN ITEMS shaders assets)
    if(IS_DIRECTORY "${CMAKE_SOURCE_DIR}/${directory}")
        install(DIRECTORY "${CMAKE_SOURCE_DIR}/${directory}" DESTINATION "${CMAKE_INSTALL_DATADIR}/warptree")
    endif()
endforeach()
install(DIRECTORY "${CMAKE_SOURCE_DIR}/kernels" DESTINATION "${CMAKE_INSTALL_DATADIR}/warptree" FILES_MATCHING
    PATTERN "*.cu" PATTERN "*.cuh" PATTERN "order.txt" PATTERN "cuda" EXCLUDE PATTERN "cpu" EXCLUDE
    PATTERN "trace" EXCLUDE PATTERN "simt" EXCLUDE)
if(EXISTS "${CMAKE_SOURCE_DIR}/README.md")
    install(FILES "${CMAKE_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()
install(FILES "${CMAKE_SOURCE_DIR}/cmake/warptree.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
