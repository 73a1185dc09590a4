# Generates, in the build tree, a source file with version, commit and CUDA of this build. Sets build_info_source.
set(generated_dir "${CMAKE_CURRENT_BINARY_DIR}/generated")
set(build_info_source "${generated_dir}/build_info.cpp")
set(build_info_cuda_version "")
set(build_info_cuda_architectures "")
if(WARPTREE_CUDA_ENABLED)
    set(build_info_cuda_version "${CMAKE_CUDA_COMPILER_VERSION}")
    list(JOIN WARPTREE_CUDA_ARCHITECTURES ", " build_info_cuda_architectures)
    set(build_info_cuda true)
else()
    set(build_info_cuda false)
endif()
configure_file("${CMAKE_SOURCE_DIR}/cmake/build_info.cpp.in" "${generated_dir}/build_info.cpp.in" @ONLY)
# The commit is read again when it changes: the log of HEAD grows with every commit and checkout.
find_package(Git QUIET)
set(build_info_head "")
if(GIT_FOUND)
    execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse --path-format=absolute --git-path logs/HEAD
        WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE build_info_head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT EXISTS "${build_info_head}")
        set(build_info_head "")
    endif()
endif()
add_custom_command(OUTPUT "${build_info_source}"
    COMMAND "${CMAKE_COMMAND}" "-Dgit=${GIT_EXECUTABLE}" "-Droot=${CMAKE_SOURCE_DIR}"
            "-Dinput=${generated_dir}/build_info.cpp.in" "-Doutput=${build_info_source}"
            -P "${CMAKE_SOURCE_DIR}/cmake/build_info.cmake"
    DEPENDS "${generated_dir}/build_info.cpp.in" "${CMAKE_SOURCE_DIR}/cmake/build_info.cmake" ${build_info_head}
    COMMENT "Noting the commit" VERBATIM)
