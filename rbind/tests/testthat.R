library(testthat)
library(tenon)

test_check("tenon")
