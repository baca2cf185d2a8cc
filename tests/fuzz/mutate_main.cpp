// The main function of a fuzzer without libFuzzer: a regression test with any compiler, a part of
// `make check`. It runs every seed, then seeds with random changes. The inputs are the same each
// time; only how many of them there are depends on the clock. `make fuzz` looks for new ones.
//
//   fuzz_X --seconds S --last FILE [--dictionary FILE] FOLDER    seeds from FOLDER; FILE holds the
//   input that is under way fuzz_X FILE                                                  this input
//   alone
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kLongest = 8192;
constexpr unsigned kSecondsOfAnInput = 60;  // many times what the slowest takes, on a busy host

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Seeds in the order of their names.
std::vector<std::string> read_seeds(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> seeds;
  for (const auto& path : paths) seeds.push_back(read_whole(path));
  return seeds;
}

/// The words between the quotes of a dictionary of libFuzzer; \xNN is a byte, and a backslash else
/// stands for what follows it.
std::vector<std::string> read_words(const std::string& path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find('"'), end = line.rfind('"');
    if (line.starts_with('#') || begin == std::string::npos || begin == end) continue;
    std::string word;
    for (std::size_t at = begin + 1; at < end; ++at) {
      if (line[at] == '\\' && at + 3 < end && line[at + 1] == 'x') {
        word += static_cast<char>(std::stoi(line.substr(at + 2, 2), nullptr, 16));
        at += 3;
      } else {
        if (line[at] == '\\') ++at;
        word += line[at];
      }
    }
    words.push_back(word);
  }
  return words;
}

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::vector<std::string> words)
      : seeds_(std::move(seeds)), words_(std::move(words)) {
    for (const char* word : {"0", "-1", "1e308", "nan", "4294967296", "9223372036854775807",
                             "18446744073709551616", "\n", " ", "\"", "\\"}) {
      words_.emplace_back(word);
    }
    words_.emplace_back("\0", 1);
    words_.emplace_back("\xff\xfe");
  }

  std::string next() {
    std::string text = any_of(seeds_);
    for (std::size_t changes = 1 + below(6); changes > 0; --changes) change(text);
    text.resize(std::min(text.size(), kLongest));
    return text;
  }

 private:
  std::size_t below(std::size_t end) {
    return end == 0 ? 0 : static_cast<std::size_t>(random_() % end);
  }
  const std::string& any_of(const std::vector<std::string>& texts) {
    return texts[below(texts.size())];
  }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1), length = 1 + below(below(2) == 0 ? 4 : 64);
    const std::string& other = any_of(seeds_);
    switch (below(7)) {
      case 0:
        text.insert(at, any_of(words_));
        break;
      case 1:
        text.replace(at, length, any_of(words_));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        text.insert(at, other.substr(below(other.size() + 1), length));
        break;
      case 5:
        text.resize(at);
        break;
      default:
        if (at < text.size())
          text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
    }
  }

  std::vector<std::string> seeds_, words_;
  std::mt19937_64 random_{1};
};

/// A file that holds the input under way, also where the program ends in the middle of it.
class Last {
 public:
  explicit Last(const char* path)
      : path_(path), file_(open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {}
  ~Last() {
    if (file_ >= 0) close(file_);
    unlink(path_);
  }
  Last(const Last&) = delete;
  Last& operator=(const Last&) = delete;

  bool keep(std::string_view input) {
    return file_ >= 0 && ftruncate(file_, 0) == 0 &&
           pwrite(file_, input.data(), input.size(), 0) == static_cast<ssize_t>(input.size());
  }

 private:
  const char* path_;
  int file_;
};

void run(const std::string& input) {
  alarm(kSecondsOfAnInput);
  // Of the very length, so that a sanitizer sees a read behind the end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  alarm(0);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::string_view(arguments[1]).substr(0, 2) != "--") {
    run(read_whole(arguments[1]));
    return 0;
  }
  double seconds = 0;
  const char *last_path = nullptr, *dictionary = nullptr, *folder = nullptr;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--seconds" && i + 1 < count) {
      seconds = std::strtod(arguments[++i], nullptr);
    } else if (name == "--last" && i + 1 < count) {
      last_path = arguments[++i];
    } else if (name == "--dictionary" && i + 1 < count) {
      dictionary = arguments[++i];
    } else {
      folder = arguments[i];
    }
  }
  if (folder == nullptr || last_path == nullptr) {
    std::fprintf(stderr,
                 "usage: %s --seconds S --last FILE [--dictionary FILE] FOLDER, or %s FILE\n",
                 arguments[0], arguments[0]);
    return 2;
  }
  const std::vector<std::string> seeds = read_seeds(folder);
  if (seeds.empty()) {
    std::fprintf(stderr, "error: %s: no seeds\n", folder);
    return 2;
  }
  Last last(last_path);
  std::size_t runs = 0;
  const auto keep_and_run = [&](const std::string& input) {
    if (!last.keep(input)) return false;
    run(input);
    ++runs;
    return true;
  };
  bool kept = std::ranges::all_of(seeds, keep_and_run);
  Mutator mutator(seeds,
                  dictionary == nullptr ? std::vector<std::string>{} : read_words(dictionary));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (kept && std::chrono::steady_clock::now() < end) kept = keep_and_run(mutator.next());
  if (!kept) {
    std::fprintf(stderr, "error: %s: cannot be written\n", last_path);
    return 2;
  }
  std::printf("%zu inputs\n", runs);
  return 0;
}
