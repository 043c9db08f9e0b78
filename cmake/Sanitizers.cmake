# TENON_SANITIZER=address (with undefined behaviour) or thread: all that we compile is
# instrumented. LLVM is not, as Debian builds it.
set(TENON_SANITIZER "" CACHE STRING "Instrument for a sanitizer: address, thread or nothing")
set(TENON_SANITIZER_FLAGS "")
if(TENON_SANITIZER STREQUAL address)
  # vptr and function need RTTI, which LLVM's classes lack. bool: LLVM's statistics count in
  # builds with asserts, as ours, and Debian's library leaves those counters unset.
  set(TENON_SANITIZER_FLAGS -fsanitize=address,undefined -fno-sanitize=vptr,function,bool
      -fno-sanitize-recover=all)
elseif(TENON_SANITIZER STREQUAL thread)
  set(TENON_SANITIZER_FLAGS -fsanitize=thread)
elseif(TENON_SANITIZER)
  message(FATAL_ERROR "TENON_SANITIZER: expected address, thread or nothing, got ${TENON_SANITIZER}")
endif()
if(TENON_SANITIZER)
  add_compile_options(${TENON_SANITIZER_FLAGS} -gline-tables-only -fno-omit-frame-pointer)
  add_link_options(${TENON_SANITIZER_FLAGS})
endif()

# Compilers for what links our libraries outside of this build (scripts/sanitize).
if(TENON_SANITIZER)
  list(JOIN TENON_SANITIZER_FLAGS " " flags)
  foreach(name IN ITEMS cc c++)
    set(compiler ${CMAKE_C_COMPILER})
    if(name STREQUAL c++)
      set(compiler ${CMAKE_CXX_COMPILER})
    endif()
    file(WRITE ${PROJECT_BINARY_DIR}/${name} "#!/bin/sh\nexec ${compiler} ${flags} \"$@\"\n")
    file(CHMOD ${PROJECT_BINARY_DIR}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
         GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endforeach()
  # The R package's, without the libraries of the sanitizers, which R is started with.
  file(WRITE ${PROJECT_BINARY_DIR}/Makevars
    "CXX17 = ${CMAKE_CXX_COMPILER}\nSHLIB_CXX17LD = ${CMAKE_CXX_COMPILER}\n"
    "CXX17FLAGS = -O1 -gline-tables-only -fno-omit-frame-pointer ${flags}\n")
endif()
