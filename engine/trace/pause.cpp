#include "trace/pause.h"

#include "trace/recorder.h"
#include "trace/recording.h"

namespace lectern::record {

Pause::Pause() : active_(recording()) {
  if (active_) probe::Recorder::live()->begin_inspection();
}

Pause::~Pause() {
  if (active_) probe::Recorder::live()->end_inspection();
}

}  // namespace lectern::record
