// ByteBlock, against the same question asked byte by byte.
#include <gtest/gtest.h>

#include <array>

#include <weir/byte_block.h>

namespace weir::tests {
namespace {

using Bytes = std::array<unsigned char, ByteBlock::size>;

ByteBlock block_of(const Bytes& bytes) { return ByteBlock(ByteView(bytes).window<ByteBlock::size>()); }

// expect_set puts every byte at every place among bytes of which none belongs to the set.
template <typename Set, typename Belongs>
void expect_set(unsigned char other, Set set, Belongs belongs) {
  for (unsigned c = 0; c < 256; ++c) {
    for (std::size_t i = 0; i < ByteBlock::size; ++i) {
      Bytes bytes;
      bytes.fill(other);
      bytes.at(i) = static_cast<unsigned char>(c);
      EXPECT_EQ(ByteBlock::prefix_size(set(block_of(bytes))), belongs(c) ? i : ByteBlock::size) << c << " at " << i;
    }
  }
}

TEST(ByteBlock, FindsTheFirstByteOfASet) {
  expect_set(
      'a', [](const ByteBlock& b) { return b.equal(0x80); }, [](unsigned c) { return c == 0x80; });
  expect_set(
      ' ', [](const ByteBlock& b) { return b.below(0x20); }, [](unsigned c) { return c < 0x20; });
  expect_set(
      0xFF, [](const ByteBlock& b) { return b.below(0x81); }, [](unsigned c) { return c < 0x81; });
  expect_set(
      '/', [](const ByteBlock& b) { return b.between('0', '9'); }, [](unsigned c) { return c >= '0' && c <= '9'; });
  expect_set(
      '@', [](const ByteBlock& b) { return b.letters(); },
      [](unsigned c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
  expect_set(
      'a', [](const ByteBlock& b) { return ~b.letters(); },
      [](unsigned c) { return !((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')); });
}

TEST(ByteBlock, OfSeveralMembersTheFirstCounts) {
  Bytes bytes{};
  bytes.fill('x');
  bytes.at(5) = bytes.at(9) = bytes.at(15) = '\n';
  EXPECT_EQ(ByteBlock::prefix_size(block_of(bytes).equal('\n')), 5U);
  EXPECT_EQ(ByteBlock::prefix_size(block_of(bytes).equal('\n') | block_of(bytes).equal('x')), 0U);
}

}  // namespace
}  // namespace weir::tests
