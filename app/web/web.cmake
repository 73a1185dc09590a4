# The program for browsers and node: a module of JavaScript, and its WebAssembly beside it.
set_target_properties(warptree_base warptree_model warptree_run PROPERTIES WARPTREE_COLD ON)
add_executable(warptree-web "${here}/web/main.cpp")
target_link_libraries(warptree-web PRIVATE warptree_run)
target_link_options(warptree-web PRIVATE -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sTOTAL_STACK=1048576
    -sMODULARIZE=1 -sEXPORT_NAME=warptree -sENVIRONMENT=node,worker -sFORCE_FILESYSTEM=1 -sINVOKE_RUN=0 -sEXIT_RUNTIME=0
    -sEXPORTED_RUNTIME_METHODS=FS,callMain -sERROR_ON_UNDEFINED_SYMBOLS=1)
