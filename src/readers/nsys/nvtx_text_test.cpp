#include "readers/nsys/nvtx_text.h"

#include <gtest/gtest.h>

namespace pagoda::nsys {
namespace {

TEST(NvtxText, TakesTorchRangesApart) {
  const auto parsed = parse_nvtx_text(
      "aten::mm, seq = 7, op_id = 42, sizes = [[2, 3], [3, 4], []], input_op_ids = [(1,0), (2,0)]");
  EXPECT_EQ(parsed.name, "aten::mm");
  EXPECT_TRUE(parsed.is_op);
  EXPECT_EQ(parsed.sequence_number, 7);
  EXPECT_EQ(parsed.dims, "[[2,3],[3,4],[]]");
}

TEST(NvtxText, EveryPartAfterTheNameIsOptional) {
  EXPECT_EQ(parse_nvtx_text("aten::view, op_id = 314290").name, "aten::view");
  EXPECT_EQ(parse_nvtx_text("aten::view, op_id = 314290").sequence_number, std::nullopt);
  EXPECT_TRUE(parse_nvtx_text("detach_, op_id = 990725").is_op);
  EXPECT_TRUE(parse_nvtx_text("autograd::engine::evaluate_function: MmBackward0").is_op);
}

TEST(NvtxText, OtherRangesAreAnnotationsWithTheirWholeText) {
  for (const char* text : {"forward, step 3", "", "::", "My Layer::forward", "ncclAllReduce"}) {
    EXPECT_FALSE(parse_nvtx_text(text).is_op) << text;
    EXPECT_EQ(parse_nvtx_text(text).name, text);
  }
}

TEST(NvtxText, ShapesCutShortAreNotShapes) {
  EXPECT_EQ(parse_nvtx_text("aten::mm, op_id = 1, sizes = [[2, 3], [3").dims, "");
  EXPECT_EQ(parse_nvtx_text("aten::mm, op_id = 1, sizes = ").dims, "");
  EXPECT_EQ(parse_nvtx_text("aten::mm, op_id = 1, sizes = [[\"a\"]]").dims, "");
  EXPECT_EQ(parse_nvtx_text("aten::mm, seq = x").sequence_number, std::nullopt);
}

}  // namespace
}  // namespace pagoda::nsys
