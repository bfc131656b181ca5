"""The recipe for Conan 2: `conan create tools/packaging/conan` builds the tree it lies in. With `-o clwave/*:system_opencl=True`
OpenCL is the system's; else its headers and loader come from Conan's own packages."""
import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Clwave(ConanFile):
    name = "clwave"
    license = "MIT"
    description = "Cross-vendor OpenCL compute primitives"
    topics = ("opencl", "gpu", "parallel", "reduction", "scan")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "system_opencl": [True, False]}
    default_options = {"shared": False, "system_opencl": False}

    @property
    def _root(self):
        return pathlib.Path(self.recipe_folder).resolve().parents[2]

    def set_version(self):
        text = (self._root / "include" / "clwave" / "version.hpp").read_text()
        self.version = ".".join(re.search(rf"#define CLWAVE_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))

    def export_sources(self):
        for part in ("CMakeLists.txt", "LICENSE", "CHANGELOG.md", "include/*", "lib/*", "cl_kernels/*", "docs/*", "tools/packaging/*"):
            copy(self, part, self._root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def requirements(self):
        if not self.options.system_opencl:
            self.requires("opencl-headers/2023.12.14", transitive_headers=True)
            self.requires("opencl-clhpp-headers/2023.12.14")
            self.requires("opencl-icd-loader/2023.12.14")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CLWAVE_BUILD_TOOLS"] = False
        toolchain.cache_variables["CLWAVE_BUILD_TESTS"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # clwave's own configuration is in the package: it knows its dependencies.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append("lib/cmake/clwave")
        self.cpp_info.libs = ["clwave"]
        if self.options.shared:
            self.cpp_info.defines = ["CLWAVE_SHARED"]
        if self.options.system_opencl:
            self.cpp_info.system_libs = ["OpenCL"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs.append("pthread")
