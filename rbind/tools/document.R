# Writes NAMESPACE and man/ from the comments in R/ (needs roxygen2 and an installed
# tenon): Rscript tools/document.R, from the package's folder.
roxygen2::roxygenise(".", load_code = roxygen2::load_installed)
