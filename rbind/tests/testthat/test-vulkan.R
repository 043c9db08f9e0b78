# R code in a process of its own, with these environment variables; what it prints.
in_process <- function(code, env) {
  script <- tempfile(fileext = ".R")
  writeLines(c("suppressMessages(library(tenon))", code), script)
  # Not R's script, which puts folders of libraries before those that it is given.
  system2(file.path(R.home("bin"), "exec", "R"), c("--no-save", "--no-echo", paste0("--file=", shQuote(script))),
          env = env, stdout = TRUE, stderr = TRUE)
}
# What a session shows in which there is no Vulkan, and that it works.
without_vulkan <- c("stopifnot(!ggml_vulkan_available(), ggml_vulkan_device_count() == 0L)",
  "stopifnot(is.na(ggml_vulkan_device_description()), ggml_vulkan_device_memory()$total == 0)",
  "stopifnot(!ggml_vulkan_device_caps()$fp16, length(ggml_vulkan_list_devices()) == 0L)",
  "status <- ggml_vulkan_status()",
  "stopifnot(identical(status, list(available = FALSE, n_devices = 0L, devices = list())))",
  "stopifnot(identical(tenon_devices()$driver, 'cpu'), nzchar(tenon_sitrep()$problem))",
  "for (name in c('gpu', 'vulkan')) {",
  "  error <- tryCatch(ag_device(name), tenon_error_device = conditionMessage)",
  "  stopifnot(startsWith(error, sprintf('device \"%s\": ', name)), endsWith(error, tenon:::driver_problem('vulkan')))",
  "}",
  "stopifnot(ag_default_device() == 'cpu')",
  "cat(as.numeric(sum(tenon_tensor(1:4))))")

test_that("devices are told, the processor first", {
  devices <- tenon_devices()
  expect_named(devices, c("driver", "index", "name", "type", "memory", "free", "used", "features", "problem"))
  expect_identical(devices$driver[1], "cpu")
  expect_true(is.na(devices$problem[1]) && devices$memory[1] > 0)
  expect_identical(tenon_sitrep_quietly()$devices$name, devices$name)
})

test_that("Vulkan's devices are told under the names of ggmlR", {
  if (!ggml_vulkan_available()) skip_on_cran() # elsewhere Mesa's driver is there
  expect_true(ggml_vulkan_available())
  count <- ggml_vulkan_device_count()
  listed <- ggml_vulkan_list_devices()
  expect_named(listed, paste0("device_", seq_len(count) - 1L))
  expect_named(listed[[1]], c("index", "name", "free_memory", "total_memory"))
  expect_identical(listed[[1]]$name, ggml_vulkan_device_description())
  memory <- ggml_vulkan_device_memory(0)
  expect_gt(memory$total, 0)
  expect_lte(memory$free, memory$total)
  caps <- ggml_vulkan_device_caps()
  expect_named(caps, c("coopmat_support", "coopmat1_fa_support", "fp16", "bf16", "integer_dot_product",
                       "subgroup_size", "subgroup_min_size", "subgroup_max_size", "subgroup_no_shmem",
                       "wavefronts_per_simd", "arch", "coopmat_m", "coopmat_n", "coopmat_k"))
  expect_gt(caps$subgroup_size, 0L)
  expect_output(status <- ggml_vulkan_status(), "Vulkan: [0-9]+ device.*\\[0\\]")
  expect_identical(status[1:2], list(available = TRUE, n_devices = count))
  expect_error(ggml_vulkan_device_description(count), class = "tenon_error_device")
  expect_error(ggml_vulkan_device_caps(-1), class = "tenon_error_argument")
})

test_that("a session without a Vulkan loader works, and says why there is no GPU", {
  folder <- tempfile("lib")
  dir.create(folder)
  file.create(file.path(folder, "libvulkan.so.1"))
  said <- in_process(without_vulkan, paste0("LD_LIBRARY_PATH=", folder, ":", Sys.getenv("LD_LIBRARY_PATH")))
  expect_match(said, "there is no Vulkan loader: .*libvulkan.so.1", all = FALSE)
  expect_identical(said[length(said)], "10")
})

test_that("TENON_DEVICE for a device that is not there is a warning", {
  none <- tempfile(fileext = ".json")
  said <- in_process("cat(ag_default_device(), as.numeric(sum(tenon_tensor(1:4))))",
                     c(paste0(c("VK_DRIVER_FILES=", "VK_ICD_FILENAMES="), none), "TENON_DEVICE=vulkan"))
  expect_match(said, "TENON_DEVICE: device \"vulkan\": ", all = FALSE)
  expect_identical(said[length(said)], "cpu 10")
})

test_that("so does one whose loader finds no driver", {
  none <- tempfile(fileext = ".json")
  said <- in_process(without_vulkan, paste0(c("VK_DRIVER_FILES=", "VK_ICD_FILENAMES="), none))
  expect_match(said, "finds no driver|no Vulkan (device|instance)", all = FALSE)
  expect_identical(said[length(said)], "10")
})
