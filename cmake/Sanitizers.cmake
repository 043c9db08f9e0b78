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
