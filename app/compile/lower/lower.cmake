# From LLVM IR to compile::Program; linked by the worker only.
file(GLOB lower_sources CONFIGURE_DEPENDS "${here}/lower/*.cpp")

# The few functions of libclc that traces on a GPU may need, from its 8 MB.
find_file(WARPTREE_LIBCLC nvptx64--nvidiacl.bc PATHS /usr/lib/clc /usr/share/clc NO_DEFAULT_PATH
    DOC "libclc of LLVM 19 for NVIDIA's GPUs; without it, kernels that call exp and its like cannot be traced on a GPU")
find_program(WARPTREE_LLVM_EXTRACT NAMES llvm-extract-19 DOC "llvm-extract of LLVM 19")
mark_as_advanced(WARPTREE_LIBCLC WARPTREE_LLVM_EXTRACT)
set(math_bytes "${CMAKE_CURRENT_BINARY_DIR}/device_math_bytes.cpp")
if(WARPTREE_LIBCLC AND WARPTREE_LLVM_EXTRACT)
    set(math_bitcode "${CMAKE_CURRENT_BINARY_DIR}/device_math.bc")
    set(math_functions _Z5ldexpdi _Z9nextafterff _Z9nextafterdd)
    foreach(name acos acosh asin asinh atan atanh cbrt cos cosh cospi erf erfc exp exp2 exp10 expm1 lgamma log log2 log10
            log1p sin sinh sinpi tan tanh tgamma)
        string(LENGTH ${name} length)
        list(APPEND math_functions _Z${length}${name}d)
    endforeach()
    foreach(name atan2 fmod hypot pow remainder)
        string(LENGTH ${name} length)
        list(APPEND math_functions _Z${length}${name}dd)
    endforeach()
    list(TRANSFORM math_functions PREPEND --func=)
    add_custom_command(OUTPUT "${math_bitcode}"
        COMMAND "${WARPTREE_LLVM_EXTRACT}" --recursive ${math_functions} "--rglob=.*" "${WARPTREE_LIBCLC}" -o "${math_bitcode}"
        DEPENDS "${WARPTREE_LIBCLC}" VERBATIM)
endif()
add_custom_command(OUTPUT "${math_bytes}"
    COMMAND "${CMAKE_COMMAND}" -D name=math_bitcode -D "input=${math_bitcode}" -D "output=${math_bytes}"
        -P "${here}/embed_bytes.cmake"
    DEPENDS ${math_bitcode} "${here}/embed_bytes.cmake" VERBATIM)
list(APPEND lower_sources "${math_bytes}")
warptree_room(warptree_lower SOURCES ${lower_sources} LINK warptree_program warptree_llvm)
target_compile_options(warptree_lower PRIVATE $<$<BOOL:${WARPTREE_SANITIZE}>:-fno-sanitize=vptr>)
