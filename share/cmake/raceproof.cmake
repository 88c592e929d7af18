# A CMake toolchain file: builds a project with raceproof in place of its compilers.
#
#     cmake -B build --toolchain raceproof.cmake
#     cmake --build build
#     raceproof run -- build/prog
#
# Start with a new build folder: objects of another compiler carry no checks. The programs are looked for in PATH, and where a package
# installs them.

set(_raceproof_places "${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../../bin")
find_program(RACEPROOF_CC NAMES raceproof-cc HINTS ${_raceproof_places})
find_program(RACEPROOF_CXX NAMES raceproof-c++ raceproof-cxx HINTS ${_raceproof_places})
find_program(RACEPROOF_FC NAMES raceproof-fc HINTS ${_raceproof_places})
if(NOT RACEPROOF_CC OR NOT RACEPROOF_CXX)
  message(FATAL_ERROR "raceproof-cc and raceproof-c++ are not in PATH: install raceproof (`raceproof doctor` tells what is missing)")
endif()

set(CMAKE_C_COMPILER "${RACEPROOF_CC}")
set(CMAKE_CXX_COMPILER "${RACEPROOF_CXX}")
# Only a project with Fortran in it looks at this one.
if(RACEPROOF_FC)
  set(CMAKE_Fortran_COMPILER "${RACEPROOF_FC}")
endif()

# raceproof's runtime takes the place of libomp: FindOpenMP has no library to find.
foreach(_raceproof_language C CXX Fortran)
  set(OpenMP_${_raceproof_language}_FLAGS "-fopenmp" CACHE STRING "The flags for OpenMP")
  set(OpenMP_${_raceproof_language}_LIB_NAMES "" CACHE STRING "raceproof links its own")
endforeach()
