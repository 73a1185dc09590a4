# Modules of JavaScript, each with its WebAssembly beside it.
# A quick build leaves out what makes them a quarter smaller and takes a minute and a half each.
option(WARPTREE_WEB_QUICK "Link the modules quickly" OFF)
if(WARPTREE_WEB_QUICK)
    add_link_options(-O1)
endif()
set(memory -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sTOTAL_STACK=1048576)

# For node, and for workers of a page: the machine alone.
add_executable(warptree-web "${here}/web/main.cpp" "${here}/web/absent.cpp")
target_link_libraries(warptree-web PRIVATE warptree_run)
target_link_options(warptree-web PRIVATE ${memory}
    -sMODULARIZE=1 -sEXPORT_NAME=warptree -sENVIRONMENT=node,worker -sFORCE_FILESYSTEM=1 -sINVOKE_RUN=0 -sEXIT_RUNTIME=0
    -sEXPORTED_RUNTIME_METHODS=FS,callMain -sERROR_ON_UNDEFINED_SYMBOLS=1)

# For a page: the whole window, twice: with threads, where the page is isolated from other sites, and without.
add_library(warptree_page OBJECT "${here}/web/page.cpp" "${here}/web/absent.cpp")
target_link_libraries(warptree_page PUBLIC warptree_window)
foreach(page IN ITEMS warptree-page warptree-page-threads)
    add_executable(${page})
    target_link_libraries(${page} PRIVATE warptree_page)
    target_link_options(${page} PRIVATE ${memory}
        -sMODULARIZE=1 -sEXPORT_NAME=warptree_page -sFORCE_FILESYSTEM=1 -sEXIT_RUNTIME=0
        -sINVOKE_RUN=0 -sEXPORTED_RUNTIME_METHODS=FS,callMain,ccall -sERROR_ON_UNDEFINED_SYMBOLS=1)
endforeach()
target_link_options(warptree-page PRIVATE -sENVIRONMENT=web)
# A thread is a worker, which takes the browser a while to start: as many as run at a time are kept (base/background.hpp: one a core
# of a run, and those that wait for it), and are there before the program begins: the page may wait for the end of a thread, which could
# not begin before the page gives the browser its turn.
target_link_options(warptree-page-threads PRIVATE -pthread -sENVIRONMENT=web,worker
    "-sPTHREAD_POOL_SIZE=Math.min(navigator.hardwareConcurrency,16)+4")
