import os
import lit.formats

config.name = "tenon"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tenon_build_dir, "test")
config.excludes = ["CMakeLists.txt", "unit", "cts", "install", "fuzz", "Inputs"]
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.tenon_build_dir, "bin"), config.llvm_bin, os.environ["PATH"]]
)
# The Vulkan driver that runs on the processor, with every call checked, unless there is another.
config.environment["TENON_VULKAN_VALIDATION"] = os.environ.get("TENON_VULKAN_VALIDATION", "1")
for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES"):
    config.environment[name] = os.environ.get(name, config.vulkan_driver)
clang = os.path.join(config.llvm_bin, "clang")
if config.sanitizer: # run by scripts/sanitize
    clang = os.path.join(config.tenon_build_dir, "cc")
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "CXX"):
        config.environment[name] = os.environ.get(name, "")
    config.excludes.append("processors.mlir")  # no emulator has room for what the sanitizer maps
include = "-I" + os.path.join(config.tenon_source_dir, "runtime", "include")
library = os.path.join(config.tenon_build_dir, "lib")
config.substitutions += [
    ("%clang", clang),
    ("%include_flags", include),
    ("%runtime_flags", f"{include} -L{library} -ltenon_runtime -Wl,-rpath,{library}"),
    ("%python", config.python),
    ("%tenon_src", config.tenon_source_dir),
    ("%mlir_include", config.mlir_include),
]
