# WARPTREE_QUICK: a touched file is soon a running program. Against GCC and GNU's linker, Clang compiles in two thirds of the
# time and lld links in an eighth, and Clang reads of a precompiled header only what a file uses.
option(WARPTREE_QUICK "Build with Clang, lld and precompiled headers, where they are" OFF)

if(WARPTREE_QUICK AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
    find_program(WARPTREE_CLANG clang++-19) # 14, of Debian 12, does not capture structured bindings
    mark_as_advanced(WARPTREE_CLANG)
    if(WARPTREE_CLANG)
        set(CMAKE_CXX_COMPILER "${WARPTREE_CLANG}")
    endif()
endif()

# warptree_heavy_headers(TARGET HEADER...): headers of libraries that take long to read.
function(warptree_heavy_headers target)
    if(WARPTREE_QUICK)
        list(TRANSFORM ARGN REPLACE "(.+)" "<\\1>")
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()
