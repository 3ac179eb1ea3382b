// Rotary embedding, CUDA C++. A thread owns one packet position of one token and walks up to kHeads heads
// with its cos and sin in registers, all loads first. q and k go in one launch; consecutive threads take
// consecutive packets, then consecutive groups of heads.
#include <initializer_list>

#include "common/row.cuh"
#include "rope/op.h"

namespace pagoda::ops::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
struct Side {
  const T* in;
  T* out;
  int heads;
  std::int64_t batch, seq, head, out_batch, out_seq, out_head;
};

template <class T>
struct Params {
  Side<T> q;
  Side<T> k;
  const float* cosine;
  const float* sine;
  std::int64_t units;  ///< tokens * groups * lanes
  std::int64_t table_batch, table_seq;
  unsigned seq, groups, q_groups, lanes, rotary_lanes;
  int half;    ///< rotary_dim / 2
  float sign;  ///< -1 for the gradient
};

template <int kCount>
__device__ __forceinline__ void load_angles(const float* p, float (&out)[kCount], float sign) {
  load_weight(p, out);
#pragma unroll
  for (int j = 0; j < kCount; ++j) out[j] *= sign;
}

template <class T, bool kWide>
__global__ void __launch_bounds__(kThreads) half_style(const Params<T> p) {
  using P = Packet<T, kWide>;
  constexpr int kHeads = kWide ? 4 : 1;
  const std::int64_t unit = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (unit >= p.units) return;
  // Below 2^32 units the divisions are 32-bit ones.
  std::int64_t token;
  unsigned lane, group;
  if (p.units <= 0xffffffffLL) {
    const unsigned u = static_cast<unsigned>(unit), rest = u / p.lanes;
    lane = u - rest * p.lanes;
    token = rest / p.groups;
    group = rest - static_cast<unsigned>(token) * p.groups;
  } else {
    const std::int64_t rest = unit / p.lanes;
    lane = static_cast<unsigned>(unit - rest * p.lanes);
    token = rest / p.groups;
    group = static_cast<unsigned>(rest - token * p.groups);
  }
  const std::int64_t b = token <= 0xffffffffLL ? static_cast<unsigned>(token) / p.seq : token / p.seq;
  const std::int64_t s = token - b * p.seq;
  const bool is_q = group < p.q_groups;
  const Side<T>& side = is_q ? p.q : p.k;
  const int head = static_cast<int>(is_q ? group : group - p.q_groups) * kHeads;
  const T* in = side.in + b * side.batch + s * side.seq + head * side.head;
  T* out = side.out + b * side.out_batch + s * side.out_seq + head * side.out_head;

  if (lane >= p.rotary_lanes) {  // beyond rotary_dim: a copy
    const int at = 2 * p.half + static_cast<int>(lane - p.rotary_lanes) * P::kCount;
    for (int h = 0; h < kHeads && head + h < side.heads; ++h) {
      P packet;
      packet.load(in + h * side.head + at);
      packet.store(out + h * side.out_head + at);
    }
    return;
  }
  const int at = static_cast<int>(lane) * P::kCount;
  P a[kHeads], c[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    if (head + h < side.heads) {
      a[h].load(in + h * side.head + at);
      c[h].load(in + h * side.head + at + p.half);
    }
  }
  const std::int64_t table = b * p.table_batch + s * p.table_seq + at;
  float cosine[P::kCount], sine[P::kCount];
  load_angles(p.cosine + table, cosine, 1.f);
  load_angles(p.sine + table, sine, p.sign);
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    if (head + h < side.heads) {
      float x[P::kCount], y[P::kCount];
      a[h].unpack(x);
      c[h].unpack(y);
#pragma unroll
      for (int j = 0; j < P::kCount; ++j) {
        const float rotated = x[j] * cosine[j] - y[j] * sine[j];
        y[j] = y[j] * cosine[j] + x[j] * sine[j];
        x[j] = rotated;
      }
      a[h].pack(x);
      c[h].pack(y);
      a[h].store(out + h * side.out_head + at);
      c[h].store(out + h * side.out_head + at + p.half);
    }
  }
}

// Pairs (2i, 2i + 1), one pair a thread: rarely used, kept simple.
template <class T>
__global__ void __launch_bounds__(kThreads) interleaved_style(const Params<T> p) {
  const std::int64_t unit = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (unit >= p.units) return;
  const std::int64_t rest = unit / p.lanes, token = rest / p.groups;
  const auto lane = static_cast<unsigned>(unit - rest * p.lanes);
  const auto group = static_cast<unsigned>(rest - token * p.groups);
  const std::int64_t b = token / p.seq, s = token - b * p.seq;
  const bool is_q = group < p.q_groups;
  const Side<T>& side = is_q ? p.q : p.k;
  const int head = static_cast<int>(is_q ? group : group - p.q_groups);
  const T* in = side.in + b * side.batch + s * side.seq + head * side.head;
  T* out = side.out + b * side.out_batch + s * side.out_seq + head * side.out_head;
  if (lane >= p.rotary_lanes) {
    const int at = 2 * p.half + static_cast<int>(lane - p.rotary_lanes);
    out[at] = in[at];
    return;
  }
  const std::int64_t table = b * p.table_batch + s * p.table_seq + lane;
  const float cosine = p.cosine[table], sine = p.sine[table] * p.sign;
  const float x = to_float(in[2 * lane]), y = to_float(in[2 * lane + 1]);
  out[2 * lane] = from_float<T>(x * cosine - y * sine);
  out[2 * lane + 1] = from_float<T>(y * cosine + x * sine);
}

template <class T>
Side<T> side(const RopeHeads& h) {
  return {static_cast<const T*>(h.in),
          static_cast<T*>(h.out),
          static_cast<int>(h.heads),
          h.batch_stride,
          h.seq_stride,
          h.head_stride,
          h.out_batch_stride,
          h.out_seq_stride,
          h.out_head_stride};
}

bool is_wide(const RopeHeads& h, std::int64_t packet) {
  if (h.heads == 0) return true;
  bool wide =
      reinterpret_cast<std::uintptr_t>(h.in) % 16 == 0 && reinterpret_cast<std::uintptr_t>(h.out) % 16 == 0;
  for (std::int64_t stride : {h.batch_stride, h.seq_stride, h.head_stride, h.out_batch_stride,
                              h.out_seq_stride, h.out_head_stride}) {
    wide = wide && stride % packet == 0;
  }
  return wide;
}

bool is_wide(const Rope& a) {
  const std::int64_t packet = 16 / dtype_bytes(a.dtype);
  const bool table = reinterpret_cast<std::uintptr_t>(a.cosine) % 16 == 0 &&
                     reinterpret_cast<std::uintptr_t>(a.sine) % 16 == 0 && a.table_batch_stride % 4 == 0 &&
                     a.table_seq_stride % 4 == 0;
  return table && a.rotary_dim / 2 % packet == 0 && a.head_dim % packet == 0 && is_wide(a.q, packet) &&
         is_wide(a.k, packet);
}

template <class T>
void rotate(const Rope& a, Stream stream) {
  const bool wide = a.style == RopeStyle::half && is_wide(a);
  const std::int64_t packet = wide ? 16 / sizeof(T) : 1, heads = wide ? 4 : 1;
  Params<T> p{side<T>(a.q), side<T>(a.k), a.cosine, a.sine};
  p.table_batch = a.table_batch_stride;
  p.table_seq = a.table_seq_stride;
  p.seq = static_cast<unsigned>(a.seq);
  p.q_groups = static_cast<unsigned>((a.q.heads + heads - 1) / heads);
  p.groups = p.q_groups + static_cast<unsigned>((a.k.heads + heads - 1) / heads);
  p.half = static_cast<int>(a.rotary_dim / 2);
  p.rotary_lanes = static_cast<unsigned>(p.half / packet);
  p.lanes = p.rotary_lanes + static_cast<unsigned>((a.head_dim - a.rotary_dim) / packet);
  p.sign = a.backward ? -1.f : 1.f;
  p.units = a.batch * a.seq * p.groups * p.lanes;
  const unsigned grid = grid_size((p.units + kThreads - 1) / kThreads, "rope");
  const auto kernel = a.style == RopeStyle::interleaved ? interleaved_style<T>
                      : wide                            ? half_style<T, true>
                                                        : half_style<T, false>;
  launch(kernel, grid, kThreads, 0, 1, stream, p);
}

}  // namespace

void rope(const Rope& args, Stream stream) {
  with_float_type(args.dtype, [&](auto t) { rotate<decltype(t)>(args, stream); });
}

}  // namespace pagoda::ops::cuda
