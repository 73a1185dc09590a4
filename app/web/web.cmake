# Modules of JavaScript, each with its WebAssembly beside it.
set(memory -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sTOTAL_STACK=1048576)

# For node, and for workers of a page: the machine alone.
add_executable(warptree-web "${here}/web/main.cpp" "${here}/web/absent.cpp")
target_link_libraries(warptree-web PRIVATE warptree_run)
target_link_options(warptree-web PRIVATE ${memory}
    -sMODULARIZE=1 -sEXPORT_NAME=warptree -sENVIRONMENT=node,worker -sFORCE_FILESYSTEM=1 -sINVOKE_RUN=0 -sEXIT_RUNTIME=0
    -sEXPORTED_RUNTIME_METHODS=FS,callMain -sERROR_ON_UNDEFINED_SYMBOLS=1)

# For a page: the whole window.
add_executable(warptree-page "${here}/web/page.cpp" "${here}/web/absent.cpp")
target_link_libraries(warptree-page PRIVATE warptree_window)
target_link_options(warptree-page PRIVATE ${memory}
    -sMODULARIZE=1 -sEXPORT_NAME=warptree_page -sENVIRONMENT=web -sFORCE_FILESYSTEM=1 -sEXIT_RUNTIME=0
    -sINVOKE_RUN=0 -sEXPORTED_RUNTIME_METHODS=FS,callMain,ccall -sERROR_ON_UNDEFINED_SYMBOLS=1)
