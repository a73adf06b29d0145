#include <gtest/gtest.h>

#include <vector>

#include <weir/bytes.h>

namespace weir::tests {
namespace {

const std::vector<unsigned char> abc = {'a', 'b', 'c'};

TEST(ByteView, PartsAreViewsOfTheSameBytes) {
  const ByteView view(abc);
  EXPECT_EQ(view.size(), 3U);
  EXPECT_EQ(view[2], 'c');
  EXPECT_EQ(as_text(view.first(2)), "ab");
  EXPECT_EQ(as_text(view.last(2)), "bc");
  EXPECT_EQ(as_text(view.drop(1)), "bc");
  EXPECT_EQ(view.drop(3), ByteView());
  EXPECT_FALSE(view == view.first(2));
}

TEST(ByteViewDeathTest, AnAccessOutOfBoundsStopsTheProcess) {
  const ByteView view(abc);
  EXPECT_DEATH((void)view[3], "");
  EXPECT_DEATH((void)view.first(4), "");
  EXPECT_DEATH((void)view.last(4), "");
  EXPECT_DEATH((void)view.drop(4), "");
  EXPECT_DEATH((void)view.window<4>(), "");
  EXPECT_DEATH((void)view.last_window<4>(), "");
}

TEST(MutableByteViewDeathTest, AnAccessOutOfBoundsStopsTheProcess) {
  std::vector<unsigned char> bytes = abc;
  const MutableByteView view(bytes);
  EXPECT_DEATH(view[3] = 0, "");
  EXPECT_DEATH((void)view.first(4), "");
  EXPECT_DEATH((void)view.last(4), "");
  EXPECT_DEATH((void)view.drop(4), "");
}

TEST(MutableByteView, SameFindsThePartInItsOwnMemory) {
  std::vector<unsigned char> bytes = abc;
  const MutableByteView view(bytes);
  view.same(ByteView(view).drop(1).first(1))[0] = 'x';
  EXPECT_EQ(as_text(ByteView(bytes)), "axc");
}

TEST(MutableByteViewDeathTest, SameRefusesBytesOfOthers) {
  std::vector<unsigned char> bytes = abc;
  const MutableByteView view(bytes);
  const MutableByteView part = view.first(2);
  EXPECT_DEATH((void)part.same(ByteView(view).drop(1)), "");
  EXPECT_DEATH((void)view.same(ByteView(abc)), "");
}

TEST(ByteReader, TakesFromTheFrontAndCounts) {
  ByteReader in{ByteView(abc)};
  EXPECT_EQ(in.window<2>().byte<1>(), 'b');
  EXPECT_EQ(as_text(in.take(2)), "ab");
  EXPECT_EQ(in.position(), 2U);
  EXPECT_EQ(as_text(in.remaining()), "c");
  in.skip(1);
  EXPECT_TRUE(in.empty());
}

TEST(ByteReaderDeathTest, TakingWhatIsNotThereStopsTheProcess) {
  ByteReader in{ByteView(abc)};
  EXPECT_DEATH((void)in.take(4), "");
  EXPECT_DEATH(in.skip(4), "");
  EXPECT_DEATH((void)in.window<4>(), "");
}

TEST(ByteWindow, ReadsNetworkByteOrder) {
  const std::vector<unsigned char> bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto window = ByteView(bytes).window<8>();
  EXPECT_EQ((window.big_endian<std::uint16_t, 1>()), 0x0203U);
  EXPECT_EQ((window.big_endian<std::uint32_t, 4>()), 0x05060708U);
  EXPECT_EQ((window.big_endian<std::uint64_t, 0>()), 0x0102030405060708U);
}

}  // namespace
}  // namespace weir::tests
