import os
import lit.formats

config.name = "tenon"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tenon_build_dir, "test")
config.excludes = ["CMakeLists.txt", "unit", "cts"]
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.tenon_build_dir, "bin"), config.llvm_bin, os.environ["PATH"]]
)
config.substitutions += [
    ("%python", config.python),
    ("%tenon_src", config.tenon_source_dir),
    ("%mlir_include", config.mlir_include),
]
