# Finds MLIR and defines how Tenon's compiler libraries are built:
#   tenon_add_mlir_library(name sources... [DEPENDS targets] [LINK libraries])
#   tenon_add_mlir_executable(name sources... [LINK libraries])

find_package(MLIR REQUIRED CONFIG PATHS /usr/lib/llvm-19 NO_DEFAULT_PATH)
if(NOT LLVM_VERSION_MAJOR EQUAL 19)
  message(FATAL_ERROR "Tenon needs LLVM and MLIR 19, found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)

# Headers of LLVM and MLIR, compiled once for all libraries: a source file then
# takes a quarter of the time.
add_library(tenon_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/Pch.cpp)
target_precompile_headers(tenon_pch PRIVATE <cmake/Pch.h>)
# What ccache hashes in its place, so that objects built in another folder are found; an
# -include of its source, which CMake would add, names that folder.
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
file(SHA256 ${PROJECT_SOURCE_DIR}/cmake/Pch.h pch_digest)
file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/tenon_pch.dir/cmake_pch.hxx.pch.sum
     "${pch_digest} ${LLVM_PACKAGE_VERSION} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE}\n")

function(tenon_mlir_settings name)
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
                             ${PROJECT_SOURCE_DIR}/runtime/include
                             ${PROJECT_SOURCE_DIR}/capi/include)
  target_compile_options(${name} PRIVATE -fno-rtti -fno-exceptions -Wall -Wextra
                         -Wno-unused-parameter -Xclang -fno-pch-timestamp)
endfunction()
tenon_mlir_settings(tenon_pch)

function(tenon_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tenon_mlir_settings(${name})
  target_precompile_headers(${name} REUSE_FROM tenon_pch)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

function(tenon_add_mlir_executable name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  tenon_mlir_settings(${name})
  # -fPIC, not CMake's -fPIE: the precompiled header must fit.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM tenon_pch)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
endfunction()

# tenon_tablegen(out td generator args...) in the current folder's build folder;
# all outputs of a folder hang on one target made by tenon_tablegen_target.
function(tenon_tablegen output source)
  get_filename_component(path ${source} ABSOLUTE)
  file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${path})
  file(GLOB_RECURSE all_td CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ir/*.td
       ${PROJECT_SOURCE_DIR}/passes/*.td ${PROJECT_SOURCE_DIR}/codegen/*.td)
  set(result ${CMAKE_CURRENT_BINARY_DIR}/${output})
  add_custom_command(OUTPUT ${result}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} -I ${PROJECT_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS}
            ${path} -o ${result}
    DEPENDS ${all_td} COMMENT "Tablegen ${output}")
  set_property(DIRECTORY APPEND PROPERTY TENON_TABLEGEN ${result})
endfunction()
function(tenon_tablegen_target name)
  get_property(outputs DIRECTORY PROPERTY TENON_TABLEGEN)
  add_custom_target(${name} DEPENDS ${outputs})
endfunction()
