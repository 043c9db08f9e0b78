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
# LLVM is not instrumented: what its headers, which are, poison and annotate, it does not know of.
if config.sanitizer == "address":
    config.environment["ASAN_OPTIONS"] = (
        "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0:allocator_may_return_null=1"
    )
    config.excludes += [
        f"ahead-of-time{which}.mlir" for which in ("", "-executable", "-vulkan")
    ]
include = "-I" + os.path.join(config.tenon_source_dir, "runtime", "include")
library = os.path.join(config.tenon_build_dir, "lib")
config.substitutions += [
    ("%clang", os.path.join(config.llvm_bin, "clang")),
    ("%include_flags", include),
    ("%runtime_flags", f"{include} -L{library} -ltenon_runtime -Wl,-rpath,{library}"),
    ("%python", config.python),
    ("%tenon_src", config.tenon_source_dir),
    ("%mlir_include", config.mlir_include),
]
