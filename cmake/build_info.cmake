# Run at build time: fills %commit% into `input` and writes `output`.
set(commit "unknown")
if(git)
    execute_process(COMMAND "${git}" -C "${root}" rev-parse --short=12 HEAD
        OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result ERROR_QUIET)
    if(result EQUAL 0)
        set(commit "${head}")
    endif()
endif()
file(READ "${input}" text)
string(REPLACE "%commit%" "${commit}" text "${text}")
file(WRITE "${output}" "${text}")
