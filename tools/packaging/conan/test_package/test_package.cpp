// That the headers and the library of the package are found; no device is needed.
#include <iostream>

#include <clwave.hpp>

int main() { std::cout << CLWAVE_VERSION_STRING << ": " << clwave::profiles().size() << " architectures\n"; }
