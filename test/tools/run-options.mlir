// Options that make no sense are refused.
// RUN: not tenon-run %s --repeat=0 2>&1 | FileCheck %s --check-prefix=REPEAT
// RUN: not tenon-run %s --repeat=-2 2>&1 | FileCheck %s --check-prefix=REPEAT
// RUN: not tenon-run %s --low=5 --high=1 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tenon-run %s --low=nan 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tenon-run %s --int-limit=-3 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not tenon-run %s --tolerance=-1 --compare=reference 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not tenon-run %s --tolerance=nan --compare=reference 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not tenon-run %s --extent=-3 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not tenon-run %s --extent=3,4 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not tenon-run %s --backend=gpu 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not tenon-run %s --disable=cse,zzz 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not tenon-compile %s --disable=cse,zzz 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not tenon-compile %s -O7 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not tenon-compile %s --repeat=0 2>&1 | FileCheck %s --check-prefix=REPEAT

// REPEAT: --repeat: expected at least 1, got {{0|-2}}
// RANGE:  --low, --high: expected low <= high, both finite, got
// LIMIT:  --int-limit: expected at least 1, got -3
// BOUND:  --tolerance: expected a number of at least 0, got {{-1|nan}}
// EXTENT: --extent: expected at least 0, got -3
// EXTENTS: --extent: expected at most 1, a value for each dynamic extent of the inputs, got 2
// DEVICE: tenon-run: device: expected "cpu", "vulkan", "reference" or "reference-bounds", got "gpu"
// PASS:   disable: no pass 'zzz' can be left out, expected some of canonicalize, cse, derive-backward
// LEVEL:  -O7: expected 0 to 3
func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tenon.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
