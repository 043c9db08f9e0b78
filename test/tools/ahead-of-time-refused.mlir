// What is no whole library of this version for this processor is refused with the reason,
// before any of its code is loaded.
// RUN: rm -rf %t && mkdir -p %t
// RUN: tenon-compile %s --emit=shared -o %t/libmodel.so --march=x86-64-v3
// RUN: %python %S/Inputs/damage.py %t/libmodel.so %t same && tenon-run %t/same.so --quiet
// RUN: %python %S/Inputs/damage.py %t/libmodel.so %t magic format abi features text cut longer \
// RUN:   flipped header machine phdr
// RUN: not tenon-run %t/magic.so 2>&1 | FileCheck %s --check-prefix=MAGIC
// RUN: not tenon-run %t/format.so 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not tenon-run %t/abi.so 2>&1 | FileCheck %s --check-prefix=ABI
// RUN: not tenon-run %t/features.so 2>&1 | FileCheck %s --check-prefix=FEATURES
// RUN: not tenon-run %t/text.so 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not tenon-run %t/cut.so 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not tenon-run %t/longer.so 2>&1 | FileCheck %s --check-prefix=LONGER
// RUN: not tenon-run %t/flipped.so 2>&1 | FileCheck %s --check-prefix=FLIPPED
// RUN: not tenon-run %t/header.so 2>&1 | FileCheck %s --check-prefix=HEADER
// RUN: not tenon-run %t/machine.so 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not tenon-run %t/phdr.so 2>&1 | FileCheck %s --check-prefix=PHDR
// RUN: not tenon-run %t/libmodel.so --function=none 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not tenon-run %t/libmodel.so --compare=reference 2>&1 | FileCheck %s --check-prefix=COMPARE
// RUN: tenon-compile %s --emit=object -o %t/model.o
// RUN: not tenon-run %t/model.o 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: %clang -shared -o %t/foreign.so -x c /dev/null
// RUN: not tenon-run %t/foreign.so 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not tenon-compile %s --emit=shared 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not tenon-compile %s --emit=object -o %t/x.h 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tenon-compile %s --emit=shared -o %t/x.so --prefix=a-b 2>&1 | FileCheck %s --check-prefix=PREFIX

// MAGIC:    io: {{.*}}magic.so: its note is damaged: expected the magic word TENONAOT
// FORMAT:   io: {{.*}}format.so: expected format version 3, got 7: compile it with this version of Tenon
// ABI:      io: {{.*}}abi.so: expected ABI version [[#]], got 99: compile it with this version of Tenon
// FEATURES: device: '{{.*}}features.so' is compiled for x86-64-v3: this processor has not avx9
// TEXT:     its note is damaged: expected producer, architecture, symbol and variants
// CUT:      the file is cut short: expected {{[0-9]+}} bytes, got {{[0-9]+}}
// LONGER:   the file is too long: expected {{[0-9]+}} bytes, got {{[0-9]+}}
// FLIPPED:  the file is damaged: its contents do not have the digest that it states
// HEADER:   expected a shared library that tenon-compile wrote, got something else
// MACHINE:  expected code for {{.*}}, got machine 8
// PHDR:     the file is cut short or damaged
// ENTRY:    argument: entry: no 'none' among 'main'
// COMPARE:  --compare, --march, --disable and --backend are about programs that are compiled
// OBJECT:   expected a shared library (ELF type 3), got ELF type 1; link objects into a program instead
// FOREIGN:  expected a library that tenon-compile wrote, got one without its note
// TWICE:    -o, --header: expected two files, got {{.*}}x.h twice
// OUTPUT:   -o: expected a file for this --emit
// PREFIX:   --prefix: expected a name in C, got 'a-b'

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
