#include "cost/fan_times.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::cost {

FanTimes::FanTimes(const CostView& cost_view, double bytes, std::span<const double> segments)
    : cost_view_(cost_view), bytes_(bytes), sharing_(cost_view) {
  for (const double segment : segments) {
    Cut cut{bytes, 1, bytes};
    if (segment > 0 && segment < bytes) {
      cut.segment = segment;
      cut.count = std::ceil(bytes / segment);
      cut.rest = bytes - (cut.count - 1) * segment;
      pipelined_ = true;
    }
    cuts_.push_back(cut);
  }
}

double FanTimes::most_segments() const {
  double most = 1;
  for (const Cut& c : cuts_) most = std::max(most, c.count);
  return most;
}

/// One segment of each flow of a fan, and all of them.
void FanTimes::settle(const Fan& fan, bool upwards) {
  sharing_.settle(flows_, *fan.routes, fan.first_route, fan.crossings);
  if (!pipelined_) return;
  whole_ = flows_;
  for (std::size_t k = 0; k < whole_.size(); ++k) {
    whole_[k].bytes = upwards && !fan.vectors.empty() ? fan.vectors[k] * bytes_ : bytes_;
  }
  sharing_.settle_again(whole_);
}

/// When the first `bytes` of a stream are there.
Picos FanTimes::there(const Stream& stream, double bytes) const {
  if (bytes <= stream.grain || stream.grain >= bytes_) return stream.first;
  return stream.first +
         (stream.last - stream.first) * ((bytes - stream.grain) / (bytes_ - stream.grain));
}

void FanTimes::down(const Fan& fan, const Stream& here, std::span<Stream> out) {
  const Rank v = fan.rank;
  flows_.clear();
  Picos processor = here.first, sends = 0, one_round = 0;
  for (std::size_t k = 0; k < fan.children.size(); ++k) {
    const Cut& c = cut(fan.levels[k]);
    processor = std::max(processor, there(here, c.segment)) + cost_view_.send(v, c.segment);
    flows_.push_back({v, fan.children[k], c.segment, processor});
    sends += c.count * cost_view_.send(v, c.segment);
    one_round += cost_view_.send(v, c.segment);
  }
  if (fan.has_parent) {
    const Cut& in = cut(fan.level);
    sends += (in.count - 1) * cost_view_.recv(v, in.segment);
  }
  settle(fan, false);
  // The last segments alone, when all before them are through.
  const bool has_tails = pipelined_ || here.last > here.first;
  if (has_tails) {
    tails_ = flows_;
    Picos after = 0;
    for (std::size_t k = 0; k < fan.children.size(); ++k) {
      tails_[k].bytes = cut(fan.levels[k]).rest;
      after += cost_view_.send(v, tails_[k].bytes);
      tails_[k].start = here.last + after;
    }
    sharing_.settle(tails_, *fan.routes, fan.first_route);
  }
  Picos after = 0;
  for (std::size_t k = 0; k < fan.children.size(); ++k) {
    const Rank child = fan.children[k];
    const Flow& flow = flows_[k];
    const Cut& c = cut(fan.levels[k]);
    after += cost_view_.send(v, c.rest);
    Stream& there_is = out[k];
    there_is.grain = c.segment;
    there_is.first = flow.end + cost_view_.recv(child, c.segment);
    there_is.last = there_is.first;
    if (c.count == 1 && here.last <= here.first) continue;
    const Picos step = flow.latency + c.rest * flow.per_byte + cost_view_.recv(child, c.rest);
    if (c.count > 1) {
      const Picos flowing =
          flow.start + flow.latency + bytes_ * flow.per_byte + cost_view_.recv(child, c.rest);
      const Picos served = here.first + sends - one_round + after + step;
      const Picos taken = there_is.first + (c.count - 1) * cost_view_.recv(child, c.segment);
      there_is.last = std::max({there_is.last, flowing, served, taken});
    }
    const Picos tail = has_tails ? tails_[k].end : flow.end;
    there_is.last = std::max(there_is.last, tail + cost_view_.recv(child, c.rest));
    if (c.count == 1) there_is.first = there_is.last;
  }
}

Stream FanTimes::up(const Fan& fan, std::span<const Stream> in) {
  const Rank v = fan.rank;
  if (fan.children.empty()) return {0, 0, bytes_};
  const auto vectors = [&](std::size_t k) { return fan.vectors.empty() ? 1 : fan.vectors[k]; };
  flows_.clear();
  arrivals_.clear();
  for (std::size_t k = 0; k < fan.children.size(); ++k) {
    const Rank child = fan.children[k];
    const Cut& c = cut(fan.levels[k]);
    const double bytes = vectors(k) * c.segment;
    const Picos start = there(in[k], c.segment) + cost_view_.send(child, bytes);
    flows_.push_back({child, v, bytes, start});
  }
  settle(fan, true);
  Picos work = 0;
  for (std::size_t k = 0; k < fan.children.size(); ++k) {
    const Cut& c = cut(fan.levels[k]);
    arrivals_.push_back({flows_[k].end, k});
    work += c.count * (cost_view_.recv(v, c.segment) + cost_view_.combine(v, c.segment));
  }
  std::sort(arrivals_.begin(), arrivals_.end());
  Stream out;
  Picos clock = 0;
  for (const auto& [at, k] : arrivals_) {
    const Cut& c = cut(fan.levels[k]);
    clock = std::max(clock, at) + cost_view_.recv(v, c.segment) + cost_view_.combine(v, c.segment);
    // What comes whole is there when the first parts are combined, and makes none coarser.
    if (c.count > 1) out.grain = std::max(out.grain, c.segment);
  }
  const bool in_parts = out.grain > 0;
  if (!in_parts) out.grain = bytes_;
  if (fan.has_parent) {
    const Cut& above = cut(fan.level);
    work += (above.count - 1) * cost_view_.send(v, above.segment);
  }
  out.first = out.last = clock;
  if (!in_parts) return out;
  out.last = std::max(out.last, arrivals_.front().first + work);
  tails_ = flows_;
  for (std::size_t k = 0; k < fan.children.size(); ++k) {
    tails_[k].bytes = vectors(k) * cut(fan.levels[k]).rest;
    tails_[k].start = in[k].last + cost_view_.send(fan.children[k], tails_[k].bytes);
  }
  sharing_.settle(tails_, *fan.routes, fan.first_route);
  for (std::size_t k = 0; k < fan.children.size(); ++k) {
    const Cut& c = cut(fan.levels[k]);
    const Picos taken = cost_view_.recv(v, c.rest) + cost_view_.combine(v, c.rest);
    const Picos flowing = whole_[k].end + taken;
    const Picos sent = in[k].first + c.count * cost_view_.send(fan.children[k], c.segment);
    const Picos tail = tails_[k].end - tails_[k].start;
    out.last = std::max({out.last, flowing, tails_[k].end + taken, sent + tail + taken});
  }
  return out;
}

}  // namespace espalier::cost
