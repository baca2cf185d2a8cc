#include "shared/peer_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>

namespace espalier::shared {
namespace {

/// A process that does nothing, with the memory that this one has at the moment.
class Child {
 public:
  Child() : process_(::fork()) {
    if (process_ != 0) return;
    for (;;) ::pause();
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  void end() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }
  /// The word is where this process has it.
  [[nodiscard]] ProcessCard card() const {
    ProcessCard card = own_card();
    card.process = static_cast<std::uint64_t>(process_);
    return card;
  }

 private:
  pid_t process_;
};

std::uint64_t address_of(const void* at) { return reinterpret_cast<std::uint64_t>(at); }

class PeerMemoryOfAChild : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::byte>(i * 7 / 5);
    static_cast<void>(own_card());  // the child has the word too
    child_.emplace();
    peers_.emplace(std::vector{own_card(), child_->card()}, 0);
    if (!peers_->can_read_all()) GTEST_SKIP() << "process_vm_readv is not allowed here";
  }
  std::vector<std::byte> data_ = std::vector<std::byte>(1'000'003);
  std::optional<Child> child_;
  std::optional<PeerMemory> peers_;
};

TEST_F(PeerMemoryOfAChild, IsRead) {
  const std::vector<std::byte> expected = data_;
  data_.assign(data_.size(), std::byte{0});  // the child has another copy
  for (const std::uint64_t bytes : {1ULL, 4097ULL, 262144ULL, 262145ULL, 1'000'003ULL}) {
    std::vector<std::byte> got(bytes + 1);
    ASSERT_EQ(peers_->read(1, got.data(), address_of(data_.data()), bytes), PeerRead::Done);
    EXPECT_TRUE(std::equal(got.begin(), got.end() - 1, expected.begin())) << bytes;
    EXPECT_EQ(got.back(), std::byte{0});
  }
}

TEST_F(PeerMemoryOfAChild, IsTheSameWhereverAMemberBegins) {
  const std::vector<std::byte> expected = data_;
  for (std::uint32_t own = 0; own < 5; ++own) {
    const PeerMemory peers(std::vector(6, child_->card()), own);
    std::vector<std::byte> got(data_.size());
    ASSERT_EQ(peers.read(5, got.data(), address_of(data_.data()), got.size()), PeerRead::Done);
    EXPECT_EQ(got, expected);
  }
}

TEST_F(PeerMemoryOfAChild, IsRefusedWhereThereIsNone) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  void* const at =
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  ::mprotect(static_cast<std::byte*>(at) + page, page, PROT_NONE);
  const Child child;
  const PeerMemory peers({own_card(), child.card()}, 0);
  std::vector<std::byte> got(2 * page);
  EXPECT_EQ(peers.read(1, got.data(), address_of(at), page), PeerRead::Done);
  EXPECT_EQ(peers.read(1, got.data(), address_of(at), page + 1), PeerRead::Refused);
  EXPECT_EQ(peers.read(1, got.data(), address_of(at) + page, 8), PeerRead::Refused);
  ::munmap(at, 2 * page);
}

TEST_F(PeerMemoryOfAChild, IsGoneWithIt) {
  child_->end();
  std::array<std::byte, 8> got{};
  EXPECT_EQ(peers_->read(1, got.data(), address_of(data_.data()), 8), PeerRead::Gone);
  EXPECT_FALSE(peers_->can_read_all());
}

TEST_F(PeerMemoryOfAChild, IsNotThatOfAnotherProcessOfItsNumber) {
  ProcessCard card = child_->card();
  ++card.word;
  const PeerMemory peers({own_card(), card}, 0);
  std::array<std::byte, 8> got{};
  EXPECT_FALSE(peers.can_read_all());
  EXPECT_EQ(peers.read(1, got.data(), address_of(data_.data()), 8), PeerRead::Gone);
}

}  // namespace
}  // namespace espalier::shared
