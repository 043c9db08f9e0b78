//===- ProgramData.cpp - A program as constants of an LLVM module ---------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function lists the fields of one structure of artifact.h in its order.
//
//===----------------------------------------------------------------------===//
#include "codegen/aot/ProgramData.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace tenon::aot {

// A structure that grows must grow here as well.
static_assert(sizeof(tenon_program) == 17 * 8 && sizeof(tenon_step) == 22 * 8 &&
              sizeof(tenon_kernel_desc) == 14 * 8 && sizeof(tenon_slot) == 6 * 8 &&
              sizeof(tenon_port) == 5 * 8 && sizeof(tenon_check) == 6 * 8 &&
              sizeof(tenon_carried) == 6 * 8 && sizeof(tenon_scanned) == 4 * 8 &&
              sizeof(tenon_dispatch) == 13 * 8);

Constant *ProgramData::word(int64_t value) {
  return ConstantInt::getSigned(Type::getInt64Ty(module.getContext()), value);
}

Constant *ProgramData::null() {
  return ConstantPointerNull::get(PointerType::getUnqual(module.getContext()));
}

/// LLVM keeps equal constants once, so their addresses are kept once, too.
Constant *ProgramData::address(Constant *value, uint64_t alignment) {
  GlobalVariable *&global = addresses[{value, alignment}];
  if (!global) {
    global = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                GlobalValue::PrivateLinkage, value, "data");
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    global->setAlignment(Align(alignment));
  }
  return global;
}

Constant *ProgramData::text(StringRef text) {
  return address(ConstantDataArray::getString(module.getContext(), text), 1);
}

Constant *ProgramData::table(ArrayRef<Constant *> fields) {
  return fields.empty() ? null() : address(ConstantStruct::getAnon(fields), 8);
}

Constant *ProgramData::words(ArrayRef<int64_t> values) {
  Fields fields;
  for (int64_t value : values)
    fields.push_back(word(value));
  return table(fields);
}

void ProgramData::add(Fields &fields, const tenon_expr &expr) {
  Fields code;
  for (int64_t i = 0; i < expr.length; ++i)
    code.append({word(expr.code[i].op), word(expr.code[i].value)});
  fields.append({table(code), word(expr.length)});
}

Constant *ProgramData::exprs(const tenon_expr *exprs, int64_t count) {
  Fields fields;
  for (int64_t i = 0; i < count; ++i)
    add(fields, exprs[i]);
  return table(fields);
}

Constant *ProgramData::ports(const tenon_port *ports, int64_t count) {
  Fields fields;
  for (int64_t i = 0; i < count; ++i)
    fields.append({text(ports[i].name), word(ports[i].dtype), word(ports[i].rank),
                   exprs(ports[i].extents, ports[i].rank), word(ports[i].donates)});
  return table(fields);
}

Constant *ProgramData::slots(const tenon_program &program) {
  Fields fields;
  for (int64_t i = 0; i < program.num_slots; ++i) {
    const tenon_slot &slot = program.slots[i];
    Constant *data = null();
    if (slot.kind == TENON_SLOT_CONSTANT) {
      // An empty constant has an address, too.
      size_t size = std::max<int64_t>(slot.bytes, 1);
      data =
          address(ConstantDataArray::get(module.getContext(),
                                         ArrayRef(static_cast<const uint8_t *>(slot.data), size)),
                  64);
    }
    fields.append({word(slot.kind), word(slot.index), data, word(slot.bytes)});
    add(fields, slot.offset);
  }
  return table(fields);
}

Constant *ProgramData::dispatches(const tenon_kernel_desc &kernel) {
  Fields fields;
  for (const tenon_dispatch &each : ArrayRef(kernel.dispatches, kernel.num_dispatches)) {
    ArrayRef spirv(static_cast<const uint32_t *>(each.spirv), each.spirv_bytes / sizeof(uint32_t));
    fields.append({address(ConstantDataArray::get(module.getContext(), spirv), 8),
                   word(each.spirv_bytes), text(each.entry), word(each.num_bindings),
                   words(ArrayRef(each.bindings, each.num_bindings))});
    for (const tenon_expr &groups : each.groups)
      add(fields, groups);
    fields.append({word(each.subgroup_size), word(each.fragments)});
  }
  return table(fields);
}

Constant *ProgramData::kernels(const tenon_program &program, ArrayRef<std::string> symbols) {
  Fields fields;
  auto type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
  for (int64_t i = 0; i < program.num_kernels; ++i) {
    const tenon_kernel_desc &kernel = program.kernels[i];
    Constant *code = null();
    if (!symbols.empty()) {
      auto *function = cast<Function>(module.getOrInsertFunction(symbols[i], type).getCallee());
      function->setVisibility(GlobalValue::HiddenVisibility);
      code = function;
    }
    fields.append({text(kernel.name), text(kernel.location), code});
    for (const tenon_expr *expr :
         {&kernel.flops, &kernel.bytes, &kernel.scratch_shared, &kernel.scratch_per_worker})
      add(fields, *expr);
    fields.append({word(kernel.num_results), word(kernel.num_dispatches), dispatches(kernel)});
  }
  return table(fields);
}

void ProgramData::addBodies(Fields &fields, const tenon_step &step) {
  Fields carried, scanned;
  for (int64_t i = 0; i < step.num_carried; ++i) {
    const tenon_carried &each = step.carried[i];
    carried.append(
        {word(each.init), word(each.body_slot), word(each.next_slot), word(each.result)});
    add(carried, each.size);
  }
  for (int64_t i = 0; i < step.num_scanned; ++i) {
    scanned.append({word(step.scanned[i].base), word(step.scanned[i].body_slot)});
    add(scanned, step.scanned[i].stride);
  }
  add(fields, step.trips);
  fields.append({word(step.reverse), word(step.index_slot), word(step.num_carried), table(carried),
                 word(step.num_scanned), table(scanned), word(step.num_body),
                 steps(step.body, step.num_body), word(step.condition_slot), word(step.num_else),
                 steps(step.else_body, step.num_else)});
}

Constant *ProgramData::steps(const tenon_step *steps, int64_t count) {
  Fields fields;
  for (int64_t i = 0; i < count; ++i) {
    const tenon_step &step = steps[i];
    fields.append({word(step.kind), word(step.kernel), word(step.num_slots),
                   words(ArrayRef(step.slots, step.num_slots)),
                   exprs(step.sizes, step.sizes ? step.num_slots : 0), word(step.num_extents),
                   exprs(step.extents, step.num_extents)});
    add(fields, step.size);
    addBodies(fields, step);
  }
  return table(fields);
}

Constant *ProgramData::checks(const tenon_program &program) {
  Fields fields;
  for (int64_t i = 0; i < program.num_checks; ++i) {
    fields.push_back(word(program.checks[i].kind));
    add(fields, program.checks[i].left);
    add(fields, program.checks[i].right);
    fields.push_back(text(program.checks[i].what));
  }
  return table(fields);
}

Constant *ProgramData::program(const tenon_program &program, ArrayRef<std::string> symbols) {
  Fields fields = {word(program.abi_version),
                   text(program.name),
                   word(program.num_symbols),
                   word(program.num_inputs),
                   ports(program.inputs, program.num_inputs),
                   word(program.num_outputs),
                   ports(program.outputs, program.num_outputs),
                   word(program.num_kernels),
                   kernels(program, symbols),
                   word(program.num_slots),
                   slots(program),
                   word(program.num_steps),
                   steps(program.steps, program.num_steps)};
  add(fields, program.arena_bytes);
  fields.append({word(program.num_checks), checks(program)});
  return table(fields);
}

} // namespace tenon::aot
