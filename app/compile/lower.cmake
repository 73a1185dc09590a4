# From LLVM IR to compile::Program. warptree_program knows no LLVM; warptree_lower is linked by the worker only.
set(here "${CMAKE_CURRENT_LIST_DIR}")

file(GLOB program_sources CONFIGURE_DEPENDS "${here}/program*.cpp")
warptree_room(warptree_program
    SOURCES ${program_sources} "${here}/opcode.cpp" "${here}/../base/value_type.cpp" LINK)

