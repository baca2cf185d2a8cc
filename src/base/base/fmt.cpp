// fmt's own code, compiled once into the project. Debian has no static libfmt, the preload
// libraries must not bring a shared one into other people's programs, and header-only fmt doubles
// the time a file takes to compile.
#include <fmt/format-inl.h>

template char fmt::detail::decimal_point_impl(fmt::detail::locale_ref);
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl(
    fmt::detail::locale_ref);
#if FMT_VERSION >= 100000
template void fmt::detail::vformat_to(fmt::detail::buffer<char>&, fmt::string_view,
                                      fmt::detail::vformat_args<>::type, fmt::detail::locale_ref);
#endif
