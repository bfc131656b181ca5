// The environment variables that clwave reads, for --help and for what is sent to the project.
// docs/environment.md has the same table.
#pragma once

namespace clwave::tool {

struct variable {
  const char* name;
  const char* meaning;
};

inline constexpr variable variables[] = {
    {"CLWAVE_DEVICE", "the default device, as after -d"},
    {"CLWAVE_PROFILE",
     "forces a profile of the device table (clwave info --profiles); lanes the device lacks are emulated"},
    {"CLWAVE_CACHE_DIR", "where built programs, and what probes found, are kept; \"off\": nowhere"},
    {"CLWAVE_CONFIG_DIR", "where tunings are kept; \"off\": nowhere"},
    {"CLWAVE_KERNEL_DIR", "takes the kernel parts from this folder instead of those embedded"},
    {"CLWAVE_DUMP_DIR", "writes source, options, log and binary of every program built"},
    {"CLWAVE_CALL_LOG", "appends a line for every program needed to this file, for clwave warm --file"},
    {"CLWAVE_DRIVER_DEADLINE",
     "seconds a driver may take when it is first tried, in a process of its own; 20"},
    {"CLWAVE_TEST_SEED", "repeats a test run's random data"},
    {"CLWAVE_TEST_QUICK",
     "1: a test run takes a sample of each case's types and rows; 2: and PoCL does not optimise"},
    {"CLWAVE_TEST_CASES", "N: a test run takes one of N parts of each file's test cases"},
    {"CLWAVE_TEST_CALLS", "how many calls the threads make, all together, in a test of them; 3200"},
    {"CLWAVE_TEST_CHAINS", "how many random chains of calls a test of counts on the device makes; 200"},
};

}  // namespace clwave::tool
