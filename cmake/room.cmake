# warptree_room(NAME SOURCES... LINK libs...): a static library of one room. A room without sources yet is an
# INTERFACE library, so that no link line has to change.
function(warptree_room name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
    if(arg_SOURCES)
        add_library(${name} STATIC ${arg_SOURCES})
        target_link_libraries(${name} PUBLIC warptree_flags ${arg_LINK})
    else()
        add_library(${name} INTERFACE)
        target_link_libraries(${name} INTERFACE warptree_flags ${arg_LINK})
    endif()
endfunction()
