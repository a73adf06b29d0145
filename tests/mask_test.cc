#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include <weir/mask.h>

#include "mask_kernels.h"

namespace weir::tests {
namespace {

using Bytes = std::vector<unsigned char>;
using Kernel = bool (*)(const unsigned char*, unsigned char*, std::size_t, std::uint32_t) noexcept;

struct NamedKernel {
  const char* name;
  Kernel run;
};

std::vector<NamedKernel> kernels() {
  std::vector<NamedKernel> list = {{"scalar", detail::xor_scalar}};
#if defined(__SSE2__)
  list.push_back({"sse2", detail::xor_sse2});
  if (__builtin_cpu_supports("avx2")) list.push_back({"avx2", detail::xor_avx2});
#endif
#if defined(__aarch64__)
  list.push_back({"neon", detail::xor_neon});
#endif
  return list;
}

unsigned char noise(std::size_t i) { return static_cast<unsigned char>((i * 2654435761U) >> 13U); }

constexpr std::array<unsigned char, 4> key = {0x37, 0xfa, 0x21, 0x3d};

// RFC 6455 5.3, byte by byte, over one buffer wide enough for all offsets.
void expect_kernel(const NamedKernel& kernel, std::size_t size, std::size_t offset, std::size_t phase, bool in_place) {
  static Bytes wire(4096 + 64 + 64);
  static Bytes out(wire.size());
  for (std::size_t i = 0; i < offset + size + 64; ++i) wire[i] = noise(i);
  std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(offset + size + 64), 0xEE);
  const MaskingKey here = turned({key}, phase);
  std::uint32_t word = 0;
  std::memcpy(&word, here.bytes.data(), 4);
  unsigned char* const to = in_place ? wire.data() + offset : out.data() + offset;
  const bool ascii = kernel.run(wire.data() + offset, to, size, word);
  unsigned char seen = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto plain = static_cast<unsigned char>(noise(offset + i) ^ key[(phase + i) % 4]);
    seen = static_cast<unsigned char>(seen | plain);
    ASSERT_EQ(to[i], plain) << kernel.name << " size " << size << " offset " << offset << " phase " << phase << " at "
                            << i;
  }
  ASSERT_EQ(ascii, seen < 0x80) << kernel.name << " size " << size;
  const unsigned char before = in_place ? noise(offset - 1) : 0xEE;
  const unsigned char after = in_place ? noise(offset + size) : 0xEE;
  if (offset > 0) ASSERT_EQ(to[-1], before) << "wrote before the range";
  ASSERT_EQ(to[size], after) << "wrote behind the range";
}

TEST(MaskKernels, AreTheXorOfRfc6455ForEveryLengthAndPhase) {
  for (const NamedKernel& kernel : kernels()) {
    for (std::size_t size = 0; size <= 4096; ++size) {
      ASSERT_NO_FATAL_FAILURE(expect_kernel(kernel, size, size % 64, size / 64 % 4, size % 2 == 0));
    }
  }
}

TEST(MaskKernels, AreTheXorOfRfc6455ForEveryOffsetAndPhase) {
  const std::size_t sizes[] = {0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 255, 256, 300};
  for (const NamedKernel& kernel : kernels()) {
    for (const std::size_t size : sizes) {
      for (std::size_t offset = 0; offset < 64; ++offset) {
        for (std::size_t phase = 0; phase < 4; ++phase) {
          ASSERT_NO_FATAL_FAILURE(expect_kernel(kernel, size, offset, phase, true));
          ASSERT_NO_FATAL_FAILURE(expect_kernel(kernel, size, offset, phase, false));
        }
      }
    }
  }
}

// Every pair of length 0..4096 and offset 0..63, against one long scalar run.
TEST(MaskKernels, AreEqualToScalarForEveryLengthAndOffset) {
  Bytes wire(4096 + 64 + 64);
  for (std::size_t i = 0; i < wire.size(); ++i) wire[i] = noise(i);
  std::uint32_t word = 0;
  std::memcpy(&word, key.data(), 4);
  Bytes expected(wire.size());
  Bytes out(wire.size());
  for (const NamedKernel& kernel : kernels()) {
    for (std::size_t offset = 0; offset < 64; ++offset) {
      detail::xor_scalar(wire.data() + offset, expected.data(), 4096, word);
      for (std::size_t size = 0; size <= 4096; size += size < 600 ? 1 : 5) {
        kernel.run(wire.data() + offset, out.data(), size, word);
        ASSERT_EQ(std::memcmp(out.data(), expected.data(), size), 0) << kernel.name << ' ' << size << ' ' << offset;
      }
    }
  }
}

TEST(ApplyMask, TellsWhetherAllBytesAreAscii) {
  for (std::size_t size = 1; size <= 300; ++size) {
    for (std::size_t at = 0; at < size; at += size < 80 ? 1 : 37) {
      Bytes bytes(size, 'x');
      bytes[at] = 0x80;
      apply_mask(MutableByteView(bytes), {key});
      ASSERT_FALSE(apply_mask(MutableByteView(bytes), {key})) << size << ' ' << at;
      bytes[at] = 'y';
      apply_mask(MutableByteView(bytes), {key});
      ASSERT_TRUE(apply_mask(MutableByteView(bytes), {key})) << size << ' ' << at;
    }
  }
}

TEST(ApplyMaskDeathTest, SizesThatDifferStopTheProcess) {
  Bytes from(3);
  Bytes to(4);
  EXPECT_DEATH(apply_mask(ByteView(from), MutableByteView(to), {key}), "");
}

TEST(MaskedView, EveryWayOfReadingGivesThePayload) {
  Bytes wire = {'H' ^ 0x37, 'e' ^ 0xfa, 'l' ^ 0x21, 'l' ^ 0x3d, 'o' ^ 0x37};
  const MaskedView view(wire, {key});
  EXPECT_EQ(view[4], 'o');
  EXPECT_EQ(view.drop(3)[0], 'l');
  EXPECT_EQ(view.first(1).size(), 1U);
  Bytes copy(5);
  view.copy_to(copy);
  EXPECT_EQ(as_text(ByteView(copy)), "Hello");
  EXPECT_EQ(as_text(view.unmask_in(MutableByteView(wire))), "Hello");
}

TEST(MaskedView, WithoutAKeyTheWireIsThePayload) {
  Bytes wire = {'H', 'i'};
  const MaskedView view(wire, {});
  EXPECT_EQ(as_text(view.unmask_in(MutableByteView(wire))), "Hi");
  EXPECT_EQ(view.key(), MaskingKey{});
}

}  // namespace
}  // namespace weir::tests
