// Gated activations, CUDA C++: no reduction and no reuse, so only the bytes on their way matter. Each thread
// has kUnroll independent 16-byte loads of each input in flight; contiguous tensors are walked as one row.
#include "common/row.cuh"
#include "swiglu/op.h"

namespace pagoda::ops::cuda {
namespace {

constexpr int kThreads = 256;

// activation(x) and its derivative.
template <Activation kActivation>
__device__ __forceinline__ float2 activate(float x) {
  if constexpr (kActivation == Activation::silu) {
    const float s = __fdividef(1.f, 1.f + fast_exp2(-x * kLog2e));
    return {x * s, s * (1.f + x * (1.f - s))};
  } else if constexpr (kActivation == Activation::gelu_tanh) {
    constexpr float kAlpha = 0.7978845608028654f, kBeta = 0.044715f;
    // (1 + tanh(u)) / 2 is the sigmoid of 2u, and (1 - tanh(u)^2) / 4 = s (1 - s) with 1 - s = e s: nothing
    // cancels where the tanh is near -1.
    const float u = kAlpha * (x + kBeta * x * x * x);
    const float e = fast_exp2(fminf(-2.f * u, 80.f) * kLog2e);
    const float s = __fdividef(1.f, 1.f + e);
    const float du = kAlpha * (1.f + 3.f * kBeta * x * x);
    return {x * s, s + 2.f * x * s * (e * s) * du};
  } else {
    const float cdf = 0.5f * (1.f + erff(x * 0.7071067811865476f));
    return {x * cdf, cdf + x * 0.3989422804014327f * fast_exp2(-0.5f * kLog2e * x * x)};
  }
}

struct Strides {
  std::int64_t dout, gate, up, out, dgate, dup;
};

template <class T>
struct Params {
  const T* dout;
  const T* gate;
  const T* up;
  T* out;
  T* dgate;
  T* dup;
  Strides strides;
  std::int64_t packets;   ///< in the whole tensor
  std::uint32_t per_row;  ///< packets a row
  bool flat;              ///< every tensor is contiguous
};

// Where a packet lies. A contiguous tensor is one long row; otherwise a CTA divides once by the packets a
// row, in 64 bits only where it must (a 64-bit division costs as much as the whole activation), and each
// packet once in 32 bits.
struct Position {
  std::int64_t row;
  std::int64_t column;  ///< in packets
};
struct Start {
  std::int64_t row;
  std::int64_t column;
};
template <class T>
__device__ __forceinline__ Start cta_start(const Params<T>& p, std::int64_t base) {
  if (p.flat) return {0, base};
  if (p.packets <= 0xffffffffLL) {
    const auto row = static_cast<std::uint32_t>(base) / p.per_row;
    return {row, static_cast<std::uint32_t>(base) - row * p.per_row};
  }
  const std::int64_t row = base / p.per_row;
  return {row, base - row * p.per_row};
}
template <class T>
__device__ __forceinline__ Position position(const Params<T>& p, const Start& start, int offset) {
  if (p.flat) return {0, start.column + offset};
  const std::uint32_t at = static_cast<std::uint32_t>(start.column) + offset;
  const std::uint32_t rows = at / p.per_row;
  return {start.row + rows, at - rows * p.per_row};
}

template <class T, bool kWide, int kUnroll, Activation kActivation, bool kBackward>
__global__ void __launch_bounds__(kThreads) gated(const Params<T> p) {
  using P = Packet<T, kWide>;
  const std::int64_t base = std::int64_t{blockIdx.x} * (kThreads * kUnroll);
  const Start start = cta_start(p, base);
  P gate[kUnroll], up[kUnroll], dout[kUnroll];
  Position at[kUnroll];
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) {
    const int offset = i * kThreads + static_cast<int>(threadIdx.x);
    at[i] = position(p, start, offset);
    if (base + offset < p.packets) {
      const std::int64_t column = at[i].column * P::kCount;
      gate[i].load(p.gate + at[i].row * p.strides.gate + column);
      up[i].load(p.up + at[i].row * p.strides.up + column);
      if constexpr (kBackward) dout[i].load(p.dout + at[i].row * p.strides.dout + column);
    }
  }
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) {
    if (base + i * kThreads + threadIdx.x < p.packets) {
      const std::int64_t column = at[i].column * P::kCount;
      float g[P::kCount], u[P::kCount];
      gate[i].unpack(g);
      up[i].unpack(u);
      if constexpr (kBackward) {
        float d[P::kCount];
        dout[i].unpack(d);
#pragma unroll
        for (int j = 0; j < P::kCount; ++j) {
          const float2 a = activate<kActivation>(g[j]);
          g[j] = d[j] * u[j] * a.y;
          u[j] = d[j] * a.x;
        }
        gate[i].pack(g);
        up[i].pack(u);
        gate[i].store(p.dgate + at[i].row * p.strides.dgate + column);
        up[i].store(p.dup + at[i].row * p.strides.dup + column);
      } else {
#pragma unroll
        for (int j = 0; j < P::kCount; ++j) g[j] = activate<kActivation>(g[j]).x * u[j];
        gate[i].pack(g);
        gate[i].store(p.out + at[i].row * p.strides.out + column);
      }
    }
  }
}

template <class T, Activation kActivation, bool kBackward>
void run(Params<T> p, std::int64_t rows, std::int64_t cols, bool contiguous, bool wide, Stream stream) {
  with_bool(wide, [&](auto is_wide) {
    constexpr int kUnroll = is_wide.value ? 2 : 4;
    constexpr int kCount = Packet<T, is_wide.value>::kCount;
    p.packets = rows * cols / kCount;
    p.per_row = static_cast<std::uint32_t>(cols / kCount);
    p.flat = contiguous;
    const std::int64_t ctas = (p.packets + kThreads * kUnroll - 1) / (kThreads * kUnroll);
    launch(gated<T, is_wide.value, kUnroll, kActivation, kBackward>, grid_size(ctas, "swiglu"), kThreads, 0,
           1, stream, p);
  });
}

template <class F>
void with_activation(Activation activation, F&& f) {
  switch (activation) {
    case Activation::silu: return f(std::integral_constant<Activation, Activation::silu>{});
    case Activation::gelu_tanh: return f(std::integral_constant<Activation, Activation::gelu_tanh>{});
    case Activation::gelu_erf: return f(std::integral_constant<Activation, Activation::gelu_erf>{});
  }
}

bool is_contiguous(const ConstMatrix& m) { return m.rows <= 1 || m.row_stride == m.cols; }

}  // namespace

void swiglu_forward(const SwigluForward& a, Stream stream) {
  with_float_type(a.gate.dtype, [&](auto t) {
    using T = decltype(t);
    Params<T> p{};
    p.gate = static_cast<const T*>(a.gate.data);
    p.up = static_cast<const T*>(a.up.data);
    p.out = static_cast<T*>(a.out.data);
    p.strides = {0, a.gate.row_stride, a.up.row_stride, a.out.row_stride, 0, 0};
    const bool wide = is_packed(a.gate) && is_packed(a.up) && is_packed(a.out);
    const bool contiguous = is_contiguous(a.gate) && is_contiguous(a.up) && is_contiguous(a.out);
    with_activation(a.activation, [&](auto kind) {
      run<T, kind.value, false>(p, a.gate.rows, a.gate.cols, contiguous, wide, stream);
    });
  });
}

void swiglu_backward(const SwigluBackward& a, Stream stream) {
  with_float_type(a.gate.dtype, [&](auto t) {
    using T = decltype(t);
    Params<T> p{};
    p.dout = static_cast<const T*>(a.dout.data);
    p.gate = static_cast<const T*>(a.gate.data);
    p.up = static_cast<const T*>(a.up.data);
    p.dgate = static_cast<T*>(a.dgate.data);
    p.dup = static_cast<T*>(a.dup.data);
    p.strides = {a.dout.row_stride,  a.gate.row_stride, a.up.row_stride, 0,
                 a.dgate.row_stride, a.dup.row_stride};
    bool wide = true, contiguous = true;
    for (const ConstMatrix& m : {a.dout, a.gate, a.up, ConstMatrix(a.dgate), ConstMatrix(a.dup)}) {
      wide = wide && is_packed(m);
      contiguous = contiguous && is_contiguous(m);
    }
    with_activation(a.activation, [&](auto kind) {
      run<T, kind.value, true>(p, a.gate.rows, a.gate.cols, contiguous, wide, stream);
    });
  });
}

}  // namespace pagoda::ops::cuda
