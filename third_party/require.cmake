# Looks for each dependency, collects what is missing, and reports it in one message.
set_property(GLOBAL PROPERTY WARPTREE_MISSING "")

macro(warptree_missing what debian)
    set_property(GLOBAL APPEND PROPERTY WARPTREE_MISSING "${what} (Debian package ${debian})")
endmacro()

# A package with a CMake config or find module; its imported targets are visible everywhere.
macro(warptree_require_package name debian)
    find_package(${name} QUIET GLOBAL ${ARGN})
    if(NOT ${name}_FOUND)
        warptree_missing(${name} ${debian})
    endif()
endmacro()

# A package with a pkg-config file; gives PkgConfig::name.
macro(warptree_require_module name debian)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${name})
    endif()
    if(NOT ${name}_FOUND)
        warptree_missing(${name} ${debian})
    endif()
endmacro()

macro(warptree_require_program name path debian)
    if("${path}" MATCHES "^$|-NOTFOUND$")
        warptree_missing(${name} ${debian})
    endif()
endmacro()

function(warptree_report_missing)
    get_property(missing GLOBAL PROPERTY WARPTREE_MISSING)
    if(missing)
        list(JOIN missing "\n  " lines)
        message(FATAL_ERROR "Missing:\n  ${lines}\nscript/bootstrap installs all of them.")
    endif()
endfunction()
