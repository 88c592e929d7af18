/*
 * libstdc++ has the members of std::string compiled in the library, where nobody sees what they
 * access. From C++20 on its headers have the program compile them; with this they do so for every
 * standard, as for its own assertions.
 */
#pragma clang system_header

#include_next <bits/c++config.h>

#if defined(_GLIBCXX_EXTERN_TEMPLATE) && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
