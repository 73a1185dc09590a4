# Clang and the lowering behind a header without LLVM's types, so that tests are compiled as everything else is.
add_library(warptree_snippet STATIC "${CMAKE_CURRENT_LIST_DIR}/snippet.cpp")
target_compile_options(warptree_snippet PRIVATE -fno-rtti)
set_target_properties(warptree_snippet PROPERTIES WARPTREE_TEST_CODE ON)
target_link_libraries(warptree_snippet PRIVATE warptree_lower warptree_llvm)
add_library(warptree_evaluate STATIC "${CMAKE_CURRENT_LIST_DIR}/evaluate.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/evaluate_numbers.cpp" "${CMAKE_CURRENT_LIST_DIR}/evaluate_thread.cpp")
set_target_properties(warptree_evaluate PROPERTIES WARPTREE_TEST_CODE ON)
target_link_libraries(warptree_evaluate PRIVATE warptree_program)
