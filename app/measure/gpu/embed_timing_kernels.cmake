# Run at build time: writes `output`, C++ that holds the text of the comma-separated `paths` below `root`, one after the
# other, without their includes.
string(REPLACE "," ";" paths "${paths}")
set(text "")
foreach(path IN LISTS paths)
    file(READ "${root}/${path}" content)
    string(REGEX REPLACE "#(include|pragma once)[^\n]*\n" "" content "${content}")
    string(APPEND text "${content}")
endforeach()
file(WRITE "${output}" "#include \"app/measure/gpu/timing_kernels.hpp\"\n\nnamespace warptree::runs {\n\nconst char* timing_kernels_text() {\n    return R\"WARPTREE_TEXT(#include <cstdint>\n#include <type_traits>\n${text})WARPTREE_TEXT\";\n}\n\n} // namespace warptree::runs\n")
