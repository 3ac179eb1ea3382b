#include "analysis/cost_model.h"

#include <gtest/gtest.h>

namespace pagoda {
namespace {

OpCost cost(std::string_view op, std::string_view dims, std::string_view types,
            std::string_view concrete = {}, std::string_view strides = {}, int element_size = 0) {
  static Trace trace;  // owns the texts that the parsed input points into
  OpArgs args;
  args.dims = trace.strings.intern(dims);
  args.types = trace.strings.intern(types);
  args.concrete = trace.strings.intern(concrete);
  args.strides = trace.strings.intern(strides);
  KernelHint hint;
  hint.element_bytes = element_size;
  return cost_of(op, parse_op_args(trace, args), hint);
}

constexpr std::string_view kHalf2 = R"(["c10::BFloat16","c10::BFloat16"])";
constexpr std::string_view kHalf3 = R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16"])";

TEST(CostModel, MatmulsAreTwoMnkToTheUnit) {
  const OpCost mm = cost("aten::mm", "[[2048,4096],[4096,11008]]", kHalf2);
  ASSERT_TRUE(mm.known);
  EXPECT_EQ(mm.flops, 2.0 * 2048 * 4096 * 11008);
  EXPECT_EQ(mm.read_bytes(), 2.0 * (2048.0 * 4096 + 4096.0 * 11008));
  EXPECT_EQ(mm.written_bytes(), 2.0 * 2048 * 11008);
  EXPECT_EQ(cost("aten::bmm", "[[32,1,128],[32,128,585]]", kHalf2).flops, 2.0 * 32 * 1 * 128 * 585);
  EXPECT_EQ(
      cost("aten::addmm", "[[30],[7,11],[11,30],[],[]]", R"(["float","float","float","Scalar","Scalar"])")
          .flops,
      2.0 * 7 * 11 * 30);
  EXPECT_EQ(cost("aten::baddbmm", "[[4,7,30],[4,7,11],[4,11,30]]", R"(["float","float","float"])").flops,
            2.0 * 4 * 7 * 11 * 30);
  EXPECT_EQ(cost("aten::linear", "[[2,3,5],[7,5],[7]]", kHalf3).flops, 2.0 * 6 * 5 * 7);
  EXPECT_EQ(cost("aten::matmul", "[[2,1,3,5],[6,5,7]]", kHalf2).flops, 2.0 * 2 * 6 * 3 * 5 * 7);
  EXPECT_EQ(cost("aten::matmul", "[[5],[5,7]]", kHalf2).flops, 2.0 * 5 * 7);
  EXPECT_EQ(cost("aten::matmul", "[[3,5],[5]]", kHalf2).flops, 2.0 * 3 * 5);
  EXPECT_EQ(cost("aten::mv", "[[3,5],[5]]", kHalf2).flops, 2.0 * 3 * 5);
  EXPECT_EQ(cost("aten::dot", "[[5],[5]]", kHalf2).flops, 2.0 * 5);
  EXPECT_EQ(
      cost("aten::_grouped_mm", "[[100,64],[8,64,32],[8]]", R"(["c10::BFloat16","c10::BFloat16","int"])")
          .flops,
      2.0 * 100 * 64 * 32);
  const OpCost fp8 = cost("aten::_scaled_mm", "[[16,64],[64,32],[],[]]",
                          R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn","float","float"])");
  EXPECT_EQ(fp8.flops, 2.0 * 16 * 64 * 32);
  EXPECT_EQ(fp8.bytes(), 16.0 * 64 + 64 * 32 + 2 * 16 * 32);
  EXPECT_EQ(cost("aten::_weight_int4pack_mm", "[[1,4096],[512,32,32,4],[],[32,4096,2]]",
                 R"(["c10::BFloat16","int","Scalar","c10::BFloat16"])")
                .flops,
            2.0 * 4096 * 4096);
}

TEST(CostModel, MatmulsThatDoNotFitAreUnknown) {
  EXPECT_FALSE(cost("aten::mm", "[[3,5],[6,7]]", kHalf2).known);
  EXPECT_FALSE(cost("aten::mm", "[[],[]]", kHalf2).known);
  EXPECT_FALSE(cost("aten::mm", "", "").known);
  EXPECT_FALSE(cost("aten::no_such_op", "[[3,5],[5,7]]", kHalf2).known);
  EXPECT_EQ(cost("aten::mm", "", "").flops, -1);
  EXPECT_FALSE(cost("aten::mm", "[[3,5],[5", kHalf2).known);
}

TEST(CostModel, AttentionOfEveryBackend) {
  const double full = 4.0 * 2 * 40 * 2048 * 2048 * 128;
  const double visible = 4.0 * 2 * 40 * 128 * (2048.0 * 2049 / 2);
  const std::string_view qkv = "[[2,40,2048,128],[2,40,2048,128],[2,40,2048,128]]";
  const std::string_view seq = "[[2,2048,40,128],[2,2048,40,128],[2,2048,40,128]]";
  EXPECT_EQ(
      cost("aten::_scaled_dot_product_flash_attention", qkv, kHalf3, R"(["","","","0.","False"])").flops,
      full);
  EXPECT_EQ(cost("aten::_scaled_dot_product_flash_attention", qkv, kHalf3, R"(["","","","0.","True"])").flops,
            visible);
  EXPECT_EQ(
      cost("aten::_flash_attention_forward", seq, kHalf3, R"(["","","","","","2048","2048","0.","False"])")
          .flops,
      full);
  EXPECT_EQ(
      cost("aten::_efficient_attention_forward", seq, kHalf3, R"(["","","","","","","","","0.","1","True"])")
          .flops,
      visible);
  EXPECT_EQ(cost("aten::_cudnn_attention_forward", qkv, kHalf3,
                 R"(["","","","","","","2048","2048","True","0.","True","False"])")
                .flops,
            visible);
  EXPECT_EQ(cost("aten::scaled_dot_product_attention", qkv, kHalf3).flops, full);
  EXPECT_EQ(cost("aten::_cudnn_attention_backward",
                 "[[2,40,2048,128],[2,40,2048,128],[2,40,2048,128],[2,40,2048,128],[2,40,2048,128]]",
                 R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","c10::BFloat16","c10::BFloat16"])",
                 R"(["","","","","","","","","","","","2048","2048","0.","False"])")
                .flops,
            2.5 * full);
}

TEST(CostModel, GroupedQueriesReadFewerKeys) {
  const OpCost gqa =
      cost("aten::_scaled_dot_product_flash_attention", "[[1,32,1,128],[1,8,4096,128],[1,8,4096,128]]",
           kHalf3, R"(["","","","0.","False"])");
  EXPECT_EQ(gqa.flops, 4.0 * 32 * 1 * 4096 * 128);
  EXPECT_EQ(gqa.read_bytes(), 2.0 * (32 * 128 + 2 * 8 * 4096 * 128));
}

TEST(CostModel, Convolutions) {
  const OpCost stem =
      cost("aten::cudnn_convolution", "[[1,3,1008,1008],[1024,3,14,14],[],[],[],[]]",
           R"(["c10::BFloat16","c10::BFloat16","ScalarList","ScalarList","ScalarList","Scalar"])",
           R"(["","","[0, 0]","[14, 14]","[1, 1]","1"])");
  EXPECT_EQ(stem.flops, 2.0 * 1024 * 72 * 72 * 3 * 14 * 14);
  const OpCost strided = cost("aten::miopen_convolution", "[[10,256,14,14],[512,256,3,3]]", kHalf2,
                              R"(["","","","[1, 1]","[2, 2]","[1, 1]","1"])");
  EXPECT_EQ(strided.flops, 2.0 * 10 * 512 * 7 * 7 * 256 * 9);
  EXPECT_EQ(strided.written_bytes(), 2.0 * 10 * 512 * 7 * 7);
  const OpCost depthwise = cost("aten::convolution", "[[2,64,8,8],[64,1,3,3]]", kHalf2,
                                R"(["","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","64"])");
  EXPECT_EQ(depthwise.flops, 2.0 * 2 * 64 * 8 * 8 * 9);
  const OpCost up = cost("aten::convolution", "[[1,8,4,4],[8,16,2,2]]", kHalf2,
                         R"(["","","","[2, 2]","[0, 0]","[1, 1]","True","[0, 0]","1"])");
  EXPECT_EQ(up.flops, 2.0 * 8 * 16 * 4 * 4 * 2 * 2);
  EXPECT_EQ(up.written_bytes(), 2.0 * 16 * 8 * 8);
  const std::string_view dims = "[[10,512,7,7],[10,512,7,7],[512,512,3,3]]";
  EXPECT_EQ(cost("aten::convolution_backward", dims, kHalf3,
                 R"(["","","","[0]","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1","[True, True, False]"])")
                .flops,
            2 * 2.0 * 10 * 512 * 49 * 512 * 9);
  EXPECT_EQ(cost("aten::convolution_backward", dims, kHalf3,
                 R"(["","","","[0]","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1","[False, True, False]"])")
                .flops,
            2.0 * 10 * 512 * 49 * 512 * 9);
}

TEST(CostModel, PointwiseBroadcastsAndPromotes) {
  const OpCost add = cost("aten::add", "[[1,32,2048,2048],[1,1,2048,2048],[]]",
                          R"(["c10::BFloat16","c10::BFloat16","Scalar"])");
  EXPECT_EQ(add.flops, 32.0 * 2048 * 2048);
  EXPECT_EQ(add.read_bytes(), 2.0 * (32.0 * 2048 * 2048 + 2048.0 * 2048));
  EXPECT_EQ(add.written_bytes(), 2.0 * 32 * 2048 * 2048);
  const OpCost scale = cost("aten::mul", "[[8,4],[]]", R"(["c10::BFloat16","double"])");
  EXPECT_EQ(scale.bytes(), 2.0 * 2 * 32);
  const OpCost mixed = cost("aten::mul_", "[[8,4],[4]]", R"(["float","c10::BFloat16"])");
  EXPECT_EQ(mixed.read_bytes(), 4.0 * 32 + 2 * 4);
  EXPECT_EQ(mixed.written_bytes(), 4.0 * 32);
  EXPECT_EQ(cost("aten::le", "[[1,9],[9,1]]", R"(["long int","long int"])").written_bytes(), 81.0);
  const OpCost where = cost("aten::where", "[[9],[],[]]", R"(["bool","c10::BFloat16","c10::BFloat16"])");
  EXPECT_EQ(where.written_bytes(), 18.0);
  EXPECT_FALSE(cost("aten::add", "[[3],[4]]", kHalf2).known);
}

TEST(CostModel, ExpandedTensorsAreReadOnce) {
  const OpCost copy =
      cost("aten::copy_", "[[1,8,4,16,64],[1,8,4,16,64],[]]", R"(["c10::BFloat16","c10::BFloat16","Scalar"])",
           "", "[[32768,4096,1024,64,1],[8192,1024,0,64,1],[]]");
  EXPECT_EQ(copy.read_bytes(), 2.0 * 8 * 16 * 64);
  EXPECT_EQ(copy.written_bytes(), 2.0 * 8 * 4 * 16 * 64);
}

TEST(CostModel, CastsFillsAndJoins) {
  const OpCost cast = cost("aten::copy_", "[[4,8],[4,8],[]]", R"(["float","c10::BFloat16","Scalar"])");
  EXPECT_EQ(cast.read_bytes(), 64.0);
  EXPECT_EQ(cast.written_bytes(), 128.0);
  EXPECT_EQ(cast.data_type, DataType::bf16);
  EXPECT_EQ(cost("aten::fill_", "[[4,8],[]]", R"(["float","Scalar"])").bytes(), 128.0);
  const OpCost cat =
      cost("aten::cat", "[[[1,32,584,128],[1,32,1,128]],[]]", R"(["TensorList","Scalar"])", "", "", 2);
  EXPECT_EQ(cat.bytes(), 2 * 2.0 * 32 * 585 * 128);
  EXPECT_FALSE(cost("aten::cat", "[[[2],[2]],[]]", R"(["TensorList","Scalar"])").known);
}

TEST(CostModel, Reductions) {
  const OpCost mean = cost("aten::mean", "[[2,2048,5120],[],[],[]]", R"(["float","ScalarList","Scalar",""])",
                           R"(["","[-1]","True",""])");
  EXPECT_EQ(mean.read_bytes(), 4.0 * 2 * 2048 * 5120);
  EXPECT_EQ(mean.written_bytes(), 4.0 * 2 * 2048);
  EXPECT_EQ(cost("aten::sum", "[[2,8,16],[],[],[]]", R"(["float","ScalarList","Scalar",""])",
                 R"(["","[0, 1]","True",""])")
                .written_bytes(),
            4.0 * 16);
  EXPECT_EQ(cost("aten::argmax", "[[4,100]]", R"(["float"])", R"(["","-1"])").written_bytes(), 8.0 * 4);
  EXPECT_EQ(cost("aten::topk", "[[4,100],[]]", R"(["float","Scalar"])", R"(["","8"])").written_bytes(),
            4.0 * 8 * (4 + 8));
}

TEST(CostModel, SoftmaxNormsAndLosses) {
  EXPECT_EQ(cost("aten::_softmax", "[[4,100],[],[]]", R"(["float","Scalar","Scalar"])").bytes(),
            2 * 4.0 * 400);
  EXPECT_EQ(
      cost("aten::_softmax", "[[4,100],[],[]]", R"(["c10::Half","Scalar","Scalar"])", R"(["","-1","True"])")
          .written_bytes(),
      4.0 * 400);
  EXPECT_EQ(cost("aten::_softmax_backward_data", "[[4,100],[4,100],[],[]]",
                 R"(["float","float","Scalar","Scalar"])")
                .bytes(),
            3 * 4.0 * 400);
  const OpCost norm = cost("aten::native_layer_norm", "[[8,64],[],[64],[64],[]]",
                           R"(["c10::BFloat16","ScalarList","c10::BFloat16","c10::BFloat16","Scalar"])");
  EXPECT_EQ(norm.bytes(), 2.0 * (512 + 128 + 512));
  EXPECT_EQ(cost("aten::nll_loss_forward", "[[4096,32000],[4096]]", R"(["float","long int"])").read_bytes(),
            4096.0 * (32 + 8));
}

TEST(CostModel, GatherAndScatter) {
  const OpCost rows = cost("aten::embedding", "[[32000,4096],[2,8]]", R"(["c10::BFloat16","long int"])");
  EXPECT_EQ(rows.bytes(), 2 * 2.0 * 16 * 4096 + 8.0 * 16);
  EXPECT_EQ(
      cost("aten::index_select", "[[100,64],[],[5]]", R"(["float","Scalar","long int"])", R"(["","0",""])")
          .written_bytes(),
      4.0 * 5 * 64);
  EXPECT_EQ(
      cost("aten::embedding_dense_backward", "[[2,8,64],[2,8]]", R"(["float","long int"])").written_bytes(),
      4.0 * 16 * 64);
  EXPECT_TRUE(cost("aten::index_copy_", "[[1,8,100,64],[],[1],[1,8,1,64]]",
                   R"(["c10::Half","Scalar","long int","c10::Half"])")
                  .known);
}

TEST(CostModel, OptimizersFromListsWhereRecorded) {
  const std::string_view lists = "[[[10,4]],[[10,4]],[[10,4]],[[10,4]]]";
  const std::string_view types = R"(["TensorList","TensorList","TensorList","TensorList"])";
  EXPECT_EQ(cost("aten::_fused_adamw_", lists, types, "", "", 2).bytes(), 7 * 2.0 * 40);
  EXPECT_FALSE(cost("aten::_fused_adamw_", "[[],[],[],[]]", types, "", "", 2).known);
}

TEST(CostModel, TritonShapesAreSuspect) {
  const OpCost fused = cost("triton_poi_fused_add_3", "[[8,64],[8,64],[512,64],[]]",
                            R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","Scalar"])");
  EXPECT_TRUE(fused.known);
  EXPECT_TRUE(fused.suspect);
  EXPECT_FALSE(cost("triton_tem_fused_mm_1", "[[8,64],[64,8]]", kHalf2).known);
}

}  // namespace
}  // namespace pagoda
