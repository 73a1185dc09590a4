# warptree_room(NAME SOURCES... LINK libs...): a static library of one room.
function(warptree_room name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC warptree_flags ${arg_LINK})
endfunction()

# A program that runs another one is linked after it. (add_dependencies would have its files compiled after it, too.)
function(warptree_runs name other)
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "$<TARGET_FILE:${other}>")
endfunction()
