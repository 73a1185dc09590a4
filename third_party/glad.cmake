# The OpenGL 3.3 core loader, generated once at configure time from the specification in python3-glad.
# --reproducible keeps glad from looking for a newer specification on the network.
set(glad_dir "${CMAKE_CURRENT_BINARY_DIR}/glad")

if(NOT EXISTS "${glad_dir}/src/gl.c")
    # Debian's python3 first: another one on PATH would not have Debian's module.
    find_program(GLAD_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
    find_program(GLAD_PYTHON python3)
    mark_as_advanced(GLAD_PYTHON)
    set(glad_result "no python3")
    if(GLAD_PYTHON)
        execute_process(COMMAND "${GLAD_PYTHON}" -m glad --quiet --reproducible
                --api gl:core=3.3 --extensions "" --out-path "${glad_dir}" c
            RESULT_VARIABLE glad_result OUTPUT_QUIET ERROR_VARIABLE glad_error)
    endif()
    if(NOT glad_result EQUAL 0)
        warptree_missing("glad" python3-glad)
    endif()
endif()

if(EXISTS "${glad_dir}/src/gl.c")
    # The generated C is valid C++ too, which spares the project a second language.
    set_source_files_properties("${glad_dir}/src/gl.c" PROPERTIES LANGUAGE CXX)
    add_library(glad STATIC "${glad_dir}/src/gl.c")
    target_include_directories(glad SYSTEM PUBLIC "${glad_dir}/include")
endif()
