#pragma once

namespace pagoda {

/// The whole program: arguments to exit code (core/error.h). The one place where an Error becomes a message:
/// "pagoda: PATH: what was wrong (byte N)" and, on a second line, what to do about it.
int run_program(int argc, char** argv);

}  // namespace pagoda
