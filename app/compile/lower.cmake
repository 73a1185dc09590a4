# From LLVM IR to compile::Program. warptree_program knows no LLVM; warptree_lower is linked by the worker only.
set(here "${CMAKE_CURRENT_LIST_DIR}")

file(GLOB program_sources CONFIGURE_DEPENDS "${here}/program*.cpp")
warptree_room(warptree_program
    SOURCES ${program_sources} "${here}/opcode.cpp" "${here}/../base/value_type.cpp" LINK)

find_package(LLVM 19.1 CONFIG GLOBAL HINTS /usr/lib/llvm-19)
if(LLVM_FOUND)
    file(GLOB lower_sources CONFIGURE_DEPENDS "${here}/lower*.cpp" "${here}/clean_up*.cpp")
    warptree_room(warptree_lower SOURCES ${lower_sources} LINK warptree_program)
    target_include_directories(warptree_lower SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
    # As LLVM itself is built; its classes have no type information to refer to.
    target_compile_options(warptree_lower PRIVATE -fno-rtti $<$<BOOL:${WARPTREE_SANITIZE}>:-fno-sanitize=vptr>)
    target_link_libraries(warptree_lower PUBLIC LLVM)
endif()
