#pragma once

namespace lectern {

/// True on the thread that started recording, which is the one that runs main.
inline constinit thread_local bool on_main_thread = false;

}  // namespace lectern
