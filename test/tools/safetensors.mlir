// What the format forbids is refused, and what it allows is read.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %python %s.py %t
// RUN: tenon-compile %s --emit=executable -o model
// RUN: ./model good.safetensors --output=out.safetensors
// RUN: %python %S/Inputs/tensors.py out.safetensors | FileCheck %s --check-prefix=GOOD
// RUN: not ./model overlap.safetensors 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not ./model gap.safetensors 2>&1 | FileCheck %s --check-prefix=GAP
// RUN: not ./model more.safetensors 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not ./model late.safetensors 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not ./model shapes.safetensors 2>&1 | FileCheck %s --check-prefix=SHAPES
// RUN: not ./model shapeless.safetensors 2>&1 | FileCheck %s --check-prefix=SHAPELESS
// RUN: not ./model half.safetensors 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not ./model digits.safetensors 2>&1 | FileCheck %s --check-prefix=DIGITS
// RUN: not ./model control.safetensors 2>&1 | FileCheck %s --check-prefix=CONTROL
// RUN: not ./model type.safetensors 2>&1 | FileCheck %s --check-prefix=TYPE
// A pipe that nobody writes to is refused at once.
// RUN: mkfifo pipe.safetensors
// RUN: not ./model pipe.safetensors 2>&1 | FileCheck %s --check-prefix=PIPE

// A name with a line's end is written as JSON has it.
// GOOD:      {{^y$}}
// GOOD-NEXT: 1 F32 [3] 2.0 4.0 6.0
// OVERLAP:   model: overlap.safetensors: tensor 'z': expected data from offset 12, where the data before it ends, got 4
// GAP:       model: gap.safetensors: tensor 'z': expected data from offset 12, where the data before it ends, got 16
// MORE:      model: more.safetensors: expected 12 bytes of data for all tensors, got 20
// LATE:      model: late.safetensors: tensor 'x': expected data from offset 0, where the data before it ends, got 4
// SHAPES:    model: shapes.safetensors: 'shape' stands there twice (byte
// SHAPELESS: model: shapeless.safetensors: expected dtype, shape and data_offsets of a tensor (byte
// HALF:      model: half.safetensors: expected \u of a character (byte
// DIGITS:    model: digits.safetensors: expected four hexadecimal digits after \u (byte
// CONTROL:   model: control.safetensors: expected no control character in a string (byte
// TYPE:      model: type.safetensors: tensor 'x': element type: expected one of F64, F32, F16, BF16, I64, I32, I8, BOOL, got 'U32'
// PIPE:      model: pipe.safetensors: expected a regular file, got a pipe
func.func @twice(%x: tensor<3xf32> {tenon.name = "x"}) -> (tensor<3xf32> {tenon.name = "y\n1"}) {
  %0 = tenon.add %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
