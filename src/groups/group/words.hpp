#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>

namespace espalier::group {

/// A short list of 32-bit words: up to kInline of them in place, more on the heap.
///
/// Messages and the state of processes are made of these; a million processes have a few each, and
/// bytes_on_heap() lets their memory be counted, not guessed.
class Words {
 public:
  static constexpr std::uint32_t kInline = 6;

  Words() = default;
  Words(std::initializer_list<std::uint32_t> words) { append({words.begin(), words.size()}); }
  Words(const Words& other) { append(other); }
  Words(Words&& other) noexcept { swap(other); }
  Words& operator=(Words other) noexcept { return swap(other), *this; }
  ~Words() {
    if (on_heap()) delete[] store_.heap;
  }

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const std::uint32_t* data() const { return on_heap() ? store_.heap : store_.local; }
  [[nodiscard]] std::uint32_t* data() { return on_heap() ? store_.heap : store_.local; }
  [[nodiscard]] const std::uint32_t* begin() const { return data(); }
  [[nodiscard]] const std::uint32_t* end() const { return data() + size_; }
  std::uint32_t operator[](std::size_t i) const { return data()[i]; }
  std::uint32_t& operator[](std::size_t i) { return data()[i]; }
  operator std::span<const std::uint32_t>() const { return {data(), size_}; }  // NOLINT: implicit

  void push_back(std::uint32_t word) { append({&word, 1}); }
  void append(std::span<const std::uint32_t> words) {
    reserve(size_ + static_cast<std::uint32_t>(words.size()));
    std::copy(words.begin(), words.end(), data() + size_);
    size_ += static_cast<std::uint32_t>(words.size());
  }
  /// The last word is filled with zeros.
  void append_bytes(std::span<const std::byte> bytes) {
    const std::size_t count = bytes.size() / sizeof(std::uint32_t);
    const std::size_t rest = bytes.size() % sizeof(std::uint32_t);
    const std::uint32_t before = size_;
    const auto words = static_cast<std::uint32_t>(count + (rest > 0 ? 1 : 0));
    reserve(before + words);
    std::fill_n(data() + before, words, 0U);
    size_ += words;
    if (!bytes.empty()) std::memcpy(data() + before, bytes.data(), bytes.size());
  }
  void assign(std::uint32_t count, std::uint32_t word) {
    clear();
    reserve(count);
    std::fill_n(data(), count, word);
    size_ = count;
  }
  /// Gives its memory back.
  void clear() { Words().swap(*this); }

  [[nodiscard]] std::size_t bytes_on_heap() const {
    return on_heap() ? capacity_ * sizeof(std::uint32_t) : 0;
  }
  friend bool operator==(const Words& a, const Words& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  [[nodiscard]] bool on_heap() const { return capacity_ > kInline; }
  void swap(Words& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(store_, other.store_);
  }
  void reserve(std::uint32_t needed) {
    if (needed <= capacity_) return;
    // Long lists come in one piece, short ones grow by a few words: no memory is held in reserve.
    const std::uint32_t capacity = std::max(needed, capacity_ + capacity_ / 2);
    auto* heap = new std::uint32_t[capacity];
    std::copy(begin(), end(), heap);
    if (on_heap()) delete[] store_.heap;
    store_.heap = heap;
    capacity_ = capacity;
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;
  union Store {
    std::uint32_t local[kInline] = {};
    std::uint32_t* heap;
  } store_;
};

}  // namespace espalier::group
