# What every target of ours compiles with: a target to link, not a global.
add_library(rtsweep_options INTERFACE)
target_compile_features(rtsweep_options INTERFACE cxx_std_20)
target_include_directories(rtsweep_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
# Designated initialisers leave out what keeps its default: no warning for that.
target_compile_options(rtsweep_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wno-missing-field-initializers
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  # g++ 12 sees overlaps in std::string that are not there (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # On 32-bit Arm it notes what changed in the ABI before GCC 7.1.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
  $<$<BOOL:${RTSWEEP_WERROR}>:-Werror>)
target_compile_definitions(rtsweep_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(RTSWEEP_SANITIZE)
  target_compile_options(rtsweep_options INTERFACE -fsanitize=${RTSWEEP_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(rtsweep_options INTERFACE -fsanitize=${RTSWEEP_SANITIZE})
endif()

add_library(rtsweep_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt/fmt.cpp)
target_link_libraries(rtsweep_fmt PRIVATE rtsweep_options)

# The version stands in CMakeLists.txt only.
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in ${PROJECT_BINARY_DIR}/generated/rtsweep_version.h)

# rtsweep_library(name [OBJECT] [EXCLUDE file ...] DEPENDS ...): one library over the sources of the
# current folder, with its rtsweep:: alias. A new file needs no list to be edited.
function(rtsweep_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "OBJECT" "" "EXCLUDE;DEPENDS;PRIVATE_DEPENDS")
  file(GLOB sources CONFIGURE_DEPENDS *.cpp *.c)
  list(TRANSFORM ARG_EXCLUDE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${ARG_EXCLUDE} "")
  if(NOT sources)
    add_library(rtsweep_${name} INTERFACE)
    add_library(rtsweep::${name} ALIAS rtsweep_${name})
    target_link_libraries(rtsweep_${name} INTERFACE rtsweep_options rtsweep_fmt ${ARG_DEPENDS})
    return()
  endif()
  if(ARG_OBJECT)
    add_library(rtsweep_${name} OBJECT ${sources})
  else()
    add_library(rtsweep_${name} STATIC ${sources})
  endif()
  add_library(rtsweep::${name} ALIAS rtsweep_${name})
  target_link_libraries(rtsweep_${name} PUBLIC rtsweep_options rtsweep_fmt ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
endfunction()
