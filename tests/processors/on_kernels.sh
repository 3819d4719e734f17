#!/bin/sh
# on_kernels.sh VARIABLE=VALUE… -- PROGRAM ARGUMENT…
# Runs a program with these kernels of OpenBLAS, oneDNN and Lectern, those not named as this processor has them, and with
# OMP_NUM_THREADS=N threads. Where the processor lacks an instruction set that the kernels need, it says so and exits with
# 77: skipped.
set -eu

# What each choice needs, as /proc/cpuinfo calls it.
avx2='avx2 fma bmi2'
avx512="$avx2 avx512f avx512bw avx512cd avx512dq avx512vl"
needs() {
  case $1 in
    LECTERN_CPU=portable | OMP_NUM_THREADS=*) ;;
    OPENBLAS_CORETYPE=Prescott) echo pni ;;
    ONEDNN_MAX_CPU_ISA=SSE41) echo sse4_1 ;;
    OPENBLAS_CORETYPE=Haswell | OPENBLAS_CORETYPE=Zen | ONEDNN_MAX_CPU_ISA=AVX2 | LECTERN_CPU=v3) echo "$avx2" ;;
    OPENBLAS_CORETYPE=SkylakeX | ONEDNN_MAX_CPU_ISA=AVX512_CORE | LECTERN_CPU=v4) echo "$avx512" ;;
    ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16) echo "$avx512 avx512_vnni avx512_bf16" ;;
    *) echo "on_kernels.sh: what does $1 need?" >&2 && exit 2 ;;
  esac
}

unset OPENBLAS_CORETYPE ONEDNN_MAX_CPU_ISA LECTERN_CPU
has=" $(sed -n 's/^flags[[:space:]]*: //p' /proc/cpuinfo | head -n 1) "
while [ "$1" != -- ]; do
  needed=$(needs "$1")
  for flag in $needed; do
    case $has in *" $flag "*) ;; *) echo "skipped: this processor lacks $flag, which $1 needs" && exit 77 ;; esac
  done
  export "${1?}"
  shift
done
shift
exec "$@"
