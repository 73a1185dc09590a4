# How every target is compiled: warptree_flags is linked by each room.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT EMSCRIPTEN)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
# Without debug information, which is two thirds of the program; dev has it, and sanitize line tables.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT WARPTREE_QUICK)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

find_program(WARPTREE_LLD ld.lld)
mark_as_advanced(WARPTREE_LLD)
if(WARPTREE_LLD AND WARPTREE_QUICK)
    add_link_options(-fuse-ld=lld)
endif()
# A room's library only names its objects: nobody else gets it, and copying them takes up to a second.
foreach(language IN ITEMS CXX CUDA)
    set(CMAKE_${language}_ARCHIVE_CREATE "<CMAKE_AR> qcT <TARGET> <OBJECTS>")
endforeach()

add_library(warptree_flags INTERFACE)
target_include_directories(warptree_flags INTERFACE "${CMAKE_SOURCE_DIR}")
# nvcc hands the host compiler a rewritten text with parentheses that nobody wrote.
# GCC from 13 on takes a reference that a function returns for one to a temporary among its arguments.
# Clang takes libstdc++'s own use of std::get_temporary_buffer for ours.
set(gcc_13 $<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>)
target_compile_options(warptree_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,${gcc_13}>:-Wno-dangling-reference>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wno-parentheses -lineinfo --expt-relaxed-constexpr>)
# What stands between a mistake of ours and whoever sends the file that finds it: checked copies and formats, canaries,
# no writable tables of functions, and jumps that land only where they may (CET on x86-64, BTI and PAC on arm64). Only in
# optimised builds, as the first needs optimisation; sanitizers have checks of their own.
set(hardened $<AND:$<NOT:$<BOOL:${EMSCRIPTEN}>>,$<NOT:$<CONFIG:Debug>>,$<NOT:$<BOOL:${WARPTREE_SANITIZE}>>,$<NOT:$<BOOL:${WARPTREE_FUZZ}>>>)
set(hardened_code $<AND:$<COMPILE_LANGUAGE:CXX>,${hardened},$<NOT:$<BOOL:$<TARGET_PROPERTY:WARPTREE_TEST_CODE>>>>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(guarded_jumps -fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(guarded_jumps -mbranch-protection=standard)
endif()
add_compile_options(
    "$<${hardened_code}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3;-fstack-protector-strong;${guarded_jumps}>")
add_link_options("$<${hardened}:LINKER:-z,relro,-z,now>")
# Under a sanitizer GCC warns falsely.
set(instrumented $<AND:$<BOOL:${WARPTREE_SANITIZE}>,$<NOT:$<BOOL:$<TARGET_PROPERTY:WARPTREE_TEST_CODE>>>>)
if(WARPTREE_WERROR)
    target_compile_options(warptree_flags INTERFACE
        $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:${instrumented}>>:-Werror>
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror -Werror=all-warnings>)
endif()
if(WARPTREE_FUZZ)
    set(depth -O1)
    if(WARPTREE_FUZZ STREQUAL "QUICK")
        set(depth -O0 -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr)
    endif()
    target_compile_options(warptree_flags INTERFACE
        -UNDEBUG -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
        ${depth})
    target_link_options(warptree_flags INTERFACE -fsanitize=address,undefined)
endif()
# Compiling is most of a build from nothing. Rooms without long loops (WARPTREE_COLD) gain little from -O2, and
# browsers fetch them; test code
# (WARPTREE_TEST_CODE) is compiled once and run once.
target_compile_options(warptree_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
    $<$<AND:$<CONFIG:Release>,$<BOOL:$<TARGET_PROPERTY:WARPTREE_COLD>>,$<NOT:$<BOOL:${WARPTREE_FUZZ}>>>:$<IF:$<BOOL:${EMSCRIPTEN}>,-Os,-O1>>
    $<$<BOOL:$<TARGET_PROPERTY:WARPTREE_TEST_CODE>>:-O0 -g1>>)
# GCC frees none of its memory before it has a gigabyte: a tenth of the time less, for a quarter to half a gigabyte more.
target_compile_options(warptree_flags INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1000000>)
if(WARPTREE_SANITIZE)
    # Test code is compiled as without a sanitizer, so that ccache has its objects from the preset ci. Of the rooms only
    # the machine (WARPTREE_INNER_LOOPS) is optimised: unoptimised it is several times slower, the others compile in
    # two thirds of the time. Left out is what UBSan asks of every pointer, which doubles the time to compile:
    # AddressSanitizer sees the access that is wrong, unless it is misaligned, and script/fuzz builds with all of it.
    target_compile_options(warptree_flags INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,${instrumented}>:
        $<IF:$<BOOL:$<TARGET_PROPERTY:WARPTREE_INNER_LOOPS>>,-O1,-O0> -UNDEBUG
        -g1 -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr
        -fno-sanitize-recover=all -fno-omit-frame-pointer>)
    target_link_options(warptree_flags INTERFACE -fsanitize=address,undefined)
endif()
if(EMSCRIPTEN)
    # Exceptions and 128-bit vectors as browsers have them since 2021 and 2022. Debian 12's emscripten brings the standard
    # library of LLVM 13, and cmake/web_library.hpp what that lacks. Everything is compiled for threads, and linked with them or without.
    add_compile_options(-fwasm-exceptions -msimd128 -pthread)
    add_link_options(-fwasm-exceptions -msimd128)
    target_compile_options(warptree_flags INTERFACE "SHELL:-include \"${CMAKE_SOURCE_DIR}/cmake/web_library.hpp\"")
endif()
