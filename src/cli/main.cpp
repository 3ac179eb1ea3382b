#include "cli/program.h"

int main(int argc, char** argv) { return pagoda::run_program(argc, argv); }
