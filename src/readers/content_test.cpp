#include "readers/content.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "core/error.h"
#include "readers/reader.h"
#include "readers/testing/files.h"

namespace pagoda {
namespace {

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

std::string tar_member(const std::string& name, const std::string& bytes, char type = '0') {
  std::string header(512, '\0');
  name.copy(header.data(), 100);
  std::snprintf(header.data() + 124, 12, "%011zo", bytes.size());
  header[156] = type;
  std::fill_n(header.begin() + 148, 8, ' ');
  unsigned sum = 0;
  for (unsigned char c : header) sum += c;
  std::snprintf(header.data() + 148, 8, "%06o", sum);
  return header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

std::string everything(Content& content) {
  std::string all;
  std::vector<char> buffer(1000);
  while (const std::size_t count = content.read(buffer)) all.append(buffer.data(), count);
  return all;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += std::to_string(static_cast<long long>(i) * i % 1000003) + ",";
  return text;
}

std::string trace(int rank) {
  return R"({"distributedInfo": {"rank": )" + std::to_string(rank) +
         R"(, "world_size": 2}, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1,)"
         R"( "dur": 2, "args": {"device": 0}}]})";
}

class ContentTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = folder_.file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  /// The message of the Error that reading `path` throws.
  std::string refusal(const std::string& path) {
    try {
      for (const Input& input : find_inputs({path})) read_trace(input);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::bad_input);
      EXPECT_NE(error.where().path.find(path.substr(path.rfind('/') + 1)), std::string::npos);
      return error.what();
    }
    return "not refused";
  }
  test::TemporaryFolder folder_;
};

TEST_F(ContentTest, PlainGzipAndZstdAreTheSameBytes) {
  const std::string text = long_text();
  for (const std::string& packed :
       {text, gzip(text), zstd(text), gzip(text.substr(0, 1000)) + gzip(text.substr(1000)),
        gzip(text) + std::string(512, '\0')}) {
    const auto content = open_content(write("file", packed));
    EXPECT_EQ(content->head(), text.substr(0, kHeadBytes));
    EXPECT_TRUE(everything(*content) == text);
    EXPECT_FALSE(content->damaged());
  }
}

TEST_F(ContentTest, ACutStreamGivesWhatCameBefore) {
  const std::string text = long_text();
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const auto content = open_content(write("cut", packed.substr(0, packed.size() * 3 / 4)));
    const std::string all = everything(*content);
    EXPECT_GT(all.size(), text.size() / 2);
    EXPECT_TRUE(text.starts_with(all));
    EXPECT_TRUE(content->damaged());
  }
}

TEST_F(ContentTest, ADestroyedStreamIsAnError) {
  std::string packed = gzip(long_text());
  for (std::size_t i = 10; i < 60; ++i) packed[i] = '\xFF';
  const std::string message = refusal(write("destroyed.json.gz", packed));
  EXPECT_NE(message.find("damaged"), std::string::npos) << message;
}

TEST_F(ContentTest, CompressedContentCanBeOpenedAsAFile) {
  const std::string text = long_text();
  const auto content = open_content(write("file.gz", gzip(text)));
  const std::string copy = content->file_path();
  EXPECT_TRUE(test::FileContent(copy).head() == std::string_view(text).substr(0, 65536));
  const std::string plain = write("plain", text);
  EXPECT_EQ(open_content(plain)->file_path(), plain);
}

TEST_F(ContentTest, EachLookalikeIsNamed) {
  const auto names = [&](const std::string& file, const std::string& bytes, const std::string& word) {
    const std::string message = refusal(write(file, bytes));
    EXPECT_NE(message.find(word), std::string::npos) << file << ": " << message;
  };
  names("empty.json", "", "empty");
  names("picture.json", "\x89PNG\r\n\x1a\n....", "PNG");
  names("model.pt", "PK\x03\x04 and so on", "zip");
  names("data.pkl", std::string("\x80\x04\x95", 3), "pickle");
  names("list.json", "[[1, 2], [3, 4]]", "memory timeline");
  names("other.json", R"({"a": 1})", "without traceEvents");
  names("notes.txt", "hello, world", "no known kind");
  EXPECT_NE(refusal(folder_.file("nowhere.json")).find("no such file"), std::string::npos);
  std::filesystem::create_directory(folder_.file("hollow"));
  EXPECT_NE(refusal(folder_.file("hollow")).find("no files"), std::string::npos);
  write("words/notes.txt", "hello");
  EXPECT_NE(refusal(folder_.file("words")).find("none of the 1 files"), std::string::npos);
}

TEST_F(ContentTest, AFolderIsReadInNaturalOrderAndOnlyItsProfiles) {
  for (int rank : {10, 2, 0}) write("ranks/rank" + std::to_string(rank) + ".json", trace(rank));
  write("ranks/deeper/rank1.json.gz", gzip(trace(1)));
  write("ranks/notes.txt", "hello");
  write("ranks/.hidden.json", trace(9));
  std::vector<std::string> names;
  for (const Input& input : find_inputs({folder_.file("ranks")})) {
    names.push_back(std::filesystem::path(input.name).filename().string());
    EXPECT_EQ(read_trace(input).gpu_events.size(), 1u);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"rank1.json.gz", "rank0.json", "rank2.json", "rank10.json"}));
}

TEST_F(ContentTest, ArchivesOfRanks) {
  const std::string longer_name(150, 'x');
  const std::string archive = tar_member("ranks/", "", '5') + tar_member("ranks/rank0.json", trace(0)) +
                              tar_member("ranks/._rank0.json", trace(7)) +
                              tar_member("ranks/notes.txt", "hello") +
                              tar_member("././@LongLink", longer_name + ".json" + std::string(1, '\0'), 'L') +
                              tar_member("short", gzip(trace(1))) + std::string(1024, '\0');
  for (const std::string& bytes : {archive, gzip(archive), zstd(archive)}) {
    const auto inputs = find_inputs({write("ranks.tar", bytes)});
    ASSERT_EQ(inputs.size(), 2u);
    EXPECT_TRUE(inputs[0].name.ends_with("ranks.tar:ranks/rank0.json"));
    EXPECT_TRUE(inputs[1].name.ends_with(longer_name + ".json"));
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(read_trace(inputs[1]).rank, 1);
      EXPECT_EQ(read_trace(inputs[0]).rank, 0);
    }
  }
}

TEST_F(ContentTest, ACutArchiveGivesItsWholeMembersAndSaysSo) {
  const std::string archive = tar_member("rank0.json", trace(0)) + tar_member("rank1.json", trace(1));
  const auto inputs = find_inputs({write("cut.tar", archive.substr(0, 1024 + 512 + 100))});
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_FALSE(read_trace(inputs[0]).truncated);
  EXPECT_TRUE(read_trace(inputs[1]).truncated);
}

}  // namespace
}  // namespace pagoda
