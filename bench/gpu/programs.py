"""The programs whose speed on a GPU bench/gpu measures: their text, their work, their targets.

`cases(small)` gives them; small ones have the same ops and extents that a processor gets through.
"""
from dataclasses import dataclass, field


@dataclass
class Case:
    name: str
    text: str             # of a function @run
    sizes: tuple = ()     # for the peer
    flops: float = 0
    bytes: float = 0      # that have to be read and written
    steps: int = 1        # of a run; times are those of one step
    scale: float = 1      # inputs are random in [0, scale)
    limit: int = 2        # integers are random below this
    ratio: float = 0      # targets: of torch's speed,
    copy: float = 0       # of the bandwidth of a copy,
    most: float = 0       # milliseconds of a step
    aims: float = 0       # a better ratio to aim at


def tensor(dtype, *extents):
    return "tensor<" + "".join(f"{n}x" for n in extents) + dtype + ">"


@dataclass
class Body:
    """Writes ops one after the other; an operand's type is known by its name."""
    types: dict = field(default_factory=dict)
    lines: list = field(default_factory=list)

    def add(self, op, operands, result=None, attributes=""):
        """Without a result's type it is that of the one operand."""
        name = f"%v{len(self.types)}"
        types = ", ".join(self.types[x] for x in operands)
        signature = f"({types}) -> {result}" if result else types
        self.types[name] = result or types
        self.lines.append(f"  {name} = tenon.{op} {', '.join(operands)}{attributes} : {signature}")
        return name

    def binary(self, op, x, y):
        return self.add(op, [x, y], self.types[x])

    def matmul(self, x, y, result):
        return self.add("matmul", [x, y], result)

    def reshape(self, x, result, *extents):
        return self.add("reshape", [x], result, f" {{shape = array<i64: {numbers(extents)}>}}")

    def transpose(self, x, result, *axes):
        return self.add("transpose", [x], result,
                        f" {{permutation = array<i64: {numbers(axes)}>}}")

    def broadcast_rows(self, x, dtype, rows, columns):
        return self.add("broadcast", [x], tensor(dtype, rows, columns),
                        f" {{shape = array<i64: {rows}, {columns}>, dims = array<i64: 1>}}")


def numbers(values):
    return ", ".join(str(v) for v in values)


def function(arguments, results, body):
    """`arguments` and `results` are pairs of name and type."""
    return (f"func.func @run({', '.join(f'{n}: {t}' for n, t in arguments)}) -> "
            f"({', '.join(t for _, t in results)}) {{\n{body}\n"
            f"  return {', '.join(n for n, _ in results)} : "
            f"{', '.join(t.split(' {')[0] for _, t in results)}\n}}\n")


def one_op(op, types, result, attributes="", separators=None):
    """A function of one op with one result."""
    names = [f"%x{i}" for i in range(len(types))]
    operands = separators.format(*names) if separators else ", ".join(names)
    signature = types[0] if result is None else f"({', '.join(types)}) -> {result}"
    result = result or types[0]
    return function(list(zip(names, types)), [("%y", result)],
                    f"  %y = tenon.{op} {operands}{attributes} : {signature}")


def gemm(name, dtype, m, n, k, **targets):
    types = [tensor(dtype, m, k), tensor(dtype, k, n)]
    return Case(name, one_op("matmul", types, tensor(dtype, m, n)), (m, n, k),
                flops=2 * m * n * k, **targets)


def attention_forward(b, h, n, d, causal):
    q, lse = tensor("f16", b, h, n, d), tensor("f32", b, h, n)
    return function([("%q", q), ("%k", q), ("%v", q)], [("%o", q), ("%l", lse)],
                    f"  %o, %l = tenon.attention %q, %k, %v {{scale = {d ** -0.5} : f64"
                    f"{', causal = true' if causal else ''}}} : ({q}, {q}, {q}) -> ({q}, {lse})")


def attention_backward(b, h, n, d, causal):
    q, lse = tensor("f16", b, h, n, d), tensor("f32", b, h, n)
    return function([("%q", q), ("%k", q), ("%v", q), ("%o", q), ("%l", lse), ("%g", q)],
                    [("%dq", q), ("%dk", q), ("%dv", q)],
                    f"  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %l, %g "
                    f"{{scale = {d ** -0.5} : f64{', causal = true' if causal else ''}}} : "
                    f"({q}, {q}, {q}, {q}, {lse}, {q}) -> ({q}, {q}, {q})")


def attention(small):
    """16384 tokens of 2048 numbers, in batches."""
    for d, heads in ((64, 32), (128, 16)):
        for n in (1024, 4096, 16384):
            for causal in (False, True):
                size = (1, 2, n // 128, d) if small else (16384 // n, heads, n, d)
                b, h, tokens, _ = size
                flops = 4 * b * h * tokens * tokens * d / (2 if causal else 1)
                name = f"d{d}_n{n}" + ("_causal" if causal else "")
                yield Case("attention_" + name, attention_forward(*size, causal),
                           (*size, causal), flops=flops, ratio=1.0 if d == 64 and not causal else 0.8,
                           aims=1.1 if d == 64 else 1.0)
                yield Case("attention_grad_" + name, attention_backward(*size, causal),
                           (*size, causal), flops=2.5 * flops, ratio=0.9 if d == 64 else 0.85,
                           aims=1.1)


def decode(small):
    b, h, keys, d = (1, 2, 512, 128) if small else (2, 32, 32768, 128)
    q, k, lse = tensor("f16", b, h, 1, d), tensor("f16", b, h, keys, d), tensor("f32", b, h, 1)
    text = function([("%q", q), ("%k", k), ("%v", k)], [("%o", q)],
                    f"  %o, %l = tenon.attention %q, %k, %v {{scale = {d ** -0.5} : f64}} : "
                    f"({q}, {k}, {k}) -> ({q}, {lse})")
    return Case("attention_decode_32k", text, (b, h, keys, d), bytes=2 * 2 * b * h * keys * d,
                copy=0.8)


def convolution(name, dtype, n, c, side, filters, groups=1, of=None):
    """3 x 3 with a padding of 1, as tenon_conv() has it; `of`: the gradient of "%x" or "%w"."""
    t = lambda *extents: tensor(dtype, *extents)
    terms, places, each = c // groups * 9, side * side, filters // groups
    x, w, y = t(n, c, side, side), t(filters, c // groups, 3, 3), t(n, filters, side, side)
    body = Body({"%x": x, "%w": w, "%dy": y})
    border = "array<i64: 0, 0, 1, 1>"
    padded = body.add("pad", ["%x"], t(n, c, side + 2, side + 2),
                      f" {{low = {border}, high = {border}, value = 0.0 : f64}}")
    windows = body.add("windows", [padded], t(n, c, 3, 3, side, side),
                       " {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, "
                       "dilations = array<i64: 1, 1>}")
    columns = body.reshape(windows, t(n, groups, terms, places), n, groups, terms, places)
    kernel = body.reshape("%w", t(groups, each, terms), groups, each, terms)
    kernels = body.add("broadcast", [kernel], t(n, groups, each, terms),
                       f" {{shape = array<i64: {numbers((n, groups, each, terms))}>, "
                       "dims = array<i64: 1, 2, 3>}")
    product = body.matmul(kernels, columns, t(n, groups, each, places))
    result = body.reshape(product, y, n, filters, side, side)
    if of:
        terms_of_loss = body.binary("mul", result, "%dy")
        loss = body.add("reduce_sum", [terms_of_loss], t(), " {axes = array<i64: 0, 1, 2, 3>}")
        result = body.add("gradient", [loss, of], body.types[of])
    arguments = [("%x", x), ("%w", w)] + ([("%dy", y)] if of else [])
    return Case(name, function(arguments, [(result, body.types[result])], "\n".join(body.lines)),
                (n, c, side, filters, groups), flops=2 * n * filters * terms * places)


def convolutions(small):
    size = (2, 32, 8, 32) if small else (8, 64, 56, 64)
    yield convolution("conv_f32", "f32", *size)
    yield convolution("conv_f16", "f16", *size)
    yield convolution("conv_input_grad_f32", "f32", *size, of="%x")
    yield convolution("conv_kernel_grad_f32", "f32", *size, of="%w")
    yield convolution("conv_groups_f32", "f32", *size, groups=2 if small else 4)
    yield convolution("conv_deep_f32", "f32", *((2, 32, 5, 32) if small else (32, 256, 14, 256)))


def memory_bound(small):
    """1 GB each."""
    n = 1 << (14 if small else 28)
    flat = tensor("f32", n)
    bytes = 8 * n
    yield Case("copy_f32_1g", one_op("neg", [flat], None), (n,), bytes=bytes)
    yield Case("gelu_f32_1g", one_op("gelu", [flat], None), (n,), bytes=bytes, copy=0.92)
    scalar = tensor("i64")
    yield Case("dropout_f32_1g",
               one_op("dropout", [flat, scalar, scalar], flat, " {rate = 0.1 : f64, stream = 1 : i64}"),
               (n,), bytes=bytes, copy=0.92)
    rows, columns = n // (256 if small else 4096), 256 if small else 4096
    matrix = tensor("f32", rows, columns)
    yield Case("softmax_f32_1g", one_op("softmax", [matrix], matrix, " {axis = 1 : i64}"),
               (rows, columns), bytes=bytes, copy=0.92, ratio=1.3)
    wide = 128 if small else 1024
    lines, line = tensor("f32", n // wide, wide), tensor("f32", wide)
    yield Case("layer_norm_f32_1g",
               one_op("layer_norm", [lines, line, line], lines, " {eps = 1.0e-5 : f64}",
                      "{0}, {1} bias {2}"),
               (n // wide, wide), bytes=bytes, copy=0.92, ratio=1.3)
    yield Case("rms_norm_f32_1g",
               one_op("rms_norm", [lines, line], lines, " {eps = 1.0e-5 : f64}"),
               (n // wide, wide), bytes=bytes, copy=0.92, ratio=1.3)
    yield adam(n // 4)
    classes = 512 if small else 32768
    yield cross_entropy(n // classes, classes)
    yield cross_entropy_gradient(n // classes, classes)
    yield Case("sum_all_f32_1g",
               one_op("reduce_sum", [flat], tensor("f32"), " {axes = array<i64: 0>}"), (n,),
               bytes=bytes / 2)
    yield Case("sum_columns_f32_1g",
               one_op("reduce_sum", [matrix], tensor("f32", columns), " {axes = array<i64: 0>}"),
               (rows, columns), bytes=bytes / 2)
    side = int(n ** 0.5)
    square = tensor("f32", side, side)
    yield Case("transpose_f32_1g",
               one_op("transpose", [square], square, " {permutation = array<i64: 1, 0>}"),
               (side, side), bytes=bytes)


def adam(n):
    p, lr, t = tensor("f32", n), tensor("f32"), tensor("i64")
    text = function(
        [("%p", p), ("%g", p), ("%m", p), ("%v", p), ("%lr", lr), ("%t", t)],
        [("%p2", p + " {tenon.donates = 0 : i64}"), ("%m2", p + " {tenon.donates = 2 : i64}"),
         ("%v2", p + " {tenon.donates = 3 : i64}")],
        "  %p2, %m2, %v2 = tenon.adam %p, %g, %m, %v, %lr, %t {beta1 = 0.9 : f64, "
        "beta2 = 0.999 : f64, eps = 1.0e-8 : f64, weight_decay = 0.0 : f64} : "
        f"({p}, {p}, {p}, {p}, {lr}, {t}) -> ({p}, {p}, {p})")
    return Case("adam_f32_1g", text, (n,), bytes=7 * 4 * n, copy=0.92, ratio=1.3)


def cross_entropy(rows, classes):
    x, t, losses = tensor("f32", rows, classes), tensor("i32", rows), tensor("f32", rows)
    text = function(
        [("%x", x), ("%t", t)], [("%l", tensor("f32"))],
        f"  %e = tenon.softmax_cross_entropy %x, %t {{floor = 0.0 : f64}} : ({x}, {t}) -> {losses}\n"
        f"  %l = tenon.reduce_mean %e {{axes = array<i64: 0>}} : ({losses}) -> {tensor('f32')}")
    return Case("cross_entropy_f32_1g", text, (rows, classes), bytes=4 * rows * classes,
                limit=classes, copy=0.92, ratio=1.3)


def cross_entropy_gradient(rows, classes):
    x, t, losses = tensor("f32", rows, classes), tensor("i32", rows), tensor("f32", rows)
    text = function(
        [("%x", x), ("%t", t)], [("%l", tensor("f32")), ("%g", x)],
        f"  %e = tenon.softmax_cross_entropy %x, %t {{floor = 0.0 : f64}} : ({x}, {t}) -> {losses}\n"
        f"  %l = tenon.reduce_mean %e {{axes = array<i64: 0>}} : ({losses}) -> {tensor('f32')}\n"
        f"  %g = tenon.gradient %l, %x : ({tensor('f32')}, {x}) -> {x}")
    return Case("cross_entropy_grad_f32_1g", text, (rows, classes), bytes=8 * rows * classes,
                limit=classes, ratio=1.3)


def transformer_block(small):
    """Forward, backward and an update of all parameters: attention and a dense part of four times
    the width, both after a norm and around a sum."""
    batch, tokens, heads, width = (1, 32, 2, 64) if small else (8, 2048, 16, 1024)
    d, rows, wide = width // heads, batch * tokens, 4 * width
    f16 = lambda *extents: tensor("f16", *extents)
    x, loss = f16(rows, width), f16()
    shapes = {"g1": (width,), "b1": (width,)}
    for letter in "qkvo":
        shapes["w" + letter] = (width, width)
        shapes["c" + letter] = (width,)
    shapes |= {"g2": (width,), "b2": (width,), "wu": (width, wide), "cu": (wide,),
               "wd": (wide, width), "cd": (width,)}
    body = Body({"%x": x, "%t": x, "%lr": loss} | {f"%{n}": f16(*s) for n, s in shapes.items()})

    def norm(value, gain, bias):
        name = f"%n{gain}"
        body.types[name] = x
        body.lines.append(f"  {name} = tenon.layer_norm {value}, %{gain} bias %{bias} "
                          f"{{eps = 1.0e-5 : f64}} : ({x}, {f16(width)}, {f16(width)}) -> {x}")
        return name

    def dense(value, letter):
        columns = shapes["c" + letter][0]
        product = body.matmul(value, "%w" + letter, f16(rows, columns))
        return body.binary("add", product,
                           body.broadcast_rows("%c" + letter, "f16", rows, columns))

    def split(value):
        apart = body.reshape(value, f16(batch, tokens, heads, d), batch, tokens, heads, d)
        return body.transpose(apart, f16(batch, heads, tokens, d), 0, 2, 1, 3)

    normal = norm("%x", "g1", "b1")
    q, k, v = (split(dense(normal, letter)) for letter in "qkv")
    head, lse = body.types[q], tensor("f32", batch, heads, tokens)
    body.lines.append(f"  %o, %lse = tenon.attention {q}, {k}, {v} {{scale = {d ** -0.5} : f64, "
                      f"causal = true}} : ({head}, {head}, {head}) -> ({head}, {lse})")
    body.types["%o"] = head
    joined = body.transpose("%o", f16(batch, tokens, heads, d), 0, 2, 1, 3)
    between = body.binary("add", "%x", dense(body.reshape(joined, x, rows, width), "o"))
    up = body.add("gelu", [dense(norm(between, "g2", "b2"), "u")])
    result = body.binary("add", between, dense(up, "d"))
    total = body.add("mse_loss", [result, "%t"], loss)
    results = []
    for number, (name, shape) in enumerate(shapes.items()):
        type = f16(*shape)
        gradient = body.add("gradient", [total, f"%{name}"], type)
        new = body.add("sgd", [f"%{name}", gradient, "%lr"], type)
        results.append((new, f"{type} {{tenon.donates = {number + 3} : i64}}"))
    arguments = [(n, body.types[n]) for n in ["%x", "%t", "%lr"] + [f"%{n}" for n in shapes]]
    products = 6 * rows * (4 * width * width + 2 * width * wide)
    scores = 3.5 * 4 * batch * heads * tokens * tokens * d / 2
    return Case("transformer_block_step", function(arguments, results, "\n".join(body.lines)),
                (batch, tokens, heads, width), flops=products + scores, scale=0.02, ratio=0.7,
                aims=1.0)


def mlp(title, trips, most=0):
    """Steps of gradient descent in one run: 10 -> 10 x4 -> 1, batch 32."""
    f32 = lambda *extents: tensor("f32", *extents)
    layers = [(10, 10)] * 4 + [(10, 1)]
    names = [(f"w{i}", f"b{i}") for i in range(len(layers))]
    types = [t for rows, columns in layers for t in (f32(rows, columns), f32(columns))]
    flat = [name for pair in names for name in pair]
    x, t, lr = f32(32, 10), f32(32, 1), f32()
    body = Body({"%x": x, "%t": t, "%lr": lr} | {f"%{n}": type for n, type in zip(flat, types)})
    value = "%x"
    for i, (w, b) in enumerate(names):
        columns = layers[i][1]
        value = body.binary("add", body.matmul(value, "%" + w, f32(32, columns)),
                            body.broadcast_rows("%" + b, "f32", 32, columns))
        if i + 1 < len(names):
            value = body.add("relu", [value])
    loss = body.add("mse_loss", [value, "%t"], f32())
    new = []
    for name, type in zip(flat, types):
        gradient = body.add("gradient", [loss, "%" + name], type)
        new.append(body.add("sgd", ["%" + name, gradient, "%lr"], type))
    carried = ", ".join(types)
    inside = "\n".join("  " + line for line in body.lines)
    arguments = ", ".join(f"%{n}: {type}" for n, type in zip(flat, types))
    outer = [(f"%p{i}", type) for i, type in enumerate(types)]
    loop = (f"  %r:{len(flat) + 1} = tenon.loop trips {trips} carry({', '.join(n for n, _ in outer)}) "
            f"scan() use(%a, %b, %c) : ({carried}, {x}, {t}, {lr}) -> ({carried}, {f32(trips)}) {{\n"
            f"  ^bb0(%i: tensor<i64>, {arguments}, %x: {x}, %t: {t}, %lr: {lr}):\n{inside}\n"
            f"    tenon.yield {', '.join(new)}, {loss} : {carried}, {f32()}\n  }}")
    results = [(f"%r#{i}", f"{type} {{tenon.donates = {i + 3} : i64}}")
               for i, type in enumerate(types)] + [(f"%r#{len(flat)}", f32(trips))]
    return Case(title, function([("%a", x), ("%b", t), ("%c", lr)] + outer, results, loop),
                (trips,), steps=trips, scale=0.3, most=most)


def cases(small=False):
    large = 128 if small else 4096
    yield gemm("gemm_f32_4096", "f32", large, large, large, ratio=0.85, aims=0.95)
    yield gemm("gemm_f16_4096", "f16", large, large, large, ratio=0.45, aims=0.55)
    yield gemm("gemm_f16_8192x1024", "f16", 2 * large, large // 4, 2 * large, ratio=0.45, aims=0.55)
    yield from attention(small)
    yield decode(small)
    yield from convolutions(small)
    yield from memory_bound(small)
    yield transformer_block(small)
    yield mlp("mlp_loop_step", 10 if small else 1000, most=0.06)
    yield mlp("mlp_step", 1)
