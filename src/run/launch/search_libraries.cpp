#include <algorithm>
#include <cstring>

#include "launch/ask.hpp"
#include "launch/loader.hpp"

namespace espalier::launch {
namespace {

// glibc's sysdeps/generic/dl-cache.h: the form since 2.2, alone or behind the older one.
constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
struct CacheHeader {
  char magic[20];
  std::uint32_t count;
  std::uint32_t length;
  std::uint32_t others[5];
};
struct CacheEntry {
  std::int32_t flags;
  std::uint32_t name;  ///< where its text is, from the header's beginning
  std::uint32_t file;
  std::uint32_t system;
  std::uint64_t hardware;  ///< 0: for every processor
};
static_assert(sizeof(CacheHeader) == 48 && sizeof(CacheEntry) == 24);

std::string_view text_at(std::string_view cache, std::uint32_t offset) {
  if (offset >= cache.size()) return {};
  const std::string_view rest = cache.substr(offset);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

std::vector<std::string> folders_of(const std::string& list) {
  std::vector<std::string> folders;
  for (std::size_t at = 0; !list.empty() && at <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(":;", at), list.size());
    folders.push_back(end == at ? "." : list.substr(at, end - at));
    at = end + 1;
  }
  return folders;
}

}  // namespace

SearchPlaces places_here() {
  SearchPlaces places;
  places.variable = folders_of(environment("LD_LIBRARY_PATH"));
#if defined(__x86_64__)
  const std::string triplet = "x86_64-linux-gnu";
#elif defined(__aarch64__)
  const std::string triplet = "aarch64-linux-gnu";
#else
  const std::string triplet = "none";
#endif
  places.usual = {"/lib/" + triplet, "/usr/lib/" + triplet, "/lib64", "/usr/lib64", "/lib",
                  "/usr/lib"};
  return places;
}

std::vector<std::string> files_in_cache(const std::string& cache_text, const std::string& name) {
  const std::size_t begin = cache_text.find(kMagic);
  if (begin == std::string::npos) return {};
  const std::string_view cache = std::string_view(cache_text).substr(begin);
  CacheHeader header{};
  if (cache.size() < sizeof header) return {};
  std::memcpy(&header, cache.data(), sizeof header);
  std::vector<std::string> plain, special;
  for (std::uint64_t i = 0; i < header.count; ++i) {
    CacheEntry entry{};
    const std::uint64_t at = sizeof header + i * sizeof entry;
    if (at + sizeof entry > cache.size()) break;
    std::memcpy(&entry, cache.data() + at, sizeof entry);
    if (text_at(cache, entry.name) != name) continue;
    (entry.hardware == 0 ? plain : special).emplace_back(text_at(cache, entry.file));
  }
  plain.insert(plain.end(), special.begin(), special.end());
  return plain;
}

}  // namespace espalier::launch
