# From LLVM IR to compile::Program; linked by the worker only.
file(GLOB lower_sources CONFIGURE_DEPENDS "${here}/lower*.cpp" "${here}/clean_up*.cpp" "${here}/instrument.cpp" "${here}/clock_marks.cpp"
    "${here}/device_code.cpp" "${here}/target.cpp")
warptree_room(warptree_lower SOURCES ${lower_sources} LINK warptree_program warptree_llvm)
target_compile_options(warptree_lower PRIVATE $<$<BOOL:${WARPTREE_SANITIZE}>:-fno-sanitize=vptr>)
