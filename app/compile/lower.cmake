# From LLVM IR to compile::Program. warptree_program knows no LLVM; warptree_lower is linked by the worker only.
file(GLOB program_sources CONFIGURE_DEPENDS "${here}/program*.cpp")
warptree_room(warptree_program
    SOURCES ${program_sources} "${here}/opcode.cpp" "${here}/../base/value_type.cpp" LINK)

file(GLOB lower_sources CONFIGURE_DEPENDS "${here}/lower*.cpp" "${here}/clean_up*.cpp")
warptree_room(warptree_lower SOURCES ${lower_sources} LINK warptree_program warptree_llvm)
target_compile_options(warptree_lower PRIVATE $<$<BOOL:${WARPTREE_SANITIZE}>:-fno-sanitize=vptr>)
