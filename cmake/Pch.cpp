// Carries the precompiled header cmake/Pch.h.
