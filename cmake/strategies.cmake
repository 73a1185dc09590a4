# From kernels/strategies.def, one line a strategy, WARPTREE_STRATEGY(Name, path/below/kernels.hpp), makes in the
# build tree: a file that instantiates it for the interpreter, and one with the text of all.
# Sets strategy_cpu_sources, strategy_text_source, build_info_source.
set(strategy_list "${CMAKE_CURRENT_SOURCE_DIR}/strategies.def")
set(generated_dir "${CMAKE_CURRENT_BINARY_DIR}/generated")
set(strategy_cpu_sources "")
set(strategy_paths "")

function(write_if_changed path text)
    if(EXISTS "${path}")
        file(READ "${path}" present)
        if(present STREQUAL text)
            return()
        endif()
    endif()
    file(WRITE "${path}" "${text}")
endfunction()

if(EXISTS "${strategy_list}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${strategy_list}")
    # Configures again when a listed file comes or goes.
    file(GLOB_RECURSE strategy_headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
        "${CMAKE_CURRENT_SOURCE_DIR}/reduce/*.hpp" "${CMAKE_CURRENT_SOURCE_DIR}/scan/*.hpp"
        "${CMAKE_CURRENT_SOURCE_DIR}/exhibits/*.hpp")
    file(STRINGS "${strategy_list}" strategy_lines REGEX "^WARPTREE_STRATEGY")
    foreach(line IN LISTS strategy_lines)
        if(NOT line MATCHES "^WARPTREE_STRATEGY\\([ \t]*([A-Za-z0-9_]+)[ \t]*,[ \t]*([^ \t)]+)[ \t]*\\)")
            message(FATAL_ERROR "kernels/strategies.def: cannot read \"${line}\"")
        endif()
        set(name "${CMAKE_MATCH_1}")
        set(path "${CMAKE_MATCH_2}")
        if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${path}")
            if(WARPTREE_WERROR)
                message(FATAL_ERROR "kernels/strategies.def names kernels/${path}, which does not exist")
            endif()
            message(WARNING "kernels/strategies.def names kernels/${path}, which does not exist; left out")
            continue()
        endif()
        string(REGEX REPLACE "([a-z0-9])([A-Z])" "\\1_\\2" snake "${name}")
        string(TOLOWER "${snake}" snake)

        set(cpu_source "${generated_dir}/cpu_${snake}.cpp")
        write_if_changed("${cpu_source}"
            "#include \"kernels/${path}\"\n#include \"kernels/cpu/instantiate.hpp\"\nWARPTREE_CPU_INSTANTIATE(${name})\n")
        list(APPEND strategy_cpu_sources "${cpu_source}")
        list(APPEND strategy_paths "${path}")
    endforeach()
    list(APPEND strategy_paths ${strategy_headers}) # what strategies share is shown with them
endif()

set(strategy_text_source "${generated_dir}/sources.cpp")
list(REMOVE_DUPLICATES strategy_paths)
list(TRANSFORM strategy_paths PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE strategy_files)
list(JOIN strategy_paths "," strategy_paths_argument)
add_custom_command(OUTPUT "${strategy_text_source}"
    COMMAND "${CMAKE_COMMAND}" "-Droot=${CMAKE_CURRENT_SOURCE_DIR}" "-Dpaths=${strategy_paths_argument}"
            "-Doutput=${strategy_text_source}" -P "${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake"
    DEPENDS ${strategy_files} "${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake"
    COMMENT "Embedding the strategies' source text" VERBATIM)

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
# The commit is read when it changes: the log of HEAD grows with every commit and checkout.
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
