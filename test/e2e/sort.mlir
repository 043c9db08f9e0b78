// Sorted elements and where they were: ties, a few of many, short and long lines.
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan
// RUN: tenon-run %s --compare=reference --int-limit=3 --random-inputs=2

func.func @short_f64(%x: tensor<5x37xf64>) -> (tensor<5x37xf64>, tensor<5x37xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<5x37xf64>) -> (tensor<5x37xf64>, tensor<5x37xi32>)
  return %v, %i : tensor<5x37xf64>, tensor<5x37xi32>
}

func.func @digits_f64(%x: tensor<3x211xf64>) -> (tensor<3x211xf64>, tensor<3x211xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x211xf64>) -> (tensor<3x211xf64>, tensor<3x211xi32>)
  return %v, %i : tensor<3x211xf64>, tensor<3x211xi32>
}

func.func @columns_f64(%x: tensor<70x9xf64>) -> (tensor<70x9xf64>, tensor<70x9xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = true} : (tensor<70x9xf64>) -> (tensor<70x9xf64>, tensor<70x9xi32>)
  return %v, %i : tensor<70x9xf64>, tensor<70x9xi32>
}

func.func @few_f64(%x: tensor<4x300xf64>) -> (tensor<4x5xf64>, tensor<4x5xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 5 : i64, descending = true} : (tensor<4x300xf64>) -> (tensor<4x5xf64>, tensor<4x5xi32>)
  return %v, %i : tensor<4x5xf64>, tensor<4x5xi32>
}

func.func @many_f64(%x: tensor<2x300xf64>) -> (tensor<2x100xf64>, tensor<2x100xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 100 : i64, descending = false} : (tensor<2x300xf64>) -> (tensor<2x100xf64>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xf64>, tensor<2x100xi32>
}

func.func @short_f32(%x: tensor<5x37xf32>) -> (tensor<5x37xf32>, tensor<5x37xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<5x37xf32>) -> (tensor<5x37xf32>, tensor<5x37xi32>)
  return %v, %i : tensor<5x37xf32>, tensor<5x37xi32>
}

func.func @digits_f32(%x: tensor<3x211xf32>) -> (tensor<3x211xf32>, tensor<3x211xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x211xf32>) -> (tensor<3x211xf32>, tensor<3x211xi32>)
  return %v, %i : tensor<3x211xf32>, tensor<3x211xi32>
}

func.func @columns_f32(%x: tensor<70x9xf32>) -> (tensor<70x9xf32>, tensor<70x9xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = false} : (tensor<70x9xf32>) -> (tensor<70x9xf32>, tensor<70x9xi32>)
  return %v, %i : tensor<70x9xf32>, tensor<70x9xi32>
}

func.func @few_f32(%x: tensor<4x300xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 5 : i64, descending = true} : (tensor<4x300xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>)
  return %v, %i : tensor<4x5xf32>, tensor<4x5xi32>
}

func.func @many_f32(%x: tensor<2x300xf32>) -> (tensor<2x100xf32>, tensor<2x100xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 100 : i64, descending = false} : (tensor<2x300xf32>) -> (tensor<2x100xf32>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xf32>, tensor<2x100xi32>
}

func.func @short_f16(%x: tensor<5x37xf16>) -> (tensor<5x37xf16>, tensor<5x37xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<5x37xf16>) -> (tensor<5x37xf16>, tensor<5x37xi32>)
  return %v, %i : tensor<5x37xf16>, tensor<5x37xi32>
}

func.func @digits_f16(%x: tensor<3x211xf16>) -> (tensor<3x211xf16>, tensor<3x211xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x211xf16>) -> (tensor<3x211xf16>, tensor<3x211xi32>)
  return %v, %i : tensor<3x211xf16>, tensor<3x211xi32>
}

func.func @columns_f16(%x: tensor<70x9xf16>) -> (tensor<70x9xf16>, tensor<70x9xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = false} : (tensor<70x9xf16>) -> (tensor<70x9xf16>, tensor<70x9xi32>)
  return %v, %i : tensor<70x9xf16>, tensor<70x9xi32>
}

func.func @few_f16(%x: tensor<4x300xf16>) -> (tensor<4x5xf16>, tensor<4x5xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 5 : i64, descending = false} : (tensor<4x300xf16>) -> (tensor<4x5xf16>, tensor<4x5xi32>)
  return %v, %i : tensor<4x5xf16>, tensor<4x5xi32>
}

func.func @many_f16(%x: tensor<2x300xf16>) -> (tensor<2x100xf16>, tensor<2x100xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 100 : i64, descending = true} : (tensor<2x300xf16>) -> (tensor<2x100xf16>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xf16>, tensor<2x100xi32>
}

func.func @short_bf16(%x: tensor<5x37xbf16>) -> (tensor<5x37xbf16>, tensor<5x37xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<5x37xbf16>) -> (tensor<5x37xbf16>, tensor<5x37xi32>)
  return %v, %i : tensor<5x37xbf16>, tensor<5x37xi32>
}

func.func @digits_bf16(%x: tensor<3x211xbf16>) -> (tensor<3x211xbf16>, tensor<3x211xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x211xbf16>) -> (tensor<3x211xbf16>, tensor<3x211xi32>)
  return %v, %i : tensor<3x211xbf16>, tensor<3x211xi32>
}

func.func @columns_bf16(%x: tensor<70x9xbf16>) -> (tensor<70x9xbf16>, tensor<70x9xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = false} : (tensor<70x9xbf16>) -> (tensor<70x9xbf16>, tensor<70x9xi32>)
  return %v, %i : tensor<70x9xbf16>, tensor<70x9xi32>
}

func.func @few_bf16(%x: tensor<4x300xbf16>) -> (tensor<4x5xbf16>, tensor<4x5xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 5 : i64, descending = true} : (tensor<4x300xbf16>) -> (tensor<4x5xbf16>, tensor<4x5xi32>)
  return %v, %i : tensor<4x5xbf16>, tensor<4x5xi32>
}

func.func @many_bf16(%x: tensor<2x300xbf16>) -> (tensor<2x100xbf16>, tensor<2x100xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 100 : i64, descending = false} : (tensor<2x300xbf16>) -> (tensor<2x100xbf16>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xbf16>, tensor<2x100xi32>
}

func.func @short_i64(%x: tensor<5x37xi64>) -> (tensor<5x37xi64>, tensor<5x37xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<5x37xi64>) -> (tensor<5x37xi64>, tensor<5x37xi32>)
  return %v, %i : tensor<5x37xi64>, tensor<5x37xi32>
}

func.func @digits_i64(%x: tensor<3x211xi64>) -> (tensor<3x211xi64>, tensor<3x211xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x211xi64>) -> (tensor<3x211xi64>, tensor<3x211xi32>)
  return %v, %i : tensor<3x211xi64>, tensor<3x211xi32>
}

func.func @columns_i64(%x: tensor<70x9xi64>) -> (tensor<70x9xi64>, tensor<70x9xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = false} : (tensor<70x9xi64>) -> (tensor<70x9xi64>, tensor<70x9xi32>)
  return %v, %i : tensor<70x9xi64>, tensor<70x9xi32>
}

func.func @few_i64(%x: tensor<4x300xi64>) -> (tensor<4x5xi64>, tensor<4x5xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 5 : i64, descending = false} : (tensor<4x300xi64>) -> (tensor<4x5xi64>, tensor<4x5xi32>)
  return %v, %i : tensor<4x5xi64>, tensor<4x5xi32>
}

func.func @many_i64(%x: tensor<2x300xi64>) -> (tensor<2x100xi64>, tensor<2x100xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 100 : i64, descending = true} : (tensor<2x300xi64>) -> (tensor<2x100xi64>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xi64>, tensor<2x100xi32>
}

func.func @short_i32(%x: tensor<5x37xi32>) -> (tensor<5x37xi32>, tensor<5x37xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<5x37xi32>) -> (tensor<5x37xi32>, tensor<5x37xi32>)
  return %v, %i : tensor<5x37xi32>, tensor<5x37xi32>
}

func.func @digits_i32(%x: tensor<3x211xi32>) -> (tensor<3x211xi32>, tensor<3x211xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x211xi32>) -> (tensor<3x211xi32>, tensor<3x211xi32>)
  return %v, %i : tensor<3x211xi32>, tensor<3x211xi32>
}

func.func @columns_i32(%x: tensor<70x9xi32>) -> (tensor<70x9xi32>, tensor<70x9xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = false} : (tensor<70x9xi32>) -> (tensor<70x9xi32>, tensor<70x9xi32>)
  return %v, %i : tensor<70x9xi32>, tensor<70x9xi32>
}

func.func @few_i32(%x: tensor<4x300xi32>) -> (tensor<4x5xi32>, tensor<4x5xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 5 : i64, descending = true} : (tensor<4x300xi32>) -> (tensor<4x5xi32>, tensor<4x5xi32>)
  return %v, %i : tensor<4x5xi32>, tensor<4x5xi32>
}

func.func @many_i32(%x: tensor<2x300xi32>) -> (tensor<2x100xi32>, tensor<2x100xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 100 : i64, descending = false} : (tensor<2x300xi32>) -> (tensor<2x100xi32>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xi32>, tensor<2x100xi32>
}

func.func @short_i8(%x: tensor<5x37xi8>) -> (tensor<5x37xi8>, tensor<5x37xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<5x37xi8>) -> (tensor<5x37xi8>, tensor<5x37xi32>)
  return %v, %i : tensor<5x37xi8>, tensor<5x37xi32>
}

func.func @digits_i8(%x: tensor<3x211xi8>) -> (tensor<3x211xi8>, tensor<3x211xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x211xi8>) -> (tensor<3x211xi8>, tensor<3x211xi32>)
  return %v, %i : tensor<3x211xi8>, tensor<3x211xi32>
}

func.func @columns_i8(%x: tensor<70x9xi8>) -> (tensor<70x9xi8>, tensor<70x9xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = true} : (tensor<70x9xi8>) -> (tensor<70x9xi8>, tensor<70x9xi32>)
  return %v, %i : tensor<70x9xi8>, tensor<70x9xi32>
}

func.func @few_i8(%x: tensor<4x300xi8>) -> (tensor<4x5xi8>, tensor<4x5xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 5 : i64, descending = true} : (tensor<4x300xi8>) -> (tensor<4x5xi8>, tensor<4x5xi32>)
  return %v, %i : tensor<4x5xi8>, tensor<4x5xi32>
}

func.func @many_i8(%x: tensor<2x300xi8>) -> (tensor<2x100xi8>, tensor<2x100xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 100 : i64, descending = false} : (tensor<2x300xi8>) -> (tensor<2x100xi8>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xi8>, tensor<2x100xi32>
}

func.func @ties_short(%x: tensor<4x50xf64>) -> (tensor<4x50xf64>, tensor<4x50xi32>) {
  %p = tenon.round %x : tensor<4x50xf64>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<4x50xf64>) -> (tensor<4x50xf64>, tensor<4x50xi32>)
  return %v, %i : tensor<4x50xf64>, tensor<4x50xi32>
}

func.func @ties_digits(%x: tensor<4x500xf32>) -> (tensor<4x500xf32>, tensor<4x500xi32>) {
  %p = tenon.round %x : tensor<4x500xf32>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<4x500xf32>) -> (tensor<4x500xf32>, tensor<4x500xi32>)
  return %v, %i : tensor<4x500xf32>, tensor<4x500xi32>
}

func.func @ties_few(%x: tensor<4x500xf64>) -> (tensor<4x12xf64>, tensor<4x12xi32>) {
  %p = tenon.round %x : tensor<4x500xf64>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = 12 : i64, descending = true} : (tensor<4x500xf64>) -> (tensor<4x12xf64>, tensor<4x12xi32>)
  return %v, %i : tensor<4x12xf64>, tensor<4x12xi32>
}

func.func @ties_columns(%x: tensor<90x5xf32>) -> (tensor<20x5xf32>, tensor<20x5xi32>) {
  %p = tenon.round %x : tensor<90x5xf32>
  %v, %i = tenon.sort %p {axis = 0 : i64, count = 20 : i64, descending = false} : (tensor<90x5xf32>) -> (tensor<20x5xf32>, tensor<20x5xi32>)
  return %v, %i : tensor<20x5xf32>, tensor<20x5xi32>
}

func.func @nan_short(%x: tensor<4x50xf64>) -> (tensor<4x50xf64>, tensor<4x50xi32>) {
  %r = tenon.round %x : tensor<4x50xf64>
  %z = tenon.sub %r, %r : (tensor<4x50xf64>, tensor<4x50xf64>) -> tensor<4x50xf64>
  %p = tenon.div %r, %r : (tensor<4x50xf64>, tensor<4x50xf64>) -> tensor<4x50xf64>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<4x50xf64>) -> (tensor<4x50xf64>, tensor<4x50xi32>)
  return %v, %i : tensor<4x50xf64>, tensor<4x50xi32>
}

func.func @nan_digits(%x: tensor<3x200xf32>) -> (tensor<3x200xf32>, tensor<3x200xi32>) {
  %r = tenon.round %x : tensor<3x200xf32>
  %z = tenon.sub %r, %r : (tensor<3x200xf32>, tensor<3x200xf32>) -> tensor<3x200xf32>
  %p = tenon.div %r, %r : (tensor<3x200xf32>, tensor<3x200xf32>) -> tensor<3x200xf32>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x200xf32>) -> (tensor<3x200xf32>, tensor<3x200xi32>)
  return %v, %i : tensor<3x200xf32>, tensor<3x200xi32>
}

func.func @nan_few(%x: tensor<3x200xf32>) -> (tensor<3x9xf32>, tensor<3x9xi32>) {
  %r = tenon.round %x : tensor<3x200xf32>
  %z = tenon.sub %r, %r : (tensor<3x200xf32>, tensor<3x200xf32>) -> tensor<3x200xf32>
  %p = tenon.div %r, %r : (tensor<3x200xf32>, tensor<3x200xf32>) -> tensor<3x200xf32>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = 9 : i64, descending = true} : (tensor<3x200xf32>) -> (tensor<3x9xf32>, tensor<3x9xi32>)
  return %v, %i : tensor<3x9xf32>, tensor<3x9xi32>
}

func.func @infinite(%x: tensor<3x200xf64>) -> (tensor<3x200xf64>, tensor<3x200xi32>) {
  %r = tenon.round %x : tensor<3x200xf64>
  %p = tenon.log %r : tensor<3x200xf64>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x200xf64>) -> (tensor<3x200xf64>, tensor<3x200xi32>)
  return %v, %i : tensor<3x200xf64>, tensor<3x200xi32>
}

func.func @zeros_of_both_signs(%x: tensor<3x90xf32>) -> (tensor<3x90xf32>, tensor<3x90xi32>) {
  %r = tenon.clamp %x {lo = -0.5 : f64, hi = 0.5 : f64} : tensor<3x90xf32>
  %p = tenon.round %r : tensor<3x90xf32>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x90xf32>) -> (tensor<3x90xf32>, tensor<3x90xi32>)
  return %v, %i : tensor<3x90xf32>, tensor<3x90xi32>
}

func.func @one(%x: tensor<1xf64>) -> (tensor<1xf64>, tensor<1xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = false} : (tensor<1xf64>) -> (tensor<1xf64>, tensor<1xi32>)
  return %v, %i : tensor<1xf64>, tensor<1xi32>
}

func.func @none(%x: tensor<3x0xf64>) -> (tensor<3x0xf64>, tensor<3x0xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x0xf64>) -> (tensor<3x0xf64>, tensor<3x0xi32>)
  return %v, %i : tensor<3x0xf64>, tensor<3x0xi32>
}

func.func @no_lines(%x: tensor<0x5xf64>) -> (tensor<0x5xf64>, tensor<0x5xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<0x5xf64>) -> (tensor<0x5xf64>, tensor<0x5xi32>)
  return %v, %i : tensor<0x5xf64>, tensor<0x5xi32>
}

func.func @keep_none(%x: tensor<3x5xf64>) -> (tensor<3x0xf64>, tensor<3x0xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 0 : i64, descending = false} : (tensor<3x5xf64>) -> (tensor<3x0xf64>, tensor<3x0xi32>)
  return %v, %i : tensor<3x0xf64>, tensor<3x0xi32>
}

func.func @middle(%x: tensor<3x80x4x3xf32>) -> (tensor<3x80x4x3xf32>, tensor<3x80x4x3xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x80x4x3xf32>) -> (tensor<3x80x4x3xf32>, tensor<3x80x4x3xi32>)
  return %v, %i : tensor<3x80x4x3xf32>, tensor<3x80x4x3xi32>
}

func.func @keep_all(%x: tensor<3x40xf32>) -> (tensor<3x40xf32>, tensor<3x40xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 40 : i64, descending = true} : (tensor<3x40xf32>) -> (tensor<3x40xf32>, tensor<3x40xi32>)
  return %v, %i : tensor<3x40xf32>, tensor<3x40xi32>
}

func.func @indices_alone(%x: tensor<4x99xf32>) -> tensor<4x99xi32> {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64} : (tensor<4x99xf32>) -> (tensor<4x99xf32>, tensor<4x99xi32>)
  return %i : tensor<4x99xi32>
}

func.func @values_alone(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64} : (tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4x9xi32>)
  %y = tenon.exp %v : tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}
