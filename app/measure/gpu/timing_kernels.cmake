# The timing harness's own kernels, as one text.
set(timing_kernels "${CMAKE_CURRENT_BINARY_DIR}/generated/timing_kernels_text.cpp")
set(timing_texts app/base/host_device.hpp app/base/random.hpp app/measure/timing/data.hpp
    app/measure/timing/running_sum.hpp app/measure/gpu/timing_kernels.cu)
list(TRANSFORM timing_texts PREPEND "${CMAKE_SOURCE_DIR}/" OUTPUT_VARIABLE timing_files)
list(JOIN timing_texts "," timing_paths)
add_custom_command(OUTPUT "${timing_kernels}"
    COMMAND "${CMAKE_COMMAND}" "-Droot=${CMAKE_SOURCE_DIR}" "-Dpaths=${timing_paths}" "-Doutput=${timing_kernels}"
            -P "${here}/measure/gpu/embed_timing_kernels.cmake"
    DEPENDS ${timing_files} "${here}/measure/gpu/embed_timing_kernels.cmake"
    COMMENT "Embedding the timing harness's kernels" VERBATIM)

# On its own, so that no file waits for the libraries that a room links before its generated sources are written.
add_library(warptree_timing_kernels OBJECT "${timing_kernels}")
target_link_libraries(warptree_timing_kernels PRIVATE warptree_flags)
