// A libcuda.so.1 for a machine without one: cuDNN then makes its plans, whose kernels it wants to load. There
// is no device.

#define LECTERN_FAILS(name) \
  extern "C" int name() {   \
    return kNoDevice;       \
  }                         \
  static_assert(true)
#define LECTERN_SUCCEEDS(name) \
  extern "C" int name() {      \
    return 0;                  \
  }                            \
  static_assert(true)

namespace {
constexpr int kNoDevice = 100, kVersion = 13000;
}

LECTERN_FAILS(cuInit);
LECTERN_FAILS(cuCtxGetCurrent);
LECTERN_FAILS(cuCtxGetLimit);
LECTERN_FAILS(cuCtxPopCurrent);
LECTERN_FAILS(cuCtxPushCurrent);
LECTERN_FAILS(cuDeviceGet);
LECTERN_FAILS(cuDeviceGetCount);
LECTERN_FAILS(cuGetErrorName);
LECTERN_FAILS(cuGetErrorString);
LECTERN_FAILS(cuLaunchCooperativeKernel);
LECTERN_FAILS(cuLaunchKernel);
LECTERN_FAILS(cuLaunchKernelEx);
LECTERN_FAILS(cuLibraryLoadFromFile);
LECTERN_FAILS(cuLinkAddData);
LECTERN_FAILS(cuLinkComplete);
LECTERN_FAILS(cuLinkCreate);
LECTERN_FAILS(cuLinkDestroy);
LECTERN_FAILS(cuOccupancyMaxPotentialClusterSize);
LECTERN_FAILS(cuStreamGetCtx);

LECTERN_SUCCEEDS(cuKernelGetAttribute);
LECTERN_SUCCEEDS(cuKernelGetFunction);
LECTERN_SUCCEEDS(cuKernelSetAttribute);
LECTERN_SUCCEEDS(cuLibraryUnload);

extern "C" int cuDriverGetVersion(int* version) {
  *version = kVersion;
  return 0;
}

extern "C" int cuLibraryLoadData(void** library) {
  static int loaded;
  *library = &loaded;
  return 0;
}

extern "C" int cuLibraryGetKernel(void** kernel) {
  static int found;
  *kernel = &found;
  return 0;
}
