#include "readers/nsys/nsys.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "readers/testing/files.h"

namespace pagoda {
namespace {

constexpr const char* kStrings =
    "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION','3.17.2');"
    "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES(1,'void gemm<float>(float*)'),(2,'gemm'),(3,'cudaLaunchKernel_v7000'),"
    "(4,'cudaGraphLaunch_v10000'),(5,'NCCL'),(6,'ncclAllReduce'),(7,'main thread');";
// Process 10 is 0xA000000, process 11 0xB000000; threads are in the low 24 bits.
constexpr const char* kRuntime =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, correlationId "
    "INTEGER,"
    " nameId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(100,110,0xA000001,7,3),(120,130,0xB000002,7,4);";
constexpr const char* kKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,"
    " correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER,"
    " gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread "
    "INTEGER,"
    " staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
    "(200,250,0,7,7,0xA000000,1,2,8,4,1,128,1,1,40,1024,512,NULL),"
    "(300,350,0,7,7,0xB000000,NULL,2,8,4,1,128,1,1,40,1024,512,3),"
    "(360,390,0,7,7,0xB000000,NULL,2,8,4,1,128,1,1,40,1024,512,4);";

constexpr const char* kOtherTables =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,"
    " bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(400,410,0,7,4096,1,0,2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER, end INTEGER, deviceId INTEGER, memKind INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(420,430,0,2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, deviceId INTEGER, graphId "
    "INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(440,450,0,5);"
    "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER,"
    " globalTid INTEGER, domainId INTEGER);"
    "INSERT INTO NVTX_EVENTS VALUES(0,NULL,75,NULL,5,0xA000001,3),(90,200,59,'aten::mm, seq = 7, op_id = "
    "5',NULL,"
    "0xA000001,0),(91,92,59,NULL,6,0xA000001,3);"
    "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, smCount INTEGER);"
    "INSERT INTO TARGET_INFO_GPU VALUES(0,'NVIDIA H100',132);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
    "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(0,0,10);"
    "CREATE TABLE PROCESSES(globalPid INTEGER, name TEXT); INSERT INTO PROCESSES VALUES(0xA000000,'python3');"
    "CREATE TABLE ThreadNames(nameId INTEGER, globalTid INTEGER); INSERT INTO ThreadNames "
    "VALUES(7,0xA000001);"
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id INTEGER, name TEXT);"
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES(1,'CUDA_MEMCPY_KIND_HTOD');"
    "CREATE TABLE ENUM_CUDA_MEM_KIND(id INTEGER, label TEXT); INSERT INTO ENUM_CUDA_MEM_KIND "
    "VALUES(2,'Device');";

/// Every table, and every column as "table" and "column", of a database.
std::vector<std::pair<std::string, std::string>> tables_and_columns(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> found;
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  const auto append = [](void* to, int, char** values, char**) {
    static_cast<decltype(found)*>(to)->emplace_back(values[0], values[1]);
    return 0;
  };
  sqlite3_exec(database,
               "SELECT name, '' FROM sqlite_master WHERE type = 'table' UNION ALL SELECT m.name, c.name FROM "
               "sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'",
               append, &found, nullptr);
  sqlite3_close(database);
  return found;
}

class Nsys : public testing::Test {
 protected:
  Trace read(const std::string& sql) {
    const std::string path = folder_.file("a #1?%20 profile.sqlite");
    std::filesystem::remove(path);
    EXPECT_TRUE(test::write_database(path, sql));
    return read_file(path);
  }
  Trace read_file(const std::string& path) {
    test::FileContent content(path);
    EXPECT_TRUE(kNsysFormat.sniff(content.head()));
    return kNsysFormat.read(content, {});
  }
  std::string message_of(const std::string& sql) {
    try {
      read(sql);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::bad_input);
      EXPECT_FALSE(error.hint().empty());
      return error.what();
    }
    return "no error";
  }
  test::TemporaryFolder folder_;
};

TEST_F(Nsys, ReadsKernelsWithNamesShapesAndLaunchesOfTheirOwnProcess) {
  const Trace trace = read(std::string(kStrings) + kRuntime + kKernels);
  EXPECT_EQ(trace.format, "nsys");
  EXPECT_EQ(trace.metadata.at("nsys_schema"), "3.17.2");
  EXPECT_TRUE(trace.diagnostics.empty());
  ASSERT_EQ(trace.gpu_events.size(), 3u);
  const GpuEvent& first = trace.gpu_events[0];
  EXPECT_EQ(trace.text(first.name), "void gemm<float>(float*)");
  EXPECT_EQ(trace.text(trace.gpu_events[1].name), "gemm") << "the short name where there is no full one";
  const KernelDetails& details = trace.kernel_details[first.details];
  EXPECT_EQ(details.grid, (std::array<std::uint32_t, 3>{8, 4, 1}));
  EXPECT_EQ(details.block, (std::array<std::uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(details.registers_per_thread, 40u);
  EXPECT_EQ(details.shared_memory_bytes, 1536u);
  EXPECT_EQ(trace.processes[first.process].pid, "10");
  // Both processes use correlation id 7, and the two nodes of a graph share the one of the graph's launch.
  ASSERT_NE(first.launch, kNone);
  EXPECT_EQ(trace.launches[first.launch].kind, RuntimeCallKind::kernel_launch);
  ASSERT_NE(trace.gpu_events[1].launch, kNone);
  EXPECT_EQ(trace.launches[trace.gpu_events[1].launch].kind, RuntimeCallKind::graph_launch);
  EXPECT_EQ(trace.gpu_events[2].launch, trace.gpu_events[1].launch);
  EXPECT_EQ(trace.threads[trace.launches[0].thread].tid, "1");
}

TEST_F(Nsys, NamesCopiesAsThePytorchProfilerDoes) {
  const Trace trace =
      read(std::string(kStrings) +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER,"
           " streamId INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1,2,0,7,4096,1,0,2),(3,4,0,7,1,8,2,2),"
           "(5,6,0,7,1,2,NULL,NULL),(7,8,0,7,1,99,NULL,NULL);"
           "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER, end INTEGER, deviceId INTEGER,"
           " memKind INTEGER, bytes INTEGER);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(9,10,0,2,64),(11,12,0,NULL,64);"
           "CREATE TABLE ENUM_CUDA_MEM_KIND(id INTEGER PRIMARY KEY, name TEXT, label TEXT);"
           "INSERT INTO ENUM_CUDA_MEM_KIND VALUES(2,'X','Device Memory');");
  ASSERT_EQ(trace.gpu_events.size(), 6u);
  const auto name = [&](std::size_t row) { return trace.text(trace.gpu_events[row].name); };
  EXPECT_EQ(name(0), "Memcpy HtoD (Pageable -> Device Memory)") << "labels of the file win";
  EXPECT_EQ(name(1), "Memcpy DtoD (Device Memory -> Device Memory)");
  EXPECT_EQ(name(2), "Memcpy DtoH");
  EXPECT_EQ(name(3), "Memcpy");
  EXPECT_EQ(name(4), "Memset (Device Memory)");
  EXPECT_EQ(name(5), "Memset");
  EXPECT_EQ(trace.kernel_details[trace.gpu_events[0].details].bytes, 4096u);
  EXPECT_EQ(trace.gpu_events[0].kind, GpuEventKind::memcpy);
  EXPECT_EQ(trace.gpu_events[4].kind, GpuEventKind::memset);
  EXPECT_EQ(trace.diagnostics.count("no_kernel_table"), 1u);
}

TEST_F(Nsys, TurnsNvtxRangesIntoOpsAndAnnotations) {
  const Trace trace = read(
      std::string(kStrings) + kRuntime +
      "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER,"
      " globalTid INTEGER, domainId INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES(0,NULL,75,NULL,5,0xA000001,3),"
      "(90,200,59,'aten::mm, seq = 7, op_id = 5, sizes = [[2, 3], [3, 4]]',NULL,0xA000001,0),"
      "(80,300,60,'step 1',NULL,0xA000001,0),(95,NULL,34,'a mark',NULL,0xA000001,0),"
      "(310,320,59,NULL,6,0xA000001,3),(330,NULL,59,'never popped',NULL,0xA000001,0),"
      "(350,340,59,'backwards',NULL,0xA000001,0),"
      "(-9223372036854775807,NULL,34,'long ago',NULL,0xA000001,0);");
  std::map<std::string, HostScope> scopes;
  for (const HostScope& scope : trace.scopes) scopes[std::string(trace.text(scope.name))] = scope;
  ASSERT_EQ(scopes.size(), 5u);
  const HostScope& op = scopes.at("aten::mm");
  EXPECT_EQ(op.kind, ScopeKind::op);
  EXPECT_EQ(trace.text(trace.op_args[op.args].dims), "[[2,3],[3,4]]");
  EXPECT_EQ(trace.autograd[op.autograd].sequence_number, 7);
  EXPECT_EQ(trace.text(trace.scopes[op.parent].name), "step 1");
  EXPECT_EQ(scopes.at("step 1").kind, ScopeKind::annotation);
  EXPECT_EQ(scopes.at("a mark").duration_ns, 0);
  EXPECT_EQ(scopes.at("NCCL:ncclAllReduce").duration_ns, 10);
  EXPECT_EQ(scopes.at("never popped").duration_ns, 0);
  EXPECT_EQ(trace.diagnostics.count("open_range"), 1u);
  EXPECT_EQ(trace.diagnostics.count("negative_duration"), 1u);
  EXPECT_EQ(trace.diagnostics.count("time_out_of_range"), 1u);
  EXPECT_EQ(trace.text(trace.scopes[trace.launches[0].scope].name), "aten::mm");
}

TEST_F(Nsys, CountsAndLeavesOutRowsThatCannotBe) {
  const Trace trace = read(std::string(kStrings) + kKernels +
                           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId) VALUES"
                           "(500,400,0),(500,500,0),(0,10,0),(NULL,10,0),('soon',10,0),(10,20,NULL),"
                           "(-9223372036854775807,9223372036854775807,0);"
                           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId,demangledName,gridX)"
                           " VALUES(600,610,0,77,-5);");
  EXPECT_EQ(trace.gpu_events.size(), 4u);
  EXPECT_EQ(trace.event_count, 11u);
  EXPECT_EQ(trace.diagnostics.count("negative_duration"), 1u);
  EXPECT_EQ(trace.diagnostics.count("zero_duration"), 1u);
  EXPECT_EQ(trace.diagnostics.count("zero_timestamp"), 1u);
  EXPECT_EQ(trace.diagnostics.count("missing_time"), 2u);
  EXPECT_EQ(trace.diagnostics.count("missing_device"), 1u);
  EXPECT_EQ(trace.diagnostics.count("time_out_of_range"), 1u);
  EXPECT_EQ(trace.diagnostics.count("unknown_string"), 1u);
  EXPECT_EQ(trace.gpu_events[3].details, kNone);
}

TEST_F(Nsys, AWholeGraphIsOneBusyStretch) {
  const Trace trace =
      read(std::string(kStrings) + kRuntime +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, deviceId INTEGER,"
           " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(200,900,0,7,7,0xB000000,5);");
  ASSERT_EQ(trace.gpu_events.size(), 1u);
  EXPECT_EQ(trace.text(trace.gpu_events[0].name), "CUDA graph 5");
  EXPECT_EQ(trace.gpu_events[0].duration_ns, 700);
  EXPECT_EQ(trace.launches[trace.gpu_events[0].launch].kind, RuntimeCallKind::graph_launch);
  EXPECT_EQ(trace.diagnostics.count("graph_not_expanded"), 1u);
}

TEST_F(Nsys, AWaitIsNotWorkOfTheDevice) {
  const Trace trace =
      read(std::string(kStrings) + kKernels +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INTEGER, end INTEGER, deviceId"
           " INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(1,9000,0);");
  EXPECT_EQ(trace.gpu_events.size(), 3u);
  EXPECT_EQ(trace.other_categories.at("cuda_sync"), 1u);
}

TEST_F(Nsys, TellsPhysicalDevicesOfProcessesThatSeeOneEach) {
  const Trace trace =
      read(std::string(kStrings) + kKernels +
           "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, smCount INTEGER, memoryBandwidth INTEGER);"
           "INSERT INTO TARGET_INFO_GPU VALUES(1,'NVIDIA H100',132,3352320000000),(0,'NVIDIA H100',132,0);"
           "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
           "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(1,0,10),(0,0,11);");
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[0].id, 0);
  EXPECT_EQ(trace.devices[1].memory_bandwidth_bytes_per_s, 3352320000000u);
  for (const GpuEvent& event : trace.gpu_events) {
    EXPECT_EQ(trace.devices[event.device].id, trace.processes[event.process].pid == "10" ? 1 : 0);
  }
}

TEST_F(Nsys, NamesProcessesAndThreads) {
  const Trace trace = read(std::string(kStrings) + kRuntime +
                           "CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);"
                           "INSERT INTO PROCESSES VALUES(0xA000000,10,'python3'),(0xC000000,12,'idle');"
                           "CREATE TABLE ThreadNames(nameId INTEGER, globalTid INTEGER);"
                           "INSERT INTO ThreadNames VALUES(7,0xA000001);");
  ASSERT_EQ(trace.processes.size(), 2u) << "processes that did nothing are not listed";
  EXPECT_EQ(trace.processes[0].name, "python3");
  EXPECT_EQ(trace.threads[0].name, "main thread");
}

// Both tables carry the environment of the profiled machine, with whatever secrets it has.
TEST_F(Nsys, NeverReadsTheEnvironment) {
  const Trace trace = read(std::string(kStrings) + kKernels +
                           "CREATE VIEW TARGET_INFO_SYSTEM_ENV AS SELECT abs(-9223372036854775808) AS value;"
                           "CREATE VIEW META_DATA_CAPTURE AS SELECT abs(-9223372036854775808) AS name;");
  EXPECT_EQ(trace.gpu_events.size(), 3u);
  EXPECT_FALSE(trace.truncated);
}

TEST_F(Nsys, AViewCannotLendItsNameToTheEnvironment) {
  const Trace trace =
      read(std::string(kStrings) + kKernels +
           "CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);"
           "INSERT INTO META_DATA_CAPTURE VALUES('PROCESS_0:ENVIRONMENT_VARIABLE','SECRET=1');"
           "CREATE VIEW PROCESSES AS SELECT 0xA000000 AS globalPid, value AS name FROM META_DATA_CAPTURE;");
  for (const Process& process : trace.processes) EXPECT_EQ(process.name, "");
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    EXPECT_EQ(trace.text(id).find("SECRET"), std::string_view::npos);
  }
}

TEST_F(Nsys, SaysWhatAnotherDatabaseIs) {
  EXPECT_NE(message_of("CREATE TABLE cookies(a); CREATE TABLE history(a);").find("cookies, history"),
            std::string::npos);
  EXPECT_NE(message_of("CREATE TABLE rocpd_api(a);").find("rocprofiler"), std::string::npos);
}

TEST_F(Nsys, KeepsTheWholeTablesOfATruncatedFile) {
  const std::string path = folder_.file("cut.sqlite");
  std::string sql = std::string(kStrings) + kRuntime + kKernels + "BEGIN;";
  for (int i = 1; i < 20000; ++i) {
    const std::string start = std::to_string(1000 + 10 * i);
    sql +=
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId) VALUES(" + start + "," + start + "+5,0);";
  }
  ASSERT_TRUE(test::write_database(path, sql + "COMMIT;"));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const Trace trace = read_file(path);
  EXPECT_TRUE(trace.truncated);
  EXPECT_EQ(trace.diagnostics.count("truncated"), 1u);
  EXPECT_EQ(trace.diagnostics.count("damaged_table"), 1u);
  EXPECT_GT(trace.gpu_events.size(), 1000u);
  EXPECT_LT(trace.gpu_events.size(), 20002u);
  EXPECT_EQ(trace.launches.size(), 2u);
}

TEST_F(Nsys, RefusesAFileOfWhichNothingIsLeft) {
  const std::string path = folder_.file("noise.sqlite");
  std::ofstream(path, std::ios::binary) << std::string("SQLite format 3\0", 16) << std::string(5000, 'x');
  EXPECT_THROW(read_file(path), Error);
  std::ofstream(path, std::ios::binary) << std::string("SQLite format 3\0", 16);
  EXPECT_THROW(read_file(path), Error);
}

// Whatever table or column a schema lacks, the rest is read.
TEST_F(Nsys, NoTableAndNoColumnIsMandatory) {
  const std::string whole_path = folder_.file("whole.sqlite");
  const std::string cut_path = folder_.file("cut.sqlite");
  ASSERT_TRUE(test::write_database(whole_path, std::string(kStrings) + kRuntime + kKernels + kOtherTables));
  ASSERT_EQ(read_file(whole_path).gpu_events.size(), 6u);
  int cuts = 0;
  for (const auto& [table, column] : tables_and_columns(whole_path)) {
    std::filesystem::copy_file(whole_path, cut_path, std::filesystem::copy_options::overwrite_existing);
    if (table == "StringIds" && column == "id") continue;  // SQLite drops no primary key
    const std::string sql =
        column.empty() ? "DROP TABLE " + table : "ALTER TABLE " + table + " DROP COLUMN \"" + column + "\"";
    ASSERT_TRUE(test::write_database(cut_path, sql)) << sql;
    const Trace trace = read_file(cut_path);
    ++cuts;
    EXPECT_FALSE(trace.truncated) << sql;
    const bool gpu_table =
        table.starts_with("CUPTI_ACTIVITY_KIND_") && table != "CUPTI_ACTIVITY_KIND_RUNTIME";
    const bool needed = column.empty() || column == "start" || column == "end" || column == "deviceId";
    const std::size_t lost = !gpu_table || !needed ? 0 : table == "CUPTI_ACTIVITY_KIND_KERNEL" ? 3 : 1;
    EXPECT_EQ(trace.gpu_events.size(), 6 - lost) << sql;
  }
  EXPECT_GT(cuts, 60);
}

TEST_F(Nsys, FlippedBytesGiveATraceOrAnError) {
  const std::string path = folder_.file("whole.sqlite");
  ASSERT_TRUE(test::write_database(
      path, "PRAGMA page_size = 512;" + std::string(kStrings) + kRuntime + kKernels + kOtherTables));
  std::ifstream file(path, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(file), {});
  int traces = 0;
  int errors = 0;
  for (std::size_t at = 16; at < whole.size(); at += 13) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(~flipped[at]);
    std::ofstream(path, std::ios::binary) << flipped;
    try {
      read_file(path);
      ++traces;
    } catch (const Error& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
      ++errors;
    }
  }
  EXPECT_GT(traces, 0);
  EXPECT_GT(errors, 0);
}

TEST_F(Nsys, ReportsProgressUpToTheWhole) {
  const std::string path = folder_.file("p.sqlite");
  std::string sql =
      std::string(kStrings) + kKernels +
      "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 10 FROM n LIMIT 200000) INSERT INTO "
      "CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId) SELECT i, i + 5, 0 FROM n;";
  ASSERT_TRUE(test::write_database(path, sql));
  std::vector<std::uint64_t> done;
  const std::uint64_t whole = std::filesystem::file_size(path);
  test::FileContent content(path);
  kNsysFormat.read(content, {.progress = [&](std::uint64_t bytes, std::uint64_t total) {
                     EXPECT_EQ(total, whole);
                     done.push_back(bytes);
                   }});
  ASSERT_GE(done.size(), 4u);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_GT(done.front(), 0u);
  EXPECT_EQ(done.back(), whole);
}

TEST_F(Nsys, StringsAreFoundWithoutAnIndex) {
  const Trace trace = read(std::string(kKernels) + kRuntime +
                           "CREATE TABLE StringIds(id INTEGER, value TEXT);"
                           "INSERT INTO StringIds VALUES(2,'gemm'),(1,'void gemm<float>(float*)');");
  EXPECT_EQ(trace.text(trace.gpu_events[0].name), "void gemm<float>(float*)");
  EXPECT_EQ(trace.text(trace.gpu_events[1].name), "gemm");
}

}  // namespace
}  // namespace pagoda
