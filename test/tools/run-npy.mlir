// Files that lie, and files that cannot be written.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %s.py %t
// RUN: tenon-run %s %t/good.npy | FileCheck %s --check-prefix=GOOD
// RUN: not tenon-run %s %t/huge.npy 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not tenon-run %s %t/overflow.npy 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not tenon-run %s %t/digits.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not tenon-run %s %t/negative.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not tenon-run %s %t/version.npy 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not tenon-run %s %t/cut.npy 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not tenon-run %s %s 2>&1 | FileCheck %s --check-prefix=NOT
// RUN: not tenon-run %s %t/none.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: ln -s /dev/full %t/full0.npy
// RUN: not tenon-run %s --quiet --output=%t/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not tenon-compile %s -o %t/full0.npy 2>&1 | FileCheck %s --check-prefix=FULL

// GOOD:     output0: f32[3] = [2, 4, 6]
// HUGE:     huge.npy: the data are cut short: expected 4000000000000000 bytes for the shape in the header, got 12
// OVERFLOW: overflow.npy: the data are cut short: expected more than 2^63 - 1 bytes
// SHAPE:    .npy: expected a shape of numbers from 0 to 2^63 - 1 in the header
// VERSION:  version.npy: expected version 1.0, 2.0 or 3.0, got 9.9
// CUT:      cut.npy: the header is cut short
// NOT:      expected a .npy file
// MISSING:  none.npy: No such file or directory
// FULL:     full0.npy: No space left on device
func.func @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tenon.add %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
