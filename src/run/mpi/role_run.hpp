#pragma once

#include <deque>
#include <functional>
#include <span>

#include "mpi/block_message.hpp"
#include "mpi/execution.hpp"
#include "runtime/role_header.hpp"

namespace espalier::mpi {

/// What a RoleRun needs to know of a call, at every rank.
struct RoleCall {
  std::uint64_t signature = 0;                     ///< signature of the call in its messages' tags
  std::function<runtime::PeerLink(Rank)> link_to;  ///< link to a rank; both ends must get the same
  BlockBuffers* buffers = nullptr;                 ///< the user's blocks; only for scatters
};

/// A head, with the data that travel in it, of so many bytes or more comes in two MPI messages: the
/// first has so many, the second has the rest. Whoever waits for a head does not know how many
/// ranks are below it. So it makes room for the first one, which tells how much room the second one
/// takes.
inline constexpr std::uint64_t kFirstHeadBytes = 8192;

/// Blocks down a tree that only its root knows. Each child gets one message: its sub-tree
/// (runtime/role_header.hpp) and the data of all ranks in it, if there is any.
///
/// Time and memory of a call are O(ranks and bytes of the own sub-tree). At the root that is all of
/// the tree: nobody else knows the lengths, and they are an array of the program there.
///
/// A scatterv: the root calls scatter(), every other rank that expects data receive(). Ranks
/// without data get no message and call nothing. A tree that is announced: the root calls tell(),
/// all others receive() without buffers, and told() is what they learn.
///
/// | state | step() |
/// |---|---|
/// | Head | waits for the head, from any rank |
/// | Rest of head | waits for what is left of a long head, from the same rank |
/// | Running | this rank's program is known; as Execution |
/// | Done | code() is the result |
class RoleRun : private Payload {
 public:
  RoleRun(Channel& channel, RoleCall call, std::uint64_t number);
  ~RoleRun() override;

  /// @param roles the whole tree, the root first
  void scatter(runtime::Roles roles);
  void tell(runtime::Roles roles);
  /// If the own block is longer than the user's buffer, the result is MPI_ERR_TRUNCATE, after
  /// everything was passed on. @pre this rank expects a message
  void receive();

  bool step();
  /// Steps until it is done. @return code()
  int finish();
  [[nodiscard]] bool is_done() const {
    return error_ != MPI_SUCCESS || (!waits_for_head() && execution_.is_done());
  }
  /// MPI's error code. @pre is_done()
  [[nodiscard]] int code() const;
  /// Whether messages of a call that failed may still be under way: this object must stay.
  [[nodiscard]] bool left_messages() const { return has_left_head_ || execution_.left_messages(); }

  /// What a rank learns of a tree.
  struct Told {
    Rank by = 0;                            ///< this rank's parent in the tree
    std::vector<runtime::RoleEntry> roles;  ///< this rank's sub-tree, itself first
  };
  /// @pre receive() ended well
  [[nodiscard]] const Told& told() const { return told_; }

 private:
  void begin(Rank from);
  void post_head();
  void post_rest_of_head(Rank from);
  void take_head(const MPI_Status& status);
  void read_head(Rank from, std::uint64_t count);
  void send_head(Execution& execution, std::uint32_t message, const Piece& head);
  void lay_out(const runtime::RoleHeader& header);
  [[nodiscard]] bool waits_for_head() const { return head_request_ != MPI_REQUEST_NULL; }
  void test_head();
  void give_up_head();
  void note(int code) {
    if (error_ == MPI_SUCCESS) error_ = code;
  }
  void start(Execution& execution, std::uint32_t message) override;
  void complete(Execution& execution, const Part& part, std::uint64_t came) override;
  [[nodiscard]] int run_here(const schedule::Op& op) override;

  Channel& channel_;
  RoleCall call_;
  std::uint64_t number_;
  int error_ = MPI_SUCCESS;
  bool overflowed_ = false;  // the own block was longer than the user's buffer
  // The head, for ranks other than the root.
  Memory head_;
  MPI_Request head_request_ = MPI_REQUEST_NULL;
  bool has_first_of_head_ = false;  // the request is for the rest of the head
  bool has_left_head_ = false;

  Told told_;                      // at the root the whole tree
  std::vector<BlockView> blocks_;  // the blocks of that tree, in its order
  std::vector<Segment> places_;    // where they come
  Memory staged_;                  // memory of those that are passed on
  runtime::PreparedProgram program_;
  std::deque<Parcel> parcels_;
  Execution execution_;
};

}  // namespace espalier::mpi
