#!/bin/sh
# shared_code_test.sh ISA OBJECT…: fails when kernels compiled for ISA define a function that the linker might take for code
# of another instruction set (a weak symbol outside the namespace of ISA), or run code when the program starts.
isa=$1
shift
found=$(nm -C "$@" | grep -E ' [WVu] ' | grep -v "lectern::kernels::cpu::$isa::")
if [ -n "$found" ]; then
  printf 'not inlined, and shared between instruction sets:\n%s\n' "$found"
  exit 1
fi
started=$(nm "$@" | grep -E ' _GLOBAL__sub_I')
if [ -n "$started" ]; then
  printf 'runs at start-up, whatever the processor:\n%s\n' "$started"
  exit 1
fi
